#include "reports/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;

void check_id(const std::string& kind, const std::string& id, std::set<std::string>& seen) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (id.empty() || !std::all_of(id.begin(), id.end(), allowed))
    throw UsageError(kind + " id \"" + id + "\" cannot be a file name", "use letters, digits, _ and - only");
  if (!seen.insert(id).second) throw UsageError("two of the study's " + kind + "s have the id " + id, "give each its own");
}

template <typename Item>
void check_ids(const std::string& kind, const std::vector<Item>& items) {
  std::set<std::string> seen;
  for (const auto& item : items) check_id(kind, item.id, seen);
}

void check_records(const StudyView& view, const Measured& measured) {
  for (const auto& record : measured.records()) {
    if (record.cell.study != view.name)
      throw Error(fmt::format("{} is a record of the study {}, but the report is of {}", record.cell.id(), record.cell.study, view.name),
                  "give each study a results folder of its own");
    if (record.profile != view.profile)
      throw Error(fmt::format("{} was run with the profile {}, but the report is of {}", record.cell.id(), record.profile, view.profile),
                  "give each profile a results folder of its own");
  }
}

/// A mistyped row or column would lose its figure without a word.
void check_published(const StudyView& view, const Published& published) {
  const auto has = [](const std::vector<std::string>& titles, const std::string& title) {
    return std::find(titles.begin(), titles.end(), title) != titles.end();
  };
  for (const auto& figure : published.all()) {
    const Table* target = nullptr;
    bool placed = false;
    for (const auto& table : view.tables)
      if (table.published == figure.table) {
        target = &table;
        placed |= has(table.rows, figure.row) && has(table.columns, figure.column);
      }
    if (target && !placed)
      throw UsageError(
          fmt::format("published.toml: table {} has no place for row \"{}\", column \"{}\"", figure.table, figure.row, figure.column),
          "its rows are " + join(target->rows, ", ") + "; its columns are " + join(target->columns, ", "));
  }
}

std::vector<ShownFigure> draw_all(const StudyView& view, const Measured& measured, Files& files) {
  std::vector<ShownFigure> out;
  for (const auto& figure : view.figures) {
    auto& shown = out.emplace_back(ShownFigure{collect(figure, measured), ""});
    const fs::path base = fs::path("figures") / figure.id;
    files[base.string() + ".csv"] = csv(shown.drawing);
    if (shown.drawing.empty()) continue;
    auto drawn = draw(shown.drawing);
    shown.svg = drawn.svg;
    files[base.string() + ".svg"] = std::move(drawn.svg);
    files[base.string() + ".pdf"] = std::move(drawn.pdf);
  }
  return out;
}

}  // namespace

Files render(const StudyView& view, const records::Store& store) {
  check_ids("table", view.tables);
  check_ids("figure", view.figures);
  check_ids("gallery", view.galleries);
  const Measured measured(store);
  check_records(view, measured);
  const Published published(view.published, "published.toml");
  check_published(view, published);

  Files files;
  PageContent content{
      .view = view, .measured = measured, .published = published, .claims = {}, .tables = {}, .figures = {}, .galleries = {}};
  content.claims = records::judge(view.claims, "claims.toml", store, view.own_methods);
  for (const auto& table : view.tables) {
    const auto& grid = content.tables.emplace_back(resolve(table, measured, published));
    const fs::path base = fs::path("tables") / table.id;
    files[base.string() + ".md"] = markdown(grid);
    files[base.string() + ".csv"] = csv(grid);
    files[base.string() + ".tex"] = latex(grid);
  }
  content.figures = draw_all(view, measured, files);
  for (const auto& gallery : view.galleries) {
    content.galleries.push_back(find_pictures(gallery, measured));
    for (const auto& shown : content.galleries.back())
      if (!shown.file.empty()) files[shown.file] = shown.bytes;
  }
  files["claims.md"] = claims_markdown(content.claims);
  files["index.html"] = page(content);
  return files;
}

StudySummary summarise(const StudyView& view, const records::Store& store, const fs::path& page) {
  StudySummary out{
      .name = view.name, .title = view.title, .document = view.document, .profile = view.profile, .verdicts = {}, .page = page};
  for (const auto& record : store.all()) {
    switch (record.status) {
      case records::Status::Done:
        ++out.done;
        break;
      case records::Status::Failed:
        ++out.failed;
        break;
      case records::Status::Running:
        ++out.unfinished;
        break;
    }
  }
  for (const auto& claim : records::judge(view.claims, "claims.toml", store, view.own_methods)) ++out.verdicts[claim.verdict];
  return out;
}

std::string studies_page(const std::vector<StudySummary>& studies) {
  Html rows;
  for (const auto& study : studies) {
    Html verdicts;
    for (const auto& [verdict, count] : study.verdicts) verdicts += Html(std::to_string(count) + " ") + badge(verdict) + Html(" ");
    std::string cells = fmt::format("{} done", study.done);
    if (study.failed) cells += fmt::format(", {} failed", study.failed);
    if (study.unfinished) cells += fmt::format(", {} not finished", study.unfinished);
    rows += element("tr", element("td", element("a", {{"href", link_to(study.page.generic_string())}}, study.title) +
                                            element("small", study.document)) +
                              element("td", study.profile) + element("td", cells) + element("td", verdicts)) +
            Html::markup("\n");
  }
  Html head;
  for (const char* title : {"study", "profile", "cells", "verdicts on claims"}) head += element("th", {{"scope", "col"}}, title);
  return document(
      "reprise: studies",
      element("main", element("header", element("p", {{"class", "eyebrow"}}, "reprise") + element("h1", "Studies")) +
                          element("section", element("div", {{"class", "scroll"}},
                                                     element("table", {{"class", "studies"}},
                                                             element("thead", element("tr", head)) + element("tbody", rows))))));
}

}  // namespace reprise::reports
