// A described table filled from the records, and written as Markdown, CSV, LaTeX and HTML.
//
// A cell shows mean ± half width of the 95 % interval over seeds, n, and a published value with its
// tag; of a fraction (accuracy) whose interval is not symmetric, the two ends in brackets
// (records/fractions.h). With one seed there is no interval. The remarks name what is missing. A
// published value of other data than ours stands in a separate column.
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

/// That a value was measured again on the reader's machine.
struct RerunMark {
  bool equal = true;   ///< every re-run cell has the committed bits
  bool agrees = true;  ///< equal, or within the tolerance of the regression check
  std::string title;   ///< "seed 3, auc: 0.5951, committed 0.5951, re-run"
};

struct GridCell {
  std::optional<Entry> entry;
  std::optional<records::Sample> measured;
  std::optional<PublishedFigure> published;
  /// `published` was measured on other data than the table's, or nobody says on which.
  bool other_data = false;
  std::optional<RerunMark> rerun{};
  /// To the table's reference row, seed by seed: mean and 95 % interval. Nothing without one, and
  /// with fewer than two seeds in common.
  std::optional<PairedDifference> paired{};
  bool best =
      /// Best mean of its dataset and metric, where the metric has a direction and a rival; never a
      /// bound's, nor a null row's.
      false;
  bool fewer_seeds = false;  ///< than the fullest cell of the table
};

struct Grid {
  Table table;
  std::vector<std::vector<GridCell>> cells;  ///< [rows][columns]
  /// Last rows that are bounds: methods that know more than a method may.
  std::size_t bounds = 0;
  int seeds = 0;  ///< of the fullest cell
  /// Plain text: how to read it, what is missing, which protocols.
  std::vector<std::string> remarks;
};

/// Rows of methods in `bounds` come last. UsageError: the entries are not rows x columns; a
/// reference that is no row. Error: values of one metric in one column have different protocols
/// (both named).
Grid resolve(const Table& table, const Measured& measured, const Published& published,
             const std::set<std::string>& bounds = {});

/// Marks the values that were run again. A metric that was not compared takes the mark of its
/// method.
void mark_rerun(Grid& grid, const Rerun& rerun);

/// Some rows and columns of a filled table, by their titles. UsageError: a title that the table
/// does not have; lists those that it has.
Grid selected(const Grid& grid, const std::vector<std::string>& rows,
              const std::vector<std::string>& columns);

inline constexpr const char* other_data_title = "published, other data";
/// Whether the cell has a published value that was measured on other data.
bool has_other_data(const GridCell& cell);
/// Whether such values stand in rows of their own, below the rows that they belong to: several
/// columns have some. Those of a single column stand in a column beside it.
bool has_other_data_rows(const Grid& grid);

/// A column as readers see it: the table's own, then the one of published values of other data.
struct ShownColumn {
  std::size_t of = 0;  ///< column of the grid
  bool other_data = false;
  std::string title;  ///< "AUC"; "published, other data"
};
std::vector<ShownColumn> shown_columns(const Grid& grid);

/// Ranges of columns, [first, second): each is one block of a table.
using ColumnBlocks = std::vector<std::pair<std::size_t, std::size_t>>;
/// One block where all columns fit into `room`; otherwise several with about as many columns each.
/// Every block repeats the row titles.
ColumnBlocks column_blocks(const std::vector<double>& widths, double titles, double room);

std::string markdown(const Grid& grid);
/// One line a cell, every number in full: row, column, table, dataset, method, metric, unit,
/// protocol, n, mean, half_width_95, low_95, high_95, values, best, published,
/// published_other_data, tag, published_protocol, source.
std::string csv(const Grid& grid);
/// booktabs; the head of the file names the packages it needs. No tabular is wider than the column
/// of an article, 345 pt, as far as letters tell: a wide table becomes several below each other,
/// and a long one several floats.
std::string latex(const Grid& grid);
/// The table alone; remarks and caption are the page's. A table too wide for a screen of 1280
/// pixels has its intervals below the means; one that is too wide even so becomes several below
/// each other.
Html html(const Grid& grid);

std::string escape_latex(std::string_view text);

}  // namespace reprise::reports
