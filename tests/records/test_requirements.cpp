// What claims require of chosen values, and which of several values a requirement tells.
#include "records/claims.h"
#include "records/claims_file.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string claim_of_two = R"toml(
[[claim]]
id = "1"
says = "mine is better"
source = "document, table 1"
kind = "better"
methods = "mine"
than = "base"
metric = "auc"
table = "table1"
[[claim.requires]]
says = "it is so"
table = "table1"
)toml";

class Requirements : public testing::Test {
 protected:
  void add(const std::string& method, const std::vector<double>& values, const std::vector<double>& rates = {}) {
    auto seeds = make_seeds({.method = method}, values);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      seeds[i].options.edit()["search.rates"] = {1e-3, 1e-2, 1e-1};
      if (!rates.empty()) seeds[i].metrics.push_back({.name = "rate", .value = rates[i]});
      store_.write(seeds[i]);
    }
  }
  Judgement judged(const std::string& keys) const { return judge(claim_of_two + keys, "claims.toml", store_).at(0); }
  const Store& store() const { return store_; }

 private:
  TemporaryFolder folder_;
  Store store_{folder_.path()};
};

TEST_F(Requirements, AChosenValueOnTheEdgeOfItsGridMakesAClaimNotTestable) {
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-2, 1e-2});
  add("mine", {0.6, 0.61, 0.62}, {1e-2, 1e-2, 1e-2});
  const std::string inside = "methods = \"mine|base\"\nmetric = \"rate\"\ninside = \"search.rates\"\n";
  EXPECT_EQ(judged(inside).verdict, Verdict::Reproduced);
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-1, 1e-2});
  const auto judgement = judged(inside);
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable) << "in one seed is enough";
  EXPECT_THAT(judgement.reason, AllOf(HasSubstr("rate has 0.1 of base"), HasSubstr("inside search.rates"), HasSubstr("1 of 2 have")));
  EXPECT_THAT(judged("methods = \"mine\"\nmetric = \"rate\"\ninside = \"search.other\"\n").reason, HasSubstr("no finished cell"));
}

TEST_F(Requirements, WhereZeroIsACandidateTheLeastOfAGridIsNoEdge) {
  add("base", {0.5, 0.5, 0.51}, {1e-3, 1e-3, 1e-3});
  add("mine", {0.6, 0.61, 0.62}, {1e-2, 1e-2, 1e-2});
  const std::string inside = "methods = \"mine|base\"\nmetric = \"rate\"\ninside = \"search.rates\"\n";
  EXPECT_EQ(judged(inside).verdict, Verdict::NotTestable);
  EXPECT_EQ(judged(inside + "from_zero = true\n").verdict, Verdict::Reproduced);
  add("base", {0.5, 0.5, 0.51}, {1e-3, 1e-1, 1e-3});
  EXPECT_EQ(judged(inside + "from_zero = true\n").verdict, Verdict::NotTestable) << "the greatest is";
  EXPECT_THAT([&] { judged("methods = \"mine\"\nmetric = \"error\"\nat_least = 0\nfrom_zero = true\n"); },
              ThrowsUsageError(HasSubstr("'from_zero'")));
}

// Without methods the claim's own ones are meant, both sides: a third's choice is no matter of it.
TEST_F(Requirements, ChosenValuesAreAskedOfWhatTheClaimCompares) {
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-2, 1e-2});
  add("mine", {0.6, 0.61, 0.62}, {1e-2, 1e-2, 1e-2});
  add("third", {0.6, 0.61, 0.62}, {1e-1, 1e-1, 1e-1});
  std::string claim = claim_of_two + "metric = \"rate\"\ninside = \"search.rates\"\n";
  claim.erase(claim.rfind("table = \"table1\"\n"), 17);
  EXPECT_EQ(judge(claim, "claims.toml", store()).at(0).verdict, Verdict::Reproduced);
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-2, 1e-3});
  EXPECT_THAT(judge(claim, "claims.toml", store()).at(0).reason, AllOf(HasSubstr("rate has 0.001 of base"), HasSubstr("1 of 2 have")));
}

