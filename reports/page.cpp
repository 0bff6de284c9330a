#include "reports/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "reports/claim_groups.h"
#include "reports/reading.h"

namespace reprise::reports {
namespace {

Html link(const std::string& path, const Html& text) { return element("a", {{"href", link_to(path)}}, text); }

/// The files of a table or figure, and the commands that make them again, behind one line.
Html command_block(const std::vector<std::string>& lines, const Html& files = {}) {
  return element("details", {{"class", "make"}},
                 element("summary", files.empty() ? "make it again" : "its files; make it again") +
                     (files.empty() ? Html() : element("p", {{"class", "files"}}, files)) +
                     element("pre", element("code", join(lines, "\n"))));
}

Html remark_list(const std::vector<std::string>& remarks) {
  Html items;
  for (const auto& remark : remarks) items += element("li", remark);
  return items.empty() ? items : element("ul", {{"class", "remarks"}}, items);
}

/// Units and intervals at once, protocols and tags behind a fold.
Html how_to_read(const Grid& grid) {
  if (grid.remarks.empty()) return {};
  const std::vector<std::string> first(grid.remarks.begin(), grid.remarks.begin() + 1), rest(grid.remarks.begin() + 1, grid.remarks.end());
  const Html folded =
      rest.empty() ? Html() : element("details", {{"class", "make"}}, element("summary", "how to read it") + remark_list(rest));
  return remark_list(first) + folded;
}

Html paragraph(const std::string& text) { return text.empty() ? Html() : element("p", {{"class", "caption"}}, text); }

}  // namespace

Html table_article(const PageContent& content, const Grid& grid) {
  const std::string file = "tables/" + grid.table.id;
  const Html files = Html("Data: ") + link(file + ".csv", "CSV") + Html(" · ") + link(file + ".md", "Markdown") + Html(" · ") +
                     link(file + ".tex", "LaTeX");
  return element("article", {{"id", "table-" + grid.table.id}},
                 element("h3", grid.table.title) + paragraph(grid.table.caption) +
                     element("div", {{"class", "scroll"}, {"tabindex", "0"}}, html(grid)) + how_to_read(grid) +
                     command_block(commands(content.view, grid.table), files)) +
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
  const auto message = content.messages.find(figure.id);
  const bool own_words = message != content.messages.end() && !message->second.waits;
  const Html shows = own_words ? reports::shown(message->second) : Html(reading(shown.drawing));
  std::string text = figure.caption;
  for (const auto& remark : shown.drawing.remarks) text += (text.empty() ? "" : " ") + remark;
  return element("article", {{"id", "figure-box-" + figure.id}},
                 element("h3", figure.title) +
                     element("figure", picture + (text.empty() ? Html()
                                                               : element("figcaption",
                                                                         (shows.empty() ? Html() : element("strong", shows) + Html(" ")) +
                                                                             Html(text)))) +
                     command_block(commands(content.view, figure), files)) +
         Html::markup("\n");
}

namespace {

/// A sheet with its rows named beside it and its columns above.
Html labelled(const Picture& picture, const Html& image) {
  const auto list = [](const std::vector<std::string>& names, const std::string& side) {
    Html items;
    for (const auto& name : names) items += element("span", name);
    return items.empty() ? items : element("div", {{"class", side}}, items);
  };
  if (picture.rows.empty() && picture.columns.empty()) return image;
  return element("div", {{"class", picture.rows.empty() ? "sheet" : "sheet named"}},
                 list(picture.columns, "columns") + list(picture.rows, "rows") + image);
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
  if (!shown.file.empty() && !shown.is_sound()) image = labelled(shown.picture, image);
  Html caption = shown.picture.caption;
  if (!shown.cell.empty()) caption += element("small", {{"class", "cell"}}, shown.cell);
  return element("figure", image + element("figcaption", caption));
}

}  // namespace

Html gallery_article(const PageContent& content, std::size_t index) {
  const auto& gallery = content.view.galleries[index];
  Html items;
  for (const auto& shown : content.galleries[index]) items += picture_item(shown);
  if (items.empty()) items = element("p", {{"class", "none"}}, "No data: the gallery names no pictures.");
  return element("article", {{"id", "gallery-" + gallery.id}},
                 element("h3", gallery.title) + paragraph(gallery.caption) +
                     element("div", {{"class", gallery.wide ? "gallery wide" : "gallery"}}, items) +
                     command_block(commands(content.view, gallery)));
}

namespace {

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

/// What is not needed for the verdicts, behind one line.
Html folded(const std::string& id, const std::string& title, const Html& content) {
  return content.empty() ? Html()
                         : element("details", {{"class", "more"}, {"id", id}}, element("summary", title) + content) + Html::markup("\n");
}

/// Ids that some group of claims shows.
std::set<std::string> shown_ids(const Findings& findings, std::vector<std::string> Findings::Group::*kind) {
  std::set<std::string> out;
  for (const auto& group : findings.groups)
    for (const auto& id : group.*kind) out.insert(id);
  return out;
}

std::string counted(std::size_t count, const std::string& more, const std::string& what) {
  return fmt::format("{}{} {}{}", count, more, what, count == 1 ? "" : "s");
}

bool is_yours(const PageContent& content, const std::string& table) {
  const auto& yours = content.view.your_tables;
  return std::find(yours.begin(), yours.end(), table) != yours.end();
}

/// The user's methods beside the study's: what whoever ran them looks for first.
Html your_section(const PageContent& content) {
  Html out;
  for (const auto& note : content.view.your_notes) out += element("p", note);
  for (const auto& grid : content.tables)
    if (is_yours(content, grid.table.id)) out += table_article(content, grid);
  return out.empty() ? out : element("section", {{"id", "yours"}}, element("h2", "Your methods") + out);
}

Html more_section(const PageContent& content) {
  const auto& findings = content.findings;
  const auto tables = shown_ids(findings, &Findings::Group::tables), figures = shown_ids(findings, &Findings::Group::figures),
             galleries = shown_ids(findings, &Findings::Group::galleries);
  Html more_tables, more_figures, more_galleries;
  std::size_t table_count = 0, figure_count = 0, gallery_count = 0;
  for (const auto& grid : content.tables)
    if (!tables.contains(grid.table.id) && grid.table.id != findings.headline && !is_yours(content, grid.table.id))
      more_tables += table_article(content, grid), ++table_count;
  for (const auto& figure : content.figures)
    if (!figures.contains(figure.drawing.figure.id)) more_figures += figure_article(content, figure), ++figure_count;
  for (std::size_t i = 0; i < content.view.galleries.size(); ++i)
    if (!galleries.contains(content.view.galleries[i].id)) more_galleries += gallery_article(content, i), ++gallery_count;
  const std::string more = findings.groups.empty() ? "" : " more";
  const bool open = findings.groups.empty();  // nothing else shows them
  const auto part = [&](const std::string& id, std::size_t count, const std::string& what, const Html& articles) {
    if (!open) return folded(id, counted(count, more, what), articles);
    return articles.empty() ? Html() : element("section", {{"id", id}}, element("h2", counted(count, "", what)) + articles);
  };
  Html notes;
  for (const auto& note : content.view.notes) notes += element("p", note);
  return part("tables", table_count, "table", more_tables) + part("figures", figure_count, "figure", more_figures) +
         part("gallery", gallery_count, "picture set", more_galleries) +
         folded("published", "Published values that this study does not measure", other_published(content)) +
         folded("notes", "What differs from the document", notes);
}

/// The figure, or the first pictures of the gallery, that shows the result at once.
Html opening_picture(const PageContent& content) {
  constexpr std::size_t most = 4;
  const auto& id = content.findings.picture;
  for (const auto& figure : content.figures)
    if (figure.drawing.figure.id == id && !figure.svg.empty())
      return element("figure", {{"class", "scroll drawing"}},
                     Html::markup(figure.svg) + element("figcaption", figure.drawing.figure.title));
  for (std::size_t i = 0; i < content.view.galleries.size(); ++i) {
    const auto& gallery = content.view.galleries[i];
    Html items;
    for (std::size_t k = 0, shown = 0; k < content.galleries[i].size() && shown < most; ++k)
      if (is_named(gallery, k + 1, id)) items += picture_item(content.galleries[i][k]), ++shown;
    if (!items.empty()) return element("div", {{"class", gallery.wide ? "gallery wide" : "gallery"}}, items);
  }
  return {};
}

Html header(const PageContent& content) {
  const auto& view = content.view;
  Html out = element("p", {{"class", "eyebrow"}}, fmt::format("reprise · {} · {}", view.name, view.profile)) + element("h1", view.title) +
             element("p", {{"class", "document"}}, view.document);
  if (!content.findings.document.empty()) out += element("p", {{"class", "opening"}}, content.findings.document);
  if (content.answer && !content.answer->waits)
    out += element("p", {{"class", "answer"}}, shown(*content.answer)) + opening_picture(content);
  if (view.evidence) return element("header", out);
  Html wiring = Html("This page shows that the way works, with networks trained for seconds. It judges nothing.");
  if (!view.evidence_page.empty())
    wiring += Html(" What was found: ") + element("a", {{"href", link_to(view.evidence_page)}}, "the evidence page") + Html(".");
  return element("header", out + element("p", {{"class", "wiring"}}, wiring));
}

Html headline(const PageContent& content) {
  for (const auto& grid : content.tables)
    if (grid.table.id == content.findings.headline)
      return element("section", {{"id", "headline"}}, element("h2", "What is printed beside ours") + table_article(content, grid));
  return {};
}

Html forest_section(const PageContent& content) {
  if (content.forest.empty()) return {};
  // Effects of many units side by side: who wants them unfolds them.
  return element(
      "section", {{"id", "forest"}},
      folded(
          "every-claim", "Every claim at a glance",
          element("div", {{"class", "scroll drawing"}, {"tabindex", "0"}}, Html::markup(content.forest)) +
              element(
                  "p", {{"class", "caption"}},
                  "Mean paired difference over all comparisons of a claim with its interval, right of 0 where it is better than what "
                  "it is compared with; where each method is compared with several others, against the one that speaks least for the "
                  "claim. Green: reproduced; red: contradicted, for which one comparison is enough, whatever the mean; amber: "
                  "undecided, or no effect. What is not testable is not drawn. A grey bar is a margin "
                  "within which the claim counts a difference as none; a diamond is the difference between printed figures, where both sides have one. "
                  "Each row leads to its claim.")));
}

}  // namespace

std::string page(const PageContent& content) {
  const auto words = words_of_groups(content);
  const Html footer = element("footer", Html("Everything here is computed from the records beside this page. ") +
                                            element("code", "./reprise report RESULTS --check") +
                                            Html(" says whether they still give these bytes; RESULTS is their folder."));
  return document(
      content.view.title,
      element("main", header(content) + your_section(content) + findings_section(content) + forest_section(content) + headline(content) +
                          setting_section(content, words.back()) + Html::markup("\n") + claims_section(content, words) +
                          more_section(content) + cells_section(content) + unreadable_section(content) + footer));
}

}  // namespace reprise::reports
