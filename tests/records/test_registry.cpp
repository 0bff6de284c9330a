// When a claim was asked: what makes it another question, which seeds had been seen, and on which ones it is judged.
#include "core/files.h"
#include "records/asked.h"
#include "records/claims.h"
#include "tests/damage.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string asked_gain = R"toml(
[[claim]]
id = "1"
says = "mine is better"
source = "document, table 1"
kind = "better"
methods = "mine.*"
than = "base"
metric = "auc"
table = "table1"
)toml";

std::string with(const std::string& text, const std::string& before, const std::string& after) {
  auto changed = text;
  return changed.replace(changed.find(before), before.size(), after);
}

std::string definition(const std::string& toml, std::size_t at = 0) { return read_claims(toml, "claims.toml").at(at).definition; }

class AskedBefore : public testing::Test {
 protected:
  void add(const std::string& method, std::int64_t first, const std::vector<double>& values, const std::string& program = "p1") {
    for (auto record : make_seeds({.method = method, .seed = first}, values)) {
      record.environment.edit().program = program;
      store_.write(record);
    }
  }
  /// Gains of about a tenth at these seeds.
  void add_seeds(std::int64_t first, int count, const std::string& program = "p1") {
    std::vector<double> base, mine;
    for (int i = 0; i < count; ++i) {
      base.push_back(0.5);
      mine.push_back(0.6 + 0.01 * (i % 3));
    }
    add("base", first, base, program);
    add("mine", first, mine, program);
  }
  /// What the start of a run writes.
  void ask(const std::string& toml, const std::string& settings = "s1", const std::string& program = "p1") {
    auto registration = read_registration(folder_.path()).value_or(Registration{});
    registration.note_finished(store_.all());
    for (const auto& claim : read_claims(toml, "claims.toml"))
      registration.ask(claim, {.settings = settings, .program = program, .commit = "c" + std::to_string(++commits_)}, {});
    write_registration(folder_.path(), registration);
  }
  Judgement judged(const std::string& toml = asked_gain) const { return judge(toml, "claims.toml", store_).at(0); }

  TemporaryFolder folder_;
  Store store_{folder_.path()};
  int commits_ = 0;
};

TEST(Definition, ProseIdsSpellingAndOrderOfKeysAreNoPartOfIt) {
  const auto before = definition(asked_gain);
  EXPECT_EQ(definition(with(asked_gain, "mine is better", "better indeed")), before);
  EXPECT_EQ(definition(with(asked_gain, "document, table 1", "page 3")), before);
  EXPECT_EQ(definition(with(asked_gain, "id = \"1\"", "id = \"gain\"")), before);
  EXPECT_EQ(definition(with(asked_gain, "kind = \"better\"\n", "") + "kind='better' # at the end\nlevel = 0.05\n"), before);
}

TEST(Definition, WhatDecidesTheVerdictIs) {
  const auto before = definition(asked_gain);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"\"auc\"", "\"error\""},
                                                                                 {"\"mine.*\"", "\"mine\""},
                                                                                 {"\"base\"", "\"other\""},
                                                                                 {"table = \"table1\"", "table = \"table1\"\nlevel = 0.1"},
                                                                                 {"table = \"table1\"", "table = \"table1\"\nmargin = 0.1"},
                                                                                 {"\"better\"", "\"similar\"\nmargin = 0.1"}})
    EXPECT_NE(definition(with(asked_gain, from, to)), before) << to;
  const std::string requires_more =
      "[[claim.requires]]\nsays = \"it works\"\ntable = \"t\"\nmetric = \"m\"\nmethods = \"a\"\nat_least = 0.5\n";
  EXPECT_NE(definition(asked_gain + requires_more), before);
  EXPECT_EQ(definition(asked_gain + requires_more), definition(asked_gain + with(requires_more, "it works", "it does its job")));
  EXPECT_NE(definition(asked_gain + requires_more), definition(asked_gain + with(requires_more, "0.5", "0.4")));
  const std::string renews = "[[replicates]]\ntable = \"table1\"\nrenews = \"weights\"\nbecause = \"so\"\n";
  EXPECT_NE(definition(asked_gain + renews), before) << "the test is another one";
  EXPECT_EQ(definition(asked_gain + with(renews, "\"table1\"", "\"other\"")), before);
}

