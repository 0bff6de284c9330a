#include <torch/torch.h>

#include "core/random.h"
#include "core/sha256.h"
#include "models/backbones/evaluator.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;

const EvaluatorOptions small{
    .size = 8, .frames = 6, .trunk = "8 16 p 16", .steps = 60, .batch = 16};

/// A dot of 2 x 2 pixels that moves by one pixel per frame: to the right (0) or down (1). No single
/// frame tells which.
training::Examples moving_dots(std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  training::Examples dots{.x = torch::full({n, 6, 3, 8, 8}, -1.0),
                          .labels = torch::zeros({n}, torch::kLong)};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto down = random.below(2), along = random.below(2), across = random.below(7);
    dots.labels[i] = down;
    for (std::int64_t t = 0; t < 6; ++t) {
      const auto row = down == 1 ? along + t : across, column = down == 1 ? across : along + t;
      dots.x[i][t].slice(1, row, row + 2).slice(2, column, column + 2).fill_(1);
    }
  }
  return dots;
}

/// Pictures of a dot above (0) or below (1) the middle.
training::Examples dots(std::int64_t n, std::int64_t channels, std::uint64_t seed) {
  Random random(seed);
  training::Examples set{.x = torch::full({n, channels, 8, 8}, -1.0),
                         .labels = torch::zeros({n}, torch::kLong)};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto below = random.below(2), column = random.below(7);
    set.labels[i] = below;
    set.x[i].slice(1, 1 + 4 * below, 3 + 4 * below).slice(2, column, column + 2).fill_(1);
  }
  return set;
}

training::FitReport fit(Evaluator& evaluator, const training::Examples& items,
                        std::uint64_t seed = 2) {
  training::Progress silent(nullptr);
  const auto [learned, validation] = hold_out_eighth(items);
  return evaluator.fit(learned, validation, {.seed = seed}, silent);
}

Evaluator fitted(const training::Examples& items, std::uint64_t seed = 2,
                 const EvaluatorOptions& options = small) {
  Evaluator evaluator(options, 1);
  fit(evaluator, items, seed);
  return evaluator;
}

TEST(Evaluator, TellsMotionsApartThatNoFrameTellsSlow) {
  const auto fresh = moving_dots(200, 2);
  Evaluator evaluator(small, 1);
  EXPECT_LT(training::best_error(fit(evaluator, moving_dots(256, 1))), 0.05);
  const auto p = evaluator.probabilities(fresh.x);
  EXPECT_EQ(p.sizes(), (std::vector<std::int64_t>{200, 2}));
  EXPECT_TRUE(torch::allclose(p.sum(1), torch::ones({200})));
  EXPECT_GT(evaluator.accuracy(fresh), 0.95);
  EXPECT_DOUBLE_EQ(evaluator.accuracy(fresh),
                   (p.argmax(1) == fresh.labels).to(torch::kDouble).mean().item<double>());
  EXPECT_EQ(evaluator.features(fresh.x).sizes(), (std::vector<std::int64_t>{200, 16}));
}

TEST(Evaluator, TheSameSeedsGiveTheSameEvaluatorAndItsProtocolSaysSoSlow) {
  const auto clips = moving_dots(64, 1);
  const auto one = fitted(clips), again = fitted(clips), other = fitted(clips, 3);
  EXPECT_TRUE(one.features(clips.x).equal(again.features(clips.x)));
  EXPECT_EQ(one.protocol("frechet", 256), again.protocol("frechet", 256));
  EXPECT_NE(one.protocol("frechet", 256), other.protocol("frechet", 256));
  EXPECT_THAT(one.protocol("frechet"), testing::MatchesRegex("frechet/judge-[0-9a-f]{8}"));
  EXPECT_EQ(one.protocol("frechet", 256), one.protocol("frechet") + "/N=256");
}

