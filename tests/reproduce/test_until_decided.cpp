// Runs that write down what is asked of them, and runs that add seeds until claims are decided.
#include <algorithm>

#include "core/files.h"
#include "records/asked.h"
#include "records/sequential.h"
#include "reproduce/asking.h"
#include "reproduce/reporting.h"
#include "reproduce/until_decided.h"
#include "tests/reproduce/cli/command_line.h"
#include "tests/reproduce/toy_study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using records::Asked;
using records::Judgement;
using records::Verdict;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string claim(const std::string& id, const std::string& method, const std::string& more = "") {
  return "[[claim]]\nid = \"" + id + "\"\nsays = \"" + method + " beats good\"\nsource = \"the toy document\"\nkind = \"better\"\n" +
         "metric = \"score\"\ntable = \"main\"\nmethods = \"" + method + "\"\nthan = \"good\"\n" + more;
}

struct AskedRuns : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results";
  std::string claims = claim("1", "helps");

  Study study() const {
    auto made = toy();
    made.claims = claims;
    return made;
  }
  RunRequest request(const std::string& methods = R"(["good", "helps"])") const { return toy_request(results, methods); }
  std::vector<Judgement> judged() const { return records::judge(claims, "claims.toml", cells_in(results)); }
  bool has(const std::string& method, std::int64_t seed) const {
    return cells_in(results).find({"toy", "main", "toys", method, seed}).has_value();
  }
};

TEST_F(AskedRuns, ARunWritesItsClaimsDownBeforeItsCells) {
  run_asked(study(), request());
  EXPECT_EQ(judged().at(0).asked, Asked::Before);
  claims = claim("1", "helps", "margin = 0.5\n");
  EXPECT_EQ(judged().at(0).asked, Asked::PostHoc);
  run_asked(study(), request());
  EXPECT_EQ(judged().at(0).asked, Asked::PostHoc) << "its two seeds had been seen";
  auto more = request();
  more.seeds = Seeds("2..3");
  run_asked(study(), more);
  EXPECT_EQ(judged().at(0).asked, Asked::Before);
  EXPECT_THAT(judged().at(0).set_aside, ElementsAre(0, 1));
  claims = claim("another id", "helps", "margin = 0.5 # the same\n");
  run_asked(study(), request());
  EXPECT_EQ(judged().at(0).asked, Asked::Before) << "another name is no other question";
}

TEST_F(AskedRuns, AnotherSettingIsAnotherQuestion) {
  run_asked(study(), request());
  fs::remove_all(results / "cells");
  fs::remove(results / "run.json");
  auto scaled = request();
  scaled.set.push_back("scale=2");
  run_asked(study(), scaled);
  EXPECT_EQ(judged().at(0).asked, Asked::PostHoc);
}

TEST_F(AskedRuns, AFolderOfAnOlderRunIsPostHocUntilNewSeedsConfirm) {
  run(study(), request());
  EXPECT_EQ(judged().at(0).asked, Asked::Unknown);
  run_asked(study(), request());
  EXPECT_EQ(judged().at(0).asked, Asked::PostHoc);
}

TEST_F(AskedRuns, ConfirmationSeedsRunBesideThoseForExplorationAndVerdictsAreOnThemAlone) {
  auto confirming = request();
  confirming.set.push_back("confirm.seeds=4..6");
  const auto result = run_asked(study(), confirming);
  EXPECT_EQ(result.cells.size(), 5U * 3);
  EXPECT_TRUE(has("helps", 1) && has("helps", 4) && has("helps", 6));
  EXPECT_FALSE(has("helps", 2));
  EXPECT_EQ(judged().at(0).n, 3);
  EXPECT_THAT(judged().at(0).set_aside, ElementsAre(0, 1));
  EXPECT_EQ(judged().at(0).asked, Asked::Before);
  confirming.set.back() = "confirm.seeds=7..9";
  run_asked(study(), confirming);
  EXPECT_EQ(judged().at(0).asked, Asked::Before) << "seeds 7 to 9 were never looked at";
  EXPECT_EQ(judged().at(0).n, 3);
  confirming.set.back() = "confirm.seeds=4..6";
  run_asked(study(), confirming);
  EXPECT_EQ(judged().at(0).asked, Asked::PostHoc) << "chosen when they had been seen";
}

// Seeds between those that explored and those that confirm are nobody's.
TEST_F(AskedRuns, APagesCommandsNameTheConfirmationSeeds) {
  const auto page = [&](const std::string& seeds) {
    auto asked = request();
    asked.results = folder.path() / seeds;
    asked.seeds = Seeds(seeds);
    asked.set.push_back("confirm.seeds=4,6");
    run_asked(study(), asked);
    return read_file(make_report({study()}, asked.results, asked.results).page);
  };
  EXPECT_THAT(page("4,6"), AllOf(HasSubstr("--seeds 4,6"), Not(HasSubstr("seeds=7"))));
  EXPECT_THAT(page("0..4"), AllOf(HasSubstr("--set seeds=5"), Not(HasSubstr("--seeds"))));
}

