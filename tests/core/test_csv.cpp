#include "core/csv.h"
#include "tests/damage.h"
#include "tests/support.h"

namespace reprise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Csv, ReadsQuotedCommasQuotesAndLineBreaks) {
  const auto table =
      parse_csv("a,b\r\n\"x, y\",\"he said \"\"no\"\"\"\r\n\"two\nlines\",\n", "t.csv");
  EXPECT_THAT(table.header, ElementsAre("a", "b"));
  EXPECT_THAT(table.rows,
              ElementsAre(ElementsAre("x, y", "he said \"no\""), ElementsAre("two\nlines", "")));
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
  const std::vector<std::string> fields{"plain",       "",        "a,b", "\"", " spaced ",
                                        "line\nbreak", "cr\r\nlf"};
  const auto table = parse_csv("1,2,3,4,5,6,7\n" + csv_line(fields) + "\n", "t.csv");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0], fields);
  EXPECT_EQ(parse_csv("one\n" + csv_line({""}) + "\n", "t.csv").rows.size(), 1u);
}

TEST(Csv, NamesTheLineOfARowOfAnotherWidth) {
  EXPECT_THAT([] { parse_csv("a,b\n1,2\n3\n", "t.csv"); },
              ThrowsUsageError(HasSubstr("t.csv: line 3 has 1 fields; the header has 2")));
  EXPECT_THAT([] { parse_csv("a,b\n\"two\nlines\",2\n3,4,5\n", "t.csv"); },
              ThrowsUsageError(HasSubstr("line 4 has 3 fields")));
  EXPECT_THAT([] { parse_csv("a,b\n1,2\n3", "t.csv"); },
              ThrowsUsageError(HasSubstr("line 3 has 1 fields")));
}

TEST(Csv, NamesTheLineOfAStrayOrUnclosedQuoteABlankLineAndALoneCarriageReturn) {
  EXPECT_THAT([] { parse_csv("a,b\n1,2\n3,4\"\n", "t.csv"); },
              ThrowsUsageError(HasSubstr("line 3 has a stray quote")));
  EXPECT_THAT([] { parse_csv("a,b\n1,2\n3,\"4\n5,6\n", "t.csv"); },
              ThrowsUsageError(HasSubstr("line 3 opens a quoted field")));
  EXPECT_THAT([] { parse_csv("a,b\n\n1,2\n", "t.csv"); },
              ThrowsUsageError(HasSubstr("line 2 is blank")));
  EXPECT_THAT([] { parse_csv("a,b\r1,2\r", "t.csv"); },
              ThrowsUsageError(HasSubstr("carriage return")));
}

TEST(Csv, RefusesAnEmptyFile) {
  EXPECT_THAT([] { parse_csv("", "t.csv"); }, ThrowsUsageError(HasSubstr("no header")));
}

TEST(Csv, AnUnknownColumnListsTheOnesThereAreAndTheNearest) {
  const auto table = parse_csv("item,pitch,yaw\n", "t.csv");
  EXPECT_EQ(table.column("yaw"), 2u);
  EXPECT_THAT([&] { table.column("picth"); },
              ThrowsUsageError(HasSubstr("'picth'"), HasSubstr("'item', 'pitch', 'yaw'"),
                               HasSubstr("column 'pitch'")));
  EXPECT_THAT([] { parse_csv("x,x\n", "t.csv").column("x"); },
              ThrowsUsageError(HasSubstr("two columns")));
}

TEST(Csv, ANumberMustBeFiniteAndFillItsCell) {
  const auto table = parse_csv("item,x\na,-1.5e-3\nb,nan\nc,1e999\nd,1x\ne,\nf, 1\n", "t.csv");
  EXPECT_EQ(csv_number(table, 0, 1), -1.5e-3);
  for (std::size_t row = 1; row < table.rows.size(); ++row)
    EXPECT_THAT([&] { csv_number(table, row, 1); },
                ThrowsUsageError(HasSubstr("line " + std::to_string(row + 2)),
                                 HasSubstr("column 'x'"), HasSubstr("finite")));
}

