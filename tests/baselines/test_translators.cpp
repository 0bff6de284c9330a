// Every registered translator keeps the promises of training/translator.h, and each does what its
// row in a table stands for.
#include <set>

#include "baselines/translators.h"
#include "tests/translator_contract.h"

namespace reprise::baselines {
namespace {

using testing_contracts::Sets;
using testing_contracts::TranslatorCase;
using testing_contracts::TranslatorContract;
using training::Domain;

Sets translator_sets() { return testing_contracts::tinted(4, 5); }

std::vector<TranslatorCase> translator_cases() {
  std::vector<TranslatorCase> all;
  for (const auto& method : translators())
    all.push_back({.method = method, .height = 4, .width = 5});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, TranslatorContract, testing::ValuesIn(translator_cases()),
                         testing_contracts::name_of_translator);

TEST(Translators, NoTwoHaveOneName) {
  std::set<std::string> names;
  for (const auto& method : translators())
    EXPECT_TRUE(names.insert(method.info.id).second) << method.info.id;
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
  const auto all = translator_sets();
  EXPECT_TRUE(translated("identity", all).equal(all.a));
  EXPECT_LT((translated("constant", all) - all.b.mean(0, true)).abs().max().item<double>(), 1e-6);
  EXPECT_EQ(
      std::get<0>(torch::cdist(translated("nearest", all).flatten(1), all.b.flatten(1)).min(1))
          .max()
          .item<double>(),
      0);
  const auto drawn = translated("drawn", all),
             far = torch::cdist(drawn.flatten(1), all.b.flatten(1));
  EXPECT_EQ(std::get<0>(far.min(1)).max().item<double>(), 0);
  EXPECT_GT(std::get<0>(at::_unique(far.argmin(1))).numel(), 1);  // not one for all
  const auto colours = all.b.transpose(0, 1).flatten(1).t();
  for (const auto* id : {"nearest_colour", "matched_colours"}) {
    const auto coloured = translated(id, all).transpose(0, 1).flatten(1).t();
    EXPECT_LT(std::get<0>(torch::cdist(coloured, colours).min(1)).max().item<double>(), 0.11)
        << id;  // of cells with sides of 2 / 32
  }
  const auto moved = translated("colour_statistics", all).transpose(0, 1).flatten(1),
             wanted = all.b.transpose(0, 1).flatten(1);
  EXPECT_LT((moved.mean(1) - wanted.mean(1)).abs().max().item<double>(), 1e-4);
  EXPECT_LT((moved.std(1) - wanted.std(1)).abs().max().item<double>(), 1e-3);
}

// A and B in the same two shades, B's brighter by far: each by itself A's light pixels are nearest
// to B's dark ones.
TEST(Translators, MatchedColoursFindTheCounterpartOfAShadeWhereNearestOnesDoNot) {
  auto all = translator_sets();
  all.a.fill_(-0.9).slice(3, 0, 2).fill_(-0.5);
  all.b.fill_(0.5).slice(3, 0, 2).fill_(0.9);
  EXPECT_LT((translated("nearest_colour", all) - 0.5).abs().max().item<double>(), 1e-5);
  EXPECT_LT((translated("matched_colours", all) - all.b[0]).abs().max().item<double>(), 1e-5);
}

// Three of four pixels of B have one colour: that one, whatever the picture.
TEST(Translators, ConstantColourIsTheMostFrequentOneOfTheOtherSet) {
  auto all = translator_sets();
  const auto most = torch::tensor({0.5, -0.25, 0.125}).view({1, 3, 1, 1});
  all.b.slice(2, 0, 3).copy_(most.expand({1, 3, 3, 5}));
  EXPECT_LT((translated("constant_colour", all) - most).abs().max().item<double>(), 1e-6);
}

}  // namespace
}  // namespace reprise::baselines
