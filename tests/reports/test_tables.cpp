#include <regex>

#include "core/csv.h"
#include "core/text.h"
#include "records/claims/registry.h"
#include "reports/tables.h"
#include "tests/reports/fake_records.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Table two_methods() {
  return {.id = "table1",
          .title = "Alignment",
          .corner = "Cell",
          .rows = {"GRU"},
          .columns = {"traditional", "Pre fc6"},
          .entries = {{Entry{"table1", "faces", "trad", "auc"},
                       Entry{"table1", "faces", "pre", "auc"}}},
          .published = "table1",
          .data = DataProtocol{.set = "faces", .size = 64}};
}

Published published_as(const std::string& tag, const std::string& data = "set = \"faces\"") {
  return Published(
      "[[figure]]\ntable=\"table1\"\nrow=\"GRU\"\ncolumn=\"Pre fc6\"\nvalue=0.772\ntag=\"" + tag +
          "\"\nsource=\"document\"\nprotocol=\"300-VW\"\n" +
          (data.empty() ? "" : "data = { " + data + " }\n"),
      "published.toml");
}

Grid grid_of(const FakeResults& results, const Table& table, const Published& published = {}) {
  return resolve(table, Measured(results.store()), published);
}

/// The numbers of <data value="..."> in the order in which they stand.
std::vector<double> numbers_in(const std::string& page) {
  static const std::regex data("<data value=\"([^\"]*)\">");
  std::vector<double> out;
  for (std::sregex_iterator at(page.begin(), page.end(), data), end; at != end; ++at)
    out.push_back(std::stod((*at)[1]));
  return out;
}

TEST(Tables, ShowTheSeedsThatConfirmAloneWhereAMethodHasSome) {
  const FakeResults results;
  results.add("trad", {0.1, 0.2});  // has explored and no more
  results.add("pre", {0.1, 0.2});
  results.add(fake_record("pre", 8, 0.60));
  results.add(fake_record("pre", 9, 0.70));
  records::write_registry(results.path(), {.confirm = {8, 9}});
  const Grid grid = grid_of(results, two_methods());
  EXPECT_THAT(grid.cells[0][0].measured->seeds, ElementsAre(0, 1));
  EXPECT_THAT(grid.cells[0][1].measured->seeds, ElementsAre(8, 9));
  EXPECT_NEAR(grid.cells[0][1].measured->mean, 0.65, 1e-15);
}

TEST(Tables, ShowMeanAndStudentIntervalOverSeedsNextToThePublishedValue) {
  const FakeResults results;
  results.add("trad", {0.50, 0.52, 0.54});
  results.add("pre", {0.60, 0.62, 0.64});
  const Grid grid = grid_of(results, two_methods(), published_as("seed"));
  // t_2(0.975) = 4.302652729749464, sd = 0.02, n = 3
  const double half_width = 4.302652729749464 * 0.02 / std::sqrt(3.0);
  const auto numbers = numbers_in(html(grid).bytes());
  ASSERT_EQ(numbers.size(), 5U);
  EXPECT_NEAR(numbers[0], 0.52, 1e-15);
  EXPECT_NEAR(numbers[1], half_width, 1e-12);
  EXPECT_NEAR(numbers[2], 0.62, 1e-15);
  EXPECT_NEAR(numbers[3], half_width, 1e-12);
  EXPECT_EQ(numbers[4], 0.772);
  EXPECT_THAT(
      markdown(grid),
      HasSubstr(
          "| GRU | 0.520 ± 0.050 (n 3) | **0.620 ± 0.050** (n 3)<br>published 0.772 [seed] |"));
  EXPECT_THAT(latex(grid), AllOf(HasSubstr("\\textbf{0.620} {\\scriptsize$\\pm$0.050}"),
                                 HasSubstr("0.772 {\\tiny seed}"), HasSubstr("\\toprule")));
}

/// A table of one row and `count` columns whose titles are `letters` wide.
Table wide_table(std::size_t count, std::size_t letters) {
  Table wide{.id = "wide", .title = "Wide", .corner = "Cell", .rows = {"GRU"}, .entries = {{}}};
  for (std::size_t column = 0; column < count; ++column) {
    wide.columns.push_back("a title of " + std::string(letters, 'w'));
    wide.entries[0].push_back(Entry{"table1", "faces", "trad", "auc"});
  }
  return wide;
}

