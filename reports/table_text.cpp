// A filled table as Markdown, CSV and LaTeX.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "core/csv.h"
#include "core/markdown.h"
#include "core/replace.h"
#include "core/text.h"
#include "reports/tables.h"

namespace reprise::reports {
namespace {

std::string markdown_published(const PublishedFigure& figure) {
  return fmt::format("{}{} [{}]", number_text(*figure.value),
                     figure.tag == Tag::Unverified ? " unverified" : "", tag_text(figure.tag));
}

std::string markdown_cell(const GridCell& cell, int digits) {
  std::string text;
  if (cell.measured) {
    const auto& m = *cell.measured;
    text = format_fixed(m.mean, digits);
    if (const auto spread = spread_text(m, digits); !spread.empty())
      text += " " + escape_markdown(spread);
    if (cell.best) text = "**" + text + "**";
    text += fmt::format(" (n {}{})", m.values.size(), cell.fewer_seeds ? "†" : "");
  } else if (cell.entry) {
    text = "no data";
  }
  if (cell.published && cell.published->value && !cell.other_data)
    text += (text.empty() ? "published " : "<br>published ") + markdown_published(*cell.published);
  return text;
}

/// Writes a formatted number for LaTeX: its narrow spaces, its minus sign and "<".
std::string latex_number(std::string text) {
  text = replace_all(std::move(text), "\u202F", "\\,");
  text = replace_all(std::move(text), "<", "${<}$");
  return replace_all(std::move(text), "\u2212", "$-$");
}

std::string latex_measured(const GridCell& cell, int digits) {
  if (!cell.measured) return cell.entry ? "\\textcolor{gray}{no data}" : "";
  const auto& m = *cell.measured;
  std::string text = latex_number(format_fixed(m.mean, digits));
  if (cell.best) text = "\\textbf{" + text + "}";
  if (m.half_width)
    text += " {\\scriptsize$\\pm$" + latex_number(format_half_width(*m.half_width, digits)) + "}";
  else if (m.interval)
    text += " {\\scriptsize{}" + latex_number(spread_text(m, digits)) + "}";
  return text + fmt::format(" {{\\tiny n{}{}}}", m.values.size(), cell.fewer_seeds ? "\\dag" : "");
}

/// Returns the published value of a cell. `other_data`: only a value of other data, else only a
/// value of the table's data.
std::string latex_published(const GridCell& cell, bool other_data) {
  if (!cell.published || !cell.published->value || cell.other_data != other_data) return "";
  const auto& figure = *cell.published;
  const bool unverified = figure.tag == Tag::Unverified;
  const std::string text = number_text(*figure.value) + " {\\tiny " +
                           std::string(tag_text(figure.tag)) + (unverified ? " unverified}" : "}");
  return unverified || other_data ? "\\textcolor{gray}{" + text + "}" : text;
}

std::vector<std::string> csv_cell(const Grid& grid, std::size_t row, std::size_t column) {
  const auto& cell = grid.cells[row][column];
  std::vector<std::string> fields = {grid.table.rows[row], grid.table.columns[column]};
  // A cell with a published value alone has empty names of a measured quantity.
  const Entry entry = cell.entry.value_or(Entry{});
  fields.insert(fields.end(), {entry.table, entry.dataset, entry.method, entry.metric});
  if (cell.measured) {
    const auto& m = *cell.measured;
    std::vector<std::string> values;
    for (const double value : m.values) values.push_back(number_text(value));
    fields.insert(fields.end(),
                  {m.unit, m.protocol, std::to_string(m.values.size()), number_text(m.mean),
                   m.half_width ? number_text(*m.half_width) : "",
                   m.interval ? number_text(m.interval->low) : "",
                   m.interval ? number_text(m.interval->high) : "", join(values, " "),
                   cell.best ? "1" : "0"});
  } else {
    fields.insert(fields.end(), {"", "", "0", "", "", "", "", "", "0"});
  }
  if (cell.published) {
    const auto& figure = *cell.published;
    const auto value = figure.value ? number_text(*figure.value) : "";
    fields.insert(fields.end(),
                  {cell.other_data ? "" : value, cell.other_data ? value : "",
                   std::string(tag_text(figure.tag)), figure.protocol, figure.source});
  } else {
    fields.insert(fields.end(), 5, "");
  }
  return fields;
}

}  // namespace

std::string markdown(const Grid& grid) {
  const auto& table = grid.table;
  std::string out =
      "**" + escape_markdown(table.title) + "**\n\n| " + escape_markdown(table.corner) + " |";
  const auto columns = shown_columns(grid);
  const bool other_rows = has_other_data_rows(grid);
  for (const auto& column : columns) out += " " + escape_markdown(column.title) + " |";
  out += "\n| --- |";
  for (std::size_t i = 0; i < columns.size(); ++i) out += " --- |";
  for (std::size_t row = 0; row < grid.cells.size(); ++row) {
    out += "\n| " + escape_markdown(table.rows[row]) + " |";
    for (const auto& column : columns) {
      const auto& cell = grid.cells[row][column.of];
      const bool has_other = cell.other_data && cell.published && cell.published->value;
      const auto other = has_other ? markdown_published(*cell.published) : "";
      out += " " + (column.other_data ? other : markdown_cell(cell, table.digits_of(column.of))) +
             " |";
    }
    if (!other_rows || std::ranges::none_of(grid.cells[row], has_other_data)) continue;
    out += "\n| " + std::string(other_data_title) + " |";
    for (const auto& cell : grid.cells[row])
      out += " " + (has_other_data(cell) ? markdown_published(*cell.published) : "") + " |";
  }
  out += "\n";
  if (!table.caption.empty()) out += "\n" + escape_markdown(table.caption) + "\n";
  if (!grid.remarks.empty()) out += "\n";
  for (const auto& remark : grid.remarks) out += "- " + escape_markdown(remark) + "\n";
  return out;
}

std::string csv(const Grid& grid) {
  std::string out = csv_line({"row",
                              "column",
                              "table",
                              "dataset",
                              "method",
                              "metric",
                              "unit",
                              "protocol",
                              "n",
                              "mean",
                              "half_width_95",
                              "low_95",
                              "high_95",
                              "values",
                              "best",
                              "published",
                              "published_other_data",
                              "tag",
                              "published_protocol",
                              "source"}) +
                    "\n";
  for (std::size_t row = 0; row < grid.cells.size(); ++row)
    for (std::size_t column = 0; column < grid.cells[row].size(); ++column)
      if (grid.cells[row][column].entry || grid.cells[row][column].published)
        out += csv_line(csv_cell(grid, row, column)) + "\n";
  return out;
}

std::string escape_latex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '<':
        out += "\\textless{}";
        break;
      case '>':
        out += "\\textgreater{}";
        break;
      case '|':
        out += "\\textbar{}";
        break;
      case '\n':
      case '\r':
        out += ' ';
        break;
      case '[':  // after \\ it would be an argument
        out += "{[}";
        break;
      case '{':
      case '}':
      case '$':
      case '&':
      case '#':
      case '_':
      case '%':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  // Symbols that pdflatex cannot set as text.
  static constexpr std::pair<std::string_view, std::string_view> symbols[] = {
      {"±", "$\\pm$"},    {"†", "\\dag{}"},    {"σ", "$\\sigma$"},     {"ε", "$\\epsilon$"},
      {"α", "$\\alpha$"}, {"λ", "$\\lambda$"}, {"μ", "$\\mu$"},        {"π", "$\\pi$"},
      {"²", "$^2$"},      {"\u2212", "$-$"},   {"×", "$\\times$"},     {"\u202F", "\\,"},
      {"≤", "$\\leq$"},   {"≥", "$\\geq$"},    {"·", "$\\cdot$"},      {"→", "$\\to$"},
      {"°", "$^\\circ$"}, {"\u2013", "--"},    {"\u2026", "\\dots{}"}, {"\u2019", "'"}};
  for (const auto& [symbol, command] : symbols) out = replace_all(std::move(out), symbol, command);
  return out;
}