TEST(Csv, SemicolonsAndTabsSeparateWhereTheTitleLineHasNoComma) {
  for (const std::string separator : {";", "\t"}) {
    const auto table = parse_csv("item" + separator + "label\na,b" + separator + "1\n", "t.csv");
    EXPECT_THAT(table.header, ElementsAre("item", "label"));
    EXPECT_THAT(table.rows.at(0), ElementsAre("a,b", "1"));
  }
  EXPECT_EQ(parse_csv("\"x;y\",z\n1,2\n", "t.csv").header.size(), 2u)
      << "a separator in quotes is none";
  EXPECT_EQ(parse_csv("\"x,y\";z\n1;2\n", "t.csv").header.at(0), "x,y");
  const auto named = parse_csv("sep=;\r\nitem;label\r\na;1\r\n", "t.csv");
  EXPECT_THAT(named.header, ElementsAre("item", "label"));
  EXPECT_EQ(named.line(0), 3u);
  EXPECT_THAT([] { parse_csv("sep=;\nitem;label\na\n", "t.csv"); },
              ThrowsUsageError(HasSubstr("line 3"), HasSubstr("a semicolon")));
  EXPECT_THAT([] { parse_csv("a;b\n0,5;1\n", "t.csv").column("x"); },
              ThrowsUsageError(HasSubstr("'a', 'b'"), HasSubstr("separated by a semicolon"),
                               HasSubstr("UTF-8")));
}

TEST(Csv, Utf16IsReadByItsMarkAndNamedWithoutIt) {
  const std::u16string text = u"item,label\nä€😀,1\n";
  for (const bool big : {false, true}) {
    std::string bytes = big ? "\xFE\xFF" : "\xFF\xFE";
    for (const char16_t unit : text) {
      const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
      bytes += big ? std::string{high, low} : std::string{low, high};
    }
    const auto table = parse_csv(bytes, "t.csv");
    EXPECT_THAT(table.rows.at(0), ElementsAre("ä€😀", "1"));
    EXPECT_THAT(table.layout(), HasSubstr("UTF-16"));
    EXPECT_THAT([&] { parse_csv(bytes.substr(2), "t.csv"); },
                ThrowsUsageError(HasSubstr("UTF-16"), HasSubstr("save it as CSV in UTF-8")));
    EXPECT_THAT([&] { parse_csv(bytes + "x", "t.csv"); },
                ThrowsUsageError(HasSubstr("breaks off")));
    EXPECT_THAT(
        [&] {
          parse_csv(bytes + (big ? std::string("\xD8\x00", 2) : std::string("\x00\xD8", 2)),
                    "t.csv");
        },
        ThrowsUsageError());
  }
}

TEST(Csv, NumbersHaveSignsAndUnmeasuredCellsTheirSpellings) {
  EXPECT_EQ(finite_number("+1.5"), 1.5);
  EXPECT_EQ(finite_number("-1e3"), -1000);
  for (const auto* none : {"", "+", "+-1", "--1", "nan", "inf", "0x10", "1,5", " 1"})
    EXPECT_EQ(finite_number(none), std::nullopt) << none;
  for (const auto* cell :
       {"", "NA", "N/A", "#N/A", "nan", "NaN", "-nan(ind)", "-nan", "null", "NULL", "None", "<NA>"})
    EXPECT_TRUE(is_not_measured(cell)) << cell;
  for (const auto* cell : {"0", "x", "nano", "-"}) EXPECT_FALSE(is_not_measured(cell)) << cell;
}

// A spreadsheet runs a cell that begins so as a formula, whoever wrote it.
TEST(Csv, WhatASpreadsheetWouldRunIsWrittenAsTextAndReadBackAsItWas) {
  const std::vector<std::string> fields{"=cmd|calc", "+1+1", "-x", "@SUM(A1)", "\tx", "\rx",
                                        "'=x",       "'x",   "-",  "-1.5",     "+2",  "-0.5 1e-3"};
  const auto line = csv_line(fields);
  EXPECT_THAT(line, HasSubstr("'=cmd|calc,'+1+1,'-x,'@SUM(A1),"));
  EXPECT_THAT(line, HasSubstr(",''=x,'x,-,-1.5,+2,-0.5 1e-3"));
  EXPECT_EQ(parse_csv("1,2,3,4,5,6,7,8,9,10,11,12\n" + line + "\n", "t.csv").rows.at(0), fields);
  // The values of seeds, which other programs split at spaces.
  EXPECT_EQ(csv_line({"-0.46 -0.34", "+1 2e-3", "-1  2", "-1 x"}),
            "-0.46 -0.34,+1 2e-3,'-1  2,'-1 x");
}

TEST(Csv, AnyDamagedFileGivesATableOrOurErrorSlow) {
  const TemporaryFolder folder;
  const std::string whole =
      "item,\"x, y\",z\n1,\"a \"\"b\"\"\",0.5\n2,\"two\nlines\",-1e-3\n3,\"\",7\n";
  const int refused = read_damaged_copies(folder.path() / "table.csv", whole, [](const auto& path) {
    const auto table = read_csv(path);
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  });
  EXPECT_GE(refused, 100);
}

}  // namespace
}  // namespace reprise
