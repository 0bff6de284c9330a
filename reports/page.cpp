#include "reports/page.h"

#include <fmt/format.h>

#include <set>

#include "core/text.h"

namespace reprise::reports {
namespace {

Html link(const std::string& path, const Html& text) { return element("a", {{"href", link_to(path)}}, text); }

Html command_block(const std::vector<std::string>& lines) {
  return element("details", {{"class", "make"}}, element("summary", "make it again") + element("pre", element("code", join(lines, "\n"))));
}

Html remark_list(const std::vector<std::string>& remarks) {
  Html items;
  for (const auto& remark : remarks) items += element("li", remark);
  return items.empty() ? items : element("ul", {{"class", "remarks"}}, items);
}

Html paragraph(const std::string& text) { return text.empty() ? Html() : element("p", {{"class", "caption"}}, text); }

Html table_article(const PageContent& content, const Grid& grid) {
  const std::string file = "tables/" + grid.table.id;
  const Html files = Html("Data: ") + link(file + ".csv", "CSV") + Html(" · ") + link(file + ".md", "Markdown") + Html(" · ") +
                     link(file + ".tex", "LaTeX");
  return element("article", {{"id", "table-" + grid.table.id}},
                 element("h3", grid.table.title) + paragraph(grid.table.caption) +
                     element("div", {{"class", "scroll"}, {"tabindex", "0"}}, html(grid)) + remark_list(grid.remarks) +
                     element("p", {{"class", "files"}}, files) + command_block(commands(content.view, grid.table))) +
         Html::markup("\n");
}

Html figure_article(const PageContent& content, const ShownFigure& shown) {
  const auto& figure = shown.drawing.figure;
  const std::string file = "figures/" + figure.id;
  Html picture, files = Html("Data: ") + link(file + ".csv", "CSV");
  if (shown.svg.empty()) {
    picture = element("p", {{"class", "none"}}, "No data: no finished record holds any of these series.");
  } else {
    picture = element("div", {{"class", "scroll drawing"}, {"tabindex", "0"}}, Html::markup(shown.svg));
    files += Html(" · ") + link(file + ".svg", "SVG") + Html(" · ") + link(file + ".pdf", "PDF");
  }
  std::string text = figure.caption;
  for (const auto& remark : shown.drawing.remarks) text += (text.empty() ? "" : " ") + remark;
  return element("article", {{"id", "figure-box-" + figure.id}},
                 element("h3", figure.title) + element("figure", picture + (text.empty() ? Html() : element("figcaption", text))) +
                     element("p", {{"class", "files"}}, files) + command_block(commands(content.view, figure))) +
         Html::markup("\n");
}

Html picture_item(const ShownPicture& shown) {
  Html image;
  if (shown.file.empty())
    image = element("p", {{"class", "none"}}, "no data: no finished cell left " + shown.picture.file);
  else if (shown.is_sound())
    image = element("audio",
                    {{"controls", ""}, {"preload", "metadata"}, {"src", link_to(shown.file)}, {"aria-label", shown.picture.caption}}, {});
  else
    image = void_element("img", {{"src", link_to(shown.file)}, {"alt", shown.picture.caption}, {"loading", "lazy"}});
  Html caption = shown.picture.caption;
  if (!shown.cell.empty()) caption += element("small", {{"class", "cell"}}, shown.cell);
  return element("figure", image + element("figcaption", caption));
}

Html gallery_article(const PageContent& content, std::size_t index) {
  const auto& gallery = content.view.galleries[index];
  Html items;
  for (const auto& shown : content.galleries[index]) items += picture_item(shown);
  if (items.empty()) items = element("p", {{"class", "none"}}, "No data: the gallery names no pictures.");
  return element("article", {{"id", "gallery-" + gallery.id}},
                 element("h3", gallery.title) + paragraph(gallery.caption) + element("div", {{"class", "gallery"}}, items) +
                     command_block(commands(content.view, gallery)));
}

/// Published values that no table of this study has a place for.
Html other_published(const PageContent& content) {
  std::set<std::string> shown;
  for (const auto& table : content.view.tables) shown.insert(table.published);
  Html rows;
  for (const auto& figure : content.published.all()) {
    if (shown.contains(figure.table)) continue;
    const Html value = figure.value ? number(*figure.value, number_text(*figure.value)) : Html("");
    const Html tag = Html(figure.tag == Tag::Unverified ? "unverified " : "") +
                     element("span", {{"class", "tag"}, {"title", std::string(tag_meaning(figure.tag))}}, tag_text(figure.tag));
    rows += element("tr", figure.tag == Tag::Unverified ? Attributes{{"class", "unverified"}} : Attributes{},
                    element("td", figure.table) + element("td", figure.row) + element("td", figure.column) +
                        element("td", {{"class", "num"}}, value) + element("td", tag) + element("td", figure.protocol) +
                        element("td", figure.source));
  }
  if (rows.empty()) return {};
  Html head;
  for (const char* title : {"where", "row", "column", "value", "tag", "protocol", "source"})
    head += element("th", {{"scope", "col"}}, title);
  return element("article", {{"id", "published"}},
                 element("h3", "Published values that this study does not measure") +
                     element("div", {{"class", "scroll"}},
                             element("table", {{"class", "plain"}}, element("thead", element("tr", head)) + element("tbody", rows))));
}

Html section(const std::string& id, const std::string& title, const Html& content) {
  return content.empty() ? Html() : element("section", {{"id", id}}, element("h2", title) + content) + Html::markup("\n");
}

Html link_item(const std::string& id, const std::string& text) { return element("a", {{"href", "#" + id}}, text); }

Html header(const PageContent& content) {
  return element("header", element("p", {{"class", "eyebrow"}}, "reprise · study " + content.view.name) +
                               element("h1", content.view.title) + element("p", {{"class", "document"}}, content.view.document));
}

}  // namespace

std::string page(const PageContent& content) {
  Html tables, figures, galleries, notes;
  for (const auto& grid : content.tables) tables += table_article(content, grid);
  tables += other_published(content);
  for (const auto& figure : content.figures) figures += figure_article(content, figure);
  for (std::size_t i = 0; i < content.view.galleries.size(); ++i) galleries += gallery_article(content, i);
  for (const auto& note : content.view.notes) notes += element("p", note);
  const std::vector<std::pair<Html, Html>> sections = {
      {link_item("claims", "Claims"), claims_section(content)},
      {link_item("tables", "Tables"), section("tables", "Tables", tables)},
      {link_item("figures", "Figures"), section("figures", "Figures", figures)},
      {link_item("gallery", "Gallery"), section("gallery", "Gallery", galleries)},
      {link_item("notes", "Notes"), section("notes", "What differs from the document", notes)},
      {link_item("failed", "Without result"), cells_section(content)},
      {link_item("unreadable", "Unreadable"), unreadable_section(content)},
  };
  Html links, body;
  for (const auto& [item, text] : sections) {
    if (text.empty()) continue;
    links += item;
    body += text;
  }
  const Html footer = element("footer", Html("Everything here is computed from the records beside this page. ") +
                                            element("code", "./reprise report RESULTS --check") +
                                            Html(" says whether they still give these bytes; RESULTS is their folder."));
  return document(content.view.title,
                  element("main", header(content) + summary_section(content) + element("nav", links) + Html::markup("\n") + body + footer));
}

}  // namespace reprise::reports
