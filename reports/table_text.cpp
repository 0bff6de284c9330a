// A filled table as Markdown, CSV and LaTeX.
#include <fmt/format.h>

#include <cctype>
#include <regex>

#include "core/csv.h"
#include "core/markdown.h"
#include "core/text.h"
#include "reports/tables.h"

namespace reprise::reports {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) text.replace(at, what.size(), with);
  return text;
}

std::string markdown_cell(const GridCell& cell, int digits) {
  std::string text;
  if (cell.measured) {
    const auto& m = *cell.measured;
    text = fixed(m.mean, digits);
    if (const auto spread = spread_text(m, digits); !spread.empty()) text += " " + escape_markdown(spread);
    if (cell.best) text = "**" + text + "**";
    text += fmt::format(" (n {}{})", m.values.size(), cell.fewer_seeds ? "†" : "");
  } else if (cell.entry) {
    text = "no data";
  }
  if (cell.published && cell.published->value) {
    const bool unverified = cell.published->tag == Tag::Unverified;
    text += fmt::format("{}published {}{} [{}]", text.empty() ? "" : "<br>", number_text(*cell.published->value),
                        unverified ? " unverified" : "", tag_text(cell.published->tag));
  }
  return text;
}

std::string latex_number(std::string text) {
  text = replaced(std::move(text), "\u202F", "\\,");
  text = replaced(std::move(text), "<", "${<}$");
  return replaced(std::move(text), "\u2212", "$-$");
}

std::string latex_measured(const GridCell& cell, int digits) {
  if (!cell.measured) return cell.entry ? "\\textcolor{gray}{no data}" : "";
  const auto& m = *cell.measured;
  std::string text = latex_number(fixed(m.mean, digits));
  if (cell.best) text = "\\textbf{" + text + "}";
  if (m.half_width)
    text += " {\\scriptsize$\\pm$" + latex_number(fixed_width(*m.half_width, digits)) + "}";
  else if (m.interval)
    text += " {\\scriptsize{}" + latex_number(spread_text(m, digits)) + "}";
  return text + fmt::format(" {{\\tiny n{}{}}}", m.values.size(), cell.fewer_seeds ? "\\dag" : "");
}

std::string latex_published(const GridCell& cell) {
  if (!cell.published || !cell.published->value) return "";
  const auto& figure = *cell.published;
  std::string text = number_text(*figure.value) + " {\\tiny " + std::string(tag_text(figure.tag)) + "}";
  return figure.tag == Tag::Unverified ? "\\textcolor{gray}{" + text + " {\\tiny unverified}}" : text;
}

bool any_published(const std::vector<GridCell>& row) {
  for (const auto& cell : row)
    if (cell.published && cell.published->value) return true;
  return false;
}

std::vector<std::string> csv_cell(const Grid& grid, std::size_t row, std::size_t column) {
  const auto& cell = grid.cells[row][column];
  std::vector<std::string> fields = {grid.table.rows[row], grid.table.columns[column]};
  const Entry entry = cell.entry.value_or(Entry{});
  fields.insert(fields.end(), {entry.table, entry.dataset, entry.method, entry.metric});
  if (cell.measured) {
    const auto& m = *cell.measured;
    std::vector<std::string> values;
    for (const double value : m.values) values.push_back(number_text(value));
    fields.insert(fields.end(), {m.unit, m.protocol, std::to_string(m.values.size()), number_text(m.mean),
                                 m.half_width ? number_text(*m.half_width) : "", m.interval ? number_text(m.interval->low) : "",
                                 m.interval ? number_text(m.interval->high) : "", join(values, " "), cell.best ? "1" : "0"});
  } else {
    fields.insert(fields.end(), {"", "", "0", "", "", "", "", "", "0"});
  }
  if (cell.published) {
    const auto& figure = *cell.published;
    fields.insert(fields.end(),
                  {figure.value ? number_text(*figure.value) : "", std::string(tag_text(figure.tag)), figure.protocol, figure.source});
  } else {
    fields.insert(fields.end(), 4, "");
  }
  return fields;
}

}  // namespace

