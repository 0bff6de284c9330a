// CSV files, strictly as in RFC 4180, of any width (a wrapper of libcsv).
//
// Two forms of spreadsheets are read too:
//   - fields separated by semicolons or tabs: the header has no comma, or the first line is "sep=;"
//   - UTF-16 with a byte order mark
//
// A field that a spreadsheet would execute as a formula is written with a leading apostrophe, which
// the reader removes.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

struct CsvTable {
  std::string name;  ///< name of the file, for messages
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< one field per column
  char separator = ',';
  std::string encoding = "UTF-8";
  std::size_t header_line = 1;
  /// Index of a column. UsageError: no such column (lists all columns).
  std::size_t column(std::string_view title) const;
  /// Line of row `row` in the file, counted from 1. Right if no field contains a line break.
  std::size_t line(std::size_t row) const { return header_line + row + 1; }
  /// Description for messages: "its columns are 'a', 'b' (separated by commas, UTF-8)".
  std::string layout() const;
};

/// Parse a table. UsageError: no header; a row of another width, or a stray quote (names the line);
/// a NUL byte; an unsupported encoding.
CsvTable parse_csv(std::string_view text, const std::string& name);
CsvTable read_csv(const std::filesystem::path& path);

/// Finite number in a cell, with or without a sign; empty for any other content.
std::optional<double> finite_number(std::string_view cell);

/// Finite number in a cell. UsageError: any other content (names file, line and column).
double csv_number(const CsvTable& table, std::size_t row, std::size_t column);

/// Whether a cell marks a missing value: empty, or a spelling of pandas, R, spreadsheets or C.
/// These are NA, N/A, #N/A, nan, -nan(ind), null and none.
bool is_not_measured(std::string_view cell);

/// One line of CSV without the line end. Fields are quoted as in RFC 4180. Fields that start with
/// = + - @ tab or return get a leading apostrophe, unless they are numbers.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace reprise
