#include <cmath>
#include <cstdlib>
#include <limits>
#include <regex>

#include "core/csv.h"
#include "records/claims/registry.h"
#include "reports/figures.h"
#include "reports/gnuplot.h"
#include "statistics/statistics.h"
#include "tests/reports/fake_records.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {
using testing::AllOf;
using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const double nan = std::numeric_limits<double>::quiet_NaN();

Figure curve(SeedMerge seeds = SeedMerge::MeanAndBand) {
  return {.id = "curve",
          .title = "Error",
          .x_label = "epoch",
          .y_label = "error",
          .seeds = seeds,
          .series = {{.label = "GRU",
                      .table = "table1",
                      .dataset = "faces",
                      .method = "gru",
                      .x = "",
                      .y = "error"}}};
}

FakeResults& add_curves(FakeResults& results, const std::vector<std::vector<double>>& seeds) {
  for (std::size_t seed = 0; seed < seeds.size(); ++seed)
    results.add(fake_record("gru", static_cast<std::int64_t>(seed), 0.5), {{"error", seeds[seed]}});
  return results;
}

Drawing collected(const FakeResults& results, const Figure& figure) {
  return collect(figure, Measured(results.store()));
}

// The band is what a table shows of the same values: mean ± t_{n-1} sd / sqrt(n), here of sd 2 and
// 1 over three seeds.
TEST(Figures, TheLineIsTheMeanAndTheBandItsInterval) {
  FakeResults results;
  const auto drawing = collected(add_curves(results, {{4, 2}, {8, 3}, {6, 1}}), curve());
  const auto& series = drawing.series[0];
  EXPECT_THAT(series.x, ElementsAre(1, 2));
  EXPECT_THAT(series.y, ElementsAre(6, 2));
  const double half = statistics::student_quantile(0.975, 2) / std::sqrt(3);
  EXPECT_THAT(series.low,
              ElementsAre(DoubleNear(6 - 2 * half, 1e-12), DoubleNear(2 - half, 1e-12)));
  EXPECT_THAT(series.high,
              ElementsAre(DoubleNear(6 + 2 * half, 1e-12), DoubleNear(2 + half, 1e-12)));
  EXPECT_THAT(series.seeds, ElementsAre(0, 1, 2));
}

/// Of a method that is a point, and no curve, each seed measures both coordinates.
TEST(Figures, ASeriesOfOnePointIsTheMeanOfBothCoordinatesWithTheIntervalOfItsHeight) {
  FakeResults results;
  for (std::int64_t seed = 0; seed < 3; ++seed)
    results.add(fake_record("gru", seed, 0.5), {{"kept", {0.1 * static_cast<double>(seed)}},
                                                {"error", {4.0 + static_cast<double>(seed)}}});
  auto figure = curve();
  figure.series[0].x = "kept";
  const auto drawing = collected(results, figure);
  EXPECT_THAT(drawing.series[0].x, ElementsAre(DoubleNear(0.1, 1e-12)));
  EXPECT_THAT(drawing.series[0].y, ElementsAre(5));
  const double half = statistics::student_quantile(0.975, 2) / std::sqrt(3);
  EXPECT_THAT(drawing.series[0].low, ElementsAre(DoubleNear(5 - half, 1e-12)));
  EXPECT_THAT(drawing.series[0].high, ElementsAre(DoubleNear(5 + half, 1e-12)));
  // What can be reached is drawn with another mark; a label stands in the legend once.
  const auto plain = draw(drawing).svg;
  figure.series[0].star = true;
  EXPECT_NE(draw(collected(results, figure)).svg, plain);
  figure.series.push_back(figure.series[0]);
  const auto entries = [](const std::string& svg, const std::string& label) {
    std::size_t count = 0;
    for (auto at = svg.find(label); at != std::string::npos; at = svg.find(label, at + 1)) ++count;
    return count;
  };
  const auto label = ">" + figure.series[0].label + "<";
  EXPECT_GE(entries(plain, label), 1U);
  EXPECT_EQ(entries(draw(collected(results, figure)).svg, label), entries(plain, label));
}

// What was measured before the first step stands at epoch 0.
TEST(Figures, ACurveCanBeginBeforeTheFirstEpoch) {
  FakeResults results;
  auto figure = curve();
  figure.x_first = 0;
  EXPECT_THAT(collected(add_curves(results, {{4, 2, 1}}), figure).series[0].x,
              ElementsAre(0, 1, 2));
}

