// The suite of the translator contract (training/translator.h): every test holds for every method that fulfils it.
//
//     INSTANTIATE_TEST_SUITE_P(Registry, TranslatorContract, testing::ValuesIn(cases), name_of_translator);
//
// One file of a test program includes it. A test that asks for more than the contract promises belongs to its method, not here.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <vector>

#include "core/files.h"
#include "core/random.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "training/progress.h"
#include "training/translator.h"

namespace reprise::testing_contracts {

using testing::HasSubstr;
using training::Domain;

/// Two sets without pairs.
struct Sets {
  at::Tensor a, b;
};

/// Dark pictures with a reddish light, and light ones with a bluish one.
inline Sets tinted(std::int64_t height, std::int64_t width, std::uint64_t seed = 1) {
  torch::manual_seed(static_cast<std::int64_t>(seed));
  const auto red = torch::tensor({0.2, 0.0, -0.1}).view({1, 3, 1, 1}),
             blue = torch::tensor({-0.1, 0.0, 0.3}).view({1, 3, 1, 1});
  return {-0.4 + red + 0.1 * torch::rand({20, 3, height, width}),
          0.3 + blue + 0.2 * torch::rand({16, 3, height, width})};
}

/// Squares in two renderings of one scene: [N, 3, 8, 8] each, pairs. A light square of 3 pixels, in A on red, in B on blue.
inline Sets paired_squares(std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  const auto red = torch::tensor({0.3, -0.7, -0.7}).view({3, 1, 1}),
             blue = torch::tensor({-0.7, -0.4, 0.4}).view({3, 1, 1});
  Sets scenes{torch::empty({n, 3, 8, 8}), torch::empty({n, 3, 8, 8})};
  for (std::int64_t i = 0; i < n; ++i) {
    const auto top = random.below(6), left = random.below(6);
    for (const auto& [set, ground] : {std::pair{scenes.a, red}, {scenes.b, blue}}) {
      set[i].copy_(ground.expand({3, 8, 8}));
      set[i].slice(1, top, top + 3).slice(2, left, left + 3).fill_(0.8);
    }
  }
  return scenes;
}

struct TranslatorCase {
  training::TranslatorMethod method;  ///< as little training as shows that it runs
  std::int64_t height = 8, width = 8;
  std::function<std::unique_ptr<training::Translator>()> learning =
      {};  ///< trained enough for the squares; none: another row shows it
};

inline std::string name_of_translator(const testing::TestParamInfo<TranslatorCase>& info) {
  return info.param.method.info.id;
}

class TranslatorContract : public testing::TestWithParam<TranslatorCase> {
 protected:
  static Sets sets(std::uint64_t seed = 1) {
    auto all = tinted(GetParam().height, GetParam().width, seed);
    if (GetParam().method.paired) all.a = all.a.slice(0, 0, all.b.size(0));
    return all;
  }
  static std::unique_ptr<training::Translator> fitted(const Sets& of) {
    torch::set_num_threads(1);
    auto translator = GetParam().method.make();
    training::Progress silent(nullptr);
    translator->fit(of.a, of.b, 5, silent);
    return translator;
  }
  static std::vector<Domain> ways() {
    return GetParam().method.one_way ? std::vector{Domain::A} : std::vector{Domain::A, Domain::B};
  }
};

TEST_P(TranslatorContract, ATranslationHasThePicturesShapeAndIsFiniteFromMinusOneToOne) {
  const auto all = sets();
  const auto translator = fitted(all);
  for (const auto from : ways()) {
    const auto& x = from == Domain::A ? all.a : all.b;
    const auto y = translator->translate(x, from);
    EXPECT_EQ(y.sizes(), x.sizes());
    EXPECT_TRUE(y.isfinite().all().item<bool>());
    EXPECT_LE(y.abs().max().item<double>(), 1);
    EXPECT_FALSE(y.requires_grad());
    // Of a one-way translator, the domain that it draws pictures of.
    const auto drawn = GetParam().method.one_way ? Domain::B : from;
    EXPECT_EQ(translator->reconstruct(x, drawn).sizes(), x.sizes());
  }
}

TEST_P(TranslatorContract, OtherPicturesOfTheBatchDoNotMatter) {
  const auto all = sets();
  const auto translator = fitted(all);
  const auto whole = translator->translate(all.a, Domain::A),
             one = translator->translate(all.a.slice(0, 3, 4), Domain::A);
  EXPECT_LT((whole.slice(0, 3, 4) - one).abs().max().item<double>(), 1e-4);
}

TEST_P(TranslatorContract, TheSameSetsAndSeedGiveTheSameTranslations) {
  const auto all = sets();
  EXPECT_TRUE(
      fitted(all)->translate(all.a, Domain::A).equal(fitted(all)->translate(all.a, Domain::A)));
}

// It is given no pairs: either set in another order says the same.
TEST_P(TranslatorContract, TheOrderOfASetDoesNotMatter) {
  if (GetParam().method.seeded)
    GTEST_SKIP()
        << "which pictures are drawn when depends on their places; that it learns without pairs, on squares";
  const auto all = sets();
  const Sets turned{all.a.flip(0), all.b.roll(5, 0)};
  EXPECT_LT((fitted(all)->translate(all.a, Domain::A) - fitted(turned)->translate(all.a, Domain::A))
                .abs()
                .max()
                .item<double>(),
            1e-5);
}

TEST_P(TranslatorContract, SavedAndLoadedItTranslatesTheSame) {
  const TemporaryFolder folder;
  const auto one = fitted(sets(1)), other = fitted(sets(2));
  training::save_weights(*one, folder.path() / "weights.safetensors");
  training::load_weights(*other, folder.path() / "weights.safetensors");
  const auto x = sets(3).a;
  EXPECT_TRUE(one->translate(x, Domain::A).equal(other->translate(x, Domain::A)));
}

TEST_P(TranslatorContract, ThereAndBackAgainIsThePictureWhereItSaysSo) {
  if (GetParam().method.one_way) GTEST_SKIP() << "there is no way back";
  const auto all = sets();
  const auto error = (fitted(all)->cycle(all.a, Domain::A) - all.a).abs().max().item<double>();
  if (GetParam().method.invertible)
    EXPECT_LT(error, 1e-5);
  else
    EXPECT_GT(error, 1e-3);
}

// Sets of other scenes in a drawn order, and scenes that were in neither: neither the picture itself nor the mean of B's is nearer.
TEST_P(TranslatorContract, LearnsToChangeTheGroundAndLeavesASquareInItsPlaceSlow) {
  if (!GetParam().learning)
    GTEST_SKIP() << "it does not learn, or another row of the same network shows it";
  torch::set_num_threads(1);
  auto seen = paired_squares(200, 1);
  if (!GetParam().method.paired) seen.b = paired_squares(200, 2).b;
  const auto fresh = paired_squares(40, 3);
  const auto translator = GetParam().learning();
  training::Progress silent(nullptr);
  translator->fit(seen.a, seen.b, 5, silent);
  const auto error = [&](const at::Tensor& y) { return (y - fresh.b).abs().mean().item<double>(); };
  const double of_mean = error(seen.b.mean(0, true)),
               own = error(translator->translate(fresh.a, Domain::A));
  EXPECT_LT(own, 0.8 * std::min(of_mean, error(fresh.a)));
}

TEST_P(TranslatorContract, RefusesWhatIsNotTwoSetsOfOneSize) {
  training::Progress silent(nullptr);
  const auto all = sets();
  const auto shape = [](std::int64_t width) {
    return "[3, " + std::to_string(GetParam().height) + ", " + std::to_string(width) + "]";
  };
  EXPECT_THAT([&] { GetParam().method.make()->translate(all.a, Domain::A); },
              ThrowsUsageError(HasSubstr("not fitted")));
  EXPECT_THAT(
      [&] { GetParam().method.make()->fit(all.a, all.b.slice(3, 1), 0, silent); },
      ThrowsUsageError(HasSubstr(shape(GetParam().width)), HasSubstr(shape(GetParam().width - 1))));
  EXPECT_THAT([&] { GetParam().method.make()->fit(all.a, all.b.slice(1, 1), 0, silent); },
              ThrowsUsageError(HasSubstr("those of B [2, ")));
  EXPECT_THAT([&] { GetParam().method.make()->fit(all.a.slice(0, 0, 0), all.b, 0, silent); },
              ThrowsUsageError(HasSubstr("empty")));
  EXPECT_THAT([&] { fitted(all)->translate(all.a.slice(1, 0, 1), Domain::A); },
              ThrowsUsageError(HasSubstr("3 channels")));
  if (GetParam().method.one_way)
    EXPECT_THAT([&] { fitted(all)->translate(all.b, Domain::B); },
                ThrowsUsageError(HasSubstr("from A to B only")));
}

}  // namespace reprise::testing_contracts
