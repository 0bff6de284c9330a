// CSV as RFC 4180 has it, strict, of any width (libcsv, wrapped once).
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

struct CsvTable {
  std::string name;  ///< the file, for messages
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< each as wide as the header
  /// Index of a column. UsageError: lists the columns there are.
  std::size_t column(std::string_view title) const;
  /// Line of the file on which row `row` stands, counted from 1 (header is line 1), when no field holds a line break.
  std::size_t line(std::size_t row) const { return row + 2; }
};

/// UsageError: no header; a row narrower or wider than the header (its line is named); a stray quote (line named).
CsvTable parse_csv(std::string_view text, const std::string& name);
CsvTable read_csv(const std::filesystem::path& path);

/// Finite number in a cell. UsageError: names file, line and column.
double csv_number(const CsvTable& table, std::size_t row, std::size_t column);

/// One CSV line (no line end), fields quoted where RFC 4180 asks for it.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace reprise
