// What rows of claims require: the kinds of requirements, whose data they concern, and which of
// several values a requirement reports.
#include "records/claims/claims_file.h"
#include "tests/records/claims/claim_text.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// One row, which needs "it": a requirement with these keys.
std::string requiring(const std::string& keys) {
  return one_claim(
             "needs = [\"it\"]\nkind = \"better\"\nmethods = \"mine\"\nthan = \"base\"\n[[requirement]]\nid = \"it\"\nstatement = \"it is so\"\n") +
         keys;
}

struct Requirements : ResultsToJudge {
  void add(const std::string& method, const std::vector<double>& values,
           const std::vector<double>& rates = {}) const {
    auto seeds = make_seeds({.method = method}, values);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      seeds[i].options.edit()["search.rates"] = {1e-3, 1e-2, 1e-1};
      seeds[i].options.edit()["search.grid"] = {"other=5|6", "noise=1 rate=1e-3|1e-2|0.1"};
      for (const std::string name : {"rate", "with_rate"})
        if (!rates.empty()) seeds[i].metrics.push_back({.name = name, .value = rates[i]});
      store_.write(seeds[i]);
    }
  }
  void add(const Made& made, const std::vector<double>& values) const {
    ResultsToJudge::add(make_seeds(made, values));
  }
  Judgement judged(const std::string& keys) const { return only(requiring(keys)); }
  Verdict verdict(const std::string& keys) const { return judged(keys).verdict; }
};

TEST_F(Requirements, TheMeanOverSeedsIsAskedUnlessEverySeedIs) {
  add("base", {0.5, 0.5, 0.3});
  add("mine", {0.6, 0.61, 0.5});
  const std::string works = "methods = \"base\"\nmetric = \"auc\"\nat_least = 0.4\n";
  EXPECT_EQ(verdict(works), Verdict::Reproduced);
  EXPECT_EQ(verdict("kind = \"mean\"\n" + works), Verdict::Reproduced);
  // One network that did not learn is not made good by the mean over the others.
  const auto judgement = judged("kind = \"every\"\n" + works);
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable);
  EXPECT_THAT(
      judgement.reason,
      HasSubstr("base on faces: auc is 0.3 in one seed. Required: at least 0.4 in every seed."));
  ASSERT_EQ(judgement.requirements.size(), 1U);
  EXPECT_FALSE(judgement.requirements[0].holds);
  EXPECT_TRUE(judgement.requirements[0].was_measured);
}

TEST_F(Requirements, BothBoundsAreAskedOfTheValueOrOfTheGain) {
  add("base", {0.5, 0.5, 0.5});
  add("mine", {0.6, 0.61, 0.62});
  const std::string value = "methods = \"mine\"\nmetric = \"auc\"\n",
                    gain = value + "than = \"base\"\n";
  EXPECT_EQ(verdict(value + "at_least = 0.6\nat_most = 0.62\n"), Verdict::Reproduced);
  EXPECT_EQ(verdict(value + "at_least = 0.62\n"), Verdict::NotTestable);
  EXPECT_EQ(verdict(value + "at_most = 0.6\n"), Verdict::NotTestable);
  EXPECT_EQ(verdict(gain + "at_least = 0.1\n"), Verdict::Reproduced);
  EXPECT_THAT(judged(gain + "at_least = 0.2\n").reason,
              HasSubstr("mine on faces: auc gains 0.11 over base. Required: at least 0.2."));
  EXPECT_EQ(verdict(gain + "kind = \"every\"\nat_least = 0.105\n"), Verdict::NotTestable)
      << "0.1 in one seed";
}

// Lower is better: a gain is a fall, as in a row.
TEST_F(Requirements, AGainIsOrientedSoThatAboveZeroIsBetter) {
  add(Made{.method = "base", .metric = "error", .direction = Direction::LowerIsBetter},
      {3, 3.1, 3});
  add(Made{.method = "mine", .metric = "error", .direction = Direction::LowerIsBetter},
      {2, 2.2, 2});
  const auto judgement = only(replaced(
      requiring("methods = \"mine\"\nmetric = \"error\"\nthan = \"base\"\nat_least = 0.9\n"), "auc",
      "error"));
  EXPECT_TRUE(judgement.requirements.at(0).holds);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
}

