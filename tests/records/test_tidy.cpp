#include <nlohmann/json.hpp>

#include "core/csv.h"
#include "records/tidy.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

TEST(TidyTable, HasItsValuesInFullInBothForms) {
  const auto cell = make_seeds({.method = "cnn"}, {0})[0].cell;
  const Metric metric{.name = "error",
                      .value = 0.1 + 0.2,
                      .unit = "px",
                      .direction = Direction::LowerIsBetter,
                      .protocol = "a, \"b\""};
  TidyTable csv(value_columns(), TidyForm::Csv), lines(value_columns(), TidyForm::JsonLines);
  for (auto* table : {&csv, &lines}) table->add(value_row(cell, metric));
  EXPECT_EQ(csv.rows(), 1);
  const auto read = parse_csv(csv.text(), "tidy.csv");
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(csv_number(read, 0, read.column("value")), 0.1 + 0.2);
  EXPECT_EQ(read.rows[0][read.column("protocol")], "a, \"b\"");
  EXPECT_EQ(read.rows[0][read.column("direction")], "lower");
  const auto line = nlohmann::json::parse(lines.text());
  EXPECT_EQ(line.at("value"), 0.1 + 0.2);
  EXPECT_EQ(line.at("seed"), 0);
  EXPECT_EQ(line.at("protocol"), "a, \"b\"");
}

}  // namespace
}  // namespace reprise::records
