#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "datasets/generators/tone_words.h"
#include "datasets/transforms/spectrogram.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const SpectrogramOptions defaults;

at::Tensor tone(double hertz, double amplitude, std::int64_t n = 8064, int rate = 8000) {
  return (amplitude * at::sin(2 * std::numbers::pi * hertz / rate * at::arange(n).to(at::kDouble)))
      .to(at::kFloat);
}

/// Deterministic, and of every frequency.
at::Tensor noise(std::int64_t n, Random random) {
  auto samples = at::empty({n}, at::kFloat);
  for (std::int64_t i = 0; i < n; ++i)
    samples.data_ptr<float>()[i] = static_cast<float>(random.uniform(-0.5, 0.5));
  return samples;
}

/// || |X_b| - |X_a| || / || |X_a| ||
double spectral_error(const at::Tensor& a, const at::Tensor& b) {
  const auto x = compute_short_time_spectrum(a, defaults).abs(),
             y = compute_short_time_spectrum(b, defaults).abs();
  return ((y - x).norm() / x.norm()).item<double>();
}

TEST(ShortTimeSpectrum, OfSamplesIsInvertedExactly) {
  for (const auto& options : {SpectrogramOptions{}, SpectrogramOptions{.window = 64, .hop = 16},
                              SpectrogramOptions{.window = 100, .hop = 50}}) {
    const auto samples = noise(40 * options.hop, Random(1));
    const auto spectrum = compute_short_time_spectrum(samples, options);
    EXPECT_THAT(spectrum.sizes(), ElementsAre(options.window / 2 + 1, 41));
    EXPECT_TRUE(at::allclose(reconstruct_samples(spectrum, options), samples, 0, 1e-5))
        << options.window;
  }
}

// Parseval: of each frame, the energy of both halves of the spectrum is `window` times that of the
// windowed samples.
TEST(ShortTimeSpectrum, HasTheEnergyOfTheWindowedSamples) {
  const auto samples = noise(1024, Random(2));
  const auto power = compute_short_time_spectrum(samples, defaults).abs().square().to(at::kDouble);
  const auto window = at::hann_window(256, at::kDouble);
  for (const std::int64_t t : {1, 3, 6}) {
    const auto windowed = samples.slice(0, 128 * t - 128, 128 * t + 128).to(at::kDouble) * window;
    const auto frame = power.select(1, t);
    const double both_halves = (2 * frame.sum() - frame[0] - frame[128]).item<double>();
    EXPECT_NEAR(both_halves / (256 * windowed.square().sum().item<double>()), 1, 1e-5) << t;
  }
}

TEST(MelFilters, WeighNeighbouringBinsAndAddUpToOne) {
  const auto filters = mel_filters(defaults);
  EXPECT_THAT(filters.sizes(), ElementsAre(64, 128));
  EXPECT_TRUE(at::allclose(filters.sum(1), at::ones({64})));
  EXPECT_TRUE((filters >= 0).all().item<bool>());
  const auto highest = filters.argmax(1);
  EXPECT_TRUE((highest.diff() >= 1)
                  .all()
                  .item<bool>());  // so no two bands are the same, and the inverse exists
}

TEST(Spectrogram, OfDefaultOptionsIsAPictureOf64x64) {
  EXPECT_THAT(compute_spectrogram(tone(440, 1)).sizes(), ElementsAre(64, 64));
  EXPECT_THAT(compute_spectrogram(at::stack({tone(440, 1), tone(200, 1)})).sizes(),
              ElementsAre(2, 64, 64));
  EXPECT_TRUE(at::allclose(compute_spectrogram(at::stack({tone(440, 1), tone(200, 1)}))[1],
                           compute_spectrogram(tone(200, 1)), 0, 1e-5));
}

TEST(Spectrogram, AToneIsBrightestInItsBand) {
  const auto filters = mel_filters(defaults);
  for (const std::int64_t bin : {8, 16, 40, 90}) {
    const auto band = filters.select(1, bin).argmax().item<std::int64_t>();
    const auto picture =
        compute_spectrogram(tone(31.25 * static_cast<double>(bin), 0.5)).slice(1, 2, 62);
    EXPECT_TRUE((picture.argmax(0) == band).all().item<bool>()) << bin;
    EXPECT_GT(picture[band].min().item<double>(), 0.5);
    EXPECT_EQ(picture[(band + 30) % 64].max().item<double>(), -1);
  }
}

TEST(Spectrogram, LevelsAreDecibelsAboveTheFloor) {
  EXPECT_TRUE((compute_spectrogram(at::zeros({8064})) == -1).all().item<bool>());
  const auto loud = compute_spectrogram(tone(500, 1)), quiet = compute_spectrogram(tone(500, 0.1));
  EXPECT_NEAR((loud.amax() - quiet.amax()).item<double>(), 2 * 20 / 70.0, 1e-4);
  // A Hann window shows a sine of amplitude 1 as 1 in its own bin (16 here), and as 1/2 in both
  // next to it.
  const auto filters = mel_filters(defaults);
  const auto bands = filters.select(1, 16) + 0.5 * (filters.select(1, 15) + filters.select(1, 17));
  const auto expected = (20 * bands.clamp_min(1e-9).log10() / 35 + 1).clamp_min(-1);
  EXPECT_TRUE(at::allclose(loud.select(1, 30), expected, 0, 1e-3));
}