TEST_F(Requirements, ARatioIsThatOfTheMeans) {
  add("base", {0.4, 0.52, 0.6});
  add("mine", {0.9, 1, 1.1});
  add("real", {2, 2});
  const std::string half =
      "kind = \"ratio\"\nmethods = \"mine\"\nmetric = \"auc\"\nthan = \"real\"\n";
  EXPECT_EQ(verdict(half + "at_least = 0.5\nat_most = 0.5\n"), Verdict::Reproduced)
      << "real has fewer seeds: nothing is paired";
  const auto judgement = judged(half + "at_least = 0.6\n");
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable);
  EXPECT_THAT(judgement.reason,
              HasSubstr("mine on faces: auc is 0.5 times that of real. Required: at least 0.6."));
  EXPECT_THAT(
      [&] { judged("kind = \"ratio\"\nmethods = \"mine\"\nmetric = \"auc\"\nat_least = 0.5\n"); },
      ThrowsUsageError(HasSubstr("it is a 'ratio' without 'than'")));
}

TEST_F(Requirements, ARatioMayBeTakenInAnotherTableAndMetric) {
  add("base", {0.4, 0.5});
  add("mine", {0.9, 1.1});
  add(Made{.method = "real", .table = "controls", .metric = "step"}, {4, 4});
  const std::string keys =
      "kind = \"ratio\"\nmethods = \"mine\"\nmetric = \"auc\"\nthan = \"real\"\nthan_table = \"controls\"\nthan_metric = \"step\"\n";
  EXPECT_TRUE(judged(keys + "at_least = 0.25\nat_most = 0.25\n").requirements.at(0).holds);
  EXPECT_FALSE(judged(keys + "at_least = 0.3\n").requirements.at(0).holds);
}

TEST_F(Requirements, OneOfTheMethodsIsEnoughForSome) {
  add("base", {0.5, 0.5, 0.5});
  add("mine", {0.6, 0.61, 0.62});
  const std::string high = "methods = \"base|mine\"\nmetric = \"auc\"\nat_least = 0.6\n";
  EXPECT_EQ(verdict(high), Verdict::NotTestable);
  EXPECT_EQ(verdict("kind = \"some\"\n" + high), Verdict::Reproduced);
  EXPECT_EQ(verdict("kind = \"some\"\nmethods = \"base|mine\"\nmetric = \"auc\"\nat_least = 0.7\n"),
            Verdict::NotTestable);
}

// The best of many is better by chance: its p-value is corrected for their number.
TEST_F(Requirements, SomeMustBeSignificantlyBetterByHolmOverAllThatCouldBeItSlow) {
  add("base", {0.50, 0.50, 0.51, 0.49});
  add("mine", {0.60, 0.61, 0.62, 0.60});
  add("close", {0.52, 0.51, 0.545, 0.495});  // p = 0.03
  add("worse", {0.3, 0.3, 0.3, 0.3});
  const std::string gain = "kind = \"some\"\nthan = \"base\"\nmetric = \"auc\"\nat_least = ";
  EXPECT_EQ(verdict(gain + "0\nmethods = \"close\"\n"), Verdict::Reproduced);
  const auto judgement = judged(gain + "0\nmethods = \"close|worse\"\n");
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable) << "0.06 of two";
  EXPECT_THAT(
      judgement.reason,
      AllOf(
          HasSubstr("close on faces: auc gains"),
          HasSubstr("over base. Required: significance and at least 0. 0 of 2 methods meet it.")));
  EXPECT_EQ(verdict(gain + "0\nmethods = \"mine|worse\"\n"), Verdict::Reproduced);
  EXPECT_EQ(verdict(gain + "0.2\nmethods = \"mine|worse\"\n"), Verdict::NotTestable)
      << "significant, but less than 0.2";
}