/// Columns of each <table>.
std::vector<std::ptrdiff_t> columns_of_tables(const std::string& page) {
  std::vector<std::ptrdiff_t> out;
  for (auto at = page.find("<table"); at != page.npos;) {
    const auto next = page.find("<table", at + 1);
    const auto table = page.substr(at, next - at);
    static const std::regex title("w</th>");
    out.push_back(std::distance(std::sregex_iterator(table.begin(), table.end(), title), {}));
    at = next;
  }
  return out;
}

// Nobody reads a last column that stands in a table of its own.
TEST(Tables, AWideTableBecomesTablesOfAsManyColumnsThatTakeTheWholeWidth) {
  const FakeResults results;
  const auto page = html(grid_of(results, wide_table(14, 14))).bytes();
  EXPECT_THAT(columns_of_tables(page), ElementsAre(7, 7));
  EXPECT_THAT(page, HasSubstr("class=\"grid dense part\""));
}

// Half of a screen must not stay empty because a table is a little too wide for the other half.
TEST(Tables, ATableThatIsALittleTooWideHasItsIntervalsBelowItsMeansAndStaysWhole) {
  const FakeResults results;
  results.add("trad", {0.5, 0.6, 0.7});
  const auto whole = html(grid_of(results, wide_table(8, 3))).bytes(),
             dense = html(grid_of(results, wide_table(12, 3))).bytes();
  EXPECT_THAT(columns_of_tables(whole), ElementsAre(8));
  EXPECT_THAT(whole, HasSubstr("class=\"grid\""));
  EXPECT_THAT(columns_of_tables(dense), ElementsAre(12));
  EXPECT_THAT(dense, HasSubstr("class=\"grid dense\""));
}

// A value of other data must not be read as a comparison.
TEST(Tables, APublishedValueOfOtherDataHasAColumnOfItsOwn) {
  const FakeResults results;
  results.add("trad", {0.50, 0.52});
  results.add("pre", {0.60, 0.62});
  const std::string other = "published, other data";
  for (const auto& [data, fits] :
       std::vector<std::pair<std::string, bool>>{{"set = \"faces\"", true},
                                                 {"set = \"faces\", size = 64", true},
                                                 {"set = \"faces\", split = \"test\"", true},
                                                 {"set = \"faces\", size = 128", false},
                                                 {"set = \"300-VW\"", false},
                                                 {"", false}}) {
    const Grid grid = grid_of(results, two_methods(), published_as("seed", data));
    EXPECT_EQ(grid.cells[0][1].other_data, !fits) << data;
    EXPECT_EQ(shown_columns(grid).size(), fits ? 2U : 3U) << data;
    for (const auto& text : {html(grid).bytes(), markdown(grid), latex(grid)}) {
      EXPECT_THAT(text, HasSubstr("0.772")) << data;
      EXPECT_EQ(text.find("other data") == text.npos, fits) << data;
    }
    EXPECT_EQ(html(grid).bytes().find("class=\"published\"") != std::string::npos, fits) << data;
    const auto table = parse_csv(csv(grid), "table1.csv");
    EXPECT_EQ(table.rows[1][table.column("published")], fits ? "0.772" : "") << data;
    EXPECT_EQ(table.rows[1][table.column("published_other_data")], fits ? "" : "0.772") << data;
  }
  auto undescribed = two_methods();
  undescribed.data.reset();
  EXPECT_TRUE(grid_of(results, undescribed, published_as("seed")).cells[0][1].other_data)
      << "nobody says what our values were measured on";
}

// What was run again here is marked where it stands, and nowhere else.
TEST(Tables, ValuesThatWereRunAgainAreMarked) {
  const FakeResults results;
  results.add("trad", {0.50, 0.52});
  results.add("pre", {0.60, 0.62});
  Grid grid = grid_of(results, two_methods());
  const auto plain = html(grid).bytes();
  EXPECT_THAT(plain, Not(HasSubstr("rerun")));
  const RerunCell same{.table = "table1",
                       .dataset = "faces",
                       .method = "pre",
                       .seed = 1,
                       .metric = "auc",
                       .measured = 0.62,
                       .committed = 0.62,
                       .equal = true,
                       .agrees = true};
  mark_rerun(grid, {.summary = "", .cells = {same}});
  EXPECT_FALSE(grid.cells[0][0].rerun);
  EXPECT_THAT(
      html(grid).bytes(),
      HasSubstr(
          "<span class=\"rerun\" title=\"seed 1, auc: 0.62, committed 0.62, re-run\">↻</span>"));
  auto differs = same;
  differs.measured = 0.61, differs.equal = false;
  mark_rerun(grid, {.summary = "", .cells = {same, differs}});
  EXPECT_THAT(html(grid).bytes(), HasSubstr(">↻≈</span>"))
      << "another rounding, within what the regression check lets pass";
  differs.agrees = false;
  mark_rerun(grid, {.summary = "", .cells = {same, differs}});
  EXPECT_THAT(html(grid).bytes(), HasSubstr("<span class=\"rerun differs\""));
}

