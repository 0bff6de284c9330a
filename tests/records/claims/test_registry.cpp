// When a comparison was registered: what makes it another one, which seeds had been seen, and on
// which ones a row is judged.
#include "core/files.h"
#include "records/claims/registry.h"
#include "tests/damage.h"
#include "tests/records/claims/claim_text.h"

namespace reprise::records {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

const std::string& registered_gain = mine_is_better;

struct Preregistered : ResultsToJudge {
  void add(const std::string& method, std::int64_t first, const std::vector<double>& values) {
    for (auto record : make_seeds({.method = method, .seed = first}, values)) {
      record.metrics.push_back(record.metrics[0]);
      record.metrics.back().name = "second";
      store_.write(record);
    }
  }
  /// Gains of about a tenth at these seeds.
  void add_seeds(std::int64_t first, int count) {
    std::vector<double> base, mine;
    for (int i = 0; i < count; ++i) {
      base.push_back(0.5);
      mine.push_back(0.6 + 0.01 * (i % 3));
    }
    add("base", first, base);
    add("mine", first, mine);
  }
  /// What the start of a run writes.
  void start_run(const std::string& toml, const std::set<std::string>& own = {}) {
    auto registry = read_registry(folder_.path()).value_or(Registry{});
    registry.note_finished(store_.all());
    std::set<ClaimRecords::Key> methods;
    for (const auto& method : methods_) methods.insert({"table1", "faces", method});
    const Registration now{.commit = "c" + std::to_string(++commits_)};
    for (const auto& row : read_claims(toml, "claims.toml")) registry.add(row, methods, own, now);
    write_registry(folder_.path(), registry);
  }
  void confirm_by(const std::vector<std::int64_t>& seeds) {
    auto registry = read_registry(folder_.path()).value();
    registry.confirm = seeds;
    write_registry(folder_.path(), registry);
  }
  std::vector<std::string> registered() const {
    std::vector<std::string> texts;
    const auto registry = read_registry(folder_.path()).value();
    for (const auto& [text, registration] : registry.comparisons) texts.push_back(text);
    return texts;
  }
  Judgement judged(const std::string& toml = registered_gain) const { return only(toml); }

  std::set<std::string> methods_{"mine", "base"};  ///< that a run has
  int commits_ = 0;
};

TEST_F(Preregistered, AFolderWithoutTheFileIsUnknown) {
  add_seeds(0, 5);
  const auto judgement = judged();
  EXPECT_EQ(judgement.preregistration, Preregistration::Unknown);
  EXPECT_EQ(judgement.commit, "");
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  EXPECT_EQ(judgement.reason.find("Post hoc"), std::string::npos);
}

TEST_F(Preregistered, AComparisonRegisteredBeforeItsCellsFinishedIsAskedBefore) {
  start_run(registered_gain);
  add_seeds(0, 5);
  const auto judgement = judged();
  EXPECT_EQ(judgement.preregistration, Preregistration::Before);
  EXPECT_EQ(judgement.commit, "c1");
  EXPECT_EQ(judgement.n, 5);
  EXPECT_TRUE(judgement.excluded_seeds.empty());
}

TEST_F(Preregistered, TheFirstRegistrationStays) {
  start_run(registered_gain);
  add_seeds(0, 5);
  start_run(registered_gain);
  start_run(replaced(registered_gain, "id = \"1\"", "id = \"2\""));
  EXPECT_EQ(judged().preregistration, Preregistration::Before);
  EXPECT_EQ(judged().commit, "c1");
  const auto registry = read_registry(folder_.path()).value();
  ASSERT_EQ(registry.comparisons.size(), 1U);
  EXPECT_TRUE(registry.comparisons.begin()->second.seen.empty());
}

TEST_F(Preregistered, AComparisonStaysRegisteredWhenItsClaimIsRenamedRegroupedOrRewordedSlow) {
  methods_.insert("mine_too");
  start_run(registered_gain);
  add_seeds(0, 5);
  add("mine_too", 0, {0.6, 0.61, 0.62, 0.6, 0.61});
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"mine is better", "so it is"},
           {"document, table 1", "page 3"},
           {"id = \"1\"", "id = \"own 7\"\nown = true"},
           {"id = \"faces\"", "id = \"all\"\nfurther = true"},
           {"\"mine.*\"", "\"mine\""},
           {"\"mine.*\"", "\"(mine|mine_too)\""},
           {"table = ", "dataset = \"faces\"\ntable = "},
           {"than = \"base\"", "than = [\"base\"]"}})
    EXPECT_EQ(judged(replaced(registered_gain, from, to)).preregistration, Preregistration::Before)
        << to;
  // A row for each of the two methods, below another row.
  const auto split =
      registered_gain +
      replaced(replaced(registered_gain.substr(registered_gain.find("[[claim.row]]")),
                        "id = \"faces\"", "for_each = { method = [\"mine\", \"mine_too\"] }"),
               "\"mine.*\"", "\"{method}\"");
  const auto judgements = judge(split, "claims.toml", store_);
  ASSERT_EQ(judgements.size(), 3U);
  for (const auto& judgement : judgements)
    EXPECT_EQ(judgement.preregistration, Preregistration::Before) << judgement.id;
  EXPECT_EQ(claim_verdicts(judgements).at(0).preregistration, Preregistration::Before);
}