TEST_F(Requirements, AChosenValueOnTheEdgeOfItsListMakesARowNotTestable) {
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-2, 1e-2});
  add("mine", {0.6, 0.61, 0.62}, {1e-2, 1e-2, 1e-2});
  const std::string inside =
      "methods = \"mine|base\"\nmetric = \"rate\"\ninside = \"search.rates\"\n";
  EXPECT_EQ(verdict(inside), Verdict::Reproduced);
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-1, 1e-2});
  const auto judgement = judged(inside);
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable) << "in one seed is enough";
  EXPECT_THAT(judgement.reason,
              AllOf(HasSubstr("base on faces: rate is 0.1."), HasSubstr("inside search.rates"),
                    HasSubstr("1 of 2 methods meet it.")));
  EXPECT_THAT(judged("methods = \"mine\"\nmetric = \"rate\"\ninside = \"search.other\"\n").reason,
              HasSubstr("No finished cell"));
  // Grids name what they list.
  const std::string grid =
      "methods = \"mine|base\"\nmetric = \"with_rate\"\ninside = \"search.grid\"\n";
  EXPECT_THAT(judged(grid).reason, AllOf(HasSubstr("base on faces: with_rate is 0.1."),
                                         HasSubstr("1 of 2 methods meet it.")));
  // A search that tried the whole list has widened it. Another search of the method has no say.
  add(Made{.method = "base+rate=5", .table = "search_other"}, {0.5});
  EXPECT_EQ(judged(inside).verdict, Verdict::NotTestable);
  for (const std::string rate : {"1e-3", "1e-2", "1e-1", "1"})
    add(Made{.method = "base+rate=" + rate, .table = "search"}, {0.5});
  EXPECT_EQ(verdict(inside), Verdict::Reproduced);
}

TEST_F(Requirements, WhereZeroIsACandidateTheLeastOfAListIsNoEdge) {
  add("base", {0.5, 0.5, 0.51}, {1e-3, 1e-3, 1e-3});
  add("mine", {0.6, 0.61, 0.62}, {1e-2, 1e-2, 1e-2});
  const std::string chosen = "methods = \"mine|base\"\nmetric = \"rate\"\ninside = ";
  EXPECT_EQ(verdict(chosen + "\"search.rates\"\n"), Verdict::NotTestable);
  EXPECT_EQ(verdict(chosen + "\"0, search.rates\"\n"), Verdict::Reproduced);
  add("base", {0.5, 0.5, 0.51}, {1e-3, 1e-1, 1e-3});
  const auto judgement = judged(chosen + "\"0, search.rates\"\n");
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable) << "the greatest is";
  EXPECT_THAT(judgement.reason, HasSubstr("a value below the last of search.rates"));
}

// Without methods the row's own ones are meant, both sides: a third's choice is no matter of it.
TEST_F(Requirements, ChosenValuesAreAskedOfWhatTheRowCompares) {
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-2, 1e-2});
  add("mine", {0.6, 0.61, 0.62}, {1e-2, 1e-2, 1e-2});
  add("third", {0.6, 0.61, 0.62}, {1e-1, 1e-1, 1e-1});
  const std::string inside = "metric = \"rate\"\ninside = \"search.rates\"\n";
  EXPECT_EQ(verdict(inside), Verdict::Reproduced);
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-2, 1e-3});
  EXPECT_THAT(judged(inside).reason, AllOf(HasSubstr("base on faces: rate is 0.001."),
                                           HasSubstr("1 of 2 methods meet it.")));
}

TEST_F(Requirements, InsideGoesWithoutBoundsAndOthers) {
  const std::string inside = "methods = \"mine\"\nmetric = \"rate\"\ninside = \"search.rates\"\n";
  for (const auto* more : {"at_least = 0.1\n", "at_most = 0.1\n", "than = \"base\"\n"})
    EXPECT_THAT([&] { judged(inside + more); },
                ThrowsUsageError(HasSubstr("it has 'inside' together with")));
}

