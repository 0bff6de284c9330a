// The suite of the generator contract (training/generator.h): every test holds for every method that fulfils it.
//
//     INSTANTIATE_TEST_SUITE_P(Registry, GeneratorContract, testing::ValuesIn(cases), name_of_generator);
//
// One file of a test program includes it. A test that asks for more than the contract promises belongs to its method, not here.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/files.h"
#include "tests/support.h"
#include "training/generator.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::testing_contracts {

using testing::HasSubstr;
using training::Examples;

/// Pictures of two classes: the left half is light, or the right one; a little noise. frames > 0: each as a clip that grows lighter.
inline Examples halves(std::int64_t height, std::int64_t width, std::int64_t frames = 0,
                       std::uint64_t seed = 1, std::int64_t n = 24) {
  torch::manual_seed(static_cast<std::int64_t>(seed));
  Examples examples{.x = -0.5 + 0.05 * torch::randn({n, 1, height, width}),
                    .labels = torch::arange(n, at::kLong).remainder(2)};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto left = width / 2 * examples.labels[i].item<std::int64_t>();
    examples.x[i].slice(2, left, left + width / 2).add_(1);
  }
  if (frames > 0)
    examples.x =
        examples.x.unsqueeze(1) + torch::linspace(-0.2, 0.2, frames).view({1, frames, 1, 1, 1});
  return examples;
}

struct GeneratorCase {
  training::GeneratorMethod method;  ///< as little training as shows that it runs
  std::vector<Examples> examples;    ///< what it can learn: pictures, clips
  std::function<std::unique_ptr<training::Generator>()> learning =
      {};  ///< trained enough for the toy problem; none: another row shows it
  double fraction =
      0.5;  ///< of the mean picture's distance to the examples, within which samples then lie
};

inline std::string name_of_generator(const testing::TestParamInfo<GeneratorCase>& info) {
  return info.param.method.info.id;
}

class GeneratorContract : public testing::TestWithParam<GeneratorCase> {
 protected:
  static std::unique_ptr<training::Generator> fitted(const Examples& examples,
                                                     std::uint64_t seed = 5) {
    auto generator = GetParam().method.make();
    training::Progress silent(nullptr);
    generator->fit(examples, seed, silent);
    return generator;
  }
  /// One per method, for all tests.
  static training::Generator& learnt() {
    static std::map<std::string, std::unique_ptr<training::Generator>> all;
    auto& generator = all[GetParam().method.info.id];
    if (!generator) {
      torch::set_num_threads(1);
      generator = GetParam().learning();
      training::Progress silent(nullptr);
      generator->fit(GetParam().examples[0], 5, silent);
    }
    return *generator;
  }
};

TEST_P(GeneratorContract, SamplesHaveTheShapeOfTheExamplesAndAreFiniteFromMinusOneToOne) {
  for (const auto& examples : GetParam().examples) {
    const auto x = fitted(examples)->sample({.count = 7, .seed = 2});
    auto shape = examples.x.sizes().vec();
    shape[0] = 7;
    EXPECT_EQ(x.sizes(), shape);
    EXPECT_TRUE(x.isfinite().all().item<bool>());
    EXPECT_LE(x.abs().max().item<double>(), 1);
    EXPECT_FALSE(x.requires_grad());
  }
}

TEST_P(GeneratorContract, TheSameSeedGivesTheSameSamplesAndAnotherOthers) {
  const auto& examples = GetParam().examples[0];
  const auto one = fitted(examples), again = fitted(examples);
  EXPECT_TRUE(one->sample({.count = 9, .seed = 2}).equal(again->sample({.count = 9, .seed = 2})));
  EXPECT_EQ(one->sample({.count = 9, .seed = 2}).equal(one->sample({.count = 9, .seed = 3})),
            !GetParam().method.seeded);
}