TEST_F(Preregistered, WhatDecidesTheVerdictOfAComparisonMakesItAnotherOne) {
  start_run(registered_gain);
  add_seeds(0, 5);
  add("other", 0, {0.5, 0.5, 0.5, 0.5, 0.5});
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"auc\"", "\"second\""},
           {"\"auc\"", "\"auc\"\nthan_metric = \"second\""},
           {"\"auc\"", "[\"auc\", \"second\"]"},
           {"\"base\"", "\"other\""},
           {"table = ", "margin = 0.01\ntable = "},
           {"table = ", "at_least = 0.05\ntable = "},
           {"\"better\"", "\"similar\"\nmargin = 0.1"},
           {"\"better\"", "\"no_worse\"\nmargin = 0.1"}})
    EXPECT_EQ(judged(replaced(registered_gain, from, to)).preregistration, Preregistration::PostHoc)
        << to;
}

TEST_F(Preregistered, AChangedComparisonIsPostHocAndTheFormerOneIsNot) {
  start_run(registered_gain);
  add_seeds(0, 5);
  const auto changed = replaced(registered_gain, "table = ", "margin = 0.01\ntable = ");
  EXPECT_EQ(judged(changed).preregistration, Preregistration::PostHoc)
      << "no run has registered it yet";
  EXPECT_EQ(judged(changed).commit, "");
  EXPECT_THAT(judged(changed).reason,
              HasSubstr("Post hoc: no run has started since the comparison was added or changed."));
  start_run(changed);
  EXPECT_EQ(judged(changed).preregistration, Preregistration::PostHoc);
  EXPECT_EQ(judged(changed).commit, "c2");
  EXPECT_EQ(judged(changed).n, 5) << "all it has";
  EXPECT_THAT(
      judged(changed).reason,
      HasSubstr("Post hoc: registered at commit c2, after results on its seeds were known."));
  EXPECT_EQ(judged().preregistration, Preregistration::Before);
  EXPECT_EQ(judged().commit, "c1");
}

