// A described figure filled from the records' curves, and drawn by gnuplot as SVG and PDF, with the
// data beside them as CSV.
//
// How the seeds of a series become one:
//   MeanAndBand  point by point the mean and its 95 % interval (Student t over seeds); cut at the shortest seed. Of a figure with `less`
//                both are of the differences, seed by seed
//   Pooled       the points of all seeds together
//   First        the first seed that has the series
// The SVG follows the reader's light or dark setting; its colours can be told apart by the
// colour-blind. Same data give the same bytes with the same gnuplot: nothing in them depends on the
// time, the place or the run.
#pragma once
#include <string>
#include <vector>

#include "reports/describe.h"
#include "reports/measured.h"

namespace reprise::reports {

struct DrawnSeries {
  Series described;
  std::vector<double> x, y;
  /// The band; empty where there is none (one seed, Pooled, First).
  std::vector<double> low, high;
  std::vector<std::int64_t> seeds;  ///< that have the series; empty: no data
};

struct Drawing {
  Figure figure;
  std::vector<DrawnSeries> series;
  std::vector<double> shaded{};  ///< steps, of Figure::shade
  /// Plain text: what the line and the band are, which series lack data.
  std::vector<std::string> remarks;
  bool empty() const;  ///< no series has data
};

/// A value that is no number (a NaN that training met) leaves a gap; a series without any number
/// has no data. Error: x and y of a series differ in length, or MeanAndBand finds different x in
/// different seeds (cell and series named). UsageError: x_names that are not as many as the bars.
Drawing collect(const Figure& figure, const Measured& measured);

/// series, table, dataset, method, seeds, x, y, low, high; every number in full, an empty field for
/// what is no number.
std::string csv(const Drawing& drawing);

struct Drawn {
  std::string svg, pdf;
};

/// Error: gnuplot is not installed (the package is named), or does not draw this (its own words are
/// given). The drawing must not be empty.
Drawn draw(const Drawing& drawing);

}  // namespace reprise::reports