TEST_F(Requirements, InsideStandsAlone) {
  const std::string inside = "methods = \"mine\"\nmetric = \"rate\"\ninside = \"search.rates\"\n";
  for (const auto* more : {"at_least = 0.1\n", "at_most = 0.1\n", "than = \"base\"\n"})
    EXPECT_THAT([&] { judged(inside + more); }, ThrowsUsageError(HasSubstr("'inside'")));
}

// The gate comes first: who sees that the judge is too weak need not run what it would have judged.
TEST_F(Requirements, WhatDidNotRunIsNotTestableWhereARequirementWasMeasuredAndFails) {
  add("judge", {0.8, 0.8, 0.8});
  const std::string asked = "methods = \"judge\"\nmetric = \"auc\"\nat_least = ";
  EXPECT_THAT(judged(asked + "0.9\n").reason, HasSubstr("auc has 0.8 of judge"));
  EXPECT_EQ(judged(asked + "0.9\n").verdict, Verdict::NotTestable);
  EXPECT_EQ(judged(asked + "0.7\n").verdict, Verdict::NotRun) << "it holds";
  EXPECT_EQ(judged("methods = \"other\"\nmetric = \"auc\"\nat_least = 0.9\n").verdict, Verdict::NotRun) << "nothing measured it";
}

TEST_F(Requirements, ItTellsTheOneThatDecides) {
  add("base", {0.5, 0.5, 0.5});
  add("mine", {0.6, 0.6, 0.6});
  add("third", {0.55, 0.55, 0.55});
  const std::string gains = "methods = \"mine|third\"\nmetric = \"auc\"\nthan = \"base\"\nat_least = 0.2\n";
  EXPECT_THAT(judged(gains + "any = true\n").reason, HasSubstr("a gain of 0.1 of mine over base")) << "the nearest";
  EXPECT_THAT(judged(gains).reason, HasSubstr("a gain of 0.05 of third over base")) << "the farthest";
}

TEST_F(Requirements, ASignificantGainIsAskedForAndOneOfManyIsCorrectedForTheirNumber) {
  add("base", {0.50, 0.50, 0.51, 0.49});
  add("mine", {0.60, 0.61, 0.62, 0.60});
  add("other", {0.505, 0.509, 0.512, 0.489});
  const std::string gain = "than = \"base\"\nmetric = \"auc\"\nsignificant = true\n";
  EXPECT_EQ(judged("methods = \"mine\"\n" + gain).verdict, Verdict::Reproduced);
  const auto all = judged("methods = \"mine|other\"\n" + gain);
  EXPECT_EQ(all.verdict, Verdict::NotTestable);
  EXPECT_THAT(all.reason, AllOf(HasSubstr("of other over base"), HasSubstr("asked for significance, which 1 of 2 have")));
  EXPECT_EQ(judged("methods = \"mine|other\"\nany = true\n" + gain).verdict, Verdict::Reproduced);
  EXPECT_EQ(judged("methods = \"mine\"\nat_least = 0.2\n" + gain).verdict, Verdict::NotTestable);
  EXPECT_THAT([&] { judged("methods = \"mine\"\nmetric = \"auc\"\nsignificant = true\n"); }, ThrowsUsageError(HasSubstr("'than'")));
  // p = 0.03 of one is 0.06 of the better of two.
  add("close", {0.52, 0.51, 0.545, 0.495});
  add("worse", {0.3, 0.3, 0.3, 0.3});
  EXPECT_EQ(judged("methods = \"close\"\n" + gain).verdict, Verdict::Reproduced);
  EXPECT_EQ(judged("methods = \"close|worse\"\nany = true\n" + gain).verdict, Verdict::NotTestable);
}

