// A filled table as HTML.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/tables.h"

namespace reprise::reports {
namespace {

Html rerun_html(const GridCell& cell) {
  if (!cell.rerun) return {};
  const auto& mark = *cell.rerun;
  std::string_view sign = mark.equal ? "↻" : "↻≈";
  if (!mark.agrees) sign = "↻✗";
  return Html("\u202F") +
         element("span",
                 {{"class", mark.agrees ? "rerun" : "rerun differs"}, {"title", mark.title}}, sign);
}

Html measured_html(const GridCell& cell, int digits) {
  if (!cell.measured)
    return cell.entry ? element("span", {{"class", "missing"}}, "no data") : Html();
  const auto& m = *cell.measured;
  Html line = element(cell.best ? "strong" : "span", number(m.mean, format_fixed(m.mean, digits)));
  if (m.half_width)
    line += Html(" ") +
            element("span", {{"class", "pm"}},
                    Html("± ") + number(*m.half_width, format_half_width(*m.half_width, digits)));
  else if (m.interval)
    line += Html(" ") + element("span", {{"class", "pm"}}, spread_text(m, digits));
  if (cell.fewer_seeds)
    line += Html(" ") + element("span", {{"class", "n fewer"}},
                                fmt::format("n\u202F{}\u202F†", m.values.size()));
  line += rerun_html(cell);
  if (cell.paired) {
    const auto text = [&](double value) {
      return std::string(value > 0 ? "+" : "") + format_fixed(value, digits);
    };
    line += element(
        "small",
        {{"class", cell.paired->low > 0 || cell.paired->high < 0 ? "paired apart" : "paired"}},
        number(cell.paired->mean, text(cell.paired->mean)) + Html(" [") +
            number(cell.paired->low, text(cell.paired->low)) + Html(", ") +
            number(cell.paired->high, text(cell.paired->high)) + Html("]"));
  }
  return line;
}

/// Returns the published value of a cell. `other_data`: only a value of other data, else only a
/// value of the table's data.
Html published_html(const GridCell& cell, bool other_data) {
  if (!cell.published || !cell.published->value || cell.other_data != other_data) return {};
  const auto& figure = *cell.published;
  const bool unverified = figure.tag == Tag::Unverified;
  const auto meaning = std::string(tag_meaning(figure.tag)) + ": " + figure.source;
  if (other_data && !unverified)
    return element("span", {{"title", meaning}}, number(*figure.value, number_text(*figure.value)));
  const Html line = number(*figure.value, number_text(*figure.value)) +
                    Html(unverified ? " unverified " : " ") +
                    element("span", {{"class", "tag"}, {"title", meaning}}, tag_text(figure.tag));
  return unverified ? element("span", {{"class", "unverified"}}, line) : line;
}

/// Spacing of a table. Letter widths are a little more than a proportional font needs.
struct Setting {
  bool intervals_below;            ///< below the means, not behind them
  double letter, padding, titles;  ///< pixels; titles: the most that row titles take
};
constexpr Setting normal_setting{
    .intervals_below = false, .letter = 7.6, .padding = 18, .titles = 240};
constexpr Setting dense_setting{
    .intervals_below = true, .letter = 6.9, .padding = 12, .titles = 190};

double text_pixels(std::string_view text, double letter) {
  // Bytes 10xxxxxx continue a letter of UTF-8.
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  return letter * static_cast<double>(letters);
}

double longest_word_pixels(const std::string& title, double letter) {
  double widest = 0;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = title.find(' ', begin);
    widest = std::max(widest, text_pixels(std::string_view(title).substr(
                                              begin, end == std::string::npos ? end : end - begin),
                                          letter));
  }
  return widest;
}

double measured_pixels(const GridCell& cell, int digits, const Setting& setting) {
  // 0.86 and 0.8: font sizes of intervals and paired differences in the style sheet.
  if (!cell.measured) return cell.entry ? text_pixels("no data", 0.86 * setting.letter) : 0;
  std::string text = format_fixed(cell.measured->mean, digits);
  std::string below;
  if (const auto spread = spread_text(*cell.measured, digits); !spread.empty())
    (setting.intervals_below ? below : text) += " " + spread;
  if (cell.fewer_seeds) text += " n 5 †";
  if (cell.rerun) text += "  ↻≈ ";  // these signs are wider than letters
  double widest =
      std::max(text_pixels(text, setting.letter), text_pixels(below, 0.86 * setting.letter));
  if (cell.paired)
    widest = std::max(widest, text_pixels(format_fixed(cell.paired->mean, digits) +
                                              format_fixed(cell.paired->low, digits) +
                                              format_fixed(cell.paired->high, digits) + "++ [, ]",
                                          0.8 * setting.letter));
  return widest;
}

double column_pixels(const Grid& grid, const ShownColumn& column, const Setting& setting) {
  double widest =
      longest_word_pixels(column.title, (column.other_data ? 0.86 : 1) * setting.letter);
  for (const auto& row : grid.cells) {
    const auto& cell = row[column.of];
    if (cell.published && cell.published->value && cell.other_data == column.other_data)
      widest = std::max(
          widest,
          text_pixels(number_text(*cell.published->value) +
                          (cell.published->tag == Tag::Unverified ? " unverified M" : " seed"),
                      0.86 * setting.letter));
    if (!column.other_data)
      widest = std::max(widest, measured_pixels(cell, grid.table.digits_of(column.of), setting));
  }
  return widest + setting.padding;
}

/// Returns the width of the row titles. They wrap beyond the width that the setting has for them.
double title_pixels(const Grid& grid, const Setting& setting) {
  double widest = text_pixels(grid.table.corner, setting.letter);
  for (const auto& row : grid.table.rows)
    widest = std::max(widest, text_pixels(row, setting.letter));
  return std::min(setting.titles, widest + setting.padding);
}

ColumnBlocks blocks_on_screen(const Grid& grid, const std::vector<ShownColumn>& columns,
                              const Setting& setting) {
  constexpr double column_width = 1200;  // pixels of the page's column on a screen of 1280
  std::vector<double> widths;
  for (const auto& column : columns) widths.push_back(column_pixels(grid, column, setting));
  return column_blocks(widths, title_pixels(grid, setting), column_width);
}

/// Returns the class of a row in the style sheet: the first bound has a line above it.
std::string row_class(const Grid& grid, std::size_t row) {
  if (row + grid.bounds < grid.cells.size()) return "method";
  return row + grid.bounds == grid.cells.size() ? "bound first" : "bound";
}

/// Returns a row of measured values, with rows of published values below it where there are some.
Html rows_html(const Grid& grid, const std::vector<ShownColumn>& columns, std::size_t first,
               std::size_t last, std::size_t row) {
  const auto& table = grid.table;
  // On a screen the rows below show no method; their titles repeat it for a screen reader.
  const auto title_below = [&](const std::string& title) {
    return element("th", {{"scope", "row"}},
                   element("span", {{"class", "row-name"}}, table.rows[row] + ", ") + Html(title));
  };
  Html line = element("th", {{"scope", "row"}}, table.rows[row]);
  Html below = title_below("published");
  Html other = title_below(other_data_title);
  bool has_published = false;
  bool has_other = false;
  for (std::size_t i = first; i < last; ++i) {
    const auto& cell = grid.cells[row][columns[i].of];
    if (columns[i].other_data) {
      line += element("td", {{"class", "other-data"}}, published_html(cell, true));
      below += element("td", Html());
      other += element("td", Html());
      continue;
    }
    line += element("td", cell.best ? Attributes{{"class", "best"}} : Attributes{},
                    measured_html(cell, table.digits_of(columns[i].of)));
    const auto published = published_html(cell, false);
    below += element("td", published);
    other += element("td", published_html(cell, true));
    has_published |= !published.empty();
    has_other |= has_other_data(cell);
  }
  Html out = element("tr", {{"class", row_class(grid, row)}}, line) + Html::markup("\n");
  if (has_published) out += element("tr", {{"class", "published"}}, below) + Html::markup("\n");
  // A single column of other data is a column of the table, not a row.
  if (has_other && has_other_data_rows(grid))
    out += element("tr", {{"class", "published other-data"}}, other) + Html::markup("\n");
  return out;
}

Html block_html(const Grid& grid, const std::vector<ShownColumn>& columns, std::size_t first,
                std::size_t last, const std::string& style) {
  const auto& table = grid.table;
  Html head = element("th", {{"scope", "col"}}, table.corner);
  for (std::size_t i = first; i < last; ++i)
    head += element("th",
                    columns[i].other_data ? Attributes{{"scope", "col"}, {"class", "other-data"}}
                                          : Attributes{{"scope", "col"}},
                    columns[i].title);
  Html body;
  for (std::size_t row = 0; row < grid.cells.size(); ++row)
    body += rows_html(grid, columns, first, last, row);
  return element(
      "table", {{"class", style}},
      element("thead", element("tr", head)) + Html::markup("\n") + element("tbody", body));
}

}  // namespace

Html html(const Grid& grid) {
  const auto columns = shown_columns(grid);
  // First with intervals behind the means; if that is too wide, with intervals below them.
  auto blocks = blocks_on_screen(grid, columns, normal_setting);
  std::string style = "grid";
  if (blocks.size() > 1) {
    blocks = blocks_on_screen(grid, columns, dense_setting);
    style += " dense";
  }
  // Parts of a table are as wide as the page: none leaves half of the screen empty.
  if (blocks.size() > 1) style += " part";
  Html out;
  for (const auto& [first, last] : blocks) out += block_html(grid, columns, first, last, style);
  return out;
}

}  // namespace reprise::reports
