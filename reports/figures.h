// Data of a described figure, collected from the records' curves; its drawing as SVG and PDF by
// gnuplot; its data as CSV.
//
// How the seeds of a series are merged:
//   - MeanAndBand: point by point the mean and its 95 % interval (Student t over seeds), up to the
//     length of the shortest seed. In a figure with `less` both are of the paired differences.
//   - Pooled: the points of all seeds together.
//   - First: the first seed that has the series.
//
// The SVG follows the reader's light or dark setting. The colour-blind can tell its colours apart.
// The same data and gnuplot give the same bytes.
#pragma once
#include <string>
#include <vector>

#include "reports/describe.h"
#include "reports/measured.h"

namespace reprise::reports {

struct SeriesData {
  Series described;
  std::vector<double> x, y;
  /// The band; empty where there is none (one seed, Pooled, First).
  std::vector<double> low, high;
  std::vector<std::int64_t> seeds;  ///< seeds that have the series; empty: no data
};

struct Drawing {
  Figure figure;
  std::vector<SeriesData> series;
  std::vector<double> shaded{};  ///< steps that Figure::shade marks
  /// Plain text: meaning of line and band, and series without data.
  std::vector<std::string> remarks;
  bool empty() const;  ///< whether no series has data
};

/// Collects the data of a figure. A NaN leaves a gap; a series without any number has no data.
/// Error: x and y differ in length, or MeanAndBand finds different x in different seeds.
/// UsageError: there are more bars than x_names.
Drawing collect(const Figure& figure, const Measured& measured);

/// Returns the columns series, table, dataset, method, seeds, x, y, low, high. Numbers are
/// complete; a field that is not finite is empty.
std::string csv(const Drawing& drawing);

struct FigureFiles {
  std::string svg, pdf;
};

/// Draws a figure that is not empty. Error: gnuplot is missing (names the package) or fails (quotes
/// its message).
FigureFiles draw(const Drawing& drawing);

}  // namespace reprise::reports
