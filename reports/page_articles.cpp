// Tables, figures and galleries as articles of a page.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/figure_summary.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

Html remark_list(const std::vector<std::string>& remarks) {
  Html items;
  for (const auto& remark : remarks) items += element("li", remark);
  return items.empty() ? items : element("ul", {{"class", "remarks"}}, items);
}

/// Collapses files, remarks and the commands that make them again behind one line.
Html files_block(const std::vector<std::string>& commands, const Html& files = {},
                 const std::vector<std::string>& remarks = {}) {
  std::string line = "how to make it again";
  if (!files.empty()) line = remarks.empty() ? "files" : "files, and how to read it";
  return element("details", {{"class", "make"}},
                 element("summary", line) +
                     (files.empty() ? Html() : element("p", {{"class", "files"}}, files)) +
                     remark_list(remarks) + element("pre", element("code", join(commands, "\n"))));
}

Html caption_paragraph(const std::string& text) {
  return text.empty() ? Html() : element("p", {{"class", "caption"}}, text);
}

/// Adds the titles of the rows and columns to a sheet.
Html add_labels(const Picture& picture, const Html& image) {
  const auto list = [](const std::vector<std::string>& names, const std::string& side) {
    Html items;
    for (const auto& name : names) items += element("span", name);
    return items.empty() ? items : element("div", {{"class", side}}, items);
  };
  if (picture.rows.empty() && picture.columns.empty()) return image;
  return element("div", {{"class", picture.rows.empty() ? "sheet" : "sheet named"}},
                 list(picture.columns, "columns") + list(picture.rows, "rows") + image);
}

/// Returns a picture, animation or sound with its caption.
Html picture_item(const ShownPicture& shown) {
  Html image;
  // A missing picture keeps its place, so that the gallery shows what is missing.
  if (shown.file.empty())
    image =
        element("p", {{"class", "none"}}, "no data: no finished cell left " + shown.picture.file);
  else if (shown.is_sound())
    image = element("audio",
                    {{"controls", ""},
                     {"preload", "metadata"},
                     {"src", link_to(shown.file)},
                     {"aria-label", shown.picture.caption}},
                    {});
  else
    image = void_element(
        "img", {{"src", link_to(shown.file)}, {"alt", shown.picture.caption}, {"loading", "lazy"}});
  if (!shown.file.empty() && !shown.is_sound()) image = add_labels(shown.picture, image);
  return element("figure", image + element("figcaption", shown.picture.caption));
}

}  // namespace

Html copyable(const Html& tables, const std::string& latex, const std::string& markdown) {
  const auto text_for = [](const char* form, const std::string& text) {
    return text.empty() ? Html() : element("template", {{"data-form", form}}, text);
  };
  return element("div", {{"class", "copyable"}},
                 element("div", {{"class", "scroll"}, {"tabindex", "0"}}, tables) +
                     text_for("LaTeX", latex) + text_for("Markdown", markdown));
}

Html data_line(const PageContent& content, const std::string& own,
               const std::set<std::string>& datasets) {
  // A figure may state its data itself, as for data that no set of the study names.
  std::string text = own;
  if (text.empty()) {
    // Data sets of one licence are named together.
    std::map<std::string, std::vector<std::string>> by_note;
    for (const auto& dataset : datasets)
      if (const auto at = content.view.data_notes.find(dataset);
          at != content.view.data_notes.end())
        by_note[at->second].push_back(content.findings.word(dataset));
    std::vector<std::string> parts;
    for (const auto& [note, names] : by_note)
      parts.push_back(join(names, ", ") + " (" + note + ")");
    text = join(parts, "; ");
  }
  return text.empty() ? Html() : element("p", {{"class", "data"}}, "Data: " + text);
}

std::set<std::string> datasets_of(const Figure& figure) {
  std::set<std::string> out;
  for (const auto& series : figure.series) out.insert(series.dataset);
  return out;
}

