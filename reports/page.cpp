#include "reports/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/script.h"

namespace reprise::reports {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// Appends the meaning of each verdict to the study's glossary.
Glossary add_verdicts(Glossary words) {
  using enum records::Verdict;
  for (const auto verdict :
       {Reproduced, InPart, Contradicted, NoEffect, Undecided, NotTestable, NotRun})
    words.emplace_back(records::verdict_text(verdict), verdict_meaning(verdict));
  return words;
}

/// Lists published values that no table of this study has a place for.
Html other_published_section(const PageContent& content) {
  std::set<std::string> placed;
  for (const auto& table : content.view.tables) placed.insert(table.published);
  Html rows;
  for (const auto& figure : content.published.all()) {
    if (placed.contains(figure.table)) continue;
    // A value that was not recovered has a row with its source, and no number.
    const Html value = figure.value ? number(*figure.value, number_text(*figure.value)) : Html("");
    const Html tag =
        Html(figure.tag == Tag::Unverified ? "unverified " : "") +
        element("span", {{"class", "tag"}, {"title", std::string(tag_meaning(figure.tag))}},
                tag_text(figure.tag));
    rows += element(
        "tr", figure.tag == Tag::Unverified ? Attributes{{"class", "unverified"}} : Attributes{},
        element("td", figure.table) + element("td", figure.row) + element("td", figure.column) +
            element("td", {{"class", "num"}}, value) + element("td", tag) +
            element("td", figure.protocol) + element("td", figure.source));
  }
  if (rows.empty()) return {};
  Html head;
  for (const char* title : {"where", "row", "column", "value", "tag", "protocol", "source"})
    head += element("th", {{"scope", "col"}}, title);
  return element("section", {{"id", "published"}},
                 element("h2", "Published values that this study does not measure") +
                     element("article", copyable(element("table", {{"class", "plain"}},
                                                         element("thead", element("tr", head)) +
                                                             element("tbody", rows)))));
}

/// Returns the tables with the user's methods. They come first, because users look for them.
Html your_section(const PageContent& content) {
  Html out;
  for (const auto& note : content.view.your_notes) out += element("p", note);
  for (const auto& grid : content.tables)
    if (contains(content.view.your_tables, grid.table.id)) out += table_article(content, grid);
  return out.empty() ? out
                     : element("section", {{"id", "yours"}}, element("h2", "Your methods") + out);
}

/// Returns the opening picture: a figure, or the first pictures of a gallery.
Html opening_picture(const PageContent& content) {
  constexpr std::size_t most = 4;  // pictures of a gallery in the opening
  const auto& id = content.findings.picture;
  for (const auto& drawing : content.figures) {
    if (drawing.figure.id != id || drawing.empty()) continue;
    const std::string file = "figures/" + id;
    const Html files = link(file + ".svg", "SVG") + Html(" · ") + link(file + ".pdf", "PDF") +
                       Html(" · ") + link(file + ".csv", "CSV");
    return element("figure", {{"class", "opening-picture"}},
                   element("div", {{"class", "scroll drawing"}, {"tabindex", "0"}},
                           void_element("img", {{"src", link_to(file + ".svg")},
                                                {"alt", drawing.figure.title}})) +
                       element("figcaption", Html(drawing.figure.title + " ") + files)) +
           data_line(content, drawing.figure.data, datasets_of(drawing.figure));
  }
  for (std::size_t i = 0; i < content.view.galleries.size(); ++i) {
    const auto& gallery = content.view.galleries[i];
    if (const auto items = picture_items(content, i, id, most); !items.empty())
      return element("div", {{"class", gallery.wide ? "gallery wide" : "gallery opens"}}, items) +
             data_line(content, gallery.data, datasets_of(gallery));
  }
  return {};
}

Html header(const PageContent& content) {
  const auto& view = content.view;
  const auto& findings = content.findings;
  Html out = element("p", {{"class", "eyebrow"}},
                     fmt::format("reprise · {} · {}", view.name, view.profile));
  if (view.rerun)
    out += element(
        "p", {{"class", "rerun-line"}},
        view.rerun->summary +
            " (↻: the re-run of one seed gives the same value; ↻≈: within the spread of seeds; "
            "↻✗: a different value)");
  out += element("h1", view.title) + element("p", {{"class", "document"}}, view.document);
  if (!findings.document.empty()) out += element("p", {{"class", "opening"}}, findings.document);
  if (content.answer && !content.answer->waits)
    out += element("p", {{"class", "answer"}}, finding_html(*content.answer)) +
           opening_picture(content);
  if (!view.evidence) out += smoke_note("page", view.evidence_page);
  return element("header", out);
}

Html findings_section(const PageContent& content) {
  Html items;
  int waiting = 0;
  for (const auto& found : content.found) {
    waiting += found.waits;
    if (!found.waits) items += element("li", finding_html(found)) + Html::markup("\n");
  }
  Html out = items.empty() ? items : element("ul", {{"class", "findings"}}, items);
  if (waiting > 0)
    out += element("p", {{"class", "caption"}},
                   fmt::format("{} more result{} need{} cells that have not run.", waiting,
                               waiting == 1 ? "" : "s", waiting == 1 ? "s" : ""));
  out += glossary_html(add_verdicts(content.findings.glossary), "words and symbols");
  return out.empty()
             ? out
             : element("section", {{"id", "findings"}}, element("h2", "What we found") + out);
}

/// Returns the forest plot of the claim that the findings name.
Html forest_section(const PageContent& content) {
  if (content.forest.empty()) return {};
  const auto& id = content.findings.forest;
  const std::string path = forest_path(content.findings);
  // A phone gets the plot with its labels above the intervals, not next to them.
  const Html image = element(
      "picture",
      void_element("source",
                   {{"media", "(max-width:62rem)"}, {"srcset", link_to(path + "-narrow.svg")}}) +
          void_element("img", {{"src", link_to(path + ".svg")},
                               {"alt", "comparisons of claim " + id + " with their intervals"}}));
  const Html files = link(path + ".svg", "SVG") + Html(" · ") + link(path + ".pdf", "PDF") +
                     Html(" · ") + link(path + ".csv", "CSV");
  return element(
      "section", {{"id", "forest"}},
      element("h2", "Claim " + id + ", comparison by comparison") +
          element(
              "figure",
              image +
                  element(
                      "figcaption",
                      Html("Paired differences with their 90 % intervals. Green: significant for "
                           "the claim. Red: significant against it, corrected over the row. "
                           "Diamond: the difference that the document prints for the same pair, "
                           "on its data. Grey bar: the margin that counts as no difference. ") +
                          files)));
}

/// A table, figure or gallery that shows an item of the document, with its place on the page.
struct Counterpart {
  std::string anchor, title;
  Html article;
};

std::optional<Counterpart> find_counterpart(const PageContent& content, const std::string& id) {
  for (const auto& grid : content.tables)
    if (grid.table.id == id)
      return Counterpart{.anchor = "table-" + id,
                         .title = grid.table.title,
                         .article = table_article(content, grid, "h4")};
  for (const auto& drawing : content.figures)
    if (drawing.figure.id == id)
      return Counterpart{.anchor = "figure-box-" + id,
                         .title = drawing.figure.title,
                         .article = figure_article(content, drawing, "h4")};
  for (std::size_t i = 0; i < content.view.galleries.size(); ++i)
    if (content.view.galleries[i].id == id)
      return Counterpart{.anchor = "gallery-" + id,
                         .title = content.view.galleries[i].title,
                         .article = gallery_article(content, i, "h4")};
  return std::nullopt;
}

/// Lists the document's tables and figures in its order with our counterparts. A map at the end
/// states where each of them is.
Html items_section(const PageContent& content) {
  if (content.findings.items.empty()) return {};
  Html out, rows;
  // A counterpart appears once, also where several items share it. Tables with methods of the user
  // are at the top of the page already.
  std::set<std::string> placed;
  for (const auto& id : content.view.your_tables) placed.insert(id);
  for (const auto& item : content.findings.items) {
    Html articles, links;
    for (const auto& id : item.shows) {
      const auto found = find_counterpart(content, id);
      // Not every profile has all tables. report.cpp refuses an id that no profile has.
      if (!found) continue;
      links += (links.empty() ? Html() : Html(", ")) + link("", found->title, found->anchor);
      if (placed.insert(id).second) articles += found->article;
    }
    const Html explanation =
        item.explanation.empty() ? Html() : element("p", {{"class", "caption"}}, item.explanation);
    if (!articles.empty())
      out += element("div", {{"class", "item"}},
                     element("h3", item.item + ": " + item.title) + explanation + articles);
    // The explanation above the articles is not repeated.
    const Html not_here = articles.empty() ? Html(item.explanation) : Html();
    if (!links.empty() && !not_here.empty()) links += Html("; ");
    rows += element("tr", element("th", {{"scope", "row"}}, item.item) + element("td", item.title) +
                              element("td", links + not_here)) +
            Html::markup("\n");
  }
  const Html head = element("th", {{"scope", "col"}}, "in the document") +
                    element("th", {{"scope", "col"}}, "what it shows") +
                    element("th", {{"scope", "col"}}, "here, or why not");
  const Html map =
      element("h3", "Where to find each table and figure of the document") +
      copyable(element("table", {{"class", "map"}},
                       element("thead", element("tr", head)) + element("tbody", rows)));
  return element(
      "section", {{"id", "items"}},
      element("h2", "Tables and figures of the document") +
          element("p", {{"class", "lead"}},
                  "Means over seeds ± half of the " + statistics::confidence_text() +
                      " interval. Bold: best mean of its data set and metric. "
                      "Published values of other data are grey: compare only their order.") +
          out + element("div", {{"class", "item"}, {"id", "map"}}, map));
}

/// Returns the tables, figures and galleries of a page: those of index.html, or all others.
Html articles_section(const PageContent& content, bool on_index) {
  const auto open = open_ids(content);
  Html tables, figures, galleries;
  for (const auto& grid : content.tables)
    if (open.tables.contains(grid.table.id) == on_index &&
        !(on_index && contains(content.view.your_tables, grid.table.id)))
      tables += table_article(content, grid);
  for (const auto& drawing : content.figures)
    if (open.figures.contains(drawing.figure.id) == on_index)
      figures += figure_article(content, drawing);
  for (std::size_t i = 0; i < content.view.galleries.size(); ++i)
    if (open.galleries.contains(content.view.galleries[i].id) == on_index)
      galleries += gallery_article(content, i);
  const auto section = [&](const char* id, const char* title, const Html& articles) {
    return articles.empty() ? articles
                            : element("section", {{"id", id}}, element("h2", title) + articles);
  };
  return section("tables", on_index ? "Tables" : "More tables", tables) +
         section("figures", on_index ? "Figures" : "More figures", figures) +
         section("galleries", on_index ? "Pictures" : "More pictures", galleries);
}

Html limits_section(const PageContent& content) {
  Html items;
  for (const auto& limit : content.findings.limits) items += element("li", limit);
  return items.empty() ? items
                       : element("section", {{"id", "limits"}},
                                 element("h2", "What these results do not show") +
                                     element("ul", {{"class", "limits"}}, items));
}

Html notes_section(const PageContent& content) {
  Html notes;
  for (const auto& note : content.view.notes) notes += element("p", note);
  return notes.empty() ? notes
                       : element("section", {{"id", "notes"}},
                                 element("h2", "What differs from the document") + notes);
}

Html page_footer() {
  return element(
      "footer", Html("All numbers on this page are computed from the records in its folder. ") +
                    element("code", "./reprise report RESULTS --check") +
                    Html(" checks that the records still give this page. RESULTS is that folder."));
}

/// Returns the search field. It is hidden until the script shows it, because it needs the script.
Html search_field() {
  return element(
      "div", {{"id", "controls"}, {"hidden", ""}},
      element("label",
              Html("Search ") + void_element("input", {{"type", "search"},
                                                       {"placeholder", "method, data, metric"}})) +
          element("span", {{"class", "nothing"}, {"hidden", ""}}, "No match."));
}

}  // namespace