// The card of the index shows some rows and columns of a table as they stand there.
TEST(Tables, SomeRowsAndColumnsCanBeSelected) {
  const FakeResults results;
  results.add("pre", {0.60, 0.62});
  Table table = two_methods();
  table.column_digits = {1, 4};
  const Grid grid = grid_of(results, table), some = select_part(grid, {"GRU"}, {"Pre fc6"});
  EXPECT_THAT(some.table.columns, ElementsAre("Pre fc6"));
  EXPECT_THAT(html(some).bytes(), HasSubstr("0.6100"));
  EXPECT_THAT([&] { select_part(grid, {"GRU"}, {"Pre fc 6"}); },
              ThrowsUsageError(HasSubstr("\"Pre fc 6\""), HasSubstr("traditional; Pre fc6")));
}

TEST(Tables, TheCsvHoldsEveryNumberInFull) {
  const FakeResults results;
  results.add("trad", {0.1, 0.30000000000000004});
  const auto table =
      parse_csv(csv(grid_of(results, two_methods(), published_as("C2"))), "table1.csv");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][table.column("values")], "0.1 0.30000000000000004");
  EXPECT_EQ(csv_number(table, 0, table.column("mean")), 0.2);
  EXPECT_EQ(table.rows[0][table.column("n")], "2");
  EXPECT_EQ(table.rows[0][table.column("published")], "");
  EXPECT_EQ(table.rows[1][table.column("n")], "0");
  EXPECT_EQ(table.rows[1][table.column("mean")], "");
  EXPECT_EQ(table.rows[1][table.column("published")], "0.772");
  EXPECT_EQ(table.rows[1][table.column("tag")], "C2");
}

TEST(Tables, OneSeedGivesNoInterval) {
  const FakeResults results;
  results.add("trad", {0.5});
  const Grid grid = grid_of(results, two_methods());
  EXPECT_EQ(grid.cells[0][0].measured->half_width, std::nullopt);
  EXPECT_EQ(numbers_in(html(grid).bytes()), std::vector<double>{0.5});
  EXPECT_THAT(markdown(grid), AllOf(HasSubstr("| 0.500 (n 1) |"), Not(HasSubstr("±"))));
}

TEST(Tables, MarkFewerSeedsAndSayWhatIsMissing) {
  const FakeResults results;
  results.add("trad", {0.5, 0.6});
  auto failed = fake_record("trad", 2, 0.9);
  failed.status = records::Status::Failed;
  results.add(failed);
  auto table = two_methods();
  EXPECT_THAT(grid_of(results, table).remarks, Contains("No record for: GRU / Pre fc6."));
  EXPECT_THAT(html(grid_of(results, table)).bytes(), HasSubstr("no data"));
  results.add("pre", {0.5, 0.6, 0.7});
  const Grid grid = grid_of(results, table);
  EXPECT_TRUE(grid.cells[0][0].fewer_seeds);
  EXPECT_FALSE(grid.cells[0][1].fewer_seeds);
  EXPECT_EQ(grid.seeds, 3);
  EXPECT_THAT(markdown(grid), HasSubstr("(n 2†)"));
}

TEST(Tables, AnUnverifiedValueIsGreyAndSaysSoAndAnUnrecoveredOneStaysEmpty) {
  const FakeResults results;
  const Grid grid = grid_of(results, two_methods(), published_as("M"));
  EXPECT_THAT(
      html(grid).bytes(),
      HasSubstr("<span class=\"unverified\"><data value=\"0.772\">0.772</data> unverified "));
  EXPECT_THAT(latex(grid), HasSubstr("\\textcolor{gray}{0.772"));
  EXPECT_THAT(markdown(grid), HasSubstr("0.772 unverified [M]"));
  const Published unrecovered(
      "[[figure]]\ntable=\"table1\"\nrow=\"GRU\"\ncolumn=\"Pre fc6\"\ntag=\"NR\"\nsource=\"\"\nprotocol=\"\"\n",
      "p");
  EXPECT_THAT(html(grid_of(results, two_methods(), unrecovered)).bytes(),
              Not(HasSubstr("published")));
}

