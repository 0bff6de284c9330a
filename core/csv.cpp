#include "core/csv.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <memory>

#include "core/error.h"
#include "core/files.h"
#include "core/printable.h"
#include "core/text.h"

namespace reprise {
namespace {

/// Rows reported by libcsv. Its callbacks are C functions, which must not throw.
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

std::string separator_name(unsigned char separator) {
  switch (separator) {
    case ';':
      return "a semicolon";
    case '\t':
      return "a tab";
    case ',':
      return "a comma";
    default:
      return fmt::format("'{}'", static_cast<char>(separator));
  }
}

class Parser {
 public:
  /// before: number of lines of the file before the text.
  Parser(const std::string& name, char separator, std::size_t before)
      : name_(name), before_(before), free_(&parser_, &csv_free) {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0)
      throw Error("libcsv does not start", "check the installed libcsv3");
    // By default libcsv trims spaces around fields.
    csv_set_space_func(&parser_, no_space);
    csv_set_delim(&parser_, static_cast<unsigned char>(separator));
  }

  std::vector<std::vector<std::string>> rows(std::string_view text) {
    // Line by line, so that an error can name the line. A blank line is an error only if text
    // follows.
    std::size_t line = before_;
    std::size_t blank = 0;            // first blank line since the last row; 0: none
    std::size_t begun = before_ + 1;  // line on which the present row begins
    while (!text.empty()) {
      const auto size = std::min(text.find('\n'), text.size() - 1) + 1;
      const auto piece = text.substr(0, size);
      text.remove_prefix(size);
      ++line;
      const bool starts_row = !inside_;
      if (starts_row) begun = line;
      if (starts_row && (piece == "\n" || piece == "\r\n" || piece == "\r")) {
        if (blank == 0) blank = line;
        continue;
      }
      if (blank != 0) refuse(blank, "is blank", "remove the blank line");
      feed(piece, begun);
    }
    if (csv_fini(&parser_, end_of_field, end_of_row, &collected_) != 0)
      refuse(begun, "opens a quoted field that never ends",
             "close the quote; a quote inside a field is written twice");
    check_widths(begun);
    return std::move(collected_.rows);
  }

 private:
  void feed(std::string_view piece, std::size_t begun) {
    const std::size_t before = collected_.rows.size();
    if (csv_parse(&parser_, piece.data(), piece.size(), end_of_field, end_of_row, &collected_) !=
        piece.size())
      refuse(begun, "has a stray quote",
             "quote the whole field and write a quote inside it twice (RFC 4180)");
    // libcsv also ends a row at a lone carriage return. Then lines and rows no longer correspond.
    if (collected_.rows.size() > before + 1)
      refuse(begun, "contains a carriage return without a line feed",
             "end lines with a line feed, or with carriage return and line feed");
    // A line that completes no row ends inside a quoted field.
    inside_ = collected_.rows.size() == before;
    check_widths(begun);
  }

  void check_widths(std::size_t line) const {
    if (collected_.rows.empty() || collected_.rows.back().size() == collected_.rows.front().size())
      return;
    refuse(line,
           fmt::format("has {} fields; the header has {}", collected_.rows.back().size(),
                       collected_.rows.front().size()),
           fmt::format(
               "give every row one field per column ({} inside a field needs quotes around it)",
               separator_name(parser_.delim_char)));
  }

  [[noreturn]] void refuse(std::size_t line, const std::string& what,
                           const std::string& fix) const {
    throw UsageError(fmt::format("{}: line {} {}", name_, line, what), fix);
  }

  const std::string& name_;
  std::size_t before_;
  csv_parser parser_;
  std::unique_ptr<csv_parser, decltype(&csv_free)> free_;
  Collected collected_;
  bool inside_ = false;  ///< the last line ended inside a quoted field
};

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { text.push_back(static_cast<char>(value)); };
  if (code < 0x80) return byte(code);
  if (code >= 0x10000) {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
  } else if (code >= 0x800) {
    byte(0xE0 | code >> 12);
  } else {
    byte(0xC0 | code >> 6);
    return byte(0x80 | (code & 0x3F));
  }
  byte(0x80 | (code >> 6 & 0x3F));
  byte(0x80 | (code & 0x3F));
}

