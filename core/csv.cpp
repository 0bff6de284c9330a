#include "core/csv.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"

namespace reprise {
namespace {

/// Rows as libcsv reports them. Its callbacks are C: they note, and never throw.
struct Collected {
  std::vector<std::string> fields;
  std::vector<std::vector<std::string>> rows;
};

void end_of_field(void* text, std::size_t size, void* collected) {
  static_cast<Collected*>(collected)->fields.emplace_back(static_cast<const char*>(text), size);
}

void end_of_row(int, void* collected) {
  auto* all = static_cast<Collected*>(collected);
  const std::size_t width = all->fields.size();
  all->rows.push_back(std::move(all->fields));
  all->fields.clear();
  all->fields.reserve(width);
}

/// RFC 4180: spaces are part of a field.
int no_space(unsigned char) { return 0; }

class Parser {
 public:
  explicit Parser(const std::string& name) : name_(name), free_(&parser_, &csv_free) {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw Error("libcsv does not start", "check the installed libcsv3");
    csv_set_space_func(&parser_, no_space);
  }

  std::vector<std::vector<std::string>> rows(std::string_view text) {
    std::size_t line = 0, blank = 0, begun = 1;
    while (!text.empty()) {
      const auto size = std::min(text.find('\n'), text.size() - 1) + 1;
      const auto piece = text.substr(0, size);
      text.remove_prefix(size);
      ++line;
      const bool fresh = !inside_;
      if (fresh) begun = line;
      if (fresh && (piece == "\n" || piece == "\r\n" || piece == "\r")) {
        if (blank == 0) blank = line;
        continue;
      }
      if (blank != 0) refuse(blank, "is blank", "remove the blank line");
      feed(piece, begun);
    }
    if (csv_fini(&parser_, end_of_field, end_of_row, &collected_) != 0)
      refuse(begun, "opens a quoted field that never ends", "close the quote; a quote inside a field is written twice");
    check_widths(begun);
    return std::move(collected_.rows);
  }

 private:
  void feed(std::string_view piece, std::size_t begun) {
    const std::size_t before = collected_.rows.size();
    if (csv_parse(&parser_, piece.data(), piece.size(), end_of_field, end_of_row, &collected_) != piece.size())
      refuse(begun, "has a stray quote", "quote the whole field and write a quote inside it twice (RFC 4180)");
    if (collected_.rows.size() > before + 1)
      refuse(begun, "holds a carriage return without a line feed", "end lines with a line feed, or with carriage return and line feed");
    inside_ = collected_.rows.size() == before;
    check_widths(begun);
  }

  void check_widths(std::size_t line) const {
    if (collected_.rows.empty() || collected_.rows.back().size() == collected_.rows.front().size()) return;
    refuse(line, fmt::format("has {} fields; the header has {}", collected_.rows.back().size(), collected_.rows.front().size()),
           "give every row one field a column (a comma inside a field needs quotes around it)");
  }

  [[noreturn]] void refuse(std::size_t line, const std::string& what, const std::string& fix) const {
    throw UsageError(fmt::format("{}: line {} {}", name_, line, what), fix);
  }

  const std::string& name_;
  csv_parser parser_;
  std::unique_ptr<csv_parser, decltype(&csv_free)> free_;
  Collected collected_;
  bool inside_ = false;  ///< the last line ended inside a quoted field
};

}  // namespace

std::size_t CsvTable::column(std::string_view title) const {
  const auto found = std::find(header.begin(), header.end(), title);
  if (found == header.end()) {
    const std::string near = nearest(title, header);
    throw UsageError(fmt::format("{}: there is no column '{}'; the columns are {}", name, title, first_few(header, 12)),
                     near.empty() ? "rename or add the column" : fmt::format("rename the column '{}' if it is the one meant", near));
  }
  if (std::find(found + 1, header.end(), title) != header.end())
    throw UsageError(fmt::format("{}: two columns are called '{}'", name, title), "give every column its own title");
  return static_cast<std::size_t>(found - header.begin());
}

CsvTable parse_csv(std::string_view text, const std::string& name) {
  // Spreadsheets put a byte order mark before the first title.
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  auto rows = Parser(name).rows(text);
  if (rows.empty()) throw UsageError(name + ": there is no header line", "put the column titles on the first line");
  CsvTable table{.name = name, .header = std::move(rows.front()), .rows = {}};
  rows.erase(rows.begin());
  table.rows = std::move(rows);
  return table;
}

CsvTable read_csv(const std::filesystem::path& path) { return parse_csv(read_file(path), path.string()); }

double csv_number(const CsvTable& table, std::size_t row, std::size_t column) {
  const std::string& cell = table.rows.at(row).at(column);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    throw UsageError(
        fmt::format("{}: line {}, column '{}': '{}' is not a finite number", table.name, table.line(row), table.header.at(column), cell),
        "write a decimal number such as 12.5 or 1e-3, without spaces around it");
  return value;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    // A single empty field is quoted, or its line would be blank.
    const bool quoted = fields[i].find_first_of(",\"\r\n") != std::string::npos || (fields.size() == 1 && fields[i].empty());
    if (!quoted) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (const char c : fields[i]) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  return line;
}

}  // namespace reprise