// One dead network is not made good by the mean over the others.
TEST_F(Requirements, EverySeedCanBeAskedAndADifferenceWithoutItsSign) {
  add("base", {0.5, 0.5, 0.3});
  add("mine", {0.4, 0.41, 0.2});
  EXPECT_NE(judged("methods = \"base\"\nmetric = \"auc\"\nat_least = 0.4\n").verdict, Verdict::NotTestable);
  const auto judgement = judged("methods = \"base\"\nmetric = \"auc\"\nat_least = 0.4\nevery_seed = true\n");
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable);
  EXPECT_THAT(judgement.reason, HasSubstr("auc has 0.3 in one seed of base on faces; asked for at least 0.4 in every seed"));
  const std::string behind = "methods = \"mine\"\nmetric = \"auc\"\nthan = \"base\"\nat_least = 0.05\n";
  EXPECT_EQ(judged(behind).verdict, Verdict::NotTestable);
  EXPECT_NE(judged(behind + "size = true\n").verdict, Verdict::NotTestable) << "behind by as much is apart, too";
  EXPECT_THAT([&] { judged(behind + "size = true\nsignificant = true\n"); }, ThrowsUsageError(HasSubstr("'size'")));
}

// A requirement that is chosen after the seeds were seen could otherwise remove any verdict.
TEST_F(Requirements, OneThatIsPostHocTakesNoVerdictAwayAndIsPrintedBesideIt) {
  add("base", {0.5, 0.5, 0.51});
  add("mine", {0.6, 0.61, 0.62});
  const std::string bound = "methods = \"mine\"\nmetric = \"auc\"\npost_hoc = true\nat_least = ";
  const auto definition = [](const std::string& toml) { return read_claims(toml, "claims.toml").at(0).definition; };
  const std::string claim = claim_of_two.substr(0, claim_of_two.find("[[claim.requires]]"));
  EXPECT_EQ(definition(claim_of_two + bound + "0.5\n"), definition(claim));
  EXPECT_EQ(judged(bound + "0.5\n").verdict, Verdict::Reproduced);
  EXPECT_EQ(judged(bound + "0.5\n").asked, Asked::Unknown);
  const auto judgement = judged(bound + "0.7\n");
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  EXPECT_EQ(judgement.asked, Asked::Unknown);
  EXPECT_THAT(judgement.reason, HasSubstr("not testable by a requirement added later: it is so (asked when the seeds had been seen)"));
  const std::string asked_then =
      "[[claim.requires]]\nsays = \"and so\"\ntable = \"table1\"\nmethods = \"mine\"\nmetric = \"auc\"\nat_least = 0.7\n";
  EXPECT_EQ(judged(bound + "0.7\n" + asked_then).verdict, Verdict::NotTestable) << "one that was asked before the seeds decides";
}

TEST_F(Requirements, OneThatIsNamedIsTheSameAsOneThatIsWritten) {
  add("base", {0.5, 0.5, 0.51});
  add("mine", {0.6, 0.61, 0.62});
  const std::string keys = "table = \"table1\"\nmethods = \"mine\"\nmetric = \"auc\"\nat_least = 0.55\n";
  const std::string claim = claim_of_two.substr(0, claim_of_two.find("[[claim.requires]]"));
  const auto named = [&](const std::string& name) {
    return claim + "needs = [\"works\"]\n\n[[requirement]]\nname = \"" + name + "\"\nsays = \"it works\"\n" + keys;
  };
  const auto written = claim + "[[claim.requires]]\nsays = \"it works\"\n" + keys;
  const auto of = [](const std::string& toml) { return read_claims(toml, "claims.toml").at(0); };
  EXPECT_EQ(of(named("works")).definition, of(written).definition);
  EXPECT_EQ(of(named("works")).requirements.at(0).says, "it works");
  EXPECT_THAT([&] { of(named("other")); }, ThrowsUsageError(HasSubstr("\"works\""), HasSubstr("known: other")));
  EXPECT_THAT([&] { of(named("works") + "\n[[requirement]]\nname = \"more\"\nsays = \"again\"\n" + keys); },
              ThrowsUsageError(HasSubstr("no claim needs the requirement \"more\"")));
  EXPECT_THAT([&] { of(named("works") + "\n[[requirement]]\nname = \"works\"\nsays = \"again\"\n" + keys); },
              ThrowsUsageError(HasSubstr("two requirements")));
}

}  // namespace
}  // namespace reprise::records
