// Which methods a claim compares, and its verdict on two that are equal.
#include "records/claims/claims.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

std::string claim_of(const std::string& kind) {
  return "[[claim]]\nid = \"1\"\nsays = \"recurrent beats traditional\"\nsource = \"document, table 1\"\n[[claim.row]]\nid = \"faces\"\n"
         "methods = \"pre_(gru|lstm)_.*\"\nthan = \"trad_$1_1\"\nmetric = \"auc\"\ntable = \"table1\"\n" +
         kind;
}
const std::string beats = claim_of("kind = \"better\"\n"), is_similar = claim_of("kind = \"similar\"\nmargin = 0.1\n");

struct ClaimsOfAStudy : testing::Test {
  TemporaryFolder folder;
  Store store{folder.path()};

  void add(const std::string& method, const std::vector<double>& values) {
    for (const auto& record : make_seeds({.method = method}, values)) store.write(record);
  }
  Judgement judged(const std::string& toml, const std::set<std::string>& own = {}) const {
    return judge(toml, "claims.toml", store, own).at(0);
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
  for (const auto& toml : {beats, beats + "margin = 0.1\n", beats + "at_least = 0.1\n", is_similar}) {
    EXPECT_EQ(judged(toml).verdict, Verdict::Undecided);
    EXPECT_EQ(judged(toml).comparisons.at(0).p, 1);
    EXPECT_EQ(judged(toml).comparisons.at(0).p_against_holm, 1);
  }
}

}  // namespace
}  // namespace reprise::records