TEST(Definition, RowsAreQuestionsOfTheirOwnAndAFamilyIsPartOfEachMembers) {
  const auto rows = with(with(asked_gain, "\"auc\"", "\"auc_{kind}\""), "kind = ", "for_each = { kind = [\"a\", \"b\"] }\nkind = ");
  EXPECT_NE(definition(rows, 0), definition(rows, 1));
  EXPECT_EQ(definition(with(rows, "[\"a\", \"b\"]", "[\"b\"]")), definition(rows, 1)) << "a row that goes is no matter of the others";
  const auto family = with(asked_gain, "table = ", "family = \"f\"\ntable = ");
  const auto second = with(with(family, "\"1\"", "\"2\""), "auc", "error");
  EXPECT_NE(definition(family + second), definition(family)) << "corrected with one more";
  EXPECT_EQ(definition(family + second), definition(with(family, "\"f\"", "\"g\"") + with(second, "\"f\"", "\"g\"")));
}

TEST_F(AskedBefore, AFolderThatDoesNotSayIsUnknown) {
  add_seeds(0, 5);
  const auto judgement = judged();
  EXPECT_EQ(judgement.asked, Asked::Unknown);
  EXPECT_EQ(judgement.verdict, Verdict::Reproduced);
  EXPECT_EQ(judgement.reason.find("post hoc"), std::string::npos);
}

TEST_F(AskedBefore, AClaimWrittenDownBeforeItsCellsFinishedIsAskedBefore) {
  ask(asked_gain);
  add_seeds(0, 5);
  ask(asked_gain);
  const auto judgement = judged();
  EXPECT_EQ(judgement.asked, Asked::Before);
  EXPECT_EQ(judgement.commit, "c1");
  EXPECT_EQ(judgement.n, 5);
  EXPECT_TRUE(judgement.set_aside.empty());
}

TEST_F(AskedBefore, AClaimThatChangesAfterwardsIsPostHocAndItsProseMayChange) {
  ask(asked_gain);
  add_seeds(0, 5);
  EXPECT_EQ(judged(with(asked_gain, "mine is better", "so it is")).asked, Asked::Before);
  const auto changed = with(asked_gain, "table = ", "margin = 0.5\ntable = ");
  EXPECT_EQ(judged(changed).asked, Asked::PostHoc) << "before any run has seen it";
  EXPECT_EQ(judged(changed).commit, "");
  EXPECT_THAT(judged(changed).reason, HasSubstr("no run has started since"));
  ask(changed);
  EXPECT_EQ(judged(changed).asked, Asked::PostHoc);
  EXPECT_EQ(judged(changed).commit, "c2");
  EXPECT_EQ(judged(changed).n, 5) << "all it has";
  EXPECT_THAT(judged(changed).reason, HasSubstr("post hoc: asked at commit c2"));
  EXPECT_EQ(judged().asked, Asked::Before) << "as it was it stands";
}