// A requirement concerns the row's own data, unless it names other data.
TEST_F(Requirements, TableAndDatasetAreTheRowsUnlessNamedSlow) {
  for (const char* dataset : {"faces", "bursts"}) {
    add(Made{.method = "base", .dataset = dataset}, {0.5, 0.5, 0.5});
    add(Made{.method = "mine", .dataset = dataset}, {0.6, 0.61, 0.62});
  }
  add(Made{.method = "oracle", .dataset = "faces"}, {0.9, 0.9, 0.9});
  add(Made{.method = "oracle", .dataset = "bursts"}, {0.5, 0.5, 0.5});
  add(Made{.method = "oracle", .table = "other", .dataset = "faces"}, {0.1, 0.1, 0.1});
  const auto on = [&](const std::string& dataset, const std::string& more) {
    const auto toml = requiring("methods = \"oracle\"\nmetric = \"auc\"\nat_least = 0.8\n" + more);
    return only(replaced(toml, "table = ", "dataset = \"" + dataset + "\"\ntable = ")).verdict;
  };
  EXPECT_EQ(on("faces", ""), Verdict::Reproduced);
  EXPECT_EQ(on("bursts", ""), Verdict::NotTestable);
  EXPECT_EQ(on("faces|bursts", ""), Verdict::NotTestable) << "on both";
  EXPECT_EQ(on("bursts", "dataset = \"faces\"\n"), Verdict::Reproduced);
  EXPECT_EQ(on("faces", "table = \"other\"\n"), Verdict::NotTestable);
}

// Whoever sees that the evaluator is too weak need not run what it would have evaluated.
TEST_F(Requirements, WhatDidNotRunIsNotTestableWhereARequirementWasMeasuredAndFails) {
  add("judge", {0.8, 0.8, 0.8});
  const std::string asked = "methods = \"judge\"\nmetric = \"auc\"\nat_least = ";
  EXPECT_THAT(judged(asked + "0.9\n").reason, HasSubstr("judge on faces: auc is 0.8."));
  EXPECT_EQ(verdict(asked + "0.9\n"), Verdict::NotTestable);
  EXPECT_EQ(verdict(asked + "0.7\n"), Verdict::NotRun) << "it holds";
  EXPECT_EQ(verdict("methods = \"other\"\nmetric = \"auc\"\nat_least = 0.9\n"), Verdict::NotRun)
      << "nothing measured it";
}

TEST_F(Requirements, WhatNoCellMeasuredDoesNotHold) {
  add("base", {0.5, 0.5, 0.51});
  add("mine", {0.6, 0.61, 0.62});
  const auto judgement = judged("methods = \"judge\"\nmetric = \"auc\"\nat_least = 0.9\n");
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable);
  EXPECT_THAT(judgement.reason, HasSubstr("No finished cell of table 'table1' has 'auc'."));
}

TEST_F(Requirements, TheValueThatDecidesIsReported) {
  add("base", {0.5, 0.5, 0.5});
  add("mine", {0.6, 0.6, 0.6});
  add("third", {0.55, 0.55, 0.55});
  const std::string gains =
      "methods = \"mine|third\"\nmetric = \"auc\"\nthan = \"base\"\nat_least = 0.2\n";
  EXPECT_THAT(judged(gains).reason, HasSubstr("third on faces: auc gains 0.05 over base."))
      << "the farthest";
  const std::string values = "methods = \"mine|third\"\nmetric = \"auc\"\nat_least = 0.7\n";
  EXPECT_THAT(judged("kind = \"some\"\n" + values).reason, HasSubstr("mine on faces: auc is 0.6."))
      << "the nearest";
}