TEST(Spectrogram, ASoundThatComesLaterMovesByFrames) {
  auto early = at::zeros({8064}), late = at::zeros({8064});
  const auto sound = noise(2000, Random(3));
  early.slice(0, 1000, 3000).copy_(sound);
  late.slice(0, 1000 + 5 * 128, 3000 + 5 * 128).copy_(sound);
  EXPECT_TRUE(at::allclose(compute_spectrogram(late).slice(1, 5),
                           compute_spectrogram(early).slice(1, 0, 59), 0, 1e-4));
}

TEST(Spectrogram, ToTonesAndBackKeepsTheSpectrum) {
  const auto mix = tone(330, 0.3) + tone(700, 0.2) + tone(1900, 0.1);
  const auto back = reconstruct_sound(compute_spectrogram(mix), defaults, Random(4));
  EXPECT_THAT(back.sizes(), ElementsAre(8064));
  EXPECT_LT(spectral_error(mix, back), 0.25);
}

TEST(Spectrogram, ToWordsAndBackKeepsTheSpectrumAndThePicture) {
  const auto words = generate_tone_words(6, spoken_length, 1).samples;
  const auto pictures = compute_spectrogram(words);
  const auto back = reconstruct_sound(pictures, defaults, Random(5));
  EXPECT_EQ(back.sizes(), words.sizes());
  EXPECT_LE(back.abs().max().item<double>(), 1);
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_LT(spectral_error(words[i], back[i]), 0.35)
        << i;  // bands of 100 Hz and more blur harmonics at the second formant
    EXPECT_LT((compute_spectrogram(back[i]) - pictures[i]).abs().mean().item<double>(), 0.05) << i;
  }
}

TEST(Spectrogram, IterationsBringTheSoundNearerToThePicture) {
  const auto words = generate_tone_words(3, spoken_length, 2).samples;
  const auto pictures = compute_spectrogram(words);
  const auto error = [&](std::int64_t iterations) {
    SpectrogramOptions options;
    options.iterations = iterations;
    return spectral_error(words, reconstruct_sound(pictures, options, Random(6)));
  };
  const double none = error(0), few = error(4), many = error(32);
  EXPECT_LT(few, 0.7 * none);
  EXPECT_LT(many, few);
}

TEST(Spectrogram, TheWayBackIsTheSameForTheSameSeedAndFirstInABatch) {
  const auto pictures = compute_spectrogram(generate_tone_words(2, spoken_length, 3).samples);
  const auto first = reconstruct_sound(pictures[0], defaults, Random(7));
  EXPECT_TRUE(at::equal(first, reconstruct_sound(pictures[0], defaults, Random(7))));
  EXPECT_FALSE(at::allclose(first, reconstruct_sound(pictures[0], defaults, Random(8)), 0, 1e-3));
  EXPECT_LT(spectral_error(first, reconstruct_sound(pictures, defaults, Random(7))[0]), 1e-2);
}

TEST(Spectrogram, SilenceComesBackAsSilenceAndNoValueIsTooLarge) {
  EXPECT_EQ(
      reconstruct_sound(at::full({64, 10}, -1.0), defaults, Random(9)).abs().max().item<double>(),
      0);
  const auto picture = compute_spectrogram(tone(500, 0.5));
  EXPECT_TRUE(at::equal(
      reconstruct_sound(at::where(picture < 0, picture - 3, picture), defaults, Random(9)),
      reconstruct_sound(at::where(picture < 0, (picture - 3).clamp_min(-1), picture), defaults,
                        Random(9))));
  EXPECT_LE(reconstruct_sound(at::ones({64, 10}), defaults, Random(9)).abs().max().item<double>(),
            1);
}

TEST(Spectrogram, RefusesWhatHasNoPictureOrNoSound) {
  EXPECT_THAT([] { compute_spectrogram(at::zeros({128})); },
              ThrowsUsageError(HasSubstr("128 samples")));
  EXPECT_THAT(
      [] {
        compute_spectrogram(at::zeros({2, 2, 500}));
      },
      ThrowsUsageError(HasSubstr("[2, 2, 500]")));
  EXPECT_THAT([] { compute_spectrogram(at::full({500}, std::numeric_limits<float>::infinity())); },
              ThrowsUsageError(HasSubstr("not finite")));
  EXPECT_THAT([] { compute_spectrogram(at::zeros({500}), {.bands = 200}); },
              ThrowsUsageError(HasSubstr("of 200 bands")));
  EXPECT_THAT([] { compute_spectrogram(at::zeros({500}), {.window = 255}); },
              ThrowsUsageError(HasSubstr("window of 255")));
  EXPECT_THAT([] { compute_spectrogram(at::zeros({500}), {.hop = 129}); },
              ThrowsUsageError(HasSubstr("hop of 129")));
  EXPECT_THAT([] { compute_spectrogram(at::zeros({500}), {.floor = 0}); },
              ThrowsUsageError(HasSubstr("floor of 0 dB")));
  EXPECT_THAT(
      [] {
        reconstruct_sound(at::zeros({32, 10}), {}, Random(1));
      },
      ThrowsUsageError(HasSubstr("[32, 10]"), HasSubstr("64 bands")));
  EXPECT_THAT(
      [] {
        reconstruct_sound(at::zeros({64, 1}), {}, Random(1));
      },
      ThrowsUsageError(HasSubstr("2 frames")));
  EXPECT_THAT(
      [] {
        reconstruct_samples(at::zeros({129, 4}), {});
      },
      ThrowsUsageError(HasSubstr("complex")));
}

}  // namespace
}  // namespace reprise::datasets
