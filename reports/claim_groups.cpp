#include "reports/claim_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/text.h"
#include "reports/forest.h"

namespace reprise::reports {
namespace {

std::string forest_caption(const records::Judgement& claim) {
  return fmt::format(
      "Paired differences with their {}. Green: shown at level {}; red: the opposite is; after Holm's correction. Diamonds: what the document "
      "prints for the same pair. Gray: what counts as none.",
      confidence_text(claim), number_text(claim.level));
}

/// All that a reader of a group meets: claims, figures, pictures and tables.
std::string text_of(const PageContent& content, const Findings::Group& group, const ClaimRows& claims) {
  std::vector<std::string> words{group.title};
  const auto shows = [](const std::vector<std::string>& ids, const std::string& id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  for (const auto& claim : claims)
    if (shows(group.ids, claim.front().claim_id)) words.push_back(claim.front().says);
  for (const auto& shown : content.figures)
    if (const auto& figure = shown.drawing.figure; shows(group.figures, figure.id) || shows(group.open, figure.id)) {
      words.insert(words.end(), {figure.title, figure.caption, figure.x_label, figure.y_label});
      for (const auto& series : figure.series) words.push_back(series.label);
    }
  for (const auto& gallery : content.view.galleries)
    if (shows(group.galleries, gallery.id)) words.insert(words.end(), {gallery.title, gallery.caption});
  for (const auto& grid : content.tables)
    if (const auto& table = grid.table; shows(group.tables, table.id)) {
      words.insert(words.end(), {table.title, table.caption});
      words.insert(words.end(), table.rows.begin(), table.rows.end());
      words.insert(words.end(), table.columns.begin(), table.columns.end());
    }
  return join(words, "\n");
}

}  // namespace

Exhibits exhibits(const PageContent& content, const Findings::Group& group) {
  Html opened, first, rest;
  std::size_t count = 0;
  const auto is_open = [&](const std::string& id) { return std::count(group.open.begin(), group.open.end(), id) > 0; };
  for (const auto& id : group.open)
    for (const auto& figure : content.figures)
      if (figure.drawing.figure.id == id) opened += figure_article(content, figure);
  if (!opened.empty()) opened = element("div", {{"class", "opened"}}, opened);
  const auto add = [&](const Html& article) { (count++ == 0 ? first : rest) += article; };
  for (const auto& id : group.forests) {
    std::vector<records::Judgement> rows;
    std::ranges::copy_if(content.claims, std::back_inserter(rows), [&](const auto& claim) { return claim.claim_id == id; });
    if (const auto panels = forest_of(content.findings, rows, content.tables); !panels.empty())
      add(element("article", {{"class", "figure"}},
                  element("h4", "Claim " + id + ", comparison by comparison") +
                      element("div", {{"class", "scroll drawing"}, {"tabindex", "0"}}, Html::markup(forest_svg(panels, false))) +
                      element("p", {{"class", "caption"}}, forest_caption(rows.front()))));
  }
  for (const auto& id : group.figures)
    for (const auto& figure : content.figures)
      if (figure.drawing.figure.id == id && !is_open(id)) add(figure_article(content, figure));
  for (std::size_t i = 0; i < content.view.galleries.size(); ++i)
    if (std::count(group.galleries.begin(), group.galleries.end(), content.view.galleries[i].id)) add(gallery_article(content, i));
  for (const auto& id : group.tables)
    for (const auto& grid : content.tables)
      if (grid.table.id == id) add(table_article(content, grid));
  if (!rest.empty())
    rest = element("details", {{"class", "more"}},
                   element("summary", fmt::format("{} more of its figures, pictures and tables", count - 1)) + rest);
  constexpr std::size_t as_high_as_a_figure = 4;  // claims; more of them leave the space below it empty
  const bool beside = group.ids.size() - group.folded.size() <= as_high_as_a_figure && group.forests.empty() &&
                      (!group.figures.empty() || !group.galleries.empty());
  return {opened + first, rest, beside};
}

std::vector<Findings::Group> groups_of(const PageContent& content, const ClaimRows& claims) {
  auto groups = content.findings.groups;
  Findings::Group others{.title = groups.empty() ? "" : "Other claims"};
  for (const auto& claim : claims) {
    const auto& id = claim.front().claim_id;
    const auto lists = [&](const auto& group) { return std::count(group.ids.begin(), group.ids.end(), id) > 0; };
    if (std::none_of(groups.begin(), groups.end(), lists)) others.ids.push_back(id);
  }
  if (!others.ids.empty()) groups.push_back(std::move(others));
  return groups;
}

std::vector<Glossary> words_of_groups(const PageContent& content) {
  const auto claims = records::claims_of(content.claims);
  std::vector<std::string> texts;
  for (const auto& group : groups_of(content, claims)) texts.push_back(text_of(content, group, claims));
  return first_uses(content.findings.glossary, texts);
}

}  // namespace reprise::reports
