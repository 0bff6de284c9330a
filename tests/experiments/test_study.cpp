// Which function runs a cell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/external.h"
#include "experiments/study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

void run_as_first(CellContext& context) { context.record.parameters["first"] = 1; }
void run_as_second(CellContext& context) { context.record.parameters["second"] = 1; }
void run_as_external(CellContext& context) { context.record.parameters["external"] = 1; }

/// The name of the function that ran a cell.
std::string runner_of(const std::string& table, const std::string& dataset,
                      const std::filesystem::path& file = {}) {
  const auto run = run_by_table(
      {{"*search/mixture", run_as_second}, {"search", run_as_first}, {"table_*", run_as_second}},
      run_as_external);
  const Settings settings;
  const records::Store store{std::filesystem::path()};
  records::Record record;
  record.cell = {.study = "toy", .table = table, .dataset = dataset, .method = "method", .seed = 0};
  training::Progress silent(nullptr);
  CellContext context{settings, store, {}, {}, "cpu", record, silent, file};
  run(context);
  return record.parameters.begin()->first;
}

TEST(RunByTable, TheFirstPatternOfTableOrTableAndDataSetRunsTheCell) {
  EXPECT_EQ(runner_of("search", "faces"), "first");
  EXPECT_EQ(runner_of("search", "mixture"), "second");
  EXPECT_EQ(runner_of("table_1", "faces"), "second");
  EXPECT_EQ(runner_of("search", "faces", "method.pt"), "external");
  EXPECT_THAT([] { runner_of("tabel_1", "faces"); },
              ThrowsUsageError(HasSubstr("tabel_1"), HasSubstr("table_*")));
}

}  // namespace
}  // namespace reprise::reproduce
