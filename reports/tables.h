// A described table filled from the records, and its Markdown, CSV, LaTeX and HTML.
//
// A cell shows the mean ± half width of the 95 % interval over seeds, n, and a published value with
// its tag. An asymmetric interval of a fraction is shown by its ends in brackets
// (records/fractions.h). One seed has no interval.
// The remarks name missing values. Published values of other data stand in a separate column.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reports/describe.h"
#include "reports/html.h"
#include "reports/measured.h"
#include "reports/published.h"
#include "reports/rerun.h"

namespace reprise::reports {

struct PairedDifference {
  double mean = 0, low = 0, high = 0;
};

/// Mark of a value that was measured again on the reader's machine.
struct RerunMark {
  bool equal = true;   ///< every re-run cell has the committed bits
  bool agrees = true;  ///< equal, or within the tolerance of the regression check
  std::string title;   ///< re-run values: "auc: 0.5951, committed 0.5951, re-run"
};

struct GridCell {
  std::optional<Entry> entry;
  std::optional<records::Sample> measured;
  std::optional<PublishedFigure> published;
  /// Whether `published` was measured on other data than the table's, or on unknown data.
  bool other_data = false;
  std::optional<RerunMark> rerun{};
  /// Paired difference to the table's reference row with its 95 % interval. Nothing without a
  /// reference row or with fewer than two common seeds.
  std::optional<PairedDifference> paired{};
  /// Best mean of its dataset and metric, if the metric has a direction and a rival. Never a bound
  /// or a trivial baseline.
  bool best = false;
  bool fewer_seeds = false;  ///< whether it has fewer seeds than the fullest cell
};

struct Grid {
  Table table;
  std::vector<std::vector<GridCell>> cells;  ///< [rows][columns]
  /// Last rows that are bounds: methods that know more than a method may.
  std::size_t bounds = 0;
  int seeds = 0;  ///< seeds of the fullest cell
  /// Plain text: how to read the table, missing values, protocols.
  std::vector<std::string> remarks;
};

/// Fills a table; rows of methods in `bounds` come last.
/// UsageError: the entries are not rows x columns; the reference is no row. Error: values of one
/// metric in one column have different protocols (both named).
Grid resolve(const Table& table, const Measured& measured, const Published& published,
             const std::set<std::string>& bounds = {});

/// Marks the values that were run again. A metric that was not compared takes the mark of its
/// method.
void mark_rerun(Grid& grid, const Rerun& rerun);

/// Selects rows and columns of a filled table by their titles. UsageError: a title is unknown;
/// lists the known ones.
Grid select_part(const Grid& grid, const std::vector<std::string>& rows,
                 const std::vector<std::string>& columns);

inline constexpr const char* other_data_title = "published, other data";
/// Whether the cell has a published value that was measured on other data.
bool has_other_data(const GridCell& cell);
/// Whether values of other data have rows of their own, because several columns have some. The
/// values of a single column are in a column after it.
bool has_other_data_rows(const Grid& grid);

/// A column as readers see it: the table's own, or published values of other data.
struct ShownColumn {
  std::size_t of = 0;  ///< column of the grid
  bool other_data = false;
  std::string title;  ///< "AUC"; "published, other data"
};
std::vector<ShownColumn> shown_columns(const Grid& grid);

/// Ranges of columns, [first, second): each is a block of a table.
using ColumnBlocks = std::vector<std::pair<std::size_t, std::size_t>>;
/// Splits columns into blocks with about equally many columns, each at most `width` wide. Every
/// block repeats the row titles.
ColumnBlocks column_blocks(const std::vector<double>& widths, double titles, double width);

std::string markdown(const Grid& grid);
/// Returns one line per cell with complete numbers. The columns are:
///   - row, column, table, dataset, method, metric, unit, protocol;
///   - n, mean, half_width_95, low_95, high_95, values, best;
///   - published, published_other_data, tag, published_protocol, source.
std::string csv(const Grid& grid);
/// Returns LaTeX with booktabs; the head names the required packages.
/// Each tabular fits into the column of an article, 345 pt, by an estimate of letter widths. A wide
/// table becomes several tabulars, a long one several floats.
std::string latex(const Grid& grid);
/// Returns the table without remarks and caption. A table wider than a screen of 1280 pixels has
/// its intervals below the means. If that is too wide, it becomes several tables.
Html html(const Grid& grid);

std::string escape_latex(std::string_view text);

}  // namespace reprise::reports