/// Converts UTF-16 with a byte order mark to UTF-8. UsageError: half a character or half a pair.
std::string convert_utf16(std::string_view bytes, const std::string& name) {
  const bool big = bytes.front() == '\xFE';
  const auto refuse = [&](std::size_t place) {
    throw UsageError(fmt::format("{}: the UTF-16 text breaks off at byte {}", name, place),
                     "copy the file again, or save it as CSV in UTF-8");
  };
  std::string text;
  std::uint32_t first = 0;  // first half of a surrogate pair; 0: none
  for (std::size_t i = 2; i < bytes.size(); i += 2) {
    if (i + 1 == bytes.size()) refuse(i);
    const auto high = static_cast<unsigned char>(bytes[big ? i : i + 1]);
    const auto low = static_cast<unsigned char>(bytes[big ? i + 1 : i]);
    std::uint32_t code = static_cast<std::uint32_t>(high) << 8 | low;
    // A code point above 0xFFFF is a pair: a first half in [0xD800, 0xDC00), a second in [0xDC00,
    // 0xE000).
    const bool opens = code >= 0xD800 && code < 0xDC00;
    const bool closes = code >= 0xDC00 && code < 0xE000;
    if (closes != (first != 0)) refuse(i);
    if (opens) {
      first = code;
      continue;
    }
    if (closes) code = 0x10000 + ((first - 0xD800) << 10 | (code - 0xDC00));
    first = 0;
    append_utf8(text, code);
  }
  if (first != 0) refuse(bytes.size());
  return text;
}

/// First line of the file with its line end if it is "sep=;", as written by spreadsheets; else "".
std::string_view separator_line(std::string_view text) {
  const auto line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
  auto bare = line;
  while (bare.ends_with('\n') || bare.ends_with('\r')) bare.remove_suffix(1);
  return bare.size() == 5 && bare.starts_with("sep=") &&
                 std::string_view(",;\t|").find(bare[4]) != std::string_view::npos
             ? line
             : "";
}

/// Separator given by a line "sep=;", or found in the header: a comma, else a semicolon, else a
/// tab.
char detect_separator(std::string_view text) {
  if (const auto line = separator_line(text); !line.empty()) return line[4];
  bool quoted = false, semicolon = false, tab = false;
  for (const char c : text.substr(0, text.find('\n'))) {
    quoted ^= c == '"';
    if (quoted) continue;
    if (c == ',') return c;
    semicolon |= c == ';';
    tab |= c == '\t';
  }
  // A comma has returned already, so it takes precedence over both.
  if (semicolon) return ';';
  return tab ? '\t' : ',';
}

/// Whether a field is a list of numbers separated by spaces, such as the values of seeds.
bool is_list_of_numbers(std::string_view field) {
  while (true) {
    const auto end = std::min(field.find(' '), field.size());
    if (!finite_number(field.substr(0, end))) return false;
    if (end == field.size()) return true;
    field.remove_prefix(end + 1);
  }
}

/// Whether a spreadsheet would treat the field as a formula.
bool looks_like_formula(std::string_view field) {
  constexpr std::string_view signs = "=+-@\t\r";
  return !field.empty() && signs.find(field.front()) != signs.npos && field != "-" &&
         field != "+" && !is_list_of_numbers(field);
}

bool needs_apostrophe(std::string_view field) {
  return looks_like_formula(field.substr(std::min(field.find_first_not_of('\''), field.size())));
}

/// Removes the apostrophe that csv_line() adds.
std::string_view strip_apostrophe(std::string_view field) {
  return field.starts_with('\'') && needs_apostrophe(field) ? field.substr(1) : field;
}

}  // namespace