std::string markdown(const Grid& grid) {
  const auto& table = grid.table;
  std::string out = "**" + escape_markdown(table.title) + "**\n\n| " + escape_markdown(table.corner) + " |";
  for (const auto& column : table.columns) out += " " + escape_markdown(column) + " |";
  out += "\n| --- |";
  for (std::size_t i = 0; i < table.columns.size(); ++i) out += " --- |";
  for (std::size_t row = 0; row < grid.cells.size(); ++row) {
    out += "\n| " + escape_markdown(table.rows[row]) + " |";
    for (std::size_t column = 0; column < grid.cells[row].size(); ++column)
      out += " " + markdown_cell(grid.cells[row][column], table.digits_of(column)) + " |";
  }
  out += "\n";
  if (!table.caption.empty()) out += "\n" + escape_markdown(table.caption) + "\n";
  if (!grid.remarks.empty()) out += "\n";
  for (const auto& remark : grid.remarks) out += "- " + escape_markdown(remark) + "\n";
  return out;
}

std::string csv(const Grid& grid) {
  std::string out = csv_line({"row", "column", "table", "dataset", "method", "metric", "unit", "protocol", "n", "mean", "half_width_95",
                              "low_95", "high_95", "values", "best", "published", "tag", "published_protocol", "source"}) +
                    "\n";
  for (std::size_t row = 0; row < grid.cells.size(); ++row)
    for (std::size_t column = 0; column < grid.cells[row].size(); ++column)
      if (grid.cells[row][column].entry || grid.cells[row][column].published) out += csv_line(csv_cell(grid, row, column)) + "\n";
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
  // What pdflatex cannot set as text.
  static constexpr std::pair<std::string_view, std::string_view> symbols[] = {
      {"±", "$\\pm$"},     {"†", "\\dag{}"},   {"σ", "$\\sigma$"}, {"ε", "$\\epsilon$"},   {"α", "$\\alpha$"},
      {"λ", "$\\lambda$"}, {"μ", "$\\mu$"},    {"π", "$\\pi$"},    {"²", "$^2$"},          {"\u2212", "$-$"},
      {"×", "$\\times$"},  {"\u202F", "\\,"},  {"≤", "$\\leq$"},   {"≥", "$\\geq$"},       {"·", "$\\cdot$"},
      {"→", "$\\to$"},     {"°", "$^\\circ$"}, {"\u2013", "--"},   {"\u2026", "\\dots{}"}, {"\u2019", "'"}};
  for (const auto& [symbol, command] : symbols) out = replaced(std::move(out), symbol, command);
  return out;
}

std::string latex(const Grid& grid) {
  const auto& table = grid.table;
  // LaTeX numbers tables itself: "Table 1, faces" would be set as "Table 3: Table 1, faces".
  auto title = std::regex_replace(table.title, std::regex("^Table \\w+[,:.] +"), "");
  if (!title.empty() && title.size() < table.title.size()) title.front() = static_cast<char>(std::toupper(title.front()));
  std::string out = "% needs \\usepackage{booktabs,xcolor}\n\\begin{table}\n  \\centering\n  \\caption{" + escape_latex(title) +
                    (table.caption.empty() ? "" : ". " + escape_latex(table.caption)) + "}\n  \\label{tab:" + table.id +
                    "}\n  \\begin{tabular}{l" + std::string(table.columns.size(), 'r') + "}\n    \\toprule\n    " +
                    escape_latex(table.corner);
  for (const auto& column : table.columns) out += " & " + escape_latex(column);
  out += " \\\\\n    \\midrule\n";
  for (std::size_t row = 0; row < grid.cells.size(); ++row) {
    out += "    " + escape_latex(table.rows[row]);
    for (std::size_t column = 0; column < grid.cells[row].size(); ++column)
      out += " & " + latex_measured(grid.cells[row][column], table.digits_of(column));
    out += " \\\\\n";
    if (!any_published(grid.cells[row])) continue;
    out += "    \\quad {\\footnotesize published}";
    for (const auto& cell : grid.cells[row]) out += " & " + latex_published(cell);
    out += " \\\\\n";
  }
  out += "    \\bottomrule\n  \\end{tabular}\n";
  if (!grid.remarks.empty()) out += "\n  \\medskip\n  {\\footnotesize\n";
  for (const auto& remark : grid.remarks) out += "  " + escape_latex(remark) + "\\par\n";
  if (!grid.remarks.empty()) out += "  }\n";
  return out + "\\end{table}\n";
}

}  // namespace reprise::reports
