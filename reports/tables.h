// A described table filled from the records, and written as Markdown, CSV, LaTeX and HTML.
//
// A cell shows mean ± half width of the 95 % interval over seeds, n, and the published value with its tag; of a fraction (accuracy) whose
// interval is not its middle's, the two ends in brackets (records/fractions.h). With one seed there is no interval. What is missing is empty and said so in the remarks below the table.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reports/describe.h"
#include "reports/html.h"
#include "reports/measured.h"
#include "reports/published.h"

namespace reprise::reports {

struct PairedDifference {
  double mean = 0, low = 0, high = 0;
};

struct GridCell {
  std::optional<Entry> entry;
  std::optional<records::Sample> measured;
  std::optional<PublishedFigure> published;
  /// To the table's reference row, seed by seed: mean and 95 % interval. Nothing without one, and with fewer than two seeds in common.
  std::optional<PairedDifference> paired{};
  bool best =
      false;  ///< best mean of its dataset and metric, where the metric has a direction and a rival; never a bound's, nor a null row's
  bool fewer_seeds = false;  ///< than the fullest cell of the table
};

struct Grid {
  Table table;
  std::vector<std::vector<GridCell>> cells;  ///< [rows][columns]
  std::size_t bounds = 0;                    ///< last rows that are bounds: methods that know more than a method may
  int seeds = 0;                             ///< of the fullest cell
  std::vector<std::string> remarks;          ///< plain text: how to read it, what is missing, which protocols
};

/// Rows of methods in `bounds` come last. UsageError: the entries are not rows x columns; a reference that is no row. Error: values of one metric in one column have different protocols (both named).
Grid resolve(const Table& table, const Measured& measured, const Published& published, const std::set<std::string>& bounds = {});

std::string markdown(const Grid& grid);
/// One line a cell, every number in full: row, column, table, dataset, method, metric, unit, protocol, n, mean, half_width_95, low_95, high_95,
/// values, best, published, tag, published_protocol, source.
std::string csv(const Grid& grid);
/// booktabs; the head of the file names the packages it needs.
std::string latex(const Grid& grid);
/// The table alone, or several below each other where a screen of 1280 pixels would cut its columns off; remarks and caption are the page's.
Html html(const Grid& grid);

std::string escape_latex(std::string_view text);

}  // namespace reprise::reports
