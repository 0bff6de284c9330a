// Every registered generator keeps the promises of training/generator.h, and each does what its row
// in a table stands for.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <set>

#include "baselines/adversarial/methods.h"
#include "baselines/generators.h"
#include "tests/generator_contract.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;
using training::Examples;

using testing_contracts::GeneratorCase;
using testing_contracts::GeneratorContract;

Examples pictures(std::uint64_t seed = 1, std::int64_t n = 24) {
  return testing_contracts::halves(4, 6, 0, seed, n);
}
Examples clips() { return testing_contracts::halves(4, 6, 3); }

/// Narrow networks on 8 x 8 pixels and four frames.
std::vector<GeneratorMethod> adversarial(std::int64_t iterations) {
  ClipGanOptions vgan{.width_G = 16, .width_D = 16, .d_z = 8, .batch = 12},
      tgan{.width_G = 8, .width_D = 8, .d_z = 8, .batch = 12};
  vgan.training.iterations = tgan.training.iterations = iterations;
  vgan.training.ema_decay = tgan.training.ema_decay = 0.95;
  vgan.training.noise.sigma = 0.2;
  vgan.training.G.learning_rate = 8e-3;
  vgan.training.D.learning_rate = 4e-3;
  tgan.training.G = {.name = "rmsprop", .learning_rate = 1e-3};
  tgan.training.D = {.name = "rmsprop", .learning_rate = 5e-3};
  auto all = vgans(vgan);
  for (auto& method : tgans(tgan)) all.push_back(std::move(method));
  return all;
}