namespace {

constexpr double column_points = 345;  // of LaTeX's article class
// Sizes in it of \small, \scriptsize and \tiny.
constexpr double small_points = 9;
constexpr double script_points = 7;
constexpr double tiny_points = 5;
// Twice \tabcolsep, which every float sets.
constexpr double between = 6;
constexpr double row_title_points = 105;
constexpr std::size_t float_lines = 44;  // lines of \small on a page below a caption

/// Estimates the width of a text in Computer Modern, points.
double latex_points(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;  // inside a letter of several bytes
    const bool narrow = std::string_view(" .,:;'!|()[]iljtfI/").find(c) != std::string_view::npos;
    const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w' || c == '%' || byte >= 0x80 ||
                      c == '-' || c == '<' || c == '>';
    // Mean widths in Computer Modern, in em.
    if (narrow)
      ems += 0.36;
    else
      ems += wide ? 0.8 : 0.55;
  }
  // 4 % more: a tabular that is estimated too narrow would overflow its column.
  return 1.04 * size * ems;
}

double measured_points(const GridCell& cell, int digits) {
  if (!cell.measured) return cell.entry ? latex_points("no data", small_points) : 0;
  const auto& m = *cell.measured;
  double out = latex_points(format_fixed(m.mean, digits), small_points) * (cell.best ? 1.15 : 1);
  if (const auto spread = spread_text(m, digits); !spread.empty())
    out += latex_points(" " + spread, script_points);
  return out + latex_points(fmt::format(" n{}{}", m.values.size(), cell.fewer_seeds ? "+" : ""),
                            tiny_points + 1);
}

