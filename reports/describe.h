// What a study shows: tables, figures and galleries, described as data. The library reports draws
// them. Whatever has a default here may be left out of a description.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace reprise::reports {

/// One measured quantity: the mean over seeds of `metric` in the records of (table, dataset,
/// method). Besides metrics: "parameters.NAME" and "seconds.NAME" of the record, and
/// "peak_memory_bytes".
struct Entry {
  std::string table, dataset, method, metric;
};

/// The data that values were measured on. A text that is "" and a number that is left out are not
/// stated.
struct DataProtocol {
  std::string set;  ///< "300-VW, category 3"
  /// Which part of the set; how items are cropped and scaled.
  std::string split = {}, framing = {};
  std::optional<std::int64_t> size = {}, count = {};  ///< pixels of a side; items tested
};

/// Whether values on both may be compared: the same set, and equal in everything else that both
/// state.
bool is_same_data(const DataProtocol& one, const DataProtocol& other);
/// "300-VW, category 3; 68 clips": all that is stated, in the order of the fields.
std::string data_text(const DataProtocol& data);

/// The records of one method on one data set, and its title in a table, in a legend or below a
/// picture.
struct Source {
  std::string title, table, dataset, method;
};

/// A metric that each row of a table shows; without digits, with the table's.
struct Column {
  std::string title, metric;  ///< metric "": empty cells
  std::optional<int> digits = {};
  std::string table = {};  ///< of the records, where it is not that of the row's source
};

/// A grid of quantities. Rows and columns are titled; an empty entry is an empty cell of the table.
/// Published values are looked up in published.toml by (published, row, column). One that was
/// measured on the table's data stands next to ours; any other stands in a separate column,
/// "published, other data". The best mean of each (dataset, metric) is emphasised where the metric
/// has a direction. Values of one metric in one column must be of one protocol.
struct Table {
  std::string id, title, caption = {};
  std::string corner = {};  ///< title of the row titles
  std::vector<std::string> rows = {}, columns = {};
  std::vector<std::vector<std::optional<Entry>>> entries = {};  ///< [rows][columns]
  /// Key in published.toml, "" for none.
  std::string published = {};
  /// Of its measured values; without it no published value stands next to ours.
  std::optional<DataProtocol> data = {};
  /// Rows that know nothing, which is no merit: never the best of a column.
  std::set<std::string> nulls = {};
  /// A row that all others are compared with: each shows its paired difference to it, "" for none.
  std::string reference = {};
  int digits = 3;
  std::vector<int> column_digits = {};  ///< where the columns differ; as many as columns
  int digits_of(std::size_t column) const {
    return column_digits.empty() ? digits : column_digits.at(column);
  }
  /// Append titles and digits of columns, a row with the metrics of the columns, or columns and one
  /// such row for each source.
  void add_columns(const std::vector<Column>& columns);
  void add_row(const Source& source, const std::vector<Column>& columns);
  void add_rows(const std::vector<Source>& sources, const std::vector<Column>& columns);
};

/// How the series of several seeds become one. MeanAndBand: the mean over seeds at the same x, with
/// its interval; of Points the mean of both coordinates, without.
enum class Seeds { MeanAndBand, Pooled, First };

/// One line, point cloud or set of bars. x and y name series in curves.json; x empty: 1, 2, 3, ...
/// or from the figure's x_first on. A label that an earlier series has stands once in the legend: a
/// line, and a point that belongs to it.
struct Series {
  std::string label, table, dataset, method, x, y;
  /// Series with the same `colour` name share a colour, with the same `dash` name a dash pattern
  /// ("LSTM", "fc6"): many lines stay readable. Both empty: every series has its own pair.
  std::string colour = {}, dash = {};
  bool star = false;  ///< its points are stars: what can be reached
};

/// Matrix: the one series holds C x C shares, row after row: a row for each true class, a column
/// for each predicted one.
enum class Mark { Line, Points, Bars, Matrix };

struct Figure {
  std::string id, title, caption = {}, x_label = {}, y_label = {};
  Mark mark = Mark::Line;
  Seeds seeds = Seeds::MeanAndBand;
  std::vector<Series> series = {};
  /// Subtracted from every series, point by point, seed by seed: what seeds have in common goes. A
  /// seed without it is left out.
  std::optional<Series> less = {};
  std::optional<double> x_min = {}, x_max = {}, y_min = {}, y_max = {};
  /// Of the first point of a curve without x: 0 where it begins before the first epoch.
  double x_first = 1;
  /// Tick names for Bars, Matrix and lines over steps, when they are not 1, 2, 3, ...
  std::vector<std::string> x_names = {};
  bool diagonal = false;  ///< draw x + y = 1 (the saturation line)
  /// Steps 1, 2, 3, ... at which this curve of its first seed is not 0 are shaded.
  std::optional<Series> shade = {};
  /// Name and licence of its data; default: StudyView::data_notes of its data sets.
  std::string data = {};
  /// Appends one series for each source.
  void add_series(const std::vector<Source>& sources, const std::string& x, const std::string& y);
};

/// A picture, an animation (WebP) or a sound (WAV) that a cell left in its folder (first seed with
/// the file).
struct Picture {
  std::string table, dataset, method, file, caption;
  /// What stands beside and above a sheet of equal rows and columns.
  std::vector<std::string> rows = {}, columns = {};
};

struct Gallery {
  std::string id, title, caption = {};
  std::vector<Picture> pictures = {};
  std::string data = {};  ///< as of a figure
  /// Metric whose median picks the seed that each method's pictures are of; "": the first seed.
  std::string median_of = {};
  bool wide = false;  ///< each picture as wide as the page: rows of animations
  /// Appends one picture for each source, whose title is the caption.
  void add_pictures(const std::vector<Source>& sources, const std::string& file);
};

}  // namespace reprise::reports
