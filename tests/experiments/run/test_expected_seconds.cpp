#include "experiments/run/expected_seconds.h"
#include "experiments/run/results.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

struct ExpectedSeconds : testing::Test {
  TemporaryFolder results;
  Study study{.name = "sized",
              .profiles = {{"base", "[train]\nsteps = 100\nbatch = 4\n[data]\ncount = 10\n"}},
              .seconds = {{"fit", 50, {"train.steps", "train.batch", "data.count"}}, {"read*", 2}}};

  static records::Cell cell(const std::string& table, const std::string& method) {
    return {"sized", table, "set", method, 0};
  }
  static Settings settings(int steps) {
    return Settings({{"train.steps", steps}, {"train.batch", 4}, {"data.count", 1000}});
  }
  /// Of a plan with these steps. Its cells read [train], and no data.
  PlannedCell planned(const std::string& table, const std::string& method, int steps) const {
    std::vector<PlannedCell> plan{{.cell = cell(table, method), .cost = 7, .reads = {"train"}}};
    expect_seconds(study, settings(steps), results.path(), plan);
    return plan.front();
  }
  void took(const std::string& method, double seconds, int steps) const {
    records::Record record;
    record.cell = cell("fit", method);
    record.options = nlohmann::json{{"train.steps", steps}, {"train.batch", 4}};
    record.seconds["total"] = seconds;
    record.status = records::Status::Done;
    cells_in(results.path()).write(record);
  }
};

TEST_F(ExpectedSeconds, AreTheNumberOfTheTableInProportionToTheSettingsThatTheCellReads) {
  EXPECT_DOUBLE_EQ(planned("fit", "a", 100).cost, 50);
  EXPECT_DOUBLE_EQ(planned("fit", "a", 300).cost, 150)
      << "a hundred times the data, which the cell does not read, is no more work";
  EXPECT_DOUBLE_EQ(planned("reader", "a", 300).cost, 2);
  EXPECT_DOUBLE_EQ(planned("other", "a", 300).cost, 7) << "as the plan has it";
  EXPECT_FALSE(planned("fit", "a", 100).measured);
}

TEST_F(ExpectedSeconds, FollowFinishedCellsOfTheMethodElseOfTheTable) {
  took("a", 10, 100);
  took("b", 90, 300);
  EXPECT_DOUBLE_EQ(planned("fit", "a", 100).cost, 10);
  EXPECT_DOUBLE_EQ(planned("fit", "a+lr=0.1", 200).cost, 20) << "a trial is of its method";
  EXPECT_DOUBLE_EQ(planned("fit", "b", 100).cost, 30);
  EXPECT_DOUBLE_EQ(planned("fit", "c", 100).cost, 25) << "100 seconds for four times the work";
  EXPECT_TRUE(planned("fit", "c", 100).measured);
  EXPECT_FALSE(planned("reader", "a", 100).measured);
}

}  // namespace
}  // namespace reprise::reproduce
