#include "reproduce/run/plan.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using records::Cell;
using testing::ElementsAre;
using testing::HasSubstr;

Cell cell_of(const std::string& method) { return {"study", "table", "data", method, 0}; }

PlannedCell planned(const std::string& method, double cost, const std::vector<std::string>& needs = {}) {
  PlannedCell result{cell_of(method), {}, cost};
  for (const auto& need : needs) result.needs.push_back(cell_of(need));
  return result;
}

std::vector<std::string> methods(const std::vector<Step>& steps) {
  std::vector<std::string> names;
  for (const auto& step : steps) names.push_back(step.planned.cell.method);
  return names;
}

constexpr auto nothing_done = [](const Cell&) { return false; };

TEST(Plan, LongCellsStartFirstAndNeedsBeforeWhatWaitsForThem) {
  const std::vector<PlannedCell> plan = {planned("short", 1), planned("long", 5), planned("late", 4, {"early"}), planned("early", 2)};
  const auto steps = steps_to_run(plan, "*", nothing_done);
  EXPECT_THAT(methods(steps), ElementsAre("early", "long", "late", "short"));
  EXPECT_THAT(steps[2].needs, ElementsAre(0));
}

TEST(Plan, CellsWithoutCostStillStandAfterWhatTheyNeed) {
  const auto steps = steps_to_run({planned("b", 0, {"c"}), planned("c", 0, {"d"}), planned("d", 0)}, "*", nothing_done);
  EXPECT_THAT(methods(steps), ElementsAre("d", "c", "b"));
}

TEST(Plan, OnlyTakesWhatTheChosenCellsNeedAlong) {
  const std::vector<PlannedCell> plan = {planned("a", 1), planned("b", 1, {"a"}), planned("c", 1, {"b"}), planned("other", 9)};
  EXPECT_THAT(methods(steps_to_run(plan, "table/*/b/*", nothing_done)), ElementsAre("a", "b"));
}

TEST(Plan, WhatIsDoneIsLeftOutAndItsNeedsAreNotRunForIt) {
  const std::vector<PlannedCell> plan = {planned("a", 1), planned("b", 1, {"a"}), planned("c", 1, {"b"})};
  const auto steps = steps_to_run(plan, "*/c/*", [](const Cell& cell) { return cell.method == "b"; });
  EXPECT_THAT(methods(steps), ElementsAre("c"));
  EXPECT_TRUE(steps[0].needs.empty());
  EXPECT_TRUE(steps_to_run(plan, "*", [](const Cell&) { return true; }).empty());
}

TEST(Plan, FaultyPlansAreNamed) {
  EXPECT_THAT(
      [] {
        steps_to_run({planned("a", 1), planned("a", 1)}, "*", nothing_done);
      },
      ThrowsError(HasSubstr("two cells named table/data/a/seed0")));
  EXPECT_THAT([] { steps_to_run({planned("a", 1, {"b"})}, "*", nothing_done); }, ThrowsError(HasSubstr("table/data/b/seed0")));
  EXPECT_THAT([] { steps_to_run({planned("a", 1, {"b"}), planned("b", 1, {"a"})}, "*", nothing_done); }, ThrowsError(HasSubstr("circle")));
}

TEST(Plan, AGlobWithoutMatchShowsWhatCellsAreCalled) {
  EXPECT_THAT([] { steps_to_run({planned("a", 1)}, "gru", nothing_done); },
              ThrowsUsageError(HasSubstr("--only gru"), HasSubstr("table/data/a/seed0")));
}

}  // namespace
}  // namespace reprise::reproduce