TEST_F(AskedRuns, ConfirmationSeedsComeFromAProfileToo) {
  write_file(folder.path() / "mine.toml", "base = \"quick\"\nmethods = [\"good\"]\n[confirm]\nseeds = \"5,8\"\n");
  RunRequest asked;
  asked.profile = (folder.path() / "mine.toml").string();
  const auto settings = settings_of(toy(), asked);
  EXPECT_THAT(planned_seeds(settings, asked).chosen, ElementsAre(0, 1, 5, 8));
  EXPECT_EQ(planned_seeds(settings, asked).settings.integer("seeds"), 9);
  for (const auto& [text, said] :
       std::vector<std::pair<std::string, std::string>>{{"1..3", "exploration"}, {"8", "range"}, {"x..3", "whole number"}}) {
    asked.set = {"confirm.seeds=" + text};
    EXPECT_THAT([&] { settings_of(toy(), asked); }, ThrowsUsageError(HasSubstr("confirm.seeds"), HasSubstr(said))) << text;
  }
}

TEST_F(AskedRuns, WhatTravelsKeepsWhenItWasAsked) {
  run_asked(study(), request());
  const std::vector<Study> studies{study()};
  make_report(studies, results, results);
  pack_results(studies, results, folder.path() / "packed");
  const auto checked = check_report_on_disk(studies, folder.path() / "packed", folder.path() / "packed");
  EXPECT_TRUE(checked.differences.empty());
  EXPECT_EQ(checked.claims.at(0).asked, Asked::Before);
  EXPECT_EQ(claims_json(checked.claims).at(0).at("asked"), "before");
  pack_results(studies, results, folder.path() / "packed");  // an older pack is no hindrance
}

struct UntilDecidedRuns : AskedRuns {
  UntilResult go(const UntilRequest& request) const { return run_until_decided(study(), request); }
  UntilRequest until(const std::string& methods = R"(["good", "helps"])") const { return {.run = request(methods), .most = 16}; }
};