TEST_F(Preregistered, HeldOutSeedsConfirmAPostHocComparisonAloneSlow) {
  add_seeds(0, 5);
  start_run(registered_gain);
  add_seeds(5, 1);
  EXPECT_EQ(judged().preregistration, Preregistration::PostHoc) << "one seed decides nothing";
  EXPECT_EQ(judged().n, 6);
  add_seeds(6, 2);
  const auto judgement = judged();
  EXPECT_EQ(judgement.preregistration, Preregistration::Before);
  EXPECT_EQ(judgement.n, 3);
  EXPECT_THAT(judgement.excluded_seeds, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(judgement.reason, HasSubstr("Seeds 0 to 4 are excluded"));
}

TEST_F(Preregistered, ARowIsPostHocWhereOneOfItsComparisonsIs) {
  start_run(registered_gain);
  add_seeds(0, 5);
  add("mine_too", 0, {0.6, 0.61, 0.62, 0.6, 0.61});
  EXPECT_EQ(judged().preregistration, Preregistration::PostHoc) << "mine_too was never registered";
  EXPECT_EQ(judged(replaced(registered_gain, "\"mine.*\"", "\"mine\"")).preregistration,
            Preregistration::Before);
  methods_.insert("mine_too");
  start_run(registered_gain);
  EXPECT_EQ(judged().preregistration, Preregistration::PostHoc);
  EXPECT_EQ(judged().commit, "c2") << "of the one that was registered last";
}

TEST_F(Preregistered, CellsThatWereRemovedHaveStillBeenSeen) {
  start_run(registered_gain);
  add_seeds(0, 3);
  start_run(registered_gain);
  std::filesystem::remove_all(folder_.path() / "cells");
  const auto changed = replaced(registered_gain, "table = ", "margin = 0.01\ntable = ");
  start_run(changed);
  add_seeds(0, 3);
  EXPECT_EQ(judged(changed).preregistration, Preregistration::PostHoc);
  EXPECT_EQ(judged().preregistration, Preregistration::Before);
}

TEST_F(Preregistered, AMethodThatIsNewWasNeverSeenWhereItsRivalWas) {
  add("base", 0, {0.5, 0.5, 0.5});
  start_run(registered_gain);
  add("mine", 0, {0.6, 0.7, 0.6});
  EXPECT_EQ(judged().preregistration, Preregistration::Before);
}

TEST_F(Preregistered, ConfirmationSeedsAloneAreForVerdicts) {
  start_run(registered_gain);
  confirm_by({10, 11, 12});
  add_seeds(0, 5);
  EXPECT_EQ(judged().verdict, Verdict::NotRun) << "no confirmation seed is there yet";
  EXPECT_THAT(judged().reason, HasSubstr("Seeds 0 to 4 are excluded"));
  add_seeds(10, 3);
  EXPECT_EQ(judged().n, 3);
  EXPECT_EQ(judged().preregistration, Preregistration::Before);
  EXPECT_THAT(judged().excluded_seeds, ElementsAre(0, 1, 2, 3, 4));
}

/// The fixture's gain, with a requirement that has these keys.
std::string gain_requiring(const std::string& keys) {
  return replaced(registered_gain, "kind = ", "needs = [\"works\"]\nkind = ") +
         "[[requirement]]\nid = \"works\"\nstatement = \"it works\"\nmetric = \"auc\"\n" + keys;
}

// A requirement is measured on confirmation seeds, too; of cells that serve all seeds on those they
// have.
TEST_F(Preregistered, WhatIsRequiredIsMeasuredOnTheSeedsOfTheVerdict) {
  start_run(registered_gain);
  confirm_by({10, 11, 12});
  add("mine", 0, {0.9, 0.9});
  add("base", 0, {0.1, 0.2});
  add("mine", 10, {0.6, 0.7, 0.6});
  add("base", 10, {0.5, 0.5, 0.5});
  add("judge", 0, {0.8});
  const auto holds = [&](const std::string& keys) {
    return judged(gain_requiring(keys)).requirements.at(0).holds;
  };
  EXPECT_FALSE(holds("methods = \"mine\"\nat_least = 0.65\n")) << "0.9 is of seeds that explored";
  EXPECT_TRUE(holds("methods = \"mine\"\nat_least = 0.6\n"));
  EXPECT_TRUE(holds("methods = \"judge\"\nat_least = 0.7\n")) << "one serves all seeds";
}

TEST_F(Preregistered, ARatioToCellsThatServeAllSeedsIsMeasured) {
  start_run(registered_gain);
  confirm_by({10, 11, 12});
  add_seeds(0, 2);
  add_seeds(10, 3);
  add("real", 0, {0.8});
  const auto requirement =
      judged(
          gain_requiring("kind = \"ratio\"\nmethods = \"mine\"\nthan = \"real\"\nat_least = 0.5\n"))
          .requirements.at(0);
  EXPECT_TRUE(requirement.was_measured) << requirement.measured;
  EXPECT_TRUE(requirement.holds) << requirement.measured;
}

TEST_F(Preregistered, ARequirementIsNoPartOfARegisteredComparison) {
  start_run(registered_gain);
  add_seeds(0, 5);
  const auto judgement =
      judged(gain_requiring("methods = \"mine\"\nat_least = 0.7\npost_hoc = true\n"));
  EXPECT_EQ(judgement.preregistration, Preregistration::Before);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
}

const std::string registered_ratio = R"toml(
[[claim.row]]
id = "parameters"
kind = "ratio"
methods = "mine"
than = "base"
metric = "parameters.recurrent"
table = "table1"
at_most = 1
)toml";

// A ratio is exact: nothing could be chosen by looking at seeds.
TEST_F(Preregistered, ARatioIsNeitherRegisteredNorPostHoc) {
  add_seeds(0, 5);
  const auto toml =
      registered_gain.substr(0, registered_gain.find("[[claim.row]]")) + registered_ratio;
  start_run(toml);
  EXPECT_TRUE(registered().empty());
  const auto judgement = judged(toml);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  EXPECT_EQ(judgement.preregistration, Preregistration::Unknown);
  EXPECT_EQ(judgement.reason.find("Post hoc"), std::string::npos);
}

TEST_F(Preregistered, ARatioLeavesItsClaimAsItsOtherRowsAre) {
  const auto toml = registered_gain + registered_ratio;
  start_run(toml);
  add_seeds(0, 5);
  const auto judgements = judge(toml, "claims.toml", store_);
  EXPECT_EQ(judgements.at(0).preregistration, Preregistration::Before);
  EXPECT_EQ(claim_verdicts(judgements).at(0).preregistration, Preregistration::Before);
  const auto changed = replaced(toml, "table = ", "margin = 0.01\ntable = ");
  const auto of_changed = judge(changed, "claims.toml", store_);
  EXPECT_EQ(claim_verdicts(of_changed).at(0).preregistration, Preregistration::PostHoc);
}