TEST(Evaluator, OfPicturesTellsThemApartAndTakesNoClips) {
  const auto fresh = dots(100, 3, 2);
  const auto evaluator = fitted(
      dots(256, 3, 1), 2, {.size = 8, .frames = 0, .trunk = "8 p 16", .steps = 120, .batch = 16});
  EXPECT_GT(evaluator.accuracy(fresh), 0.9);
  EXPECT_EQ(evaluator.features(fresh.x).sizes(), (std::vector<std::int64_t>{100, 16}));
  EXPECT_THAT(
      [&] {
        evaluator.features(torch::zeros({2, 6, 3, 8, 8}));
      },
      ThrowsUsageError(HasSubstr("pictures [N, 3, 8, 8]"), HasSubstr("[2, 6, 3, 8, 8]")));
}

TEST(Evaluator, WithFullyConnectedLayersItsFeaturesAreThoseOfTheLastHiddenOne) {
  const auto fresh = dots(100, 1, 2);
  const auto evaluator = fitted(dots(256, 1, 1), 2,
                                {.channels = 1,
                                 .size = 8,
                                 .frames = 0,
                                 .trunk = "8 p",
                                 .width = 12,
                                 .steps = 120,
                                 .batch = 16});
  EXPECT_GT(evaluator.accuracy(fresh), 0.9);
  EXPECT_TRUE(evaluator.features(fresh.x).equal(evaluator.network->features(fresh.x, "fc7")));
}

// Values for a clip do not depend on the clips that it is evaluated with, and saved weights are the
// evaluator.
TEST(Evaluator, EvaluatesEachClipByItselfAndCanBeStoredSlow) {
  const auto clips = moving_dots(64, 1);
  const auto evaluator = fitted(clips);
  EXPECT_TRUE(torch::allclose(evaluator.features(clips.x.slice(0, 3, 4)),
                              evaluator.features(clips.x).slice(0, 3, 4), 1e-4, 1e-5));
  const TemporaryFolder folder;
  const auto file = folder.path() / "evaluator.safetensors";
  training::save_weights(*evaluator.network, file);
  Evaluator loaded(small, 9);
  loaded.load(file);
  EXPECT_TRUE(loaded.probabilities(clips.x).equal(evaluator.probabilities(clips.x)));
  EXPECT_EQ(loaded.protocol("x", 1), evaluator.protocol("x", 1));
  auto named_by_file = small;
  named_by_file.hash_of_file = true;
  Evaluator same(named_by_file, 9);
  same.load(file);
  EXPECT_EQ(same.protocol("x"), "x/judge-" + sha256_file(file).substr(0, 8));
}

TEST(Evaluator, WrongUseIsNamed) {
  const auto clips = moving_dots(32, 1);
  Evaluator evaluator(small, 1);
  const auto fit_on = [&](const at::Tensor& x, const at::Tensor& labels) {
    fit(evaluator, {.x = x, .labels = labels});
  };
  EXPECT_THAT([] { Evaluator({.classes = 1}, 1); },
              ThrowsUsageError(HasSubstr("at least two classes")));
  EXPECT_THAT([&] { fit_on(clips.x.slice(0, 0, 9), clips.labels.slice(0, 0, 9)); },
              ThrowsUsageError(HasSubstr("9 items")));
  EXPECT_THAT([&] { fit_on(clips.x, clips.labels.slice(0, 0, 9)); },
              ThrowsUsageError(HasSubstr("labels [9]")));
  EXPECT_THAT([&] { fit_on(clips.x, torch::zeros({32}, torch::kLong)); },
              ThrowsUsageError(HasSubstr("class 1")));
  EXPECT_THAT([&] { fit_on(clips.x, clips.labels + 1); },
              ThrowsUsageError(HasSubstr("outside 0 to 1")));
  EXPECT_THAT([&] { evaluator.features(clips.x.slice(1, 0, 3)); },
              ThrowsUsageError(HasSubstr("[32, 3, 3, 8, 8]"), HasSubstr("[N, 6, 3, 8, 8]")));
  EXPECT_THAT([&] { evaluator.features(clips.x.slice(0, 0, 0)); },
              ThrowsUsageError(HasSubstr("given nothing")));
}

}  // namespace
}  // namespace reprise::models
