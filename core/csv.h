// CSV as RFC 4180 has it, strict, of any width (libcsv, wrapped once).
//
// Read too: fields separated by semicolons or tabs, where the title line has no comma or a first
// line "sep=;" says so; UTF-16 with its byte order mark. A cell that a spreadsheet would run as a
// formula is written with an apostrophe before it, which is taken off when it is read.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

struct CsvTable {
  std::string name;  ///< the file, for messages
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< each as wide as the header
  char separator = ',';
  std::string encoding = "UTF-8";
  std::size_t header_line = 1;
  /// Index of a column. UsageError: lists the columns there are.
  std::size_t column(std::string_view title) const;
  /// Line of the file on which row `row` stands, counted from 1, when no field holds a line break.
  std::size_t line(std::size_t row) const { return header_line + row + 1; }
  /// "its columns are 'a', 'b' (separated by commas, UTF-8)": for errors about columns.
  std::string layout() const;
};

/// UsageError: no header; a row narrower or wider than the header (its line is named); a stray
/// quote (line named); a NUL byte, or bytes of an encoding that is not read.
CsvTable parse_csv(std::string_view text, const std::string& name);
CsvTable read_csv(const std::filesystem::path& path);

/// The finite number that fills a cell, with or without a sign; nothing where there is none.
std::optional<double> finite_number(std::string_view cell);

/// Finite number in a cell. UsageError: names file, line and column.
double csv_number(const CsvTable& table, std::size_t row, std::size_t column);

/// Whether a cell says that nothing was measured: empty, or one of the spellings of pandas, R,
/// spreadsheets and C: NA, N/A, #N/A, nan, -nan(ind), null, none.
bool is_not_measured(std::string_view cell);

/// One CSV line (no line end), fields quoted where RFC 4180 asks for it. A field that begins with =
/// + - @ tab or return and is not a number gets an apostrophe before it: spreadsheets take it for a
/// formula otherwise.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace reprise
