// Every registered translator keeps the promises of training/translator.h, and each does what its row in a table stands for.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <set>

#include "baselines/translators.h"
#include "core/files.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;
using training::Domain;

/// Two sets without pairs: dark pictures with a reddish light, and light ones with a bluish one.
struct Sets {
  at::Tensor a, b;
};
Sets sets(std::uint64_t seed = 1) {
  torch::manual_seed(static_cast<std::int64_t>(seed));
  const auto red = torch::tensor({0.2, 0.0, -0.1}).view({1, 3, 1, 1}), blue = torch::tensor({-0.1, 0.0, 0.3}).view({1, 3, 1, 1});
  return {-0.4 + red + 0.1 * torch::rand({20, 3, 4, 5}), 0.3 + blue + 0.2 * torch::rand({16, 3, 4, 5})};
}

class EveryTranslator : public testing::TestWithParam<TranslatorMethod> {
 protected:
  std::unique_ptr<training::Translator> fitted(const Sets& of) const {
    auto translator = GetParam().make();
    training::Progress silent(nullptr);
    translator->fit(of.a, of.b, 5, silent);
    return translator;
  }
};

TEST_P(EveryTranslator, ATranslationHasThePicturesShapeAndIsFiniteFromMinusOneToOne) {
  const auto all = sets();
  const auto translator = fitted(all);
  for (const auto& [x, from] : {std::pair{all.a, Domain::A}, {all.b, Domain::B}}) {
    const auto y = translator->translate(x, from);
    EXPECT_EQ(y.sizes(), x.sizes());
    EXPECT_TRUE(y.isfinite().all().item<bool>());
    EXPECT_LE(y.abs().max().item<double>(), 1);
    EXPECT_FALSE(y.requires_grad());
    EXPECT_EQ(translator->reconstruct(x, from).sizes(), x.sizes());
  }
}

TEST_P(EveryTranslator, OtherPicturesOfTheBatchDoNotMatter) {
  const auto all = sets();
  const auto translator = fitted(all);
  EXPECT_LT((translator->translate(all.a, Domain::A).slice(0, 3, 4) - translator->translate(all.a.slice(0, 3, 4), Domain::A))
                .abs()
                .max()
                .item<double>(),
            1e-6);
}

TEST_P(EveryTranslator, TheSameSetsAndSeedGiveTheSameTranslations) {
  const auto all = sets();
  EXPECT_TRUE(fitted(all)->translate(all.a, Domain::A).equal(fitted(all)->translate(all.a, Domain::A)));
}

// It is given no pairs: either set in another order says the same.
TEST_P(EveryTranslator, TheOrderOfASetDoesNotMatter) {
  const auto all = sets();
  const Sets turned{all.a.flip(0), all.b.roll(5, 0)};
  EXPECT_LT((fitted(all)->translate(all.a, Domain::A) - fitted(turned)->translate(all.a, Domain::A)).abs().max().item<double>(), 1e-5);
}

TEST_P(EveryTranslator, SavedAndLoadedItTranslatesTheSame) {
  const TemporaryFolder folder;
  const auto one = fitted(sets(1)), other = fitted(sets(2));
  training::save_weights(*one, folder.path() / "weights.safetensors");
  training::load_weights(*other, folder.path() / "weights.safetensors");
  const auto x = sets(3).a;
  EXPECT_TRUE(one->translate(x, Domain::A).equal(other->translate(x, Domain::A)));
}

TEST_P(EveryTranslator, ThereAndBackAgainIsThePictureWhereItSaysSo) {
  const auto all = sets();
  const auto error = (fitted(all)->cycle(all.a, Domain::A) - all.a).abs().max().item<double>();
  if (GetParam().invertible)
    EXPECT_LT(error, 1e-5);
  else
    EXPECT_GT(error, 1e-3);
}

TEST_P(EveryTranslator, RefusesWhatIsNotTwoSetsOfOneSize) {
  training::Progress silent(nullptr);
  const auto all = sets();
  EXPECT_THAT([&] { GetParam().make()->translate(all.a, Domain::A); }, ThrowsUsageError(HasSubstr("not fitted")));
  EXPECT_THAT([&] { GetParam().make()->fit(all.a, all.b.slice(3, 1), 0, silent); },
              ThrowsUsageError(HasSubstr("[3, 4, 5]"), HasSubstr("[3, 4, 4]")));
  EXPECT_THAT([&] { GetParam().make()->fit(all.a.slice(0, 0, 0), all.b, 0, silent); }, ThrowsUsageError(HasSubstr("empty")));
  EXPECT_THAT([&] { fitted(all)->translate(all.a.slice(1, 0, 1), Domain::A); }, ThrowsUsageError(HasSubstr("3 channels")));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryTranslator, testing::ValuesIn(translators()), [](const auto& info) { return info.param.info.id; });

TEST(Translators, NoTwoHaveOneName) {
  std::set<std::string> names;
  for (const auto& method : translators()) EXPECT_TRUE(names.insert(method.info.id).second) << method.info.id;
}

at::Tensor translated(const std::string& id, const Sets& all) {
  for (const auto& method : translators())
    if (method.info.id == id) {
      auto translator = method.make();
      training::Progress silent(nullptr);
      translator->fit(all.a, all.b, 5, silent);
      return translator->translate(all.a, Domain::A);
    }
  throw Error("no translator " + id, "");
}

TEST(Translators, EachRowIsWhatItStandsFor) {
  const auto all = sets();
  EXPECT_TRUE(translated("identity", all).equal(all.a));
  EXPECT_LT((translated("constant", all) - all.b.mean(0, true)).abs().max().item<double>(), 1e-6);
  EXPECT_EQ(std::get<0>(torch::cdist(translated("nearest", all).flatten(1), all.b.flatten(1)).min(1)).max().item<double>(), 0);
  const auto moved = translated("colour_statistics", all).transpose(0, 1).flatten(1), wanted = all.b.transpose(0, 1).flatten(1);
  EXPECT_LT((moved.mean(1) - wanted.mean(1)).abs().max().item<double>(), 1e-4);
  EXPECT_LT((moved.std(1) - wanted.std(1)).abs().max().item<double>(), 1e-3);
}

}  // namespace
}  // namespace reprise::baselines
