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

/// Throws a UsageError for an id that cannot be a file name on every system, or that repeats one.
void check_id(const std::string& kind, const std::string& id, std::set<std::string>& seen) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  if (id.empty() || !std::all_of(id.begin(), id.end(), allowed))
    throw UsageError(kind + " id \"" + id + "\" cannot be a file name",
                     "use letters, digits, _ and - only");
  if (!seen.insert(id).second)
    throw UsageError("two of the study's " + kind + "s have the id " + id, "give each its own");
}

template <typename Item>
void check_ids(const std::string& kind, const std::vector<Item>& items) {
  std::set<std::string> seen;
  for (const auto& item : items) check_id(kind, item.id, seen);
}

/// Throws an Error for records of another study or profile, which the page would mix with its own.
void check_records(const StudyView& view, const Measured& measured) {
  for (const auto& record : measured.records()) {
    if (record.cell.study != view.name)
      throw Error(fmt::format("{} is a record of the study {}, but the report is of {}",
                              record.cell.id(), record.cell.study, view.name),
                  "give each study a results folder of its own");
    if (record.profile != view.profile)
      throw Error(fmt::format("{} was run with the profile {}, but the report is of {}",
                              record.cell.id(), record.profile, view.profile),
                  "give each profile a results folder of its own");
  }
}

/// Refuses published values without a place: a mistyped row or column would lose its value unseen.
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
    // Values of tables that this study does not measure have a list of their own on details.html.
    if (target && !placed)
      throw UsageError(
          fmt::format("published.toml: table {} has no place for row \"{}\", column \"{}\"",
                      figure.table, figure.row, figure.column),
          "its rows are " + join(target->rows, ", ") + "; its columns are " +
              join(target->columns, ", "));
  }
}

/// Refuses unknown ids in findings.toml: a mistyped id would lose its sentence or picture unseen.
void check_findings(const StudyView& view, const Findings& findings,
                    std::span<const records::ClaimVerdict> claims) {
  if (!applies_to(findings, view)) return;
  const auto expect = [](const std::string& kind, const std::string& id,
                         const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), id) == known.end())
      throw UsageError(
          fmt::format("findings.toml names the {} \"{}\", which this study does not have", kind,
                      id),
          "it has " + join(known, ", "));
  };
  const auto ids = [](const auto& items) {
    std::vector<std::string> out;
    for (const auto& item : items) out.push_back(item.id);
    return out;
  };
  std::vector<std::string> claim_ids;
  for (const auto& claim : claims) claim_ids.push_back(claim.id);
  if (!findings.forest.empty()) expect("claim", findings.forest, claim_ids);
  for (const auto& explanation : findings.explanations)
    expect("claim", explanation.claim, claim_ids);
  if (findings.card) expect("table", findings.card->table, ids(view.tables));
  if (!findings.picture.empty()) {
    auto pictures = ids(view.figures);
    for (const auto& gallery : view.galleries) {
      pictures.push_back(gallery.id);
      for (std::size_t k = 0; k < gallery.pictures.size(); ++k)
        pictures.push_back(fmt::format("{}-{}", gallery.id, k + 1));
    }
    expect("picture", findings.picture, pictures);
  }
  for (const auto& [figure, message] : findings.messages)
    expect("figure", figure, ids(view.figures));
  auto shown = ids(view.tables);
  for (const auto& more : {ids(view.figures), ids(view.galleries)})
    shown.insert(shown.end(), more.begin(), more.end());
  for (const auto& item : findings.items)
    for (const auto& id : item.shows) expect("table, figure or gallery", id, shown);
}

std::vector<Drawing> draw_figures(const StudyView& view, const Measured& measured, Files& files) {
  std::vector<Drawing> out;
  for (const auto& figure : view.figures) {
    const auto& drawing = out.emplace_back(collect(figure, measured));
    const fs::path base = fs::path("figures") / figure.id;
    // Without data there is a CSV with its titles and no drawing: gnuplot refuses an empty plot.
    files[base.string() + ".csv"] = csv(drawing);
    if (drawing.empty()) continue;
    auto drawn = draw(drawing);
    files[base.string() + ".svg"] = std::move(drawn.svg);
    files[base.string() + ".pdf"] = std::move(drawn.pdf);
  }
  return out;
}