Html smoke_note(const std::string& what, const std::string& evidence_page) {
  Html text = fmt::format(
      "This {} is a smoke test with networks trained for seconds. It gives no verdicts.", what);
  if (!evidence_page.empty())
    text += Html(" The results are on ") +
            link(evidence_page, "the page of the committed records") + Html(".");
  return element("p", {{"class", "wiring"}}, text);
}

OpenIds open_ids(const PageContent& content) {
  OpenIds out;
  const auto& items = content.findings.items;
  // Without items nothing ranks the tables and figures, so all of them are on index.html.
  const auto shows = [&](const std::string& id) {
    return items.empty() || std::any_of(items.begin(), items.end(),
                                        [&](const auto& item) { return contains(item.shows, id); });
  };
  for (const auto& grid : content.tables)
    if (shows(grid.table.id) || contains(content.view.your_tables, grid.table.id))
      out.tables.insert(grid.table.id);
  for (const auto& drawing : content.figures)
    if (shows(drawing.figure.id)) out.figures.insert(drawing.figure.id);
  for (const auto& gallery : content.view.galleries)
    if (shows(gallery.id)) out.galleries.insert(gallery.id);
  return out;
}

std::string forest_path(const Findings& findings) {
  return "figures/" + claim_anchor(findings.forest);
}

