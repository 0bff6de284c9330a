#include "core/csv.h"
#include "tests/damage.h"
#include "tests/support.h"

namespace reprise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Csv, ReadsQuotedCommasQuotesAndLineBreaks) {
  const auto table = parse_csv("a,b\r\n\"x, y\",\"he said \"\"no\"\"\"\r\n\"two\nlines\",\n", "t.csv");
  EXPECT_THAT(table.header, ElementsAre("a", "b"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("x, y", "he said \"no\""), ElementsAre("two\nlines", "")));
}

TEST(Csv, KeepsSpacesAndDropsTheByteOrderMark) {
  const auto table = parse_csv("\xEF\xBB\xBFitem, x\n 1 ,2\n", "t.csv");
  EXPECT_THAT(table.header, ElementsAre("item", " x"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre(" 1 ", "2")));
}

TEST(Csv, TakesAFileWithoutAFinalLineEndOrWithBlankLinesAtItsEnd) {
  EXPECT_EQ(parse_csv("a,b\n1,2", "t.csv").rows.size(), 1u);
  EXPECT_EQ(parse_csv("a,b\n1,2\n\n\r\n", "t.csv").rows.size(), 1u);
  EXPECT_EQ(parse_csv("a,b\n", "t.csv").rows.size(), 0u);
}

TEST(Csv, WhatCsvLineWritesParsesBackToTheSameFields) {
  const std::vector<std::string> fields{"plain", "", "a,b", "\"", " spaced ", "line\nbreak", "cr\r\nlf"};
  const auto table = parse_csv("1,2,3,4,5,6,7\n" + csv_line(fields) + "\n", "t.csv");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0], fields);
  EXPECT_EQ(parse_csv("one\n" + csv_line({""}) + "\n", "t.csv").rows.size(), 1u);
}

TEST(Csv, NamesTheLineOfARowOfAnotherWidth) {
  EXPECT_THAT([] { parse_csv("a,b\n1,2\n3\n", "t.csv"); }, ThrowsUsageError(HasSubstr("t.csv: line 3 has 1 fields; the header has 2")));
  EXPECT_THAT([] { parse_csv("a,b\n\"two\nlines\",2\n3,4,5\n", "t.csv"); }, ThrowsUsageError(HasSubstr("line 4 has 3 fields")));
  EXPECT_THAT([] { parse_csv("a,b\n1,2\n3", "t.csv"); }, ThrowsUsageError(HasSubstr("line 3 has 1 fields")));
}

TEST(Csv, NamesTheLineOfAStrayOrUnclosedQuoteABlankLineAndALoneCarriageReturn) {
  EXPECT_THAT([] { parse_csv("a,b\n1,2\n3,4\"\n", "t.csv"); }, ThrowsUsageError(HasSubstr("line 3 has a stray quote")));
  EXPECT_THAT([] { parse_csv("a,b\n1,2\n3,\"4\n5,6\n", "t.csv"); }, ThrowsUsageError(HasSubstr("line 3 opens a quoted field")));
  EXPECT_THAT([] { parse_csv("a,b\n\n1,2\n", "t.csv"); }, ThrowsUsageError(HasSubstr("line 2 is blank")));
  EXPECT_THAT([] { parse_csv("a,b\r1,2\r", "t.csv"); }, ThrowsUsageError(HasSubstr("carriage return")));
}

TEST(Csv, RefusesAnEmptyFile) {
  EXPECT_THAT([] { parse_csv("", "t.csv"); }, ThrowsUsageError(HasSubstr("no header")));
}

TEST(Csv, AnUnknownColumnListsTheOnesThereAreAndTheNearest) {
  const auto table = parse_csv("item,pitch,yaw\n", "t.csv");
  EXPECT_EQ(table.column("yaw"), 2u);
  EXPECT_THAT([&] { table.column("picth"); },
              ThrowsUsageError(HasSubstr("'picth'"), HasSubstr("item, pitch, yaw"), HasSubstr("column 'pitch'")));
  EXPECT_THAT([] { parse_csv("x,x\n", "t.csv").column("x"); }, ThrowsUsageError(HasSubstr("two columns")));
}

TEST(Csv, ANumberMustBeFiniteAndFillItsCell) {
  const auto table = parse_csv("item,x\na,-1.5e-3\nb,nan\nc,1e999\nd,1x\ne,\nf, 1\n", "t.csv");
  EXPECT_EQ(csv_number(table, 0, 1), -1.5e-3);
  for (std::size_t row = 1; row < table.rows.size(); ++row)
    EXPECT_THAT([&] { csv_number(table, row, 1); },
                ThrowsUsageError(HasSubstr("line " + std::to_string(row + 2)), HasSubstr("column 'x'"), HasSubstr("finite")));
}

TEST(Csv, AnyDamagedFileGivesATableOrOurError) {
  const TemporaryFolder folder;
  const std::string whole = "item,\"x, y\",z\n1,\"a \"\"b\"\"\",0.5\n2,\"two\nlines\",-1e-3\n3,\"\",7\n";
  const int refused = read_damaged_copies(folder.path() / "table.csv", whole, [](const auto& path) {
    const auto table = read_csv(path);
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  });
  EXPECT_GE(refused, 100);
}

}  // namespace
}  // namespace reprise
