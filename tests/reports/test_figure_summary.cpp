// The sentence under a figure says what was drawn: the right end, which intervals lie apart, what
// is confused with what.
#include <gtest/gtest.h>

#include <cmath>

#include "reports/figure_summary.h"

namespace reprise::reports {
namespace {

SeriesData line(const std::string& label, std::vector<double> y, double half) {
  SeriesData out{.described = {.label = label}, .seeds = {0, 1}};
  for (std::size_t i = 0; i < y.size(); ++i) {
    out.x.push_back(static_cast<double>(i + 1));
    out.low.push_back(y[i] - half);
    out.high.push_back(y[i] + half);
  }
  out.y = std::move(y);
  return out;
}

Drawing drawing(Figure figure, std::vector<SeriesData> series) {
  return {std::move(figure), std::move(series), {}, {}};
}

TEST(Reading, LinesAreComparedAtTheirLastCommonPoint) {
  const auto shown =
      drawing({.x_label = "epoch"},
              {line("A", {5, 3, 1}, 0.1), line("B", {5, 4}, 0.1), line("C", {5, 6, 0}, 0.1)});
  EXPECT_EQ(summarise_figure(shown),
            "At epoch 2 A is lowest (3). Highest is C (6). Their intervals do not overlap.");
}

TEST(Reading, AGapIsNoCommonPointAndOverlappingIntervalsAreSaidToBe) {
  const auto shown = drawing({.x_label = "h = β Δt"},
                             {line("A", {5, 3, std::nan("")}, 2), line("B", {5, 4, 1}, 2)});
  EXPECT_EQ(summarise_figure(shown),
            "At h = β Δt = 2 A is lowest (3). Highest is B (4). Their intervals overlap.");
}

TEST(Reading, OfDifferencesItNamesThoseThatCanBeToldFromZero) {
  Figure figure{.x_label = "frame", .less = Series{}};
  EXPECT_EQ(summarise_figure(drawing(figure, {line("A", {-1}, 0.5), line("B", {0.2}, 0.5)})),
            "At frame 1 only the interval of A excludes 0.");
  EXPECT_EQ(summarise_figure(drawing(figure, {line("A", {-1}, 0.5), line("B", {2}, 0.5)})),
            "At frame 1 every interval excludes 0.");
  EXPECT_EQ(summarise_figure(drawing(figure, {line("A", {0.1}, 0.5)})),
            "At frame 1 every interval includes 0.");
}

TEST(Reading, OfBarsTheHighestAndOfPointsTheMiddle) {
  EXPECT_EQ(summarise_figure(drawing({.mark = Mark::Bars, .x_names = {"low", "high"}},
                                     {line("A", {0.2, 0.8}, 0)})),
            "A is highest at high.");
  SeriesData points{.described = {.label = "A"}, .x = {0, 1, 5}, .y = {2, 4, 9}, .seeds = {0}};
  EXPECT_EQ(summarise_figure(drawing({.mark = Mark::Points, .seeds = SeedMerge::First}, {points})),
            "Median of A: (1, 4).");
}

TEST(Reading, OfAConfusionTheBestAndTheWorstClassAndWhatItIsTakenFor) {
  const auto shown = drawing({.mark = Mark::Matrix, .x_names = {"wave", "point", "fist"}},
                             {line("A", {0.9, 0.1, 0, 0.1, 0.5, 0.4, 0, 0.2, 0.8}, 0)});
  EXPECT_EQ(
      summarise_figure(shown),
      "Recognised most often: wave (90 %). Least often: point (50 %). It is most often confused with fist (40 %).");
}

TEST(Reading, ExamplesOfOneSeedAndEmptyFiguresSayNothing) {
  EXPECT_EQ(summarise_figure(drawing({.seeds = SeedMerge::First}, {line("A", {1, 2}, 0)})), "");
  EXPECT_EQ(summarise_figure(drawing({}, {SeriesData{}})), "");
}

}  // namespace
}  // namespace reprise::reports