TEST_F(Preregistered, TheTextOfAComparisonHoldsWhatDecidesItsVerdict) {
  const auto text = [&](const std::string& from, const std::string& to) {
    const auto rows = read_claims(replaced(registered_gain, from, to), "claims.toml");
    return planned_comparisons(rows.at(0), {{"table1", "faces", "mine"}}, {}).at(0).text();
  };
  const std::string pair = "table1/faces/mine against base, auc";
  EXPECT_EQ(text("1", "1"), "better: " + pair);
  EXPECT_EQ(text("table = ", "margin = 0.01\ntable = "), "better: " + pair + ", margin 0.01");
  EXPECT_EQ(text("table = ", "at_least = 0.1\ntable = "), "better: " + pair + ", at least 0.1");
  EXPECT_EQ(text("table = ", "than_metric = \"second\"\ntable = "),
            "better: " + pair + " against second");
  EXPECT_EQ(text("table = ", "than_table = \"table2\"\ntable = "),
            "better: table1/faces/mine against table2/base, auc");
  EXPECT_EQ(text("\"better\"", "\"no_worse\"\nmargin = 0.5"), "no_worse: " + pair + ", margin 0.5");
  EXPECT_EQ(text("\"better\"", "\"sooner\""), "sooner: " + pair);
}

TEST_F(Preregistered, ARunRegistersEachComparisonOfItsMethodsOnce) {
  methods_ = {"mine_a", "mine_b", "base", "unrelated"};
  start_run(registered_gain +
            replaced(registered_gain.substr(registered_gain.find("[[claim.row]]")), "\"faces\"",
                     "\"again\""));
  EXPECT_THAT(registered(), UnorderedElementsAre("better: table1/faces/mine_a against base, auc",
                                                 "better: table1/faces/mine_b against base, auc"));
}

TEST_F(Preregistered, ExternalMethodsAreNeverRegisteredNorNoted) {
  methods_.insert("mine_external");
  auto record = make({.method = "mine_external"});
  record.options.edit()["method.kind"] = "predictions";
  store_.write(record);
  start_run(registered_gain, {"mine", "base"});
  EXPECT_THAT(registered(), ElementsAre("better: table1/faces/mine against base, auc"));
  EXPECT_TRUE(read_registry(folder_.path()).value().finished.empty());
}

TEST_F(Preregistered, TheFileReadsBackAsItWasWritten) {
  add_seeds(0, 2);
  start_run(registered_gain);
  confirm_by({3, 4});
  auto registry = read_registry(folder_.path()).value();
  registry.comparisons.begin()->second.dirty = true;
  write_registry(folder_.path(), registry);
  const auto text = read_file(folder_.path() / "preregistered.json");
  const auto back = read_registry(folder_.path()).value();
  write_registry(folder_.path(), back);
  EXPECT_EQ(read_file(folder_.path() / "preregistered.json"), text);
  EXPECT_THAT(back.confirm, ElementsAre(3, 4));
  ASSERT_EQ(back.comparisons.size(), 1U);
  EXPECT_EQ(back.comparisons.begin()->first, "better: table1/faces/mine against base, auc");
  EXPECT_THAT(back.comparisons.begin()->second.seen, ElementsAre(0, 1));
  EXPECT_EQ(back.comparisons.begin()->second.commit, "c1");
  EXPECT_TRUE(back.comparisons.begin()->second.dirty);
  EXPECT_EQ(back.finished.size(), 2U);
  EXPECT_EQ(judged().commit, "c1 with changes");
}

TEST_F(Preregistered, AFileOfAnotherSchemaOrFormIsRefused) {
  const auto file = folder_.path() / "preregistered.json";
  for (const std::string text :
       {R"({"schema": 1, "confirm": [], "comparisons": [], "finished": []})",
        R"({"schema": 2, "confirm": []})",
        R"({"schema": 2, "confirm": [-1], "comparisons": [], "finished": []})",
        R"({"schema": 2, "confirm": [], "comparisons": [{"comparison": "c"}], "finished": []})"}) {
    write_file(file, text);
    EXPECT_THAT([&] { judged(); }, ThrowsError(HasSubstr("preregistered.json"),
                                               HasSubstr("restore the file, or remove it")))
        << text;
  }
}

TEST_F(Preregistered, ADamagedFileIsRefusedWithItsNameSlow) {
  add_seeds(0, 2);
  start_run(registered_gain);
  const auto file = folder_.path() / "preregistered.json";
  EXPECT_GT(read_damaged_copies(file, read_file(file), [&](const auto&) { judged(); }), 200);
}

}  // namespace
}  // namespace reprise::records
