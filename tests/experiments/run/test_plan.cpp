#include <map>

#include "experiments/run/plan.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using records::Cell;
using testing::ElementsAre;
using testing::HasSubstr;

Cell cell_of(const std::string& method) { return {"study", "table", "data", method, 0}; }

PlannedCell planned(const std::string& method, double cost,
                    const std::vector<std::string>& needs = {}) {
  PlannedCell result{cell_of(method), {}, cost};
  for (const auto& need : needs) result.needs.push_back(cell_of(need));
  return result;
}

std::vector<std::string> methods(const std::vector<Step>& steps) {
  std::vector<std::string> names;
  for (const auto& step : steps) names.push_back(step.planned.cell.method);
  return names;
}

/// The steps of a plan of which some cells have a standing other than Missing.
std::vector<Step> steps(const std::vector<PlannedCell>& plan, const std::string& only = "*",
                        const std::map<std::string, Standing>& standing = {}) {
  std::vector<Standing> all;
  for (const auto& planned : plan) {
    const auto found = standing.find(planned.cell.method);
    all.push_back(found == standing.end() ? Standing::Missing : found->second);
  }
  return steps_to_run(plan, chosen_cells(plan, {only}, {}), all);
}

TEST(Plan, LongCellsStartFirstAndNeedsBeforeWhatWaitsForThem) {
  const auto found = steps({planned("short", 1), planned("long", 5), planned("late", 4, {"early"}),
                            planned("early", 2)});
  EXPECT_THAT(methods(found), ElementsAre("early", "long", "late", "short"));
  EXPECT_THAT(found[2].needs, ElementsAre(0));
}

TEST(Plan, CellsWithoutCostStillStandAfterWhatTheyNeed) {
  EXPECT_THAT(methods(steps({planned("b", 0, {"c"}), planned("c", 0, {"d"}), planned("d", 0)})),
              ElementsAre("d", "c", "b"));
}

TEST(Plan, OnlyTakesWhatTheChosenCellsNeedAlong) {
  const std::vector<PlannedCell> plan = {planned("a", 1), planned("b", 1, {"a"}),
                                         planned("c", 1, {"b"}), planned("other", 9)};
  EXPECT_THAT(methods(steps(plan, "table/*/b/*")), ElementsAre("a", "b"));
  const auto two = chosen_cells(plan, {"*/a/*", "*/other/*"}, {});
  EXPECT_THAT(two, ElementsAre(true, false, false, true))
      << "several globs choose what any of them matches";
}

TEST(Plan, WhatIsDoneIsLeftOutAndItsNeedsAreNotRunForIt) {
  const std::vector<PlannedCell> plan = {planned("a", 1), planned("b", 1, {"a"}),
                                         planned("c", 1, {"b"})};
  const auto found = steps(plan, "*/c/*", {{"b", Standing::Done}});
  EXPECT_THAT(methods(found), ElementsAre("c"));
  EXPECT_TRUE(found[0].needs.empty());
  EXPECT_TRUE(
      steps(plan, "*", {{"a", Standing::Done}, {"b", Standing::Done}, {"c", Standing::Done}})
          .empty());
}

// Else a finished cell would keep a result that rests on what is no longer there.
TEST(Plan, FinishedCellsThatNeedACellThatRunsAgainRunAgainToo) {
  const std::vector<PlannedCell> plan = {planned("a", 1), planned("b", 1, {"a"}),
                                         planned("c", 1, {"b"}), planned("d", 1, {"a"}),
                                         planned("e", 1)};
  const std::map<std::string, Standing> standing{
      {"a", Standing::Stale}, {"b", Standing::Done}, {"c", Standing::Done}, {"e", Standing::Done}};
  EXPECT_THAT(methods(steps(plan, "*/a/*", standing)), ElementsAre("a", "b", "c"))
      << "d was neither chosen nor finished, e needs nothing";
  EXPECT_THAT(methods(steps(plan, "*/e/*", standing)), ElementsAre())
      << "what is stale and not chosen stays";
}

// What packed records hold of a judge or a generator is its numbers; whoever goes on with them
// needs its weights, and keeps what was made.
TEST(Plan, ACellWhoseFilesStayedBehindRunsWhereItIsNeededAndWhatWasMadeOfItStands) {
  const std::vector<PlannedCell> plan = {planned("first", 1), planned("judge", 1, {"first"}),
                                         planned("old", 1, {"judge"}),
                                         planned("new", 1, {"judge"})};
  std::map<std::string, Standing> standing{
      {"first", Standing::Emptied}, {"judge", Standing::Emptied}, {"old", Standing::Emptied}};
  EXPECT_THAT(methods(steps(plan, "*", standing)), ElementsAre("first", "judge", "new"));
  EXPECT_THAT(methods(steps(plan, "*/old/*", standing)), ElementsAre())
      << "nothing that runs needs its files";
  standing["first"] = Standing::Done;
  EXPECT_THAT(methods(steps(plan, "*", standing)), ElementsAre("judge", "new"));
  standing["first"] = Standing::Stale;
  EXPECT_THAT(methods(steps(plan, "*", standing)), ElementsAre("first", "judge", "old", "new"))
      << "what it is made of is another";
}

TEST(Plan, SeedsChooseAndOnesThatNoCellHasAreRefused) {
  std::vector<PlannedCell> plan = {planned("a", 1), planned("a", 1)};
  plan[1].cell.seed = 3;
  EXPECT_THAT(chosen_cells(plan, {"*"}, {3}), ElementsAre(false, true));
  EXPECT_THAT([&] { chosen_cells(plan, {"*"}, {2}); }, ThrowsUsageError(HasSubstr("seed 2")));
}

TEST(Plan, FaultyPlansAreNamed) {
  EXPECT_THAT(
      [] {
        steps({planned("a", 1), planned("a", 1)});
      },
      ThrowsError(HasSubstr("two cells named table/data/a/seed0")));
  EXPECT_THAT([] { steps({planned("a", 1, {"b"})}); },
              ThrowsError(HasSubstr("table/data/b/seed0")));
  EXPECT_THAT(
      [] {
        steps({planned("a", 1, {"b"}), planned("b", 1, {"a"})});
      },
      ThrowsError(HasSubstr("circular")));
}

TEST(Plan, AGlobWithoutMatchShowsTheCellsThatAreNamedMostAlike) {
  const std::vector<PlannedCell> plan = {planned("cnn", 1), planned("lstm_fc6", 1),
                                         planned("gru_fc6", 1), planned("gru_fc7", 1)};
  EXPECT_THAT(
      [&] { chosen_cells(plan, {"table/*/gru_fc8/*"}, {}); },
      ThrowsUsageError(HasSubstr("--only table/*/gru_fc8/*"),
                       HasSubstr("alike: table/data/gru_fc6/seed0, table/data/gru_fc7/seed0, ")));
}

}  // namespace
}  // namespace reprise::reproduce