// A curve too large for every seed was left by one that explored: better that one than none.
TEST(Figures, SeedsThatConfirmComeBeforeThoseThatExplored) {
  FakeResults results;
  add_curves(results, {{4, 2}, {8, 3}});
  results.add(fake_record("gru", 8, 0.5), {{"other", {7}}});
  records::write_registry(results.path(), {.confirm = {8}});
  auto figure = curve();
  EXPECT_THAT(collected(results, figure).series[0].seeds, ElementsAre(0, 1));
  results.add(fake_record("gru", 8, 0.5), {{"error", {5, 5}}});
  const auto drawing = collected(results, figure);
  EXPECT_THAT(drawing.series[0].seeds, ElementsAre(8));
  EXPECT_THAT(drawing.series[0].y, ElementsAre(5, 5));
}

TEST(Figures, WhatIsSubtractedIsOfTheSameSeed) {
  FakeResults results;
  add_curves(results, {{4, 2}, {8, 3}, {6, 1}});
  for (std::int64_t seed = 0; seed < 2; ++seed)  // none for seed 2
    results.add(fake_record("cnn", seed, 0.5),
                {{"error", {3.0 + 4.0 * static_cast<double>(seed), 2}}});
  auto figure = curve();
  figure.less = Series{"", "table1", "faces", "cnn", "", "error"};
  const auto drawing = collected(results, figure);
  const auto& series = drawing.series[0];
  EXPECT_THAT(series.y, ElementsAre(1, 0.5));
  EXPECT_THAT(series.low,
              ElementsAre(1, DoubleNear(0.5 - 0.5 * statistics::student_quantile(0.975, 1), 1e-12)))
      << "differences 1 and 1, then 0 and 1";
  EXPECT_THAT(series.seeds, ElementsAre(0, 1));
  figure.less->method = "gone";
  EXPECT_TRUE(collected(results, figure).empty());
}