std::string index_page(const PageContent& content) {
  const bool all_open = content.findings.items.empty();
  const Html more =
      element("p", {{"class", "to-details"}},
              link(details_page_name,
                   "All rows, comparisons, tables and figures of this study, with a search"));
  return document(
      content.view.title,
      element("main",
              header(content) + your_section(content) + findings_section(content) +
                  claims_table_section(content) + forest_section(content) + items_section(content) +
                  (all_open ? articles_section(content, true) : Html()) + setting_section(content) +
                  limits_section(content) + more + page_footer()),
      copy_script);
}

std::string details_page(const PageContent& content) {
  const Html head = element(
      "header",
      element("p", {{"class", "eyebrow"}},
              fmt::format("reprise · {} · {} · details", content.view.name, content.view.profile)) +
          element("h1", content.view.title + ": details") +
          element("p", {{"class", "document"}},
                  link("index.html", "back to the answer and the claims")) +
          glossary_html(add_verdicts(content.findings.glossary), "words and symbols"));
  return document(
      content.view.title + ": details",
      element("main", head + search_field() + claims_section(content) +
                          articles_section(content, false) + other_published_section(content) +
                          notes_section(content) + more_setting_section(content) +
                          cells_section(content) + unreadable_section(content) + page_footer()),
      std::string(copy_script) + std::string(details_script));
}

}  // namespace reprise::reports
