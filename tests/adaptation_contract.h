// The suite of the contract of domain adaptation (training/adaptation.h): every test holds for every method that fulfils it.
//
//     INSTANTIATE_TEST_SUITE_P(Registry, AdaptationContract, testing::ValuesIn(cases), name_of_adapter);
//
// One file of a test program includes it.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/files.h"
#include "tests/support.h"
#include "training/adaptation.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::testing_contracts {

using testing::HasSubstr;
using training::AdaptationData;
using training::Domain;

/// Two kinds of pictures, the left half light or the right one, in two lights: those of the target are darker, of less contrast and noisier.
struct TwoLights {
  AdaptationData data;
  at::Tensor truth;  ///< of the target
};
inline TwoLights two_lights(std::int64_t n, std::int64_t side, std::uint64_t seed = 1) {
  torch::manual_seed(static_cast<std::int64_t>(seed));
  const auto drawn = [&](const at::Tensor& labels, double low, double step, double noise) {
    auto x = low + noise * torch::randn({n, 1, side, side});
    for (std::int64_t i = 0; i < n; ++i) {
      const auto left = side / 2 * labels[i].item<std::int64_t>();
      x[i].slice(2, left, left + side / 2).add_(step);
    }
    return x.clamp(-1, 1);
  };
  const auto labels = torch::randint(2, {n}, at::kLong), truth = torch::randint(2, {n}, at::kLong);
  const auto source = drawn(labels, -0.5, 1.0, 0.1), target = drawn(truth, -0.7, 0.7, 0.2);
  return {{source, labels, target}, truth};
}

struct AdapterCase {
  training::AdapterMethod method;  ///< as little training as shows that it runs
  std::function<std::unique_ptr<training::Adapter>()> learning =
      {};  ///< trained enough for the two lights; none: another row shows it
};

inline std::string name_of_adapter(const testing::TestParamInfo<AdapterCase>& info) {
  return info.param.method.info.id;
}

class AdaptationContract : public testing::TestWithParam<AdapterCase> {
 protected:
  static std::unique_ptr<training::Adapter> fitted(const AdaptationData& data,
                                                   std::uint64_t seed = 5) {
    torch::set_num_threads(1);
    auto adapter = GetParam().method.make();
    training::Progress silent(nullptr);
    adapter->fit(data, seed, silent);
    return adapter;
  }
};

TEST_P(AdaptationContract, ProbabilitiesSumToOneAndDoNotDependOnTheBatch) {
  const auto set = two_lights(20, 16);
  const auto adapter = fitted(set.data);
  for (const auto of : {Domain::A, Domain::B}) {
    const auto p = adapter->probabilities(set.data.target, of);
    EXPECT_EQ(p.sizes(), (std::vector<std::int64_t>{20, 2}));
    EXPECT_GE(p.min().item<double>(), 0);
    EXPECT_LT((p.sum(1) - 1).abs().max().item<double>(), 1e-5);
    EXPECT_FALSE(p.requires_grad());
    EXPECT_LT((p.slice(0, 3, 4) - adapter->probabilities(set.data.target.slice(0, 3, 4), of))
                  .abs()
                  .max()
                  .item<double>(),
              1e-4);
  }
}

TEST_P(AdaptationContract, TheSamePicturesAndSeedGiveTheSameProbabilities) {
  const auto set = two_lights(20, 16);
  const auto of = [&] { return fitted(set.data)->probabilities(set.data.target, Domain::B); };
  EXPECT_TRUE(of().equal(of()));
}

TEST_P(AdaptationContract, SavedAndLoadedItNamesTheSame) {
  const TemporaryFolder folder;
  const auto set = two_lights(20, 16);
  const auto one = fitted(set.data), other = fitted(two_lights(20, 16, 2).data, 6);
  training::save_weights(*one, folder.path() / "weights.safetensors");
  training::load_weights(*other, folder.path() / "weights.safetensors");
  EXPECT_TRUE(one->probabilities(set.data.target, Domain::B)
                  .equal(other->probabilities(set.data.target, Domain::B)));
}

TEST_P(AdaptationContract, NamesPicturesOfTheTargetThatItHasNotSeenSlow) {
  if (!GetParam().learning) GTEST_SKIP() << "another row of the same network shows it";
  torch::set_num_threads(1);
  const auto seen = two_lights(120, 16, 3), fresh = two_lights(80, 16, 4);
  const auto adapter = GetParam().learning();
  training::Progress silent(nullptr);
  adapter->fit(seen.data, 5, silent);
  const auto right = adapter->probabilities(fresh.data.target, Domain::B)
                         .argmax(1)
                         .eq(fresh.truth)
                         .to(at::kFloat)
                         .mean();
  EXPECT_GT(right.item<double>(), 0.85);
}

/// An adapter of make(checkpoint) that is interrupted after six iterations of ten names pictures, when another goes on, to the bit as one that was not.
inline void expect_goes_on(
    const std::function<std::unique_ptr<training::Adapter>(const std::filesystem::path&)>& make) {
  struct Interrupted : std::exception {};
  torch::set_num_threads(1);
  const TemporaryFolder folder;
  const auto set = two_lights(20, 16);
  training::Progress silent(nullptr);
  const auto named = [&](const std::filesystem::path& checkpoint, std::int64_t interrupted_at) {
    const auto adapter = make(checkpoint);
    adapter->watch = [&](std::int64_t iterations) {
      if (iterations == interrupted_at) throw Interrupted();
    };
    adapter->fit(set.data, 5, silent);
    return at::cat({adapter->probabilities(set.data.target, Domain::B),
                    adapter->probabilities(set.data.source, Domain::A)});
  };
  const auto whole = named({}, -1);
  const auto checkpoint = folder.path() / "run.safetensors";
  EXPECT_THROW(named(checkpoint, 6), Interrupted);
  ASSERT_TRUE(std::filesystem::exists(checkpoint));
  EXPECT_TRUE(named(checkpoint, -1).equal(whole));
}

TEST_P(AdaptationContract, RefusesWhatItCannotLearnFrom) {
  training::Progress silent(nullptr);
  const auto set = two_lights(6, 16).data;
  const auto refused = [&](AdaptationData changed, const auto&... says) {
    EXPECT_THAT([&] { GetParam().method.make()->fit(changed, 0, silent); },
                ThrowsUsageError(HasSubstr(says)...));
  };
  EXPECT_THAT([&] { GetParam().method.make()->probabilities(set.target, Domain::B); },
              ThrowsUsageError(HasSubstr("not fitted")));
  refused({set.source, set.labels, set.target.slice(3, 1)}, "[1, 16, 16]", "[1, 16, 15]");
  refused({set.source, set.labels, set.target.expand({6, 3, 16, 16})}, "[3, 16, 16]");
  refused({set.source, set.labels.slice(0, 1), set.target}, "5 labels for 6");
  refused({set.source, set.labels - 2, set.target}, "a label is -");
  refused({set.source, set.labels, set.target.slice(0, 0, 1)}, "target has one picture");
  refused({set.source.slice(0, 0, 0), set.labels, set.target}, "source is empty");
  EXPECT_THAT([&] { fitted(set)->probabilities(set.target.slice(3, 1), Domain::B); },
              ThrowsUsageError(HasSubstr("6, 1, 16, 15"), HasSubstr("16")));
}

}  // namespace reprise::testing_contracts