TEST(Figures, AMatrixHasItsClassesOnBothAxesAndItsSharesInPerCent) {
  FakeResults results;
  auto figure = curve();
  figure.mark = Mark::Matrix;
  figure.x_names = {"left", "right"};
  const auto drawing =
      collected(add_curves(results, {{1, 0, 0.26, 0.74}, {1, 0, 0.24, 0.76}}), figure);
  EXPECT_THAT(drawing.series[0].y, ElementsAre(1, 0, 0.25, 0.75));
  const auto svg = draw(drawing).svg;
  for (const auto* text : {"left", "right", ">100<", ">25<", ">75<"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, Not(HasSubstr(">0<")));
  EXPECT_THAT(drawing.remarks, Contains("Mean over 2 seeds."));
}

TEST(Figures, AMatrixThatIsNoSquareIsRefused) {
  FakeResults results;
  auto figure = curve();
  figure.mark = Mark::Matrix;
  add_curves(results, {{1, 0, 0.26}});
  EXPECT_THAT([&] { collected(results, figure); },
              ThrowsError(HasSubstr("3 values"), HasSubstr("no square")));
}

TEST(Figures, PooledKeepsEveryPointAndFirstTheFirstSeed) {
  FakeResults results;
  add_curves(results, {{4, 2}, {8, 3}});
  EXPECT_THAT(collected(results, curve(SeedMerge::Pooled)).series[0].y, ElementsAre(4, 2, 8, 3));
  EXPECT_THAT(collected(results, curve(SeedMerge::First)).series[0].y, ElementsAre(4, 2));
}

// The steps that a clip's damaged frames are at, of the seed that is drawn.
TEST(Figures, StepsOfACurveThatIsNotZeroAreShadedAndTheSeedIsNamed) {
  FakeResults results;
  results.add(fake_record("gru", 3, 0.5), {{"error", {4, 2, 5}}, {"damaged", {0, 1, 0}}});
  auto figure = curve(SeedMerge::First);
  const auto plain = draw(collected(results, figure)).svg;
  figure.shade = figure.series[0];
  figure.shade->y = "damaged";
  const auto drawing = collected(results, figure);
  EXPECT_THAT(drawing.shaded, ElementsAre(2));
  EXPECT_THAT(drawing.remarks, Contains("Seed 3."));
  EXPECT_NE(draw(drawing).svg, plain);
}

TEST(Figures, OneSeedHasNoBand) {
  FakeResults results;
  const auto drawing = collected(add_curves(results, {{4, 2}}), curve());
  EXPECT_THAT(drawing.series[0].low, IsEmpty());
  EXPECT_THAT(drawing.remarks, Contains(HasSubstr("no band")));
}

TEST(Figures, SeedsThatStopEarlyCutTheMeanAndTheRemarkSaysWhere) {
  FakeResults results;
  const auto drawing = collected(add_curves(results, {{4, 2, 1}, {8, 4}}), curve());
  EXPECT_THAT(drawing.series[0].y, ElementsAre(6, 3));
  EXPECT_THAT(drawing.remarks, Contains(HasSubstr("2 of 3 points")));
}

TEST(Figures, ANumberThatIsNoneLeavesAGap) {
  FakeResults results;
  const auto drawing = collected(add_curves(results, {{4, nan, 2}, {8, 3, 4}}), curve());
  EXPECT_THAT(csv(drawing), HasSubstr("GRU,table1,faces,gru,0 1,2,,,\n"));
  EXPECT_THAT(draw(drawing).svg, HasSubstr("GRU"));
  FakeResults nothing;
  EXPECT_TRUE(collected(add_curves(nothing, {{nan, nan}}), curve()).empty());
}

TEST(Figures, SeriesWithoutDataAreNamedAndTheOthersDrawn) {
  FakeResults results;
  auto figure = curve();
  figure.series.push_back({.label = "never run",
                           .table = "table1",
                           .dataset = "faces",
                           .method = "none",
                           .x = "",
                           .y = "error"});
  const auto drawing = collected(add_curves(results, {{4, 2}}), figure);
  EXPECT_FALSE(drawing.empty());
  EXPECT_THAT(drawing.remarks, Contains("No data for: never run."));
  EXPECT_THAT(draw(drawing).svg, AllOf(HasSubstr("GRU"), Not(HasSubstr("never run"))));
}

TEST(Figures, CurvesThatDoNotFitTogetherAreNamed) {
  FakeResults results;
  results.add(fake_record("gru", 0, 0.5), {{"x", {1, 2}}, {"error", {3, 4}}});
  results.add(fake_record("gru", 1, 0.5), {{"x", {1, 5}}, {"error", {3, 4}}});
  auto figure = curve();
  figure.series[0].x = "x";
  EXPECT_THAT([&] { collected(results, figure); },
              ThrowsError(HasSubstr("table1/faces/gru"), HasSubstr("x = 2"), HasSubstr("seed 1")));
  results.add(fake_record("gru", 1, 0.5), {{"x", {1}}, {"error", {3, 4}}});
  EXPECT_THAT([&] { collected(results, figure); },
              ThrowsError(HasSubstr("gru/seed1"), HasSubstr("differ in length")));
}

TEST(Figures, BarsMustHaveANameEach) {
  FakeResults results;
  auto figure = curve();
  figure.mark = Mark::Bars;
  figure.x_names = {"only one"};
  add_curves(results, {{4, 2}});
  EXPECT_THAT([&] { collected(results, figure); },
              ThrowsUsageError(HasSubstr("names 1 bars"), HasSubstr("has 2")));
}

TEST(Figures, TheCsvHoldsEveryNumberInFull) {
  FakeResults results;
  const auto table =
      parse_csv(csv(collected(add_curves(results, {{0.1}, {0.2}, {0.2}}), curve())), "curve.csv");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(csv_number(table, 0, table.column("y")), 0.5 / 3);
  EXPECT_EQ(table.rows[0][table.column("seeds")], "0 1 2");
}

TEST(Figures, SvgAndPdfAreTheSameBytesTwiceAndHoldNoDate) {
  FakeResults results;
  const auto drawing = collected(add_curves(results, {{4, 2}, {8, 3}}), curve());
  const auto first = draw(drawing), second = draw(drawing);
  EXPECT_EQ(first.svg, second.svg);
  EXPECT_EQ(first.pdf, second.pdf);
  EXPECT_THAT(first.pdf, AllOf(HasSubstr("/CreationDate (D:20000101000000Z)"), HasSubstr("%%EOF")));
  EXPECT_THAT(first.svg, Not(HasSubstr("GNUPLOT")));
}

TEST(Figures, TheSvgFollowsLightAndDarkAndItsIdsAreItsOwn) {
  FakeResults results;
  const auto svg = draw(collected(add_curves(results, {{4, 2}, {8, 3}}), curve())).svg;
  EXPECT_THAT(svg, AllOf(HasSubstr("<svg xmlns="), HasSubstr("prefers-color-scheme:dark"),
                         HasSubstr("id=\"figure-curve\"")));
  EXPECT_THAT(
      svg, AllOf(Not(HasSubstr("id=\"gnuplot")), Not(HasSubstr("'#gpPt")), Not(HasSubstr("rgb("))));
}

/// A page holds every figure twice: what nobody sees of one is left out.
TEST(Figures, TheSvgHasTheSymbolsThatItShowsAndPathsToATenthOfAPixel) {
  FakeResults results;
  for (std::int64_t seed = 0; seed < 3; ++seed)
    results.add(fake_record("gru", seed, 0.5), {{"kept", {0.1 * static_cast<double>(seed)}},
                                                {"error", {4.0 + static_cast<double>(seed)}}});
  auto figure = curve();
  figure.series[0].x = "kept";
  const auto svg = draw(collected(results, figure)).svg;
  static const std::regex symbol("id='([^']*gpPt[0-9]+)'"), path(" d='([^']*)'"),
      hundredths("[0-9][.][0-9][0-9]");
  std::size_t symbols = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), symbol), end; at != end; ++at, ++symbols)
    EXPECT_THAT(svg, HasSubstr("'#" + (*at)[1].str() + "'"));
  EXPECT_GE(symbols, 1U);
  const auto drawn = svg.substr(svg.find("</defs>"));
  std::size_t paths = 0;
  for (std::sregex_iterator at(drawn.begin(), drawn.end(), path), end; at != end; ++at, ++paths)
    EXPECT_FALSE(std::regex_search((*at)[1].str(), hundredths)) << (*at)[1];
  EXPECT_GE(paths, 1U);
}