std::size_t CsvTable::column(std::string_view title) const {
  const auto found = std::find(header.begin(), header.end(), title);
  if (found == header.end()) {
    const std::string near = find_nearest(title, header);
    throw UsageError(fmt::format("{}: there is no column '{}'; {}", name, title, layout()),
                     near.empty() ? "rename or add the column"
                                  : fmt::format("rename the column '{}' if it is the right one",
                                                printable(near)));
  }
  // A title that occurs twice would silently select the first column.
  if (std::find(found + 1, header.end(), title) != header.end())
    throw UsageError(fmt::format("{}: two columns are called '{}'", name, title),
                     "give every column its own title");
  return static_cast<std::size_t>(found - header.begin());
}

std::string CsvTable::layout() const {
  std::vector<std::string> titles;
  for (const auto& title : header) titles.push_back("'" + printable(title) + "'");
  return fmt::format("its columns are {} (separated by {}, {})", first_few(titles, 12),
                     separator_name(static_cast<unsigned char>(separator)), encoding);
}

CsvTable parse_csv(std::string_view text, const std::string& name) {
  CsvTable table{.name = name, .header = {}, .rows = {}};
  std::string decoded;
  // Spreadsheets put a byte order mark before the first title.
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  } else if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    table.encoding = text.front() == '\xFF' ? "UTF-16, little-endian" : "UTF-16, big-endian";
    decoded = convert_utf16(text, name);
    text = decoded;
  }
  if (text.find('\0') != text.npos)
    throw UsageError(
        name +
            ": the file contains NUL bytes: its encoding is not UTF-8, perhaps UTF-16 or UTF-32 "
            "without a mark, or it is no table",
        "save it as CSV in UTF-8");
  table.separator = detect_separator(text);
  if (const auto line = separator_line(text); !line.empty()) {
    text.remove_prefix(line.size());
    ++table.header_line;
  }
  auto rows = Parser(name, table.separator, table.header_line - 1).rows(text);
  if (rows.empty())
    throw UsageError(name + ": there is no header line", "put the column titles on the first line");
  // The writer protects fields from spreadsheets; readers get the original text back.
  for (auto& row : rows)
    for (auto& field : row)
      if (const auto bare = strip_apostrophe(field); bare.size() != field.size())
        field = std::string(bare);
  table.header = std::move(rows.front());
  rows.erase(rows.begin());
  table.rows = std::move(rows);
  return table;
}

CsvTable read_csv(const std::filesystem::path& path) {
  return parse_csv(read_file(path), path.string());
}

std::optional<double> finite_number(std::string_view cell) {
  // from_chars accepts no plus sign. Two signs are no number.
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

double csv_number(const CsvTable& table, std::size_t row, std::size_t column) {
  const std::string& cell = table.rows.at(row).at(column);
  if (const auto value = finite_number(cell)) return *value;
  throw UsageError(
      fmt::format("{}: line {}, column '{}': '{}' is not a finite number", table.name,
                  table.line(row), printable(table.header.at(column)), printable(cell)),
      "write a decimal number such as 12.5 or 1e-3, with a point and without spaces around it");
}

bool is_not_measured(std::string_view cell) {
  if (cell.size() > 1 && (cell.starts_with('-') || cell.starts_with('+'))) cell.remove_prefix(1);
  const auto lower = to_lower(std::string(cell));
  constexpr std::array<std::string_view, 14> spellings{
      "",          "na",     "n/a",     "#n/a",  "<na>", "nan",  "nan(ind)",
      "nan(snan)", "1.#ind", "1.#qnan", "#num!", "null", "none", "missing"};
  return std::ranges::find(spellings, lower) != spellings.end();
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    std::string_view field = fields[i];
    std::string marked;
    if (needs_apostrophe(field)) field = marked = "'" + fields[i];
    // A single empty field is quoted, or its line would be blank.
    const bool quoted = field.find_first_of(",\"\r\n") != std::string_view::npos ||
                        (fields.size() == 1 && field.empty());
    if (!quoted) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  return line;
}

}  // namespace reprise
