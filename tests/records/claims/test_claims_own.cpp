// Which methods a claim compares, and its verdict on two that are equal.
#include "tests/records/claims/claim_text.h"

namespace reprise::records {
namespace {

const std::string compared = "methods = \"pre_(gru|lstm)_.*\"\nthan = \"trad_$1_1\"\n";
const std::string beats = one_claim(compared + "kind = \"better\"\n"),
                  is_similar = one_claim(compared + "kind = \"similar\"\nmargin = 0.1\n");

struct ClaimsOfAStudy : ResultsToJudge {
  Judgement judged(const std::string& toml, const std::set<std::string>& own = {}) const {
    return judge(toml, "claims.toml", store_, own).at(0);
  }
};

TEST_F(ClaimsOfAStudy, AMethodThatIsNotItsOwnHasNoPartInThemWhateverItsName) {
  const std::set<std::string> own{"trad_gru_1", "pre_gru_fc6"};
  add("trad_gru_1", {0.50, 0.51, 0.52, 0.50, 0.49});
  add("pre_gru_fc6", {0.60, 0.62, 0.61, 0.60, 0.60});
  const auto before = judged(beats, own);
  EXPECT_EQ(before.verdict, Verdict::Reproduced);
  add("pre_gru_mine", {0.40, 0.42});
  EXPECT_EQ(judged(beats, own).verdict, before.verdict);
  EXPECT_EQ(judged(beats, own).reason, before.reason);
  EXPECT_EQ(judged(beats).comparisons.size(), 2u) << "without a registry every name may match";
}

TEST_F(ClaimsOfAStudy, AnotherSettingOfItsMethodIsItsOwn) {
  add("trad_gru_1", {0.50, 0.51, 0.52});
  add("pre_gru_fc6+rate=1", {0.60, 0.62, 0.61});
  EXPECT_EQ(judged(beats, {"pre_gru_fc6"}).comparisons.size(), 1u);
}

TEST_F(ClaimsOfAStudy, EqualInEverySeedDecidesNothing) {
  add("trad_gru_1", {0.50, 0.51, 0.52});
  add("pre_gru_fc6", {0.50, 0.51, 0.52});
  for (const auto& toml :
       {beats, beats + "margin = 0.1\n", beats + "at_least = 0.1\n", is_similar}) {
    EXPECT_EQ(judged(toml).verdict, Verdict::Undecided);
    EXPECT_EQ(judged(toml).comparisons.at(0).p, 1);
    EXPECT_EQ(judged(toml).comparisons.at(0).p_against_holm, 1);
  }
}

}  // namespace
}  // namespace reprise::records
