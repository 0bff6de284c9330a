// A filled table as HTML.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/tables.h"

namespace reprise::reports {
namespace {

Html measured_html(const GridCell& cell, int digits) {
  if (!cell.measured) return cell.entry ? element("span", {{"class", "missing"}}, "no data") : Html();
  const auto& m = *cell.measured;
  Html line = element(cell.best ? "strong" : "span", number(m.mean, fixed(m.mean, digits)));
  if (m.half_width)
    line += Html(" ") + element("span", {{"class", "pm"}}, Html("± ") + number(*m.half_width, fixed_width(*m.half_width, digits)));
  else if (m.interval)
    line += Html(" ") + element("span", {{"class", "pm"}}, spread_text(m, digits));
  if (cell.fewer_seeds) line += Html(" ") + element("span", {{"class", "n fewer"}}, fmt::format("n\u202F{}\u202F†", m.values.size()));
  if (cell.paired) {
    const auto text = [&](double value) { return std::string(value > 0 ? "+" : "") + fixed(value, digits); };
    line += element("small", {{"class", cell.paired->low > 0 || cell.paired->high < 0 ? "paired apart" : "paired"}},
                    number(cell.paired->mean, text(cell.paired->mean)) + Html(" [") + number(cell.paired->low, text(cell.paired->low)) +
                        Html(", ") + number(cell.paired->high, text(cell.paired->high)) + Html("]"));
  }
  return line;
}

Html published_html(const GridCell& cell) {
  if (!cell.published || !cell.published->value) return {};
  const auto& figure = *cell.published;
  const bool unverified = figure.tag == Tag::Unverified;
  const Html line =
      number(*figure.value, number_text(*figure.value)) + Html(unverified ? " unverified " : " ") +
      element("span", {{"class", "tag"}, {"title", std::string(tag_meaning(figure.tag)) + ": " + figure.source}}, tag_text(figure.tag));
  return unverified ? element("span", {{"class", "unverified"}}, line) : line;
}

}  // namespace

namespace {

/// Width of a text in the table's letters, pixels: a little more than a proportional font needs.
double text_pixels(std::string_view text, double letter) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return letter * static_cast<double>(letters);
}

double longest_word_pixels(const std::string& title, double letter) {
  double widest = 0;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = title.find(' ', begin);
    widest = std::max(widest, text_pixels(std::string_view(title).substr(begin, end == std::string::npos ? end : end - begin), letter));
  }
  return widest;
}

double column_pixels(const Grid& grid, std::size_t column) {
  constexpr double letter = 7.6, padding = 18;
  const int digits = grid.table.digits_of(column);
  double widest = longest_word_pixels(grid.table.columns[column], letter);
  for (const auto& row : grid.cells) {
    const auto& cell = row[column];
    if (cell.published && cell.published->value)
      widest = std::max(
          widest, text_pixels(number_text(*cell.published->value) + (cell.published->tag == Tag::Unverified ? " unverified M" : " seed"),
                              0.86 * letter));
    if (!cell.measured) continue;
    std::string text = fixed(cell.measured->mean, digits);
    if (const auto spread = spread_text(*cell.measured, digits); !spread.empty()) text += " ± " + spread;
    if (cell.fewer_seeds) text += " n 5 †";
    widest = std::max(widest, text_pixels(text, letter));
    if (cell.paired)
      widest = std::max(widest, text_pixels(fixed(cell.paired->mean, digits) + fixed(cell.paired->low, digits) +
                                                fixed(cell.paired->high, digits) + "++ [, ]",
                                            0.8 * letter));
  }
  return widest + padding;
}

/// Columns [first, second).
using ColumnGroups = std::vector<std::pair<std::size_t, std::size_t>>;

/// As many beside each other as a screen of 1280 pixels shows, and no more than `most`.
ColumnGroups filled(const Grid& grid, std::size_t most) {
  constexpr double pixels = 1200, row_titles = 240;
  ColumnGroups out;
  double width = 0;
  for (std::size_t column = 0; column < grid.table.columns.size(); ++column) {
    const double next = column_pixels(grid, column);
    if (out.empty() || width + next > pixels || column - out.back().first >= most) {
      out.emplace_back(column, column);
      width = row_titles;
    }
    width += next;
    out.back().second = column + 1;
  }
  return out;
}

/// A wide table becomes several below each other, each with all its rows; of as many columns, so that none is left alone.
ColumnGroups column_groups(const Grid& grid) {
  const auto all = grid.table.columns.size(), tables = std::max<std::size_t>(1, filled(grid, all).size());
  return filled(grid, (all + tables - 1) / tables);
}

Html columns_html(const Grid& grid, std::size_t first, std::size_t last) {
  const auto& table = grid.table;
  Html head = element("th", {{"scope", "col"}}, table.corner);
  for (std::size_t column = first; column < last; ++column) head += element("th", {{"scope", "col"}}, table.columns[column]);
  Html body;
  for (std::size_t row = 0; row < grid.cells.size(); ++row) {
    Html line = element("th", {{"scope", "row"}}, table.rows[row]);
    Html below = element("th", {{"scope", "row"}}, element("span", {{"class", "row-name"}}, table.rows[row] + ", ") + Html("published"));
    bool published = false;
    for (std::size_t column = first; column < last; ++column) {
      const auto& cell = grid.cells[row][column];
      line += element("td", cell.best ? Attributes{{"class", "best"}} : Attributes{}, measured_html(cell, table.digits_of(column)));
      below += element("td", published_html(cell));
      published |= cell.published && cell.published->value;
    }
    const bool first_bound = grid.bounds > 0 && row + grid.bounds == grid.cells.size(), bound = row + grid.bounds >= grid.cells.size();
    body += element("tr", {{"class", first_bound ? "bound first" : bound ? "bound" : "method"}}, line) + Html::markup("\n");
    if (published) body += element("tr", {{"class", "published"}}, below) + Html::markup("\n");
  }
  return element("table", {{"class", "grid"}}, element("thead", element("tr", head)) + Html::markup("\n") + element("tbody", body));
}

}  // namespace

Html html(const Grid& grid) {
  Html out;
  for (const auto& [first, last] : column_groups(grid)) out += columns_html(grid, first, last);
  return out;
}

}  // namespace reprise::reports
