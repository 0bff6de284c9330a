#include "datasets/generators/tone_words.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "datasets/clips.h"
#include "datasets/scene/smooth_path.h"

namespace reprise::datasets {
namespace {

/// Length of the shortest word, samples.
constexpr std::int64_t shortest = 2000;
constexpr std::array<const char*, 10> words{"iau", "uai", "aia", "aua", "iui",
                                            "uiu", "eoe", "oeo", "aei", "oae"};

/// Amplitude (that of F_1 is 1) and bandwidth (Hz) of F_1, F_2 and F_3.
constexpr std::array<double, 3> loudness{1, 0.6, 0.25};
constexpr std::array<double, 3> bandwidth{60, 90, 150};
using Formants = std::array<double, 3>;

/// Returns F_1, F_2, F_3 of a vowel, Hz (means of male speakers, after Peterson and Barney 1952).
Formants vowel_formants(char vowel) {
  switch (vowel) {
    case 'i':
      return {270, 2290, 3000};
    case 'e':
      return {530, 1840, 2480};
    case 'a':
      return {730, 1090, 2440};
    case 'o':
      return {570, 840, 2410};
    default:  // u
      return {300, 870, 2240};
  }
}

/// One spoken word. Times are fractions of the word.
class Utterance {
 public:
  Utterance(const char* word, Random voice, Random& random) {
    // `voice` belongs to the speaker and gives the same numbers for each of its words.
    pitch_ = voice.uniform(100, 220) * random.uniform(0.92, 1.08);
    fall_ = random.uniform(0.05, 0.25);
    // A shorter vocal tract raises all formants by one factor.
    const double tract = voice.uniform(0.9, 1.12);
    for (std::size_t k = 0; k < 3; ++k) {
      vowel_[k] = vowel_formants(word[k]);
      for (auto& formant : vowel_[k]) formant *= tract;
    }
    // Vowels have random durations; the glides between them last equally long.
    std::array<double, 3> lasts{random.uniform(0.7, 1.3), random.uniform(0.7, 1.3),
                                random.uniform(0.7, 1.3)};
    const double all = lasts[0] + lasts[1] + lasts[2];
    border_ = {lasts[0] / all, (lasts[0] + lasts[1]) / all};
  }

  double pitch(double time) const { return pitch_ * (1 - fall_ * time); }

  Formants formants(double time) const {
    // Duration of a glide, fraction of the word.
    constexpr double glide = 0.16;
    const double first = ease(std::clamp((time - border_[0]) / glide + 0.5, 0.0, 1.0));
    const double second = ease(std::clamp((time - border_[1]) / glide + 0.5, 0.0, 1.0));
    Formants now;
    for (std::size_t k = 0; k < 3; ++k)
      now[k] = vowel_[0][k] + first * (vowel_[1][k] - vowel_[0][k]) +
               second * (vowel_[2][k] - vowel_[1][k]);
    return now;
  }

  /// Returns the loudness: rising at the start, falling at the end, with a dip between two vowels.
  double envelope(double time) const {
    // A tenth of the word to rise and to fall, so that it starts and ends without a click.
    double level = ease(std::clamp(std::min(time, 1 - time) / 0.1, 0.0, 1.0));
    for (const double border : border_)
      level *= 1 - 0.5 * std::exp(-std::pow((time - border) / 0.05, 2));
    return level;
  }

 private:
  double pitch_;
  double fall_;
  std::array<Formants, 3> vowel_;
  std::array<double, 2> border_;
};

/// Returns g(f): the gain of the vocal tract at a frequency.
double tract_gain(double hertz, const Formants& formants) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k)
    // Resonances as Lorentzian curves, added up.
    sum += loudness[k] / (1 + std::pow((hertz - formants[k]) / bandwidth[k], 2));
  return sum;
}

void synthesise(const Utterance& utterance, std::int64_t length, float* samples, Random& random) {
  const auto lasts =
      static_cast<std::int64_t>(static_cast<double>(length) * random.uniform(0.55, 0.8));
  const auto start =
      static_cast<std::int64_t>(static_cast<double>(length - lasts) * random.uniform(0.2, 0.8));
  const double level = random.uniform(0.3, 0.9);
  std::vector<double> word(static_cast<std::size_t>(lasts));
  double phase = 0;
  double highest = 0;
  for (std::int64_t i = 0; i < lasts; ++i) {
    const double time = static_cast<double>(i) / static_cast<double>(lasts);
    const double pitch = utterance.pitch(time);
    const auto formants = utterance.formants(time);
    // The phase is summed up, because the pitch changes; pitch times time would chirp.
    phase += 2 * std::numbers::pi * pitch / spoken_rate;
    double sum = 0;
    // Harmonics end below half the sampling rate, so none is aliased.
    for (int h = 1; h * pitch < 0.95 * spoken_rate / 2; ++h)
      sum += tract_gain(h * pitch, formants) * std::cos(h * phase);
    word[static_cast<std::size_t>(i)] = utterance.envelope(time) * sum;
    highest = std::max(highest, std::abs(word[static_cast<std::size_t>(i)]));
  }
  // Noise with a standard deviation 45 dB below the peak.
  const double breath = level * std::pow(10, -45.0 / 20);
  for (std::int64_t i = 0; i < length; ++i) {
    const auto place = i - start;
    const double voiced =
        place >= 0 && place < lasts ? level * word[static_cast<std::size_t>(place)] / highest : 0;
    samples[i] = static_cast<float>(voiced + breath * std::clamp(random.normal(), -4.0, 4.0));
  }
}

}  // namespace

SpokenDigits generate_tone_words(std::int64_t n, std::int64_t length, std::uint64_t seed) {
  if (length < shortest)
    throw UsageError(fmt::format("words of {} samples were requested", length),
                     fmt::format("request {} or more", shortest));
  std::vector<std::string> classes(words.begin(), words.end());
  std::vector<std::int64_t> voices;
  for (std::int64_t voice = 0; voice < tone_word_voices; ++voice) voices.push_back(voice);
  const ClipPlan cast(n, 1, std::move(classes), voices, seed);
  SpokenDigits set{.samples = at::empty({n, length}, at::kFloat),
                   .labels = cast.set.labels,
                   .speaker = {},
                   .item = {}};
  auto* samples = set.samples.data_ptr<float>();
  const Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    set.speaker.push_back(fmt::format("voice{:03}", cast.person(i)));
    set.item.push_back(fmt::format("{}/{:06}", set.speaker.back(), i));
  }
  parallel_items(n, at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    auto of_word = random.split("word", i);
    const Utterance utterance(words[static_cast<std::size_t>(cast.label(i))],
                              random.split("voice", cast.person(i)), of_word);
    synthesise(utterance, length, samples + i * length, of_word);
  });
  return set;
}

}  // namespace reprise::datasets
