// A described table filled from the records, and written as Markdown, CSV, LaTeX and HTML.
//
// A cell shows mean ± half width of the 95 % interval over seeds, n, and the published value with its tag; of a fraction (accuracy) whose
// interval is not its middle's, the two ends in brackets (records/fractions.h). With one seed there is no interval. What is missing is empty and said so in the remarks below the table.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "reports/describe.h"
#include "reports/html.h"
#include "reports/measured.h"
#include "reports/published.h"

namespace reprise::reports {

struct GridCell {
  std::optional<Entry> entry;
  std::optional<records::Sample> measured;
  std::optional<PublishedFigure> published;
  bool best = false;         ///< best mean of its dataset and metric, where the metric has a direction and a rival
  bool fewer_seeds = false;  ///< than the fullest cell of the table
};

struct Grid {
  Table table;
  std::vector<std::vector<GridCell>> cells;  ///< [rows][columns]
  int seeds = 0;                             ///< of the fullest cell
  std::vector<std::string> remarks;          ///< plain text: how to read it, what is missing, which protocols
};

/// UsageError: the entries are not rows x columns. Error: values of one metric in one column have different protocols (both named).
Grid resolve(const Table& table, const Measured& measured, const Published& published);

std::string markdown(const Grid& grid);
/// One line a cell, every number in full: row, column, table, dataset, method, metric, unit, protocol, n, mean, half_width_95, low_95, high_95,
/// values, best, published, tag, published_protocol, source.
std::string csv(const Grid& grid);
/// booktabs; the head of the file names the packages it needs.
std::string latex(const Grid& grid);
/// The <table> alone; remarks and caption are the page's.
Html html(const Grid& grid);

std::string escape_latex(std::string_view text);
/// For a cell of a Markdown table: | and line ends, and what Markdown or HTML would read as markup.
std::string escape_markdown(std::string_view text);

}  // namespace reprise::reports
