// Descriptions of a study's tables, figures and galleries, as data. The library reports draws them.
// A field with a default may be left out.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace reprise::reports {

/// A measured quantity: the mean over seeds of `metric` in the records of (table, dataset, method).
/// Besides metrics: "parameters.NAME", "seconds.NAME" and "peak_memory_bytes" of the record.
struct Entry {
  std::string table, dataset, method, metric;
};

/// The data that values were measured on. An empty text or number is not stated.
struct DataProtocol {
  std::string set;  ///< "300-VW, category 3"
  /// Which part of the set; how items are cropped and scaled.
  std::string split = {}, framing = {};
  std::optional<std::int64_t> size = {}, count = {};  ///< pixels of a side; items tested
};

/// Whether values on both data may be compared: the same set, and no field that both state
/// differently.
bool is_same_data(const DataProtocol& one, const DataProtocol& other);
/// Lists all stated fields in their order: "300-VW, category 3, colour".
std::string data_text(const DataProtocol& data);

/// The records of one method on one data set, and its title in a table, in a legend or below a
/// picture.
struct Source {
  std::string title, table, dataset, method;
};

/// A column: one metric for every row. Without `digits` it has the table's.
struct Column {
  std::string title, metric;  ///< metric "": empty cells
  std::optional<int> digits = {};
  std::string table = {};  ///< table of the records; "" for the row's source
};

/// A grid of quantities with titled rows and columns; an empty entry is an empty cell.
/// Published values come from published.toml by (published, row, column). A value of the same data
/// stands next to ours. Other values stand in a column "published, other data".
/// The best mean of each (dataset, metric) is emphasised if the metric has a direction. Values of
/// one metric in one column must have one protocol.
struct Table {
  std::string id, title, caption = {};
  std::string corner = {};  ///< title of the row titles
  std::vector<std::string> rows = {}, columns = {};
  std::vector<std::vector<std::optional<Entry>>> entries = {};  ///< [rows][columns]
  /// Key in published.toml, "" for none.
  std::string published = {};
  /// Data of the measured values; without it no published value stands next to ours.
  std::optional<DataProtocol> data = {};
  /// Titles of trivial baselines, which are never the best of a column.
  std::set<std::string> nulls = {};
  /// Title of the reference row: every other row shows its paired difference to it; "" for none.
  std::string reference = {};
  int digits = 3;
  std::vector<int> column_digits = {};  ///< digits of each column, where they differ
  int digits_of(std::size_t column) const {
    return column_digits.empty() ? digits : column_digits.at(column);
  }
  /// Appends titles and digits of columns, or a row with their metrics, or columns and one row for
  /// each source.
  void add_columns(const std::vector<Column>& columns);
  void add_row(const Source& source, const std::vector<Column>& columns);
  void add_rows(const std::vector<Source>& sources, const std::vector<Column>& columns);
};

/// Merge of a series over seeds. MeanAndBand: the mean at the same x with its interval, or for
/// Mark::Points the mean of both coordinates. Pooled: all points. First: the first seed.
enum class SeedMerge { MeanAndBand, Pooled, First };

/// A line, point cloud or set of bars. x and y name series in curves.json. An empty x counts from
/// the figure's x_first.
/// A label that an earlier series has stands only once in the legend.
struct Series {
  std::string label, table, dataset, method, x, y;
  /// Names that series share for a colour ("LSTM") or a dash pattern ("fc6"). Both empty: the
  /// series has its own pair.
  std::string colour = {}, dash = {};
  bool star = false;  ///< marks points as stars: an upper bound
};

/// Kind of drawing. A Matrix has one series of C x C fractions: a row for each true class, a column
/// for each predicted one.
enum class Mark { Line, Points, Bars, Matrix };

struct Figure {
  std::string id, title, caption = {}, x_label = {}, y_label = {};
  Mark mark = Mark::Line;
  SeedMerge seeds = SeedMerge::MeanAndBand;
  std::vector<Series> series = {};
  /// Series that is subtracted from every other, point by point and seed by seed. Seeds without it
  /// are left out.
  std::optional<Series> less = {};
  std::optional<double> x_min = {}, x_max = {}, y_min = {}, y_max = {};
  /// x of the first point of a curve without x; 0 if the curve begins before the first epoch.
  double x_first = 1;
  /// Tick names for Bars, Matrix and lines over steps; empty: the numbers from 1.
  std::vector<std::string> x_names = {};
  bool diagonal = false;  ///< draw x + y = 1 (the saturation line)
  /// Curve of the first seed: steps at which it is not 0 are shaded.
  std::optional<Series> shade = {};
  /// Name and licence of its data; default: StudyView::data_notes of its data sets.
  std::string data = {};
  /// Appends one series for each source.
  void add_series(const std::vector<Source>& sources, const std::string& x, const std::string& y);
};

/// A picture, animation (WebP) or sound (WAV) in a cell's folder; of the first seed that has the
/// file.
struct Picture {
  std::string table, dataset, method, file, caption;
  /// Titles of the rows and columns of a sheet of equal pictures.
  std::vector<std::string> rows = {}, columns = {};
};

struct Gallery {
  std::string id, title, caption = {};
  std::vector<Picture> pictures = {};
  std::string data = {};  ///< data line, as in Figure
  /// Metric whose median seed supplies each method's pictures; "" for the first seed.
  std::string median_of = {};
  bool wide = false;  ///< whether each picture is as wide as the page: rows of animations
  /// Appends one picture for each source, with the source's title as caption.
  void add_pictures(const std::vector<Source>& sources, const std::string& file);
};

}  // namespace reprise::reports