/// Fills in the numbers of the sentences of findings.toml, if the page has their profile.
void render_findings(const Findings& findings, PageContent& content) {
  if (!applies_to(findings, content.view)) return;
  if (findings.answer)
    content.answer = render_finding(*findings.answer, content.claims, content.measured);
  for (const auto& finding : findings.findings)
    content.found.push_back(render_finding(finding, content.claims, content.measured));
  for (const auto& claim : content.verdicts)
    if (const auto* explanation = findings.explanation(claim))
      content.explanations[claim.id] =
          render_finding(explanation->finding, content.claims, content.measured);
  for (const auto& [figure, message] : findings.messages)
    content.messages[figure] = render_finding(message, content.claims, content.measured);
}

/// Draws the forest plot of the claim that findings name. No file if none of its comparisons was
/// run.
void draw_claim(PageContent& content, Files& files) {
  // A smoke test gives no verdicts, and the plot would be read as one.
  if (!content.view.evidence) return;
  for (const auto& claim : content.verdicts)
    if (claim.id == content.findings.forest)
      content.forest = forest_panels(content.findings, claim, content.tables);
  if (content.forest.empty()) return;
  const auto path = forest_path(content.findings);
  auto drawn = draw_forest(content.forest);
  files[path + ".svg"] = std::move(drawn.svg);
  files[path + "-narrow.svg"] = std::move(drawn.narrow_svg);
  files[path + ".pdf"] = std::move(drawn.pdf);
  files[path + ".csv"] = std::move(drawn.csv);
}

}  // namespace

std::vector<records::Judgement> judge_claims(const StudyView& view, const records::Store& store) {
  return records::judge(view.claims, view.name + "/claims.toml", store, view.own_methods);
}

Files render(const StudyView& view, const records::Store& store,
             const std::vector<records::Judgement>& claims) {
  check_ids("table", view.tables);
  check_ids("figure", view.figures);
  for (const auto& figure : view.figures)
    if (figure.id.starts_with("claim-"))
      throw UsageError("figure id \"" + figure.id + "\": figures/claim-... are plots of claims",
                       "give it another id");
  check_ids("gallery", view.galleries);
  const Measured measured(store);
  check_records(view, measured);
  const Published published(view.published, "published.toml");
  check_published(view, published);

  Findings findings(view.findings, "findings.toml");
  // Words of findings.toml take precedence over titles of the registry.
  for (const auto& [id, title] : view.method_titles) findings.words.try_emplace(id, title);

  Files files;
  PageContent content{
      .view = view, .measured = measured, .published = published, .findings = findings};
  // The verdicts point into content.claims, so it must not change after this.
  content.claims = claims;
  content.verdicts = records::claim_verdicts(content.claims);
  for (const auto& table : view.tables) {
    auto& grid = content.tables.emplace_back(resolve(table, measured, published, view.bounds));
    if (view.rerun) mark_rerun(grid, *view.rerun);
    const fs::path base = fs::path("tables") / table.id;
    files[base.string() + ".md"] = markdown(grid);
    files[base.string() + ".csv"] = csv(grid);
    files[base.string() + ".tex"] = latex(grid);
  }
  content.figures = draw_figures(view, measured, files);
  for (const auto& gallery : view.galleries) {
    content.galleries.push_back(find_pictures(gallery, measured));
    for (const auto& shown : content.galleries.back())
      if (!shown.file.empty()) files[shown.file] = shown.bytes;
  }
  // The pages come last: they show the sentences and name the files of all other parts.
  check_findings(view, findings, content.verdicts);
  render_findings(findings, content);
  draw_claim(content, files);
  files["claims.md"] = claims_markdown(content.verdicts);
  files["index.html"] = index_page(content);
  files[details_page_name] = details_page(content);
  return files;
}

std::vector<std::string> stale_findings(const StudyView& view, const records::Store& store,
                                        const std::vector<records::Judgement>& claims) {
  // Sentences about another profile cannot be checked against these records.
  const Findings findings(view.findings, "findings.toml");
  if (!applies_to(findings, view)) return {};
  const Measured measured(store);
  const auto verdicts = records::claim_verdicts(claims);
  auto out = stale_explanations(findings, verdicts);
  const auto add = [&](const Findings::Finding& finding) {
    for (auto& text : render_finding(finding, claims, measured).stale)
      out.push_back(std::move(text));
  };
  if (findings.answer) add(*findings.answer);
  for (const auto& finding : findings.findings) add(finding);
  for (const auto& claim : verdicts)
    if (const auto* explanation = findings.explanation(claim)) add(explanation->finding);
  for (const auto& [figure, message] : findings.messages) add(message);
  return out;
}

}  // namespace reprise::reports