TEST(Figures, EveryMarkDraws) {
  for (const auto mark : {Mark::Line, Mark::Points, Mark::Bars}) {
    FakeResults results;
    auto figure = curve(mark == Mark::Points ? SeedMerge::Pooled : SeedMerge::MeanAndBand);
    figure.mark = mark;
    figure.diagonal = mark == Mark::Points;
    figure.x_min = 0;
    figure.x_max = 3;
    const auto svg = draw(collected(add_curves(results, {{0.4, 0.2}, {0.8, 0.3}}), figure)).svg;
    EXPECT_THAT(svg, HasSubstr(mark == Mark::Line     ? "<path"
                               : mark == Mark::Points ? "<use"
                                                      : "<polygon"));
  }
}

// A legend that runs off the sheet cannot be read in print.
TEST(Figures, TheLegendOfThePdfStaysOnItsSheet) {
  if (std::system("pdftotext -v >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "needs pdftotext: apt-get install poppler-utils";
  FakeResults results;
  auto figure = curve();
  figure.series[0].label = "traditional network of two layers, mean";
  const TemporaryFolder folder;
  const auto pdf = folder.path() / "figure.pdf", words = folder.path() / "words";
  write_file(pdf, draw(collected(add_curves(results, {{4, 2}, {8, 3}}), figure)).pdf);
  ASSERT_EQ(
      std::system(("pdftotext -bbox '" + pdf.string() + "' '" + words.string() + "'").c_str()), 0);
  const auto text = read_file(words);
  static const std::regex page("page width=\"([0-9.]+)\""), right("xMax=\"([0-9.]+)\"");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, page));
  const double width = std::stod(found[1]);
  for (std::sregex_iterator at(text.begin(), text.end(), right), end; at != end; ++at)
    EXPECT_LE(std::stod((*at)[1]), width);
}

TEST(Figures, NoLabelIsReadAsACommandOrAsMarkup) {
  FakeResults results;
  TemporaryFolder folder;
  const auto witness = folder.path() / "witness";
  const std::string hostile =
      "`touch " + witness.string() + "` it's \"$(x)\" {/Bold b} a_b 100% <script>\n' system('x')";
  auto figure = curve();
  figure.title = figure.x_label = figure.y_label = figure.series[0].label = hostile;
  figure.mark = Mark::Bars;
  figure.x_names = {hostile, "%d"};
  const auto svg = draw(collected(add_curves(results, {{4, 2}}), figure)).svg;
  EXPECT_FALSE(std::filesystem::exists(witness));
  EXPECT_THAT(svg, AllOf(HasSubstr("{/Bold b} a_b 100%"), HasSubstr("&lt;script"),
                         Not(HasSubstr("<script"))));
}

TEST(Figures, AFigureThatGnuplotRefusesIsAnErrorWithItsOwnWords) {
  EXPECT_THAT(
      [] {
        run_gnuplot("plot no_such_thing", {400, 300});
      },
      ThrowsError(HasSubstr("no_such_thing")));
}

}  // namespace
}  // namespace reprise::reports
