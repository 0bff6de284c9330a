// Every registered generator keeps the promises of training/generator.h, and each does what its row in a table stands for.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <set>

#include "baselines/generators.h"
#include "core/files.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;
using training::Examples;

/// Pictures of two classes: the left half is light, or the right one; a little noise.
Examples pictures(std::uint64_t seed = 1, std::int64_t n = 24) {
  torch::manual_seed(static_cast<std::int64_t>(seed));
  Examples examples{.x = -0.5 + 0.05 * torch::randn({n, 1, 4, 6}), .labels = torch::arange(n, at::kLong).remainder(2)};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto left = 3 * examples.labels[i].item<std::int64_t>();
    examples.x[i].slice(2, left, left + 3).add_(1);
  }
  return examples;
}

/// Each picture as a clip of three frames that grow lighter.
Examples clips(std::uint64_t seed = 1) {
  auto examples = pictures(seed);
  const auto light = torch::tensor({-0.2, 0.0, 0.2}).view({1, 3, 1, 1, 1});
  examples.x = examples.x.unsqueeze(1) + light;
  return examples;
}

class EveryGenerator : public testing::TestWithParam<GeneratorMethod> {
 protected:
  /// What it learns from: pictures where it can.
  static Examples examples(std::uint64_t seed = 1) { return GetParam().clips_only ? clips(seed) : pictures(seed); }
  std::unique_ptr<training::Generator> fitted(const Examples& examples) const {
    auto generator = GetParam().make();
    training::Progress silent(nullptr);
    generator->fit(examples, 5, silent);
    return generator;
  }
};

TEST_P(EveryGenerator, SamplesHaveTheShapeOfTheExamplesAndAreFiniteFromMinusOneToOne) {
  for (const auto& examples : {examples(), clips()}) {
    const auto x = fitted(examples)->sample({.count = 7, .seed = 2});
    auto shape = examples.x.sizes().vec();
    shape[0] = 7;
    EXPECT_EQ(x.sizes(), shape);
    EXPECT_TRUE(x.isfinite().all().item<bool>());
    EXPECT_LE(x.abs().max().item<double>(), 1);
    EXPECT_FALSE(x.requires_grad());
  }
}

TEST_P(EveryGenerator, TheSameSeedGivesTheSameSamplesAndAnotherOthers) {
  const auto one = fitted(examples()), again = fitted(examples());
  EXPECT_TRUE(one->sample({.count = 9, .seed = 2}).equal(again->sample({.count = 9, .seed = 2})));
  EXPECT_EQ(one->sample({.count = 9, .seed = 2}).equal(one->sample({.count = 9, .seed = 3})), !GetParam().seeded);
}

TEST_P(EveryGenerator, SavedAndLoadedItDrawsTheSame) {
  const TemporaryFolder folder;
  const auto one = fitted(examples(1)), other = fitted(examples(2));
  training::save_weights(*one, folder.path() / "weights.safetensors");
  training::load_weights(*other, folder.path() / "weights.safetensors");
  EXPECT_TRUE(one->sample({.count = 5, .seed = 4}).equal(other->sample({.count = 5, .seed = 4})));
}

TEST_P(EveryGenerator, SamplesLieCloserToTheExamplesThanTheMeanPictureDoes) {
  if (!GetParam().faithful) GTEST_SKIP() << "its samples are not like the examples";
  const auto examples = EveryGenerator::examples();
  const auto all = examples.x.flatten(1);
  const auto distance = [&](const at::Tensor& x) { return std::get<0>(torch::cdist(x.flatten(1), all).min(1)).mean().item<double>(); };
  EXPECT_LT(distance(fitted(examples)->sample({.count = 16, .seed = 6})), 0.5 * distance(examples.x.mean(0, true)));
}