std::set<std::string> datasets_of(const Gallery& gallery) {
  std::set<std::string> out;
  for (const auto& picture : gallery.pictures) out.insert(picture.dataset);
  return out;
}

Html table_article(const PageContent& content, const Grid& grid, std::string_view heading) {
  const std::string file = "tables/" + grid.table.id;
  const Html files = Html("Files: ") + link(file + ".csv", "CSV") + Html(" · ") +
                     link(file + ".md", "Markdown") + Html(" · ") + link(file + ".tex", "LaTeX");
  return element("article", {{"id", "table-" + grid.table.id}},
                 element(heading, grid.table.title) + caption_paragraph(grid.table.caption) +
                     copyable(html(grid), latex(grid), markdown(grid)) +
                     files_block(commands_for(content.view, grid.table), files, grid.remarks)) +
         Html::markup("\n");
}

Html figure_article(const PageContent& content, const Drawing& drawing, std::string_view heading) {
  const auto& figure = drawing.figure;
  const std::string file = "figures/" + figure.id;
  Html picture;
  // The CSV exists also without a drawing: it names the series that have no data.
  Html files = Html("Files: ") + link(file + ".csv", "CSV");
  if (drawing.empty()) {
    picture =
        element("p", {{"class", "none"}}, "No data: no finished record holds any of these series.");
  } else {
    const auto image = void_element(
        "img", {{"src", link_to(file + ".svg")}, {"alt", figure.title}, {"loading", "lazy"}});
    picture = element("div", {{"class", "scroll drawing"}, {"tabindex", "0"}}, image);
    files += Html(" · ") + link(file + ".svg", "SVG") + Html(" · ") + link(file + ".pdf", "PDF");
  }
  // The study's sentence replaces the generated summary, once its cells have finished.
  const auto message = content.messages.find(figure.id);
  const bool own_words = message != content.messages.end() && !message->second.waits;
  const Html shows = own_words ? finding_html(message->second) : Html(summarise_figure(drawing));
  std::string text = figure.caption;
  for (const auto& remark : drawing.remarks) text += (text.empty() ? "" : " ") + remark;
  const Html caption = (shows.empty() ? Html() : element("strong", shows) + Html(" ")) + Html(text);
  return element(
             "article", {{"id", "figure-box-" + figure.id}},
             element(heading, figure.title) +
                 element("figure",
                         picture + (caption.empty() ? Html() : element("figcaption", caption))) +
                 data_line(content, figure.data, datasets_of(figure)) +
                 files_block(commands_for(content.view, figure), files)) +
         Html::markup("\n");
}

Html picture_items(const PageContent& content, std::size_t gallery, const std::string& name,
                   std::size_t most) {
  Html items;
  const auto& pictures = content.galleries[gallery];
  for (std::size_t k = 0, shown = 0; k < pictures.size() && shown < most; ++k) {
    if (!is_picture_name(content.view.galleries[gallery], k + 1, name)) continue;
    items += picture_item(pictures[k]);
    ++shown;
  }
  return items;
}

Html gallery_article(const PageContent& content, std::size_t index, std::string_view heading) {
  const auto& gallery = content.view.galleries[index];
  Html items = picture_items(content, index, gallery.id, gallery.pictures.size());
  if (items.empty())
    items = element("p", {{"class", "none"}}, "No data: the gallery names no pictures.");
  std::set<std::string> cells;
  for (const auto& shown : content.galleries[index])
    if (!shown.cell.empty()) cells.insert(shown.cell);
  std::vector<std::string> from;
  if (!cells.empty())
    from.push_back("From cells " + join({cells.begin(), cells.end()}, ", ") + ".");
  return element("article", {{"id", "gallery-" + gallery.id}},
                 element(heading, gallery.title) + caption_paragraph(gallery.caption) +
                     element("div", {{"class", gallery.wide ? "gallery wide" : "gallery"}}, items) +
                     data_line(content, gallery.data, datasets_of(gallery)) +
                     files_block(commands_for(content.view, gallery), {}, from)) +
         Html::markup("\n");
}

}  // namespace reprise::reports
