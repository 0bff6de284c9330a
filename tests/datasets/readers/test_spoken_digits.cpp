#include <ATen/ATen.h>

#include <cmath>
#include <set>

#include "datasets/formats/wav.h"
#include "datasets/generators/tone_words.h"
#include "datasets/readers/spoken_digits.h"
#include "datasets/transforms/spectrogram.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// A burst of `lasts` samples after `before` samples of silence, in a recording of n.
at::Tensor burst(std::int64_t n, std::int64_t before, std::int64_t lasts, double level = 0.5) {
  auto samples = at::zeros({n});
  samples.slice(0, before, before + lasts) =
      level * at::cos(at::arange(lasts).to(at::kFloat) * M_PI);  // + - + -
  return samples;
}

struct SpokenDigitFiles : testing::Test {
  TemporaryFolder folder;
  std::filesystem::path file(const std::string& name) const { return folder.path() / name; }
  void write(const std::string& name, const at::Tensor& samples, int rate = spoken_rate) const {
    write_wav(file(name), {samples, rate});
  }
};

TEST_F(SpokenDigitFiles, AFilesNameSaysDigitAndSpeaker) {
  write("7_theo_12.wav", burst(3200, 0, 3200));
  write("0_anna_maria_3.wav", burst(3200, 0, 3200));
  write_file(file("README.md"), "not a recording");
  const auto set = read_spoken_digits(folder.path(), 4000);
  EXPECT_THAT(set.item, ElementsAre("0_anna_maria_3", "7_theo_12"));
  EXPECT_THAT(set.speaker, ElementsAre("anna_maria", "theo"));
  EXPECT_TRUE(at::equal(set.labels, at::tensor({0, 7}, at::kLong)));
  EXPECT_THAT(set.samples.sizes(), ElementsAre(2, 4000));
  EXPECT_EQ(set.rate, 8000);
  EXPECT_TRUE(verify_spoken_digits(folder.path()).empty());
}

TEST_F(SpokenDigitFiles, TheRecordingsMayLieInAFolderOfTheirOwnAsInTheRepository) {
  write("recordings/3_theo_0.wav", burst(3200, 0, 3200));
  EXPECT_THAT(read_spoken_digits(folder.path()).item, ElementsAre("3_theo_0"));
}

TEST_F(SpokenDigitFiles, TheSpeechComesToTheMiddleAtThePeakOfNineTenths) {
  write("0_short_0.wav", burst(1600, 160, 1280, 0.01));  // quiet
  write("1_late_0.wav", burst(8000, 6400, 1280));  // 1280 + 6400 < 8000, but its end is cut off
  const auto set = read_spoken_digits(folder.path(), 4000);
  for (std::int64_t i = 0; i < 2; ++i) {
    auto expected = at::zeros({4000});
    expected.slice(0, 1360, 2640) = 0.9;
    EXPECT_TRUE(at::allclose(set.samples[i].abs(), expected, 0, 1e-3))
        << set.item[static_cast<std::size_t>(i)];
  }
}

TEST_F(SpokenDigitFiles, OfSpeechThatIsTooLongTheLoudestPartIsKept) {
  auto samples = burst(8000, 0, 8000, 0.1);
  samples.slice(0, 3000, 5000) *= 4;
  write("0_long_0.wav", samples);
  const auto kept = read_spoken_digits(folder.path(), 2000).samples[0];
  EXPECT_TRUE(at::allclose(kept.abs(), at::full({2000}, 0.9), 0, 1e-3));
}

TEST_F(SpokenDigitFiles, AnOffsetOfTheMicrophoneIsNoSound) {
  write("0_a_0.wav", burst(1600, 160, 1280, 0.3) + 0.2);
  const auto set = read_spoken_digits(folder.path(), 4000);
  EXPECT_LT(set.samples[0].slice(0, 0, 1300).abs().max().item<double>(), 1e-3);
  write("1_b_0.wav", at::full({1000}, 0.25));
  EXPECT_THAT([&] { read_spoken_digits(folder.path()); },
              ThrowsUsageError(HasSubstr("nothing but silence")));
}

TEST_F(SpokenDigitFiles, WhatIsWrongIsNamedAllAtOnce) {
  write("0_good_0.wav", burst(1600, 0, 1600));
  write("1_fast_0.wav", burst(1600, 0, 1600), 16000);
  write("2_silent_0.wav", at::zeros({1600}));
  write_file(file("3_broken_0.wav"), "RIFF");
  for (const char* name : {"ten_theo_1.wav", "4_theo.wav", "4__1.wav", "4_theo_x.wav"})
    write(name, burst(1600, 0, 1600));
  std::string all;
  const auto issues = verify_spoken_digits(folder.path());
  for (const auto& problem : issues) all += problem.where + ": " + problem.what + "\n";
  EXPECT_EQ(issues.size(), 7U) << all;
  for (const char* said :
       {"1_fast_0.wav: 16000 samples per second", "2_silent_0.wav: there is nothing but silence",
        "3_broken_0.wav: not a RIFF", "ten_theo_1.wav: the name", "4_theo.wav: the name",
        "4__1.wav: the name", "4_theo_x.wav: the name"})
    EXPECT_THAT(all, HasSubstr(said));
  EXPECT_THAT([&] { read_spoken_digits(folder.path()); },
              ThrowsUsageError(HasSubstr("7 things are wrong")));
}