TEST_P(EveryGenerator, GivesTheClassAskedForWhereItSaysSo) {
  if (!GetParam().conditional) GTEST_SKIP() << "it ignores labels";
  const auto wanted = torch::tensor({1, 0, 0, 1, 1, 0}, at::kLong);
  const auto x = fitted(examples())->sample({.count = 6, .seed = 7, .labels = wanted});
  const auto left = x.slice(-1, 0, 3).flatten(1).mean(1), right = x.slice(-1, 3).flatten(1).mean(1);
  EXPECT_TRUE((right > left).to(at::kLong).equal(GetParam().wrong_class ? 1 - wanted : wanted));
  EXPECT_THAT([&] { fitted(examples())->sample({.count = 1, .labels = torch::tensor({5}, at::kLong)}); },
              ThrowsUsageError(HasSubstr("class")));
}

TEST_P(EveryGenerator, ClipsOfAnotherLengthAreGivenOrRefused) {
  const auto generator = fitted(clips());
  const auto ask = [&] { return generator->sample({.count = 2, .seed = 1, .frames = 8}); };
  if (GetParam().any_length)
    EXPECT_EQ(ask().sizes(), (std::vector<std::int64_t>{2, 8, 1, 4, 6}));
  else
    EXPECT_THAT(ask, ThrowsUsageError(HasSubstr("8 frames"), HasSubstr("have 3")));
}

TEST_P(EveryGenerator, RefusesToDrawUnfittedAndToLearnFromNothing) {
  training::Progress silent(nullptr);
  EXPECT_THAT([&] { GetParam().make()->sample({}); }, ThrowsUsageError(HasSubstr("not fitted")));
  EXPECT_THAT([&] { GetParam().make()->fit({}, 0, silent); }, ThrowsUsageError(HasSubstr("no examples")));
  auto uneven = examples();
  uneven.labels = uneven.labels.slice(0, 1);
  EXPECT_THAT([&] { GetParam().make()->fit(uneven, 0, silent); }, ThrowsUsageError(HasSubstr("23 labels for 24")));
  if (GetParam().clips_only)
    EXPECT_THAT([&] { GetParam().make()->fit(pictures(), 0, silent); }, ThrowsUsageError(HasSubstr("are pictures"), HasSubstr("clips")));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryGenerator, testing::ValuesIn(generators()), [](const auto& info) { return info.param.info.id; });

TEST(Generators, NoTwoHaveOneName) {
  std::set<std::string> names;
  for (const auto& method : generators()) EXPECT_TRUE(names.insert(method.info.id).second) << method.info.id;
}

std::unique_ptr<training::Generator> fitted(const std::string& id, const Examples& examples) {
  for (const auto& method : generators())
    if (method.info.id == id) {
      auto generator = method.make();
      training::Progress silent(nullptr);
      generator->fit(examples, 5, silent);
      return generator;
    }
  throw Error("no generator " + id, "");
}

TEST(TrainingItems, AreExamplesToTheBit) {
  const auto examples = pictures();
  const auto x = fitted("training_items", examples)->sample({.count = 12, .seed = 3});
  EXPECT_EQ(std::get<0>(torch::cdist(x.flatten(1), examples.x.flatten(1)).min(1)).max().item<double>(), 0);
}

TEST(Still, HasNoMotion) {
  const auto x = fitted("still", clips())->sample({.count = 4, .seed = 3, .frames = 5});
  EXPECT_EQ((x - x.slice(1, 0, 1)).abs().max().item<double>(), 0);
}

/// Index of the example frame, of all examples' frames, that each frame of a sample equals: [N, T], counted example by example.
at::Tensor example_frames(const at::Tensor& x, const at::Tensor& examples) {
  const auto frames = examples.flatten(0, 1).flatten(1), mine = x.flatten(0, 1).flatten(1);
  const auto [distance, nearest] = torch::cdist(mine, frames, 2, 2).min(1);
  EXPECT_EQ(distance.max().item<double>(), 0);
  return nearest.view({x.size(0), x.size(1)});
}

