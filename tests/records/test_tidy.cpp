#include "core/csv.h"
#include "records/tidy.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

TEST(TidyCsv, HasARowForEachValueOfEachFinishedCellInFull) {
  auto records = make_seeds({.method = "cnn"}, {0.1 + 0.2, 0.5});
  records[0].metrics.push_back({.name = "error", .value = 2, .unit = "px", .direction = Direction::LowerIsBetter, .protocol = "a, \"b\""});
  records[1].status = Status::Failed;
  const auto table = parse_csv(tidy_csv(records), "tidy.csv");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(csv_number(table, 0, table.column("value")), 0.1 + 0.2);
  using Row = std::vector<std::string>;
  EXPECT_EQ(table.rows[1], (Row{"prernn", "table1", "faces", "cnn", "0", "error", "2", "px", "lower", "a, \"b\""}));
}

}  // namespace
}  // namespace reprise::records