TEST_F(AskedBefore, SeedsThatWereNeverLookedAtConfirmAPostHocClaimAlone) {
  add_seeds(0, 5);
  ask(asked_gain);
  add_seeds(5, 1);
  EXPECT_EQ(judged().asked, Asked::PostHoc) << "one seed decides nothing";
  EXPECT_EQ(judged().n, 6);
  add_seeds(6, 2);
  const auto judgement = judged();
  EXPECT_EQ(judgement.asked, Asked::Before);
  EXPECT_EQ(judgement.n, 3);
  EXPECT_THAT(judgement.set_aside, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(judgement.reason, HasSubstr("seeds 0 to 4 are not for this verdict"));
}

TEST_F(AskedBefore, AnotherSettingOrProgramIsAnotherQuestionForCellsThatAreMadeAnew) {
  ask(asked_gain);
  add_seeds(0, 3);
  ask(asked_gain, "s2");
  EXPECT_EQ(judged().asked, Asked::PostHoc) << "the settings were changed when three seeds could be seen";
  ask(asked_gain, "s1");
  ask(asked_gain, "s1", "p2");
  EXPECT_EQ(judged().asked, Asked::PostHoc);
}

TEST_F(AskedBefore, CellsOfTheProgramThatWasAskedStandBesideNewOnesOfAnother) {
  ask(asked_gain);
  add_seeds(0, 3);
  ask(asked_gain, "s1", "p2");
  EXPECT_EQ(judged().asked, Asked::Before) << "these are of the first";
  add_seeds(3, 2, "p2");
  EXPECT_EQ(judged().n, 5);
  add_seeds(0, 3, "p2");
  EXPECT_EQ(judged().n, 2) << "made again when they had been seen";
}

TEST_F(AskedBefore, CellsThatWereRemovedHaveStillBeenSeen) {
  ask(asked_gain);
  add_seeds(0, 3);
  ask(asked_gain);
  std::filesystem::remove_all(folder_.path() / "cells");
  ask(asked_gain, "s2");
  add_seeds(0, 3);
  EXPECT_EQ(judged().asked, Asked::PostHoc);
}

TEST_F(AskedBefore, AMethodThatIsNewWasNeverSeenWhereItsRivalWas) {
  add("base", 0, {0.5, 0.5, 0.5});
  ask(asked_gain);
  add("mine", 0, {0.6, 0.7, 0.6});
  EXPECT_EQ(judged().asked, Asked::Before);
}

TEST_F(AskedBefore, ConfirmationSeedsAloneAreForVerdicts) {
  ask(asked_gain);
  auto registration = read_registration(folder_.path()).value();
  registration.confirm = {10, 11, 12};
  write_registration(folder_.path(), registration);
  add_seeds(0, 5);
  EXPECT_EQ(judged().verdict, Verdict::NotRun) << "no confirmation seed is there yet";
  EXPECT_THAT(judged().reason, HasSubstr("seeds 0 to 4"));
  add_seeds(10, 3);
  EXPECT_EQ(judged().n, 3);
  EXPECT_EQ(judged().asked, Asked::Before);
  EXPECT_THAT(judged().set_aside, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(AskedBefore, ARowIsJudgedWithoutTheSeedsThatItLeavesOut) {
  const auto rows = "[rows]\nall = [{ row = \"all\" }, { row = \"without seed 2\", without_seeds = \"2\" }]\n" +
                    with(asked_gain, "kind = ", "for_each = \"all\"\nkind = ");
  ask(rows);
  add_seeds(0, 5);
  const auto judgements = judge(rows, "claims.toml", store_);
  EXPECT_EQ(judgements.at(0).n, 5);
  EXPECT_EQ(judgements.at(1).n, 4);
  EXPECT_FALSE(judgements.at(1).comparisons.at(0).gains.contains(2));
  EXPECT_TRUE(judgements.at(1).set_aside.empty());
}

// What a claim requires is asked of its confirmation seeds, too; of cells that serve all seeds, of those they have.
TEST_F(AskedBefore, WhatIsRequiredIsMeasuredOnTheSeedsOfTheVerdict) {
  const auto requiring = [](const std::string& method, double at_least) {
    return asked_gain + "\n[[claim.requires]]\nsays = \"it works\"\ntable = \"table1\"\nmethods = \"" + method +
           "\"\nmetric = \"auc\"\nat_least = " + std::to_string(at_least) + "\n";
  };
  ask(asked_gain);
  auto registration = read_registration(folder_.path()).value();
  registration.confirm = {10, 11, 12};
  write_registration(folder_.path(), registration);
  add("mine", 0, {0.9, 0.9});
  add("base", 0, {0.1, 0.2});
  add("mine", 10, {0.6, 0.7, 0.6});
  add("base", 10, {0.5, 0.5, 0.5});
  add("judge", 0, {0.8});
  const Store store(folder_.path());
  EXPECT_FALSE(judge(requiring("mine", 0.65), "claims.toml", store).at(0).requirements.at(0).holds) << "0.9 is of seeds that explored";
  EXPECT_TRUE(judge(requiring("mine", 0.6), "claims.toml", store).at(0).requirements.at(0).holds);
  EXPECT_TRUE(judge(requiring("judge", 0.7), "claims.toml", store).at(0).requirements.at(0).holds) << "one serves all seeds";
}

TEST_F(AskedBefore, TheFileReadsBackAsItWasWritten) {
  add_seeds(0, 2);
  ask(asked_gain);
  auto registration = read_registration(folder_.path()).value();
  registration.looks = {
      {.claim = "1", .definition = "d", .most = 20, .judged_before = true, .looks = {{{0, 1}, true}, {{2, 3, 4}, false}}}};
  write_registration(folder_.path(), registration);
  const auto text = read_file(folder_.path() / "asked.json");
  write_registration(folder_.path(), read_registration(folder_.path()).value());
  EXPECT_EQ(read_file(folder_.path() / "asked.json"), text);
  EXPECT_THAT(registration.questions.at(0).seen, ElementsAre(0, 1));
}

TEST_F(AskedBefore, ADamagedFileIsRefusedWithItsName) {
  add_seeds(0, 2);
  ask(asked_gain);
  const auto file = folder_.path() / "asked.json";
  EXPECT_GT(read_damaged_copies(file, read_file(file), [&](const auto&) { judged(); }), 200);
}

}  // namespace
}  // namespace reprise::records
