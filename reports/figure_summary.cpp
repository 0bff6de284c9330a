#include "reports/figure_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text.h"

namespace reprise::reports {
namespace {

/// Formats a number with three significant digits, from a thousand on as a whole number: "0.0312",
/// "16000".
std::string short_number(double value) {
  constexpr double whole_to = 1e7;
  return std::abs(value) >= 1000 && std::abs(value) < whole_to ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.3g}", value);
}

/// Names a point of the x axis: "epoch 12", "h = β Δt = 0.5", "0.9-1.0".
std::string name_place(const Drawing& drawing, double x) {
  const auto& figure = drawing.figure;
  const auto index = static_cast<std::size_t>(std::lround(x)) - 1;
  if (!figure.x_names.empty() && index < figure.x_names.size()) return figure.x_names[index];
  const bool word = std::all_of(figure.x_label.begin(), figure.x_label.end(),
                                [](char c) { return c >= 'a' && c <= 'z'; });
  return figure.x_label + (word ? " " : " = ") + short_number(x);
}

/// Value of a series at the x that is summarised.
struct At {
  const SeriesData* series = nullptr;
  double y = 0;
  std::optional<std::pair<double, double>> interval;
  bool excludes_zero() const { return interval && (interval->first > 0 || interval->second < 0); }
};

std::vector<const SeriesData*> find_series_with_data(const Drawing& drawing) {
  std::vector<const SeriesData*> out;
  for (const auto& series : drawing.series)
    if (!series.y.empty()) out.push_back(&series);
  return out;
}

/// Finds the right-most x at which every series has a finite value.
std::optional<double> find_last_common_x(const std::vector<const SeriesData*>& all) {
  std::optional<double> last;
  for (std::size_t i = 0; i < all[0]->x.size(); ++i) {
    const double x = all[0]->x[i];
    const bool common = std::all_of(all.begin(), all.end(), [&](const SeriesData* series) {
      const auto at = std::find(series->x.begin(), series->x.end(), x);
      return at != series->x.end() &&
             std::isfinite(series->y[static_cast<std::size_t>(at - series->x.begin())]);
    });
    if (common && (!last || x > *last)) last = x;
  }
  return last;
}

/// Returns the value of each series at x, with its interval where it has a band.
std::vector<At> values_at(const std::vector<const SeriesData*>& all, double x) {
  std::vector<At> out;
  for (const auto* series : all) {
    const auto i = static_cast<std::size_t>(std::find(series->x.begin(), series->x.end(), x) -
                                            series->x.begin());
    out.push_back({.series = series, .y = series->y[i], .interval = {}});
    if (!series->low.empty()) out.back().interval = {series->low[i], series->high[i]};
  }
  return out;
}

std::string name_all(const std::vector<At>& some) {
  std::vector<std::string> words;
  for (const auto& at : some)
    words.push_back(fmt::format("{} ({})", at.series->described.label, short_number(at.y)));
  return join(words, ", ");
}

/// Summarises differences: the series whose interval excludes 0.
std::string differences_at(const std::vector<At>& all, const std::string& where) {
  std::vector<At> apart;
  std::copy_if(all.begin(), all.end(), std::back_inserter(apart),
               [](const At& at) { return at.excludes_zero(); });
  if (!all[0].interval) return fmt::format("At {}: {}.", where, name_all(all));
  if (apart.empty()) return fmt::format("At {} every interval includes 0.", where);
  if (apart.size() == all.size()) return fmt::format("At {} every interval excludes 0.", where);
  std::vector<std::string> labels;
  for (const auto& at : apart) labels.push_back(at.series->described.label);
  return fmt::format("At {} only the interval{} of {} exclude{} 0.", where,
                     apart.size() == 1 ? "" : "s", join(labels, ", "),
                     apart.size() == 1 ? "s" : "");
}

std::string summarise_lines(const Drawing& drawing) {
  const auto all = find_series_with_data(drawing);
  const auto x = find_last_common_x(all);
  if (!x) return "";
  const auto values = values_at(all, *x);
  const auto where = name_place(drawing, *x);
  // Of differences only the side of 0 counts, not which one is highest.
  if (drawing.figure.less) return differences_at(values, where);
  if (values.size() == 1) return fmt::format("At {}: {}.", where, name_all(values));
  const auto [low, high] = std::minmax_element(values.begin(), values.end(),
                                               [](const At& a, const At& b) { return a.y < b.y; });
  if (low->y == high->y) return fmt::format("At {} all are at {}.", where, short_number(low->y));
  std::string out = fmt::format("At {} {} is lowest ({}). Highest is {} ({}).", where,
                                low->series->described.label, short_number(low->y),
                                high->series->described.label, short_number(high->y));
  const auto& lowest = low->interval;
  const auto& highest = high->interval;
  if (lowest && highest)
    out += lowest->second < highest->first ? " Their intervals do not overlap."
                                           : " Their intervals overlap.";
  return out;
}

/// Names the highest bar of each series. NaN counts as lowest.
std::string summarise_bars(const Drawing& drawing) {
  std::vector<std::string> words;
  for (const auto* series : find_series_with_data(drawing)) {
    const auto highest =
        std::max_element(series->y.begin(), series->y.end(),
                         [](double a, double b) { return a < b || std::isnan(a); });
    const auto x = series->x[static_cast<std::size_t>(highest - series->y.begin())];
    words.push_back(
        fmt::format("{} is highest at {}.", series->described.label, name_place(drawing, x)));
  }
  return join(words, " ");
}

/// Names the classes that are recognised most and least often. Rows are true classes.
std::string summarise_matrix(const Drawing& drawing) {
  const auto& fractions = drawing.series[0].y;
  const auto n =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(fractions.size()))));
  const auto right = [&](std::size_t i) { return fractions[i * n + i]; };
  std::size_t most = 0, least = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (right(i) > right(most)) most = i;
    if (right(i) < right(least)) least = i;
  }
  const auto name = [&](std::size_t i) { return name_place(drawing, static_cast<double>(i + 1)); };
  if (right(most) == right(least))
    return fmt::format("Every class is recognised in {:.0f} %.", 100 * right(most));
  // The largest entry of the row that is not on the diagonal.
  std::size_t called = least == 0 ? 1 : 0;
  for (std::size_t j = 0; j < n; ++j)
    if (j != least && fractions[least * n + j] > fractions[least * n + called]) called = j;
  return fmt::format(
      "Recognised most often: {} ({:.0f} %). Least often: {} ({:.0f} %). It is most often "
      "confused with {} ({:.0f} %).",
      name(most), 100 * right(most), name(least), 100 * right(least), name(called),
      100 * fractions[least * n + called]);
}

/// Returns the median of the finite values; NaN without any.
double median(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

std::string summarise_points(const Drawing& drawing) {
  std::vector<std::string> words;
  for (const auto* series : find_series_with_data(drawing))
    words.push_back(fmt::format("Median of {}: ({}, {}).", series->described.label,
                                short_number(median(series->x)), short_number(median(series->y))));
  return join(words, " ");
}

}  // namespace

std::string summarise_figure(const Drawing& drawing) {
  if (drawing.empty()) return "";
  switch (drawing.figure.mark) {
    case Mark::Matrix:
      return summarise_matrix(drawing);
    case Mark::Points:
      return summarise_points(drawing);
    case Mark::Bars:
      return summarise_bars(drawing);
    case Mark::Line:
      break;
  }
  return drawing.figure.seeds == SeedMerge::MeanAndBand ? summarise_lines(drawing) : "";
}

}  // namespace reprise::reports