// 24 examples of 3 frames: shuffled clips have the frames of one example, reversed ones in their turn, foreign ones those of several.
TEST(DegenerateClips, HaveTheFramesThatTheirRowsSay) {
  const auto examples = clips();
  const auto drawn = [&](const char* id) { return example_frames(fitted(id, examples)->sample({.count = 24, .seed = 3}), examples.x); };
  const auto shuffled = drawn("shuffled"), reversed = drawn("reversed"), foreign = drawn("foreign_frames");
  EXPECT_TRUE((shuffled.div(3, "floor") == shuffled.slice(1, 0, 1).div(3, "floor")).all().item<bool>());
  EXPECT_TRUE(std::get<0>(shuffled.remainder(3).sort(1)).equal(torch::arange(3).expand({24, 3})));
  EXPECT_FALSE(shuffled.remainder(3).equal(torch::arange(3).expand({24, 3})));
  EXPECT_TRUE((reversed - reversed.slice(1, 0, 1)).equal(torch::tensor({0, -1, -2}).expand({24, 3})));
  EXPECT_TRUE(foreign.remainder(3).equal(torch::arange(3).expand({24, 3})));
  EXPECT_GT((foreign.select(1, 0).div(3, "floor") != foreign.select(1, 1).div(3, "floor")).sum().item<int>(), 16);
}

TEST(DegenerateClips, CollapsedOnesKnowAsManyClipsAsTheySay) {
  const auto kinds = [&](const char* id) {
    return std::get<0>(at::_unique(example_frames(fitted(id, clips())->sample({.count = 200, .seed = 3}), clips().x).select(1, 0)));
  };
  EXPECT_EQ(kinds("one_clip").numel(), 1);
  const auto sixteen = kinds("sixteen_clips").div(3, "floor");
  EXPECT_EQ(sixteen.numel(), 16);
  EXPECT_EQ(sixteen.remainder(2).sum().item<int>(), 8);  // of each class
  EXPECT_EQ(kinds("wrong_class").numel(), 24);
}

TEST(DegenerateClips, ChangeColoursAsTheirRowsSay) {
  Examples red{.x = torch::full({4, 5, 3, 2, 2}, -1.0F)};
  red.x.select(2, 0).fill_(1);
  const auto drift = fitted("colour_drift", red)->sample({.count = 1, .seed = 1})[0];
  EXPECT_TRUE(drift.select(1, 0).equal(torch::tensor({1.0F, 0.5F, 0.0F, -0.5F, -1.0F}).view({5, 1, 1}).expand({5, 2, 2})));
  EXPECT_TRUE(drift.select(1, 1).equal(-drift.select(1, 0)));
  const auto flicker = fitted("colour_flicker", red)->sample({.count = 50, .seed = 1});
  EXPECT_TRUE(flicker.slice(2, 1).eq(-1).all().item<bool>());
  const auto level = flicker.select(2, 0).select(2, 0).select(2, 0);
  EXPECT_GE(level.min().item<double>(), -0.2001);
  EXPECT_NEAR(level.mean().item<double>(), 0.4, 0.05);
  EXPECT_NEAR(level.std(1).mean().item<double>(), 1.2 / std::sqrt(12.0), 0.08);
  const auto grey = fitted("noisy", {.x = torch::zeros({4, 5, 3, 8, 8})})->sample({.count = 4, .seed = 1});
  EXPECT_NEAR(grey.std().item<double>(), 0.1, 0.005);
  EXPECT_EQ(fitted("black", red)->sample({.count = 2, .frames = 9}).max().item<double>(), -1);
}

TEST(DegenerateClips, WrongClassesNeedTwo) {
  auto one = clips();
  one.labels.zero_();
  EXPECT_THAT([&] { fitted("wrong_class", one); }, ThrowsUsageError(HasSubstr("no two classes")));
}

// The mean and the standard deviation of what it draws are the examples' own: that is all a Gaussian knows.
TEST(Gaussian, HasTheMomentsOfTheExamplesOfTheClass) {
  const auto examples = pictures(1, 400);
  const auto x = fitted("gaussian", examples)->sample({.count = 4000, .seed = 3, .labels = torch::zeros({4000}, at::kLong)});
  const auto own = examples.x.index_select(0, (examples.labels == 0).nonzero().flatten());
  EXPECT_LT((x.mean(0) - own.mean(0)).abs().max().item<double>(), 0.01);
  EXPECT_LT((x.std(0) - own.std(0)).abs().max().item<double>(), 0.012);
}

}  // namespace
}  // namespace reprise::baselines