// A requirement that is chosen after the seeds were seen could otherwise remove any verdict.
TEST_F(Requirements, OneThatIsPostHocTakesNoVerdictAwayAndIsPrinted) {
  add("base", {0.5, 0.5, 0.51});
  add("mine", {0.6, 0.61, 0.62});
  const std::string bound = "methods = \"mine\"\nmetric = \"auc\"\npost_hoc = true\nat_least = ";
  EXPECT_EQ(verdict(bound + "0.5\n"), Verdict::Reproduced);
  const auto judgement = judged(bound + "0.7\n");
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  EXPECT_THAT(
      judgement.reason,
      HasSubstr("A requirement added later fails: it is so (post hoc). mine on faces: auc is 0.6"));
  EXPECT_TRUE(judgement.requirements.at(0).post_hoc);
  const auto two = requiring(
      bound +
      "0.7\n[[requirement]]\nid = \"before\"\nstatement = \"and so\"\nmethods = \"mine\"\nmetric = \"auc\"\nat_least = 0.7\n");
  EXPECT_EQ(only(replaced(two, "[\"it\"]", "[\"it\", \"before\"]")).verdict, Verdict::NotTestable)
      << "one that was there before the seeds decides";
}

TEST_F(Requirements, ARowNeedsWhatItsClaimNeedsAndMore) {
  const std::string requirement =
      "statement = \"s\"\nmethods = \"mine\"\nmetric = \"auc\"\nat_least = 0.5\n";
  const auto text = requiring(
      "methods = \"mine\"\nmetric = \"auc\"\nat_least = 0.5\n[[requirement]]\nid = \"shared\"\n" +
      requirement);
  const auto rows = read_claims(
      replaced(text, "[[claim.row]]", "needs = [\"shared\"]\n[[claim.row]]"), "claims.toml");
  ASSERT_EQ(rows.at(0).requirements.size(), 2U);
  EXPECT_EQ(rows[0].requirements[0].statement, "s");
  EXPECT_EQ(rows[0].requirements[1].statement, "it is so");
}

// Every value is within a bound that is not a number.
TEST_F(Requirements, ABoundIsAFiniteNumber) {
  for (const std::string bound :
       {"at_least = nan\n", "at_most = nan\n", "at_least = -inf\n", "at_most = inf\n"})
    EXPECT_THAT([text = requiring("methods = \"mine\"\nmetric = \"auc\"\n" +
                                  bound)] { read_claims(text, "claims.toml"); },
                ThrowsUsageError(HasSubstr("requirement \"it\""), HasSubstr(bound.substr(0, 7))))
        << bound;
}

TEST_F(Requirements, WhatCannotBeMeantIsRefusedWithItsRequirement) {
  const std::string keys = "methods = \"mine\"\nmetric = \"auc\"\nat_least = 0.5\n",
                    again = "statement = \"again\"\n" + keys;
  for (
      const auto& [body, expected] : std::vector<std::pair<std::string, std::string>>{
          {keys + "[[requirement]]\nid = \"more\"\n" + again,
           "no row needs the requirement \"more\""},
          {keys + "[[requirement]]\nid = \"it\"\n" + again, "two requirements have the id \"it\""},
          {"methods = \"mine\"\nmetric = \"auc\"\n",
           "requirement \"it\": it has none of 'at_least', 'at_most' and 'inside'"},
          {"metric = \"auc\"\nat_least = 0.5\n",
           "requirement \"it\": the key 'methods' is missing"},
          {"methods = \"mine\"\nat_least = 0.5\n",
           "requirement \"it\": the key 'metric' is missing"},
          {keys + "kind = \"any\"\n",
           "requirement \"it\": the kind 'any' is not known; a requirement is of the kind mean, every, some or ratio"},
          {keys + "post_hoc = \"yes\"\n",
           "requirement \"it\": the key 'post_hoc' must be true or false"},
          {keys + "margin = 0.1\n",
           "requirement \"it\": the key 'margin' is not known here; known: "},
          {keys + "from_zero = true\n",
           "requirement \"it\": the key 'from_zero' is not known here; known: "}})
    EXPECT_THAT([text = requiring(body)] { read_claims(text, "claims.toml"); },
                ThrowsUsageError(HasSubstr(expected)));
  EXPECT_THAT(
      [&] { read_claims(replaced(requiring(keys), "[\"it\"]", "[\"that\"]"), "claims.toml"); },
      ThrowsUsageError(HasSubstr(
          "claim \"1\", row 1: it needs \"that\", and no [[requirement]] has that id; known: it")));
}

}  // namespace
}  // namespace reprise::records
