#include "reports/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "reports/forest.h"
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

/// A mistyped id would lose what it names without a word.
void check_findings(const StudyView& view, const Findings& findings, const std::vector<records::Judgement>& claims) {
  if (!speaks_of(findings, view)) return;
  const auto expect = [](const std::string& kind, const std::string& id, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), id) == known.end())
      throw UsageError(fmt::format("findings.toml names the {} \"{}\", which this study does not have", kind, id),
                       "it has " + join(known, ", "));
  };
  const auto ids = [](const auto& items) {
    std::vector<std::string> out;
    for (const auto& item : items) out.push_back(item.id);
    return out;
  };
  std::vector<std::string> claim_ids;
  for (const auto claim : records::claims_of(claims)) claim_ids.push_back(claim.front().claim_id);
  if (!findings.headline.empty()) expect("table", findings.headline, ids(view.tables));
  if (!findings.picture.empty()) {
    auto pictures = ids(view.figures);
    for (const auto& gallery : view.galleries) {
      pictures.push_back(gallery.id);
      for (std::size_t k = 0; k < gallery.pictures.size(); ++k) pictures.push_back(fmt::format("{}-{}", gallery.id, k + 1));
    }
    expect("picture", findings.picture, pictures);
  }
  for (const auto& [figure, message] : findings.messages) expect("figure", figure, ids(view.figures));
  for (const auto& group : findings.groups) {
    for (const auto& id : group.ids) expect("claim", id, claim_ids);
    for (const auto& id : group.tables) expect("table", id, ids(view.tables));
    for (const auto& id : group.figures) expect("figure", id, ids(view.figures));
    for (const auto& id : group.open) expect("figure of its group", id, group.figures);
    for (const auto& id : group.galleries) expect("gallery", id, ids(view.galleries));
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

/// The sentences of findings.toml with their numbers, where the page is of the profile that they speak of.
void say_findings(const Findings& findings, PageContent& content) {
  if (!speaks_of(findings, content.view)) return;
  if (findings.answer) content.answer = said(*findings.answer, content.claims, content.measured);
  for (const auto& finding : findings.findings) content.found.push_back(said(finding, content.claims, content.measured));
  for (const auto& [figure, message] : findings.messages) content.messages[figure] = said(message, content.claims, content.measured);
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

  Findings findings(view.findings, "findings.toml");
  for (const auto& [id, title] : view.method_titles) findings.words.try_emplace(id, title);

  Files files;
  PageContent content{.view = view,
                      .measured = measured,
                      .published = published,
                      .claims = {},
                      .tables = {},
                      .figures = {},
                      .galleries = {},
                      .findings = findings,
                      .answer = {},
                      .found = {},
                      .messages = {},
                      .forest = ""};
  content.claims = records::judge(view.claims, "claims.toml", store, view.own_methods);
  for (const auto& table : view.tables) {
    const auto& grid = content.tables.emplace_back(resolve(table, measured, published, view.bounds));
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
  check_findings(view, findings, content.claims);
  say_findings(findings, content);
  if (const auto panels = forest(findings, content.claims, content.tables); view.evidence && !panels.empty()) {
    content.forest = forest_svg(panels, true);
    files["figures/claims.svg"] = forest_svg(panels, false);
  }
  files["claims.md"] = claims_markdown(content.claims);
  files["index.html"] = page(content);
  return files;
}

std::vector<std::string> stale_findings(const StudyView& view, const records::Store& store) {
  const Findings findings(view.findings, "findings.toml");
  if (!speaks_of(findings, view)) return {};
  const auto claims = records::judge(view.claims, "claims.toml", store, view.own_methods);
  const Measured measured(store);
  auto out = stale_whys(findings, claims);
  const auto add = [&](const Findings::Finding& finding) {
    for (auto& text : said(finding, claims, measured).stale) out.push_back(std::move(text));
  };
  if (findings.answer) add(*findings.answer);
  for (const auto& finding : findings.findings) add(finding);
  for (const auto& [figure, message] : findings.messages) add(message);
  return out;
}

}  // namespace reprise::reports