TEST_F(SpokenDigitFiles, AFolderWithoutRecordingsIsRefused) {
  EXPECT_THAT([&] { read_spoken_digits(folder.path()); },
              ThrowsUsageError(HasSubstr("no .wav file")));
  EXPECT_THAT([&] { read_spoken_digits(file("none")); },
              ThrowsUsageError(HasSubstr("none"), HasSubstr("cannot be read")));
  EXPECT_EQ(verify_spoken_digits(file("none")).size(), 1U);
  write("0_good_0.wav", burst(1600, 0, 1600));
  EXPECT_THAT([&] { read_spoken_digits(folder.path(), 0); },
              ThrowsUsageError(HasSubstr("0 samples")));
}

TEST(ToneWords, AWordDependsOnItsNumberAndTheSeedAlone) {
  const auto many = generate_tone_words(30, spoken_length, 5),
             few = generate_tone_words(12, spoken_length, 5);
  EXPECT_TRUE(at::equal(many.samples.slice(0, 0, 12), few.samples));
  EXPECT_TRUE(at::equal(many.labels.slice(0, 0, 12), few.labels));
  EXPECT_EQ(many.item[11], few.item[11]);
  EXPECT_FALSE(at::equal(few.samples, generate_tone_words(12, spoken_length, 6).samples));
  EXPECT_THAT(many.samples.sizes(), ElementsAre(30, spoken_length));
  EXPECT_EQ(generate_tone_words(0, spoken_length, 5).size(), 0);
}

TEST(ToneWords, EachVoiceSpeaksRoundsOfAllTenWords) {
  const auto set = generate_tone_words(100, 2000, 7);
  for (int round = 0; round < 10; ++round) {
    const auto labels = std::get<0>(set.labels.slice(0, 10 * round, 10 * round + 10).sort());
    EXPECT_TRUE(at::equal(labels, at::arange(10)));
    EXPECT_THAT(
        std::vector(set.speaker.begin() + 10 * round, set.speaker.begin() + 10 * round + 10),
        Each(set.speaker[10 * round]));
  }
  EXPECT_EQ(std::set(set.speaker.begin(), set.speaker.end()).size(), 8U);
  EXPECT_EQ(set.item[13], "voice001/000013");
}

TEST(ToneWords, DifferInLoudnessAndStayWithinOne) {
  const auto highest = generate_tone_words(50, spoken_length, 8).samples.abs().amax(1);
  EXPECT_LE(highest.max().item<double>(), 0.95);
  EXPECT_GE(highest.min().item<double>(), 0.29);
  EXPECT_GT(highest.std().item<double>(), 0.1);
}

// Words of voices never heard, by the nearest mean of their pictures: the place of a word is drawn,
// so it is taken out by the first moment.
TEST(ToneWords, AreToldApartByTheirSpectrogramsWhoeverSpeaksSlow) {
  const auto pictures = [](const SpokenDigits& set) {
    auto picture = compute_spectrogram(set.samples).clamp_min(-0.6) + 0.6;
    std::vector<at::Tensor> centred;
    for (std::int64_t i = 0; i < set.size(); ++i) {
      const auto energy = picture[i].sum(0);
      const auto middle =
          ((energy * at::arange(64)).sum() / energy.sum()).round().item<std::int64_t>();
      centred.push_back(picture[i].roll(32 - middle, 1).flatten());
    }
    return at::stack(centred);
  };
  const auto heard = generate_tone_words(400, spoken_length, 9),
             fresh = generate_tone_words(200, spoken_length, 10);
  const auto known = pictures(heard);
  std::vector<at::Tensor> means;
  for (std::int64_t label = 0; label < 10; ++label)
    means.push_back(
        known.index_select(0, at::nonzero(heard.labels == label).reshape({-1})).mean(0));
  const auto nearest = at::cdist(pictures(fresh), at::stack(means)).argmin(1);
  EXPECT_GT((nearest == fresh.labels).to(at::kDouble).mean().item<double>(), 0.85);
}

TEST(ToneWords, RefuseWhatCannotBeSpoken) {
  EXPECT_THAT([] { generate_tone_words(-1, spoken_length, 1); }, ThrowsUsageError(HasSubstr("-1")));
  EXPECT_THAT([] { generate_tone_words(1, 1999, 1); }, ThrowsUsageError(HasSubstr("1999 samples")));
}

}  // namespace
}  // namespace reprise::datasets
