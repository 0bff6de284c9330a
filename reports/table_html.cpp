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
  else if (m.interval)
    line += Html(" ") + element("span", {{"class", "pm"}}, spread_text(m, digits));
  line += Html(" ") + element("span", {{"class", cell.fewer_seeds ? "n fewer" : "n"}},
                              fmt::format("n\u202F{}{}", m.values.size(), cell.fewer_seeds ? "\u202F†" : ""));
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
    body += element("tr", line) + Html::markup("\n");
    if (published) body += element("tr", {{"class", "published"}}, below) + Html::markup("\n");
  }
  return element("table", {{"class", "grid"}}, element("thead", element("tr", head)) + Html::markup("\n") + element("tbody", body));
}

}  // namespace reprise::reports
