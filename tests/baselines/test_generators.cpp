// Every registered generator keeps the promises of training/generator.h, and each does what its row in a table stands for.
#include <gtest/gtest.h>
#include <torch/torch.h>

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
Examples clips() {
  auto examples = pictures();
  const auto light = torch::tensor({-0.2, 0.0, 0.2}).view({1, 3, 1, 1, 1});
  examples.x = examples.x.unsqueeze(1) + light;
  return examples;
}

class EveryGenerator : public testing::TestWithParam<GeneratorMethod> {
 protected:
  std::unique_ptr<training::Generator> fitted(const Examples& examples) const {
    auto generator = GetParam().make();
    training::Progress silent(nullptr);
    generator->fit(examples, 5, silent);
    return generator;
  }
};

TEST_P(EveryGenerator, SamplesHaveTheShapeOfTheExamplesAndAreFiniteFromMinusOneToOne) {
  for (const auto& examples : {pictures(), clips()}) {
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
  const auto examples = pictures();
  EXPECT_TRUE(fitted(examples)->sample({.count = 9, .seed = 2}).equal(fitted(examples)->sample({.count = 9, .seed = 2})));
  EXPECT_FALSE(fitted(examples)->sample({.count = 9, .seed = 2}).equal(fitted(examples)->sample({.count = 9, .seed = 3})));
}

TEST_P(EveryGenerator, SavedAndLoadedItDrawsTheSame) {
  const TemporaryFolder folder;
  const auto one = fitted(pictures(1)), other = fitted(pictures(2));
  training::save_weights(*one, folder.path() / "weights.safetensors");
  training::load_weights(*other, folder.path() / "weights.safetensors");
  EXPECT_TRUE(one->sample({.count = 5, .seed = 4}).equal(other->sample({.count = 5, .seed = 4})));
}

TEST_P(EveryGenerator, SamplesLieCloserToTheExamplesThanTheMeanPictureDoes) {
  const auto examples = pictures();
  const auto all = examples.x.flatten(1);
  const auto distance = [&](const at::Tensor& x) { return std::get<0>(torch::cdist(x.flatten(1), all).min(1)).mean().item<double>(); };
  EXPECT_LT(distance(fitted(examples)->sample({.count = 16, .seed = 6})), 0.5 * distance(examples.x.mean(0, true)));
}

TEST_P(EveryGenerator, GivesTheClassAskedForWhereItSaysSo) {
  if (!GetParam().conditional) GTEST_SKIP() << "it ignores labels";
  const auto wanted = torch::tensor({1, 0, 0, 1, 1, 0}, at::kLong);
  const auto x = fitted(pictures())->sample({.count = 6, .seed = 7, .labels = wanted});
  const auto left = x.slice(3, 0, 3).mean(torch::IntArrayRef{1, 2, 3}), right = x.slice(3, 3).mean(torch::IntArrayRef{1, 2, 3});
  EXPECT_TRUE((right > left).to(at::kLong).equal(wanted));
  EXPECT_THAT([&] { fitted(pictures())->sample({.count = 1, .labels = torch::tensor({5}, at::kLong)}); },
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
  auto uneven = pictures();
  uneven.labels = uneven.labels.slice(0, 1);
  EXPECT_THAT([&] { GetParam().make()->fit(uneven, 0, silent); }, ThrowsUsageError(HasSubstr("23 labels for 24")));
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