double published_points(const GridCell& cell, bool other_data) {
  if (!cell.published || !cell.published->value || cell.other_data != other_data) return 0;
  const auto tag = std::string(tag_text(cell.published->tag)) +
                   (cell.published->tag == Tag::Unverified ? " unverified" : "");
  return latex_points(number_text(*cell.published->value) + " ", small_points) +
         latex_points(tag, tiny_points + 1);
}

/// A column's title in lines no wider than its values, where words allow it.
struct LatexTitle {
  std::vector<std::string> lines;
  double points = 0;
};

LatexTitle wrap_latex_title(const std::string& title, double width) {
  LatexTitle out;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = title.find(' ', begin);
    const auto word = title.substr(begin, end == std::string::npos ? end : end - begin);
    const auto longer = out.lines.empty() ? word : out.lines.back() + " " + word;
    if (out.lines.empty() || latex_points(longer, small_points) > width)
      out.lines.push_back(word);
    else
      out.lines.back() = longer;
  }
  for (const auto& line : out.lines)
    out.points = std::max(out.points, latex_points(line, small_points));
  return out;
}

std::string latex_head(const LatexTitle& title, bool muted) {
  std::vector<std::string> lines;
  for (const auto& line : title.lines) lines.push_back(escape_latex(line));
  const auto text =
      lines.size() == 1 ? lines.front() : "\\shortstack[r]{" + join(lines, "\\\\") + "}";
  return muted ? "\\textcolor{gray}{" + text + "}" : text;
}

struct LatexColumn {
  ShownColumn shown;
  LatexTitle title;
  double points = 0;
};

std::vector<LatexColumn> latex_columns(const Grid& grid) {
  std::vector<LatexColumn> out;
  for (const auto& shown : shown_columns(grid)) {
    double values = 0;
    for (const auto& row : grid.cells) {
      const auto& cell = row[shown.of];
      values = std::max(
          values, published_points(
                      cell, shown.other_data || (cell.other_data && has_other_data_rows(grid))));
      if (!shown.other_data)
        values = std::max(values, measured_points(cell, grid.table.digits_of(shown.of)));
    }
    // A title may be 30 points wide above narrower values: some words are longer than a number.
    auto title = wrap_latex_title(shown.title, std::max(values, 30.0));
    const double points = std::max(values, title.points);
    out.push_back({.shown = shown, .title = std::move(title), .points = points + between});
  }
  return out;
}

double row_titles_points(const Grid& grid) {
  double widest = latex_points(grid.table.corner, small_points);
  for (const auto& row : grid.table.rows)
    widest = std::max(widest, latex_points(row, small_points));
  constexpr double published_title = 52;  // points of "\quad published", which stands among them
  for (const auto& row : grid.cells)
    for (const auto& cell : row)
      if (cell.published && cell.published->value &&
          (!cell.other_data || has_other_data_rows(grid)))
        return std::max(widest, published_title);
  return widest;
}