TEST(Tables, TheBestIsMarkedInTheDirectionOfTheMetricOnly) {
  for (const auto& [direction, trad, pre] :
       {std::tuple{records::Direction::HigherIsBetter, false, true},
        std::tuple{records::Direction::LowerIsBetter, true, false},
        std::tuple{records::Direction::Neither, false, false}}) {
    const FakeResults results;
    for (const auto& [method, value] : {std::pair{"trad", 0.5}, std::pair{"pre", 0.6}}) {
      auto record = fake_record(method, 0, value);
      record.metrics[0].direction = direction;
      results.add(record);
    }
    const Grid grid = grid_of(results, two_methods());
    EXPECT_EQ(grid.cells[0][0].best, trad);
    EXPECT_EQ(grid.cells[0][1].best, pre);
  }
}

TEST(Tables, WhereAllAreTheSameNoneIsTheBest) {
  const FakeResults results;
  results.add("trad", {0.5});
  results.add("pre", {0.5});
  const Grid grid = grid_of(results, two_methods());
  EXPECT_FALSE(grid.cells[0][0].best);
  EXPECT_FALSE(grid.cells[0][1].best);
  EXPECT_THAT(html(grid).bytes(), Not(HasSubstr("Bold")));
}

// What pairing decides is seen in the table: seeds 1 apart everywhere differ beyond doubt, whatever
// their spread.
TEST(Tables, DifferencesToAReferenceArePairedOverSeeds) {
  const FakeResults results;
  results.add("trad", {0.10, 0.50, 0.90});
  results.add("pre", {0.11, 0.53, 0.92});
  Table table{.id = "t",
              .title = "T",
              .corner = "method",
              .rows = {"trad", "pre"},
              .columns = {"AUC"},
              .reference = "trad"};
  for (const auto* method : {"trad", "pre"})
    table.entries.push_back({Entry{"table1", "faces", method, "auc"}});
  const Grid grid = grid_of(results, table);
  EXPECT_FALSE(grid.cells[0][0].paired);
  const auto& paired = grid.cells[1][0].paired.value();
  const double half = 4.302652729749464 * 0.01 / std::sqrt(3.0);
  EXPECT_NEAR(paired.mean, 0.02, 1e-12);
  EXPECT_NEAR(paired.low, 0.02 - half, 1e-12);
  EXPECT_NEAR(paired.high, 0.02 + half, 1e-12);
  EXPECT_THAT(html(grid).bytes(), HasSubstr("+0.020"));
  EXPECT_THAT(grid.remarks, Contains(HasSubstr("paired difference to trad")));
  table.reference = "gone";
  EXPECT_THAT([&] { grid_of(results, table); },
              ThrowsUsageError(HasSubstr("the reference \"gone\" is no row")));
}

// A method that knows more than a method may is neither the best nor among the others.
TEST(Tables, BoundsStandBelowTheRuleAndAreNeverTheBest) {
  const FakeResults results;
  results.add("oracle", {0.9, 0.9});
  results.add("pre", {0.6, 0.7});
  results.add("trad", {0.5, 0.6});
  Table table{.id = "t",
              .title = "T",
              .corner = "method",
              .rows = {"oracle", "pre", "trad"},
              .columns = {"AUC"}};
  for (const auto& row : table.rows)
    table.entries.push_back({Entry{"table1", "faces", row, "auc"}});
  const Grid grid = resolve(table, Measured(results.store()), {}, {"oracle"});
  EXPECT_THAT(grid.table.rows, ElementsAre("pre", "trad", "oracle"));
  EXPECT_TRUE(grid.cells[0][0].best);
  EXPECT_FALSE(grid.cells[2][0].best);
  EXPECT_THAT(html(grid).bytes(),
              HasSubstr("<tr class=\"bound first\"><th scope=\"row\">oracle</th>"));
}

// An output that never moves has the least jitter, and no merit by it.
TEST(Tables, NullRowsKeepTheirPlaceAndAreNeverTheBest) {
  const FakeResults results;
  results.add("constant", {0.9});
  results.add("pre", {0.6});
  results.add("trad", {0.5});
  Table table{.id = "t",
              .title = "T",
              .corner = "method",
              .rows = {"constant", "pre", "trad"},
              .columns = {"AUC"},
              .nulls = {"constant"}};
  for (const auto& row : table.rows)
    table.entries.push_back({Entry{"table1", "faces", row, "auc"}});
  const Grid grid = grid_of(results, table);
  EXPECT_THAT(grid.table.rows, ElementsAre("constant", "pre", "trad"));
  EXPECT_FALSE(grid.cells[0][0].best);
  EXPECT_TRUE(grid.cells[1][0].best);
}