TEST_F(UntilDecidedRuns, SeedsAreAddedToTheCellsOfOpenClaimsUntilTheyAreDecided) {
  claims = claim("1", "helps") + claim("2", "better");
  const auto result = go(until(R"(["good", "helps", "better"])"));
  ASSERT_FALSE(result.rounds.empty()) << result.stopped;
  EXPECT_THAT(result.rounds.front().seeds, ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(result.rounds.front().claims, ElementsAre("1"));
  EXPECT_EQ(result.rounds.front().cells, 12U) << "two methods, and what they start from";
  EXPECT_TRUE(has("helps", 2));
  EXPECT_FALSE(has("better", 2)) << "that claim was decided";
  EXPECT_EQ(result.claims.at(0).verdict, Verdict::Reproduced) << result.claims.at(0).reason;
  EXPECT_EQ(result.claims.at(1).verdict, Verdict::Reproduced);
  EXPECT_THAT(result.stopped, HasSubstr("nothing more to add"));
  const auto& looks = result.claims.at(0).looks.value();
  EXPECT_EQ(looks.seeds.size(), result.rounds.size() + 1);
  EXPECT_FALSE(looks.judged_before);
  EXPECT_LT(result.claims.at(0).level, 0.05);
  EXPECT_EQ(result.claims.at(0).asked, Asked::Before);
  EXPECT_THAT(result.claims.at(0).reason, HasSubstr("over all looks"));
  const auto again = go(until(R"(["good", "helps", "better"])"));
  EXPECT_TRUE(again.rounds.empty());
  EXPECT_EQ(again.claims.at(0).n, result.claims.at(0).n);
}

TEST_F(UntilDecidedRuns, AClaimThatSeedsWillNotDecideGetsNoneAndIsToldWhy) {
  claims = claim("1", "idle");
  const auto result = go(until(R"(["good", "idle"])"));
  EXPECT_EQ(result.claims.at(0).verdict, Verdict::Undecided);
  ASSERT_EQ(result.last.size(), 1U);
  EXPECT_THAT(result.last.at(0).closed, testing::AnyOf(HasSubstr("would not decide it"), HasSubstr("at the last look")));
  EXPECT_THAT(result.stopped, HasSubstr("to add: " + result.last.at(0).closed + ": 1"));
}

TEST_F(UntilDecidedRuns, NothingIsAddedWhereAllIsDecidedOrNothingIsCompared) {
  claims = claim("1", "better");
  EXPECT_EQ(go(until(R"(["good", "better"])")).stopped, "nothing to add: reproduced: 1");
  claims = "[[claim]]\nid = \"1\"\nsays = \"s\"\nsource = \"d\"\nkind = \"none\"\nbecause = \"no\"\n";
  EXPECT_EQ(go(until(R"(["good", "better"])")).stopped, "nothing to add: no claim compares methods");
}

TEST_F(UntilDecidedRuns, ItStopsAtItsHoursAndGoesOnWithMore) {
  auto limited = until();
  limited.hours = 0;
  EXPECT_THAT(go(limited).stopped, HasSubstr("cells of the profile's own seeds have not run"));
  run_asked(study(), request());
  const auto stopped = go(limited);
  EXPECT_THAT(stopped.stopped, AllOf(HasSubstr("the next look needs about"), HasSubstr("of 0 are left")));
  EXPECT_TRUE(stopped.rounds.empty());
  EXPECT_FALSE(has("helps", 2));
  EXPECT_FALSE(stopped.outlook.empty()) << "what it would need is said all the same";
  limited.hours = 1;
  EXPECT_FALSE(go(limited).rounds.empty());
}

TEST_F(UntilDecidedRuns, ARunThatWasEndedGoesOnWithTheSameLook) {
  claims = claim("1", "falters");
  const auto ended = go(until(R"(["good", "falters"])"));
  EXPECT_TRUE(ended.interrupted);
  EXPECT_THAT(ended.stopped, HasSubstr("the same command goes on"));
  ASSERT_EQ(ended.rounds.size(), 1U);
  EXPECT_EQ(judged().at(0).n, 2) << "a look counts when it is whole";
  const auto result = go(until(R"(["good", "falters"])"));
  EXPECT_EQ(result.rounds.front().seeds, ended.rounds.front().seeds);
  EXPECT_EQ(starts(results, "main/toys/falters/seed2"), 1) << "what was done is kept";
  EXPECT_EQ(starts(results, "main/toys/falters/seed3"), 2);
  EXPECT_GE(result.claims.at(0).n, 6);
}

TEST_F(UntilDecidedRuns, AClaimThatWasJudgedBeforeSaysSoAndAPostHocOneBeginsAnew) {
  claims = claim("1", "helps");
  run_asked(study(), request());
  const auto before = go(until());
  ASSERT_TRUE(before.claims.at(0).looks.has_value());
  EXPECT_TRUE(before.claims.at(0).looks->judged_before);
  EXPECT_EQ(before.claims.at(0).looks->seeds.front(), 2);

  fs::remove_all(results);
  run(study(), request());  // nobody wrote down what was asked
  const auto anew = go(until());
  const auto& looks = anew.claims.at(0).looks.value();
  EXPECT_FALSE(looks.judged_before);
  EXPECT_EQ(looks.seeds.front(), 4) << "none of the two that had been seen";
  EXPECT_THAT(anew.claims.at(0).set_aside, ElementsAre(0, 1));
  EXPECT_EQ(anew.claims.at(0).asked, Asked::Before);
}

TEST_F(UntilDecidedRuns, OnlyAndDryRunAreHeededAndWhatConflictsIsRefused) {
  run_asked(study(), request());
  auto asked = until();
  asked.run.only = {"main/toys/good/*"};
  EXPECT_THAT(go(asked).stopped, HasSubstr("--only leaves out cells that it compares: 1"));
  asked.run.only = {"*"};
  asked.run.dry_run = true;
  const auto text = read_file(results / "asked.json");
  EXPECT_EQ(go(asked).rounds.size(), 1U);
  EXPECT_EQ(go(asked).stopped, "a dry run: nothing was written");
  EXPECT_FALSE(has("helps", 2));
  asked.run.dry_run = false;
  asked.run.seeds = 5;
  EXPECT_THAT([&] { go(asked); }, ThrowsUsageError(HasSubstr("--seeds")));
  asked.run.seeds = {};
  asked.run.redo = {"*"};
  EXPECT_THAT([&] { go(asked); }, ThrowsUsageError(HasSubstr("--redo")));
  asked.run.redo = {};
  go(asked);
  asked.most = 40;
  EXPECT_THAT([&] { go(asked); }, ThrowsUsageError(HasSubstr("planned for at most 16"), HasSubstr("--most 16")));
  asked.most = {};
  EXPECT_NO_THROW(go(asked));
}

TEST_F(CommandLine, UntilDecidedAnswersWhatItExpectedWhatItRanAndWhyItEnded) {
  const std::vector<std::string> words{
      "run", "toy", "--device", "cpu", "--out", results, "--set", R"(methods=["good", "better"])", "--until-decided", "--json"};
  const auto answer = nlohmann::json::parse(call(words).out);
  EXPECT_EQ(answer.at("stopped"), "nothing to add: reproduced: 1");
  EXPECT_EQ(answer.at("now").at(0).at("closed"), "reproduced");
  EXPECT_EQ(answer.at("claims").at(0).at("looks").at("seeds"), nlohmann::json::array({2}));
  EXPECT_EQ(answer.at("claims").at(0).at("asked"), "before");
  EXPECT_EQ(call({"run", "toy", "--hours", "1"}).status, wrong_use);
  EXPECT_EQ(call({"run", "toy", "--until-decided", "--seeds", "3", "--out", results}).status, wrong_use);
}

}  // namespace
}  // namespace reprise::reproduce
