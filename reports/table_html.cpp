// A filled table as HTML.
#include <fmt/format.h>

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

Html html(const Grid& grid) {
  const auto& table = grid.table;
  Html head = element("th", {{"scope", "col"}}, table.corner);
  for (const auto& column : table.columns) head += element("th", {{"scope", "col"}}, column);
  Html body;
  for (std::size_t row = 0; row < grid.cells.size(); ++row) {
    Html line = element("th", {{"scope", "row"}}, table.rows[row]);
    Html below = element("th", {{"scope", "row"}}, element("span", {{"class", "row-name"}}, table.rows[row] + ", ") + Html("published"));
    bool published = false;
    for (std::size_t column = 0; column < grid.cells[row].size(); ++column) {
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

}  // namespace reprise::reports