TEST(Tables, TwoProtocolsInOneColumnAreAnError) {
  const FakeResults results;
  results.add("trad", {0.5});
  auto other = fake_record("pre", 0, 0.6);
  other.metrics[0].protocol = "inter-ocular";
  results.add(other);
  Table table = two_methods();
  EXPECT_NO_THROW(grid_of(results, table));
  table.rows = {"trad", "pre"};
  table.columns = {"AUC"};
  table.entries = {{table.entries[0][0]}, {table.entries[0][1]}};
  EXPECT_THAT([&] { grid_of(results, table); },
              ThrowsError(HasSubstr("table1"), HasSubstr("column AUC"),
                          HasSubstr("box diagonal, limit 0.08"), HasSubstr("inter-ocular")));
}

TEST(Tables, EntriesOfAnotherShapeAreRefused) {
  const FakeResults results;
  Table table = two_methods();
  table.columns.push_back("third");
  EXPECT_THAT([&] { grid_of(results, table); },
              ThrowsUsageError(HasSubstr("1 rows and 3 columns")));
}

TEST(Tables, ColumnsMayHaveTheirOwnDigits) {
  const FakeResults results;
  results.add("trad", {0.5, 0.5});
  Table table = two_methods();
  table.entries[0][1] = table.entries[0][0];
  table.column_digits = {1, 4};
  EXPECT_THAT(markdown(grid_of(results, table)),
              AllOf(HasSubstr("0.5 ± 0.0 (n 2)"), HasSubstr("0.5000 ± 0.0000")));
  EXPECT_THAT(latex(grid_of(results, table)), HasSubstr("0.5000"));
  EXPECT_THAT(html(grid_of(results, table)).bytes(), HasSubstr("0.5000"));
}

TEST(Tables, CountsOfTheRecordAreReadableToo) {
  const FakeResults results;
  results.add("trad", {0.5, 0.5});
  Table table = two_methods();
  table.digits = 0;
  table.entries[0] = {Entry{"table1", "faces", "trad", "parameters.recurrent"},
                      Entry{"table1", "faces", "trad", "seconds.total"}};
  EXPECT_THAT(html(grid_of(results, table)).bytes(),
              HasSubstr("<data value=\"375390208\">375\u202F390\u202F208</data>"));
  EXPECT_THAT(numbers_in(html(grid_of(results, table)).bytes()), ElementsAre(375390208, 7, 0));
}

TEST(Tables, TitlesCannotBreakAnyFormat) {
  const FakeResults results;
  Table table = two_methods();
  table.rows = {"a|b_<script>&100%\\"};
  const Grid grid = grid_of(results, table);
  EXPECT_THAT(html(grid).bytes(),
              AllOf(Not(HasSubstr("<script>")), HasSubstr("a|b_&lt;script&gt;&amp;100%\\")));
  EXPECT_THAT(
      latex(grid),
      HasSubstr("a\\textbar{}b\\_\\textless{}script\\textgreater{}\\&100\\%\\textbackslash{} &"));
  EXPECT_THAT(markdown(grid), HasSubstr("| a\\|b\\_&lt;script&gt;&amp;100%\\\\ |"));
}

TEST(Tables, NumbersAreShownAsReadersExpectThem) {
  EXPECT_EQ(format_fixed(0.7041, 3), "0.704");
  EXPECT_EQ(format_fixed(-0.0001, 3), "0.000");
  EXPECT_EQ(format_fixed(-1.5, 1), "\u22121.5");
  EXPECT_EQ(format_fixed(9999, 0), "9999");
  EXPECT_EQ(format_fixed(375390208, 0), "375\u202F390\u202F208");
  EXPECT_EQ(format_fixed(12345.5, 1), "12\u202F345.5");
  EXPECT_EQ(format_fixed(999.1234, 3), "999.123");
  EXPECT_EQ(format_fixed(1999.1234, 3), "1999.12");
  EXPECT_EQ(format_fixed(17711.518, 3), "17\u202F711.5");
  EXPECT_EQ(format_fixed(477601, 3), "477\u202F601");
  EXPECT_EQ(format_fixed(477155000, 3), "477\u202F155\u202F000");
  EXPECT_EQ(format_half_width(0.0001, 3), "<0.001");
  EXPECT_EQ(format_half_width(0, 3), "0.000");
}

}  // namespace
}  // namespace reprise::reports