std::vector<GeneratorCase> cases() {
  std::vector<GeneratorCase> all;
  for (const auto& method : generators()) {
    all.push_back({.method = method, .examples = {clips()}, .learning = method.make});
    if (!method.clips_only) all.back().examples.insert(all.back().examples.begin(), pictures());
  }
  const auto quick = adversarial(4), learning = adversarial(300);
  for (std::size_t i = 0; i < quick.size(); ++i) {
    all.push_back(
        {.method = quick[i], .examples = {testing_contracts::halves(8, 8, 4)}, .fraction = 0.75});
    if (quick[i].info.id != "vgan_one_stream") all.back().learning = learning[i].make;
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, GeneratorContract, testing::ValuesIn(cases()),
                         testing_contracts::name_of_generator);

TEST(Generators, NoTwoHaveOneName) {
  std::set<std::string> names;
  for (const auto& method : cases())
    EXPECT_TRUE(names.insert(method.method.info.id).second) << method.method.info.id;
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

// One length: of longer examples T frames on end are seen, and only frames that count.
TEST(ClipGans, LearnWindowsOfLongerClips) {
  auto examples = testing_contracts::halves(8, 8, 9);
  const auto n = examples.x.size(0);
  examples.lengths = 4 + torch::arange(n).remainder(3) * 2;
  for (const auto kind : {ClipNetworkKind::Vgan, ClipNetworkKind::Tgan}) {
    const auto sample = [&](std::int64_t T) {
      ClipGan generator({.kind = kind,
                         .width_G = 2,
                         .width_D = 2,
                         .d_z = 4,
                         .T = T,
                         .batch = 8,
                         .training = {.iterations = 3}});
      training::Progress silent(nullptr);
      generator.fit(examples, 5, silent);
      return generator.sample({.count = 2});
    };
    const auto once = sample(4);
    EXPECT_EQ(once.size(1), 4);
    for (std::int64_t i = 0; i < n; ++i)
      examples.x[i].slice(0, examples.lengths[i].item<std::int64_t>()).fill_(0.77);
    EXPECT_TRUE(sample(4).equal(once));
    EXPECT_THAT([&] { sample(8); },
                ThrowsUsageError(testing::HasSubstr("example 0 has a length of 4 frames")));
  }
}

TEST(TrainingItems, AreExamplesToTheBit) {
  const auto examples = pictures();
  const auto x = fitted("training_items", examples)->sample({.count = 12, .seed = 3});
  EXPECT_EQ(
      std::get<0>(torch::cdist(x.flatten(1), examples.x.flatten(1)).min(1)).max().item<double>(),
      0);
}

TEST(Still, HasNoMotion) {
  const auto x = fitted("still", clips())->sample({.count = 4, .seed = 3, .frames = 5});
  EXPECT_EQ((x - x.slice(1, 0, 1)).abs().max().item<double>(), 0);
}

/// Index of the example frame, of all examples' frames, that each frame of a sample equals: [N, T],
/// counted example by example.
at::Tensor example_frames(const at::Tensor& x, const at::Tensor& examples) {
  const auto frames = examples.flatten(0, 1).flatten(1), mine = x.flatten(0, 1).flatten(1);
  const auto [distance, nearest] = torch::cdist(mine, frames, 2, 2).min(1);
  EXPECT_EQ(distance.max().item<double>(), 0);
  return nearest.view({x.size(0), x.size(1)});
}

// 24 examples of 3 frames: shuffled clips have the frames of one example, reversed ones in their
// turn, foreign ones those of several.
TEST(DegenerateClips, HaveTheFramesThatTheirRowsSay) {
  const auto examples = clips();
  const auto drawn = [&](const char* id) {
    return example_frames(fitted(id, examples)->sample({.count = 24, .seed = 3}), examples.x);
  };
  const auto shuffled = drawn("shuffled"), reversed = drawn("reversed"),
             foreign = drawn("foreign_frames");
  EXPECT_TRUE(
      (shuffled.div(3, "floor") == shuffled.slice(1, 0, 1).div(3, "floor")).all().item<bool>());
  EXPECT_TRUE(std::get<0>(shuffled.remainder(3).sort(1)).equal(torch::arange(3).expand({24, 3})));
  EXPECT_FALSE(shuffled.remainder(3).equal(torch::arange(3).expand({24, 3})));
  EXPECT_TRUE(
      (reversed - reversed.slice(1, 0, 1)).equal(torch::tensor({0, -1, -2}).expand({24, 3})));
  EXPECT_TRUE(foreign.remainder(3).equal(torch::arange(3).expand({24, 3})));
  EXPECT_GT((foreign.select(1, 0).div(3, "floor") != foreign.select(1, 1).div(3, "floor"))
                .sum()
                .item<int>(),
            16);
}

TEST(DegenerateClips, CollapsedOnesKnowAsManyClipsAsTheySay) {
  const auto kinds = [&](const char* id) {
    return std::get<0>(at::_unique(
        example_frames(fitted(id, clips())->sample({.count = 200, .seed = 3}), clips().x)
            .select(1, 0)));
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
  EXPECT_TRUE(drift.select(1, 0).equal(
      torch::tensor({1.0F, 0.5F, 0.0F, -0.5F, -1.0F}).view({5, 1, 1}).expand({5, 2, 2})));
  EXPECT_TRUE(drift.select(1, 1).equal(-drift.select(1, 0)));
  const auto flicker = fitted("colour_flicker", red)->sample({.count = 50, .seed = 1});
  EXPECT_TRUE(flicker.slice(2, 1).eq(-1).all().item<bool>());
  const auto level = flicker.select(2, 0).select(2, 0).select(2, 0);
  EXPECT_GE(level.min().item<double>(), -0.2001);
  EXPECT_NEAR(level.mean().item<double>(), 0.4, 0.05);
  EXPECT_NEAR(level.std(1).mean().item<double>(), 1.2 / std::sqrt(12.0), 0.08);
  const auto grey =
      fitted("noisy", {.x = torch::zeros({4, 5, 3, 8, 8})})->sample({.count = 4, .seed = 1});
  EXPECT_NEAR(grey.std().item<double>(), 0.1, 0.005);
  EXPECT_EQ(fitted("black", red)->sample({.count = 2, .frames = 9}).max().item<double>(), -1);
}

TEST(DegenerateClips, WrongClassesNeedTwo) {
  auto one = clips();
  one.labels.zero_();
  EXPECT_THAT([&] { fitted("wrong_class", one); }, ThrowsUsageError(HasSubstr("one class")));
}

// The mean and the standard deviation of what it draws are the examples' own: that is all a
// Gaussian knows.
TEST(Gaussian, HasTheMomentsOfTheExamplesOfTheClass) {
  const auto examples = pictures(1, 400);
  const auto x =
      fitted("gaussian", examples)
          ->sample({.count = 4000, .seed = 3, .labels = torch::zeros({4000}, at::kLong)});
  const auto own = examples.x.index_select(0, (examples.labels == 0).nonzero().flatten());
  EXPECT_LT((x.mean(0) - own.mean(0)).abs().max().item<double>(), 0.01);
  EXPECT_LT((x.std(0) - own.std(0)).abs().max().item<double>(), 0.012);
}

}  // namespace
}  // namespace reprise::baselines
