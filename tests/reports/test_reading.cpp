// The sentence under a figure says what was drawn: the right end, which intervals lie apart, what is confused with what.
#include <gtest/gtest.h>

#include <cmath>

#include "reports/reading.h"

namespace reprise::reports {
namespace {

DrawnSeries line(const std::string& label, std::vector<double> y, double half) {
  DrawnSeries out{.described = {.label = label}, .seeds = {0, 1}};
  for (std::size_t i = 0; i < y.size(); ++i) {
    out.x.push_back(static_cast<double>(i + 1));
    out.low.push_back(y[i] - half);
    out.high.push_back(y[i] + half);
  }
  out.y = std::move(y);
  return out;
}

Drawing drawing(Figure figure, std::vector<DrawnSeries> series) { return {std::move(figure), std::move(series), {}, {}}; }

TEST(Reading, LinesAreComparedAtTheirLastCommonPoint) {
  const auto shown = drawing({.x_label = "epoch"}, {line("A", {5, 3, 1}, 0.1), line("B", {5, 4}, 0.1), line("C", {5, 6, 0}, 0.1)});
  EXPECT_EQ(reading(shown), "At epoch 2 A is lowest, 3, and C highest, 6; their intervals lie apart.");
}

TEST(Reading, AGapIsNoCommonPointAndOverlappingIntervalsAreSaidToBe) {
  const auto shown = drawing({.x_label = "h = β Δt"}, {line("A", {5, 3, std::nan("")}, 2), line("B", {5, 4, 1}, 2)});
  EXPECT_EQ(reading(shown), "At h = β Δt = 2 A is lowest, 3, and B highest, 4; their intervals overlap.");
}

TEST(Reading, OfDifferencesItNamesThoseThatCanBeToldFromZero) {
  Figure figure{.x_label = "frame", .less = Series{}};
  EXPECT_EQ(reading(drawing(figure, {line("A", {-1}, 0.5), line("B", {0.2}, 0.5)})),
            "At frame 1 the interval of A (-1) excludes 0; all others hold it.");
  EXPECT_EQ(reading(drawing(figure, {line("A", {-1}, 0.5), line("B", {2}, 0.5)})), "At frame 1 the intervals of A (-1), B (2) exclude 0.");
  EXPECT_EQ(reading(drawing(figure, {line("A", {0.1}, 0.5)})), "At frame 1 no difference can be told from 0: A (0.1).");
}

TEST(Reading, OfBarsTheHighestAndOfPointsTheMiddle) {
  EXPECT_EQ(reading(drawing({.mark = Mark::Bars, .x_names = {"low", "high"}}, {line("A", {0.2, 0.8}, 0)})),
            "Highest bar: A at high (0.8).");
  DrawnSeries points{.described = {.label = "A"}, .x = {0, 1, 5}, .y = {2, 4, 9}, .seeds = {0}};
  EXPECT_EQ(reading(drawing({.mark = Mark::Points, .seeds = Seeds::First}, {points})), "Middle of the points: A (1, 4).");
}

TEST(Reading, OfAConfusionTheBestAndTheWorstClassAndWhatItIsTakenFor) {
  const auto shown =
      drawing({.mark = Mark::Matrix, .x_names = {"wave", "point", "fist"}}, {line("A", {0.9, 0.1, 0, 0.1, 0.5, 0.4, 0, 0.2, 0.8}, 0)});
  EXPECT_EQ(reading(shown), "Right most often: wave, 90 %. Least often: point, 50 %, which is called fist in 40 %.");
}

TEST(Reading, ExamplesOfOneSeedAndEmptyFiguresSayNothing) {
  EXPECT_EQ(reading(drawing({.seeds = Seeds::First}, {line("A", {1, 2}, 0)})), "");
  EXPECT_EQ(reading(drawing({}, {DrawnSeries{}})), "");
}

}  // namespace
}  // namespace reprise::reports