TEST_P(GeneratorContract, SavedAndLoadedItDrawsTheSame) {
  const TemporaryFolder folder;
  const auto& examples = GetParam().examples[0];
  const auto one = fitted(examples);
  auto others = examples;
  others.x = examples.x.flip(0);
  const auto other = fitted(others, 6);
  training::save_weights(*one, folder.path() / "weights.safetensors");
  training::load_weights(*other, folder.path() / "weights.safetensors");
  EXPECT_TRUE(one->sample({.count = 5, .seed = 4}).equal(other->sample({.count = 5, .seed = 4})));
}

TEST_P(GeneratorContract, SamplesLieCloserToTheExamplesThanTheMeanPictureDoesSlow) {
  if (!GetParam().method.faithful) GTEST_SKIP() << "its samples are not like the examples";
  if (!GetParam().learning) GTEST_SKIP() << "another row of the same network shows it";
  const auto& examples = GetParam().examples[0];
  const auto all = examples.x.flatten(1);
  const auto distance = [&](const at::Tensor& x) {
    return std::get<0>(torch::cdist(x.flatten(1), all).min(1)).mean().item<double>();
  };
  EXPECT_LT(distance(learnt().sample({.count = 16, .seed = 6})),
            GetParam().fraction * distance(examples.x.mean(0, true)));
}

TEST_P(GeneratorContract, GivesTheClassAskedForWhereItSaysSoSlow) {
  if (!GetParam().method.conditional) GTEST_SKIP() << "it ignores labels";
  if (!GetParam().learning) GTEST_SKIP() << "another row of the same network shows it";
  const auto wanted = torch::tensor({1, 0, 0, 1, 1, 0}, at::kLong);
  const auto x = learnt().sample({.count = 6, .seed = 7, .labels = wanted}).flatten(1, -2).mean(1);
  const auto left = x.slice(1, 0, x.size(1) / 2).mean(1), right = x.slice(1, x.size(1) / 2).mean(1);
  EXPECT_TRUE(
      (right > left).to(at::kLong).equal(GetParam().method.wrong_class ? 1 - wanted : wanted));
  EXPECT_THAT([&] { learnt().sample({.count = 1, .labels = torch::tensor({5}, at::kLong)}); },
              ThrowsUsageError(HasSubstr("class")));
}

TEST_P(GeneratorContract, ClipsOfAnotherLengthAreGivenOrRefused) {
  for (const auto& examples : GetParam().examples) {
    if (examples.x.dim() != 5) continue;
    const auto generator = fitted(examples);
    const auto ask = [&] { return generator->sample({.count = 2, .seed = 1, .frames = 23}); };
    auto shape = examples.x.sizes().vec();
    shape[0] = 2;
    shape[1] = 23;
    if (GetParam().method.any_length)
      EXPECT_EQ(ask().sizes(), shape);
    else
      EXPECT_THAT(ask, ThrowsUsageError(HasSubstr("23 frames"),
                                        HasSubstr("have " + std::to_string(examples.x.size(1)))));
  }
}

TEST_P(GeneratorContract, RefusesToDrawUnfittedAndToLearnFromNothing) {
  training::Progress silent(nullptr);
  EXPECT_THAT([&] { GetParam().method.make()->sample({}); },
              ThrowsUsageError(HasSubstr("not fitted")));
  EXPECT_THAT([&] { GetParam().method.make()->fit({}, 0, silent); },
              ThrowsUsageError(HasSubstr("no examples")));
  auto uneven = GetParam().examples[0];
  uneven.labels = uneven.labels.slice(0, 1);
  EXPECT_THAT([&] { GetParam().method.make()->fit(uneven, 0, silent); },
              ThrowsUsageError(HasSubstr("23 labels for 24")));
  if (GetParam().method.clips_only)
    EXPECT_THAT([&] { GetParam().method.make()->fit(halves(8, 8), 0, silent); },
                ThrowsUsageError(HasSubstr("are pictures"), HasSubstr("clips")));
}

}  // namespace reprise::testing_contracts
