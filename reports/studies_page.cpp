// The page that lists several studies: what each document says, what was found, and where.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "reports/findings.h"
#include "reports/page.h"
#include "reports/report.h"

namespace reprise::reports {
namespace fs = std::filesystem;
namespace {

/// Returns a study as an article: its answer, its card and its counts, with a link to its page.
Html study_card(const StudySummary& study) {
  const auto page = study.page.generic_string();
  std::string cells = fmt::format("profile {}, {} cells done", study.profile, study.done);
  if (study.failed) cells += fmt::format(", {} failed", study.failed);
  if (study.unfinished) cells += fmt::format(", {} not finished", study.unfinished);
  cells += fmt::format(", {} of one core", duration_text(study.seconds));
  // Paths of a study are relative to its page, so its folder comes before them.
  Html picture;
  if (!study.picture.empty())
    picture = element(
        "div", {{"class", "card"}},
        element("a", {{"href", link_to(page)}},
                void_element(
                    "img",
                    {{"src", link_to((study.page.parent_path() / study.picture).generic_string())},
                     {"alt", "the result of " + study.title + " in one picture"},
                     {"loading", "lazy"}})) +
            Html::markup(study.data));
  Html text = element("h2", link(page, study.title)) +
              element("p", {{"class", "document"}}, study.document);
  if (!study.answer.empty())
    text += element("p", {{"class", "answer"}}, Html::markup(study.answer));
  else if (!study.opening.empty())
    text += element("p", {{"class", "opening"}}, study.opening);
  if (!study.evidence) text += smoke_note("run", study.evidence_page);
  if (!study.card.empty())
    text += element("div", {{"class", "scroll"}, {"tabindex", "0"}}, Html::markup(study.card));
  if (!study.counts.empty()) text += element("p", {{"class", "counts"}}, study.counts + ".");
  text += element("p", {{"class", "caption"}}, cells);
  return element("article", {{"id", "study-" + study.name}}, picture + element("div", text)) +
         Html::markup("\n");
}

/// Picture of a study's card, and the line that states its data.
struct CardPicture {
  std::string file;
  Html data;
};

/// Finds the picture that findings name: a figure, or one of a gallery. "" if no finished cell has
/// it.
CardPicture find_card_picture(const PageContent& content) {
  const auto& id = content.findings.picture;
  for (const auto& figure : content.view.figures)
    if (figure.id == id && !collect(figure, content.measured).empty())
      return {.file = "figures/" + figure.id + ".svg",
              .data = data_line(content, figure.data, datasets_of(figure))};
  for (const auto& gallery : content.view.galleries) {
    if (!id.starts_with(gallery.id)) continue;  // pictures of the others need not be read
    const auto pictures = find_pictures(gallery, content.measured);
    for (std::size_t k = 0; k < pictures.size(); ++k)
      if (is_picture_name(gallery, k + 1, id) && !pictures[k].file.empty() &&
          !pictures[k].is_sound())
        return {.file = pictures[k].file,
                .data = data_line(content, gallery.data, datasets_of(gallery))};
  }
  return {};
}

/// Returns the part of a table that findings name for the card, as HTML.
std::string make_card_table(const PageContent& content) {
  if (!content.findings.card) return "";
  const auto& card = *content.findings.card;
  for (const auto& table : content.view.tables) {
    if (table.id != card.table) continue;
    auto grid = resolve(table, content.measured, content.published, content.view.bounds);
    if (content.view.rerun) mark_rerun(grid, *content.view.rerun);
    return (element("p", {{"class", "data"}}, grid.table.title) +
            html(select_part(grid, card.rows, card.columns)))
        .bytes();
  }
  throw UsageError("findings.toml names the table \"" + card.table +
                       "\" for the card, which this study does not have",
                   "use the id of one of its tables");
}

}  // namespace

StudySummary summarise(const StudyView& view, const records::Store& store, const fs::path& page,
                       const std::vector<records::Judgement>& claims) {
  Findings findings(view.findings, "findings.toml");
  for (const auto& [id, title] : view.method_titles) findings.words.try_emplace(id, title);
  StudySummary out{.name = view.name,
                   .title = view.title,
                   .document = view.document,
                   .profile = view.profile,
                   .opening = findings.document,
                   .evidence = view.evidence,
                   .page = page};
  if (view.rerun) out.rerun = view.rerun->total;
  for (const auto& record : store.all()) {
    out.seconds += records::total_seconds(record);
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
  // A smoke test has no verdicts, answer and card, so its records need not be aggregated.
  if (!view.evidence) return out;
  const Measured measured(store);
  const Published published(view.published, "published.toml");
  PageContent content{
      .view = view, .measured = measured, .published = published, .findings = findings};
  content.claims = claims;
  content.verdicts = records::claim_verdicts(content.claims);
  out.counts = verdict_counts_text(content.verdicts);
  if (!applies_to(findings, view)) return out;
  if (findings.answer)
    if (const auto answer = render_finding(*findings.answer, content.claims, measured);
        !answer.waits)
      out.answer = finding_html(answer).bytes();
  out.card = make_card_table(content);
  const auto picture = find_card_picture(content);
  out.picture = picture.file;
  out.data = picture.data.bytes();
  return out;
}

std::string studies_page(const std::vector<StudySummary>& studies) {
  Html articles;
  for (const auto& study : studies) articles += study_card(study);
  // One call re-runs cells of all studies, so every study has the same line.
  const auto rerun =
      std::ranges::find_if(studies, [](const StudySummary& study) { return !study.rerun.empty(); });
  const Html rerun_line =
      rerun == studies.end() ? Html() : element("p", {{"class", "rerun-line"}}, rerun->rerun);
  return document(
      "reprise: studies",
      element("main",
              element("header", element("p", {{"class", "eyebrow"}}, "reprise") +
                                    element("h1", "What documents claim, and what we found") +
                                    rerun_line) +
                  element("section", {{"class", "studies"}}, articles)));
}

}  // namespace reprise::reports