/// Returns a tabular of the columns [first, last).
std::string latex_tabular(const Grid& grid, const std::vector<LatexColumn>& columns,
                          std::size_t first, std::size_t last) {
  const auto& table = grid.table;
  // Long row titles get a column of fixed width, in which LaTeX wraps them.
  const bool wraps = row_titles_points(grid) > row_title_points;
  const auto row_title = [&](const std::string& text) {
    return (wraps ? "\\raggedright " : "") + escape_latex(text);
  };
  std::string out = "  \\begin{tabular}{" +
                    (wraps ? fmt::format("p{{{:.0f}pt}}", row_title_points) : std::string("l")) +
                    std::string(last - first, 'r') + "}\n    \\toprule\n    " +
                    row_title(table.corner);
  for (std::size_t i = first; i < last; ++i)
    out += " & " + latex_head(columns[i].title, columns[i].shown.other_data);
  out += " \\\\\n    \\midrule\n";
  for (std::size_t row = 0; row < grid.cells.size(); ++row) {
    out += "    " + row_title(table.rows[row]);
    std::string below, other;
    bool published = false, has_other = false;
    for (std::size_t i = first; i < last; ++i) {
      const auto& [of, other_data, title] = columns[i].shown;
      const auto& cell = grid.cells[row][of];
      out += " & " +
             (other_data ? latex_published(cell, true) : latex_measured(cell, table.digits_of(of)));
      const auto printed = other_data ? "" : latex_published(cell, false);
      published |= !printed.empty();
      below += " & " + printed;
      other += " & " + latex_published(cell, true);
      has_other |= has_other_data(cell);
    }
    out += " \\\\\n";
    if (has_other && has_other_data_rows(grid))
      out += "    \\quad \\textcolor{gray}{\\footnotesize other data}" + other + " \\\\\n";
    if (published) out += "    \\quad {\\footnotesize published}" + below + " \\\\\n";
  }
  return out + "    \\bottomrule\n  \\end{tabular}\n";
}

/// Counts the lines of a tabular, with its rules and the further lines of wrapped titles.
std::size_t latex_lines(const Grid& grid, const std::string& tabular) {
  std::size_t lines = 2;  // for the rules above and below
  for (auto at = tabular.find("\\\\"); at != std::string::npos; at = tabular.find("\\\\", at + 2))
    ++lines;
  for (const auto& row : grid.table.rows)
    lines += static_cast<std::size_t>(latex_points(row, small_points) / row_title_points);
  return lines;
}

std::string latex_float(const std::string& caption, const std::string& label,
                        const std::string& content) {
  return "\\begin{table}\n  \\centering\\small\\setlength{\\tabcolsep}{3pt}\n  \\caption{" +
         caption + "}\n" + label + content + "\\end{table}\n";
}

}  // namespace

std::string latex(const Grid& grid) {
  const auto& table = grid.table;
  // LaTeX numbers tables itself: "Table 1, faces" would be set as "Table 3: Table 1, faces".
  auto title = std::regex_replace(table.title, std::regex("^Table \\w+[,:.] +"), "");
  if (!title.empty() && title.size() < table.title.size())
    title.front() = static_cast<char>(std::toupper(title.front()));

  const auto columns = latex_columns(grid);
  std::vector<double> widths;
  for (const auto& column : columns) widths.push_back(column.points);
  const double titles = std::min(row_titles_points(grid), row_title_points) + between;

  // Tabulars follow each other in a float until its page is full.
  std::vector<std::string> floats;
  std::size_t lines = 0;
  for (const auto& [first, last] : column_blocks(widths, titles, column_points)) {
    const auto tabular = latex_tabular(grid, columns, first, last);
    const auto more = latex_lines(grid, tabular);
    if (floats.empty() || lines + more > float_lines) {
      floats.emplace_back();
      lines = 0;
    }
    floats.back() += (lines > 0 ? "\n  \\medskip\n" : "") + tabular;
    lines += more;
  }
  if (!grid.remarks.empty()) floats.back() += "\n  \\medskip\n  {\\footnotesize\n";
  for (const auto& remark : grid.remarks) floats.back() += "  " + escape_latex(remark) + "\\par\n";
  if (!grid.remarks.empty()) floats.back() += "  }\n";

  const auto caption =
      escape_latex(title) + (table.caption.empty() ? "" : ". " + escape_latex(table.caption));
  std::string out = "% needs \\usepackage{booktabs,xcolor}\n";
  for (std::size_t i = 0; i < floats.size(); ++i)
    out += i == 0 ? latex_float(caption, "  \\label{tab:" + table.id + "}\n", floats[i])
                  : latex_float(escape_latex(title) + " (continued)", "", floats[i]);
  return out;
}

}  // namespace reprise::reports
