#include <torch/torch.h>

#include "core/random.h"
#include "models/backbones/judge.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;

const JudgeOptions small{.size = 8, .frames = 6, .trunk = "8 16 p 16", .steps = 60, .batch = 16};

struct MovingDots {
  torch::Tensor clips, labels;
};

/// A dot of 2 x 2 pixels that moves by one pixel per frame: to the right (0) or down (1). No single frame tells which.
MovingDots moving_dots(std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  MovingDots dots{torch::full({n, 6, 3, 8, 8}, -1.0), torch::zeros({n}, torch::kLong)};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto down = random.below(2), along = random.below(2), across = random.below(7);
    dots.labels[i] = down;
    for (std::int64_t t = 0; t < 6; ++t) {
      const auto row = down == 1 ? along + t : across, column = down == 1 ? across : along + t;
      dots.clips[i][t].slice(1, row, row + 2).slice(2, column, column + 2).fill_(1);
    }
  }
  return dots;
}

Judge fitted(const MovingDots& dots, std::uint64_t seed = 2) {
  Judge judge(small, 1);
  training::Progress silent(nullptr);
  judge.fit(dots.clips, dots.labels, seed, silent);
  return judge;
}

TEST(Judge, TellsMotionsApartThatNoFrameTells) {
  const auto dots = moving_dots(256, 1), fresh = moving_dots(200, 2);
  Judge judge(small, 1);
  training::Progress silent(nullptr);
  const double accuracy = 1 - training::best_error(judge.fit(dots.clips, dots.labels, 2, silent));
  EXPECT_GT(accuracy, 0.95);
  const auto p = judge.probabilities(fresh.clips);
  EXPECT_EQ(p.sizes(), (std::vector<std::int64_t>{200, 2}));
  EXPECT_TRUE(torch::allclose(p.sum(1), torch::ones({200})));
  EXPECT_GT((p.argmax(1) == fresh.labels).to(torch::kDouble).mean().item<double>(), 0.95);
  EXPECT_EQ(judge.features(fresh.clips).sizes(), (std::vector<std::int64_t>{200, 16}));
}

TEST(Judge, TheSameSeedsGiveTheSameJudgeAndItsNameSaysSo) {
  const auto dots = moving_dots(64, 1);
  const auto one = fitted(dots), again = fitted(dots), other = fitted(dots, 3);
  EXPECT_TRUE(one.features(dots.clips).equal(again.features(dots.clips)));
  EXPECT_EQ(one.protocol("frechet", 256), again.protocol("frechet", 256));
  EXPECT_NE(one.protocol("frechet", 256), other.protocol("frechet", 256));
  EXPECT_THAT(one.protocol("frechet", 256), testing::MatchesRegex("frechet/judge-[0-9a-f]{8}/N=256"));
}

// With frames 0 it judges pictures: a dot above or below the middle, where no other pixel tells.
TEST(Judge, OfPicturesTellsThemApartAndTakesNoClips) {
  const auto pictures = [](std::int64_t n, std::uint64_t seed) {
    Random random(seed);
    MovingDots set{torch::full({n, 3, 8, 8}, -1.0), torch::zeros({n}, torch::kLong)};
    for (std::int64_t i = 0; i < n; ++i) {
      const auto below = random.below(2), column = random.below(7);
      set.labels[i] = below;
      set.clips[i].slice(1, 1 + 4 * below, 3 + 4 * below).slice(2, column, column + 2).fill_(1);
    }
    return set;
  };
  const auto learned = pictures(256, 1), fresh = pictures(100, 2);
  Judge judge({.size = 8, .frames = 0, .trunk = "8 p 16", .steps = 120, .batch = 16}, 1);
  training::Progress silent(nullptr);
  EXPECT_LT(training::best_error(judge.fit(learned.clips, learned.labels, 2, silent)), 0.1);
  EXPECT_GT((judge.probabilities(fresh.clips).argmax(1) == fresh.labels).to(torch::kDouble).mean().item<double>(), 0.9);
  EXPECT_EQ(judge.features(fresh.clips).sizes(), (std::vector<std::int64_t>{100, 16}));
  EXPECT_THAT(
      [&] {
        judge.features(torch::zeros({2, 6, 3, 8, 8}));
      },
      ThrowsUsageError(HasSubstr("pictures [N, 3, 8, 8]"), HasSubstr("[2, 6, 3, 8, 8]")));
}

// What a judge says of a clip does not hang on the clips beside it, and weights that were saved are the judge.
TEST(Judge, JudgesEachClipByItselfAndCanBeKept) {
  const auto dots = moving_dots(64, 1);
  const auto judge = fitted(dots);
  EXPECT_TRUE(torch::allclose(judge.features(dots.clips.slice(0, 3, 4)), judge.features(dots.clips).slice(0, 3, 4), 1e-4, 1e-5));
  const TemporaryFolder folder;
  training::save_weights(*judge.network, folder.path() / "judge.safetensors");
  Judge loaded(small, 9);
  training::load_weights(*loaded.network, folder.path() / "judge.safetensors");
  EXPECT_TRUE(loaded.probabilities(dots.clips).equal(judge.probabilities(dots.clips)));
  EXPECT_EQ(loaded.protocol("x", 1), judge.protocol("x", 1));
}

TEST(Judge, WrongUseIsNamed) {
  const auto dots = moving_dots(32, 1);
  training::Progress silent(nullptr);
  Judge judge(small, 1);
  EXPECT_THAT([] { Judge({.classes = 1}, 1); }, ThrowsUsageError(HasSubstr("one class")));
  EXPECT_THAT([&] { judge.fit(dots.clips.slice(0, 0, 9), dots.labels.slice(0, 0, 9), 1, silent); }, ThrowsUsageError(HasSubstr("9 items")));
  EXPECT_THAT([&] { judge.fit(dots.clips, torch::zeros({32}, torch::kLong), 1, silent); }, ThrowsUsageError(HasSubstr("class 1")));
  EXPECT_THAT([&] { judge.fit(dots.clips, dots.labels + 1, 1, silent); }, ThrowsUsageError(HasSubstr("outside 0 to 1")));
  EXPECT_THAT([&] { judge.features(dots.clips.slice(1, 0, 3)); },
              ThrowsUsageError(HasSubstr("[32, 3, 3, 8, 8]"), HasSubstr("[N, 6, 3, 8, 8]")));
  EXPECT_THAT([&] { judge.features(dots.clips.slice(0, 0, 0)); }, ThrowsUsageError(HasSubstr("given nothing")));
}

}  // namespace
}  // namespace reprise::models
