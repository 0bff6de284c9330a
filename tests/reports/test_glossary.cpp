// A reader meets a word with its meaning: each entry of a glossary stands where it is used first, and once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/glossary.h"

namespace reprise::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Glossary, ANameIsAWordOfItsOwn) {
  EXPECT_TRUE(uses("by D, on digits", "D"));
  EXPECT_FALSE(uses("Data of D' alone", "D"));
  EXPECT_TRUE(uses("seen by D'' in the latent", "D\u2033")) << "a printed prime is a typed one";
  EXPECT_FALSE(uses("seen by D'' in the latent", "D\u2032"));
  EXPECT_TRUE(uses("two latents", "latent"));
  EXPECT_FALSE(uses("latently", "latent"));
  EXPECT_FALSE(uses("σ_min", "σ"));
  EXPECT_TRUE(uses("at σ = 3", "σ"));
  EXPECT_TRUE(uses("-ln p before", "\u2212ln p"));
}

TEST(Glossary, AnEntryMayHaveSeveralNames) {
  EXPECT_TRUE(uses("against MultiDiffusion", "RePaint, MultiDiffusion"));
  EXPECT_FALSE(uses("against SDEdit", "RePaint, MultiDiffusion"));
}

TEST(Glossary, AnEntryStandsWhereItIsUsedFirstAndTheRestComeLast) {
  const Glossary glossary{{"churn", "a"}, {"D", "b"}, {"twin", "c"}};
  const auto words = first_uses(glossary, {"D draws", "D and the churn"});
  ASSERT_EQ(words.size(), 3U);
  EXPECT_THAT(words[0], ElementsAre(Pair("D", "b")));
  EXPECT_THAT(words[1], ElementsAre(Pair("churn", "a")));
  EXPECT_THAT(words[2], ElementsAre(Pair("twin", "c")));
  EXPECT_THAT(first_uses({}, {"D"})[0], IsEmpty());
}

}  // namespace
}  // namespace reprise::reports
