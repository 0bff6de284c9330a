// The page that lists several studies: what each document says, what was found, and where.
#include <fmt/format.h>

#include "reports/findings.h"
#include "reports/page.h"
#include "reports/report.h"

namespace reprise::reports {
namespace fs = std::filesystem;
namespace {

Html link(const std::string& path, const Html& text) { return element("a", {{"href", link_to(path)}}, text); }

Html verdicts(const StudySummary& study) {
  Html out;
  for (const auto& [verdict, count] : study.verdicts)
    out += element("li", element("b", std::to_string(count)) + Html(" ") + badge(verdict));
  return out.empty() ? out : element("ul", {{"class", "tally"}}, out);
}

Html what_it_is(const StudySummary& study) {
  if (study.evidence) return {};
  Html text = "This run shows that the way works, with networks trained for seconds. It judges nothing.";
  if (!study.evidence_page.empty()) text += Html(" What was found: ") + link(study.evidence_page, "the evidence page") + Html(".");
  return element("p", {{"class", "wiring"}}, text);
}

Html study_article(const StudySummary& study) {
  const auto page = study.page.generic_string();
  std::string cells = fmt::format("profile {}, {} cells done", study.profile, study.done);
  if (study.failed) cells += fmt::format(", {} failed", study.failed);
  if (study.unfinished) cells += fmt::format(", {} not finished", study.unfinished);
  cells += fmt::format(", {} of one core", duration_text(study.seconds));
  Html out = element("h2", link(page, study.title)) + element("p", {{"class", "document"}}, study.document);
  if (!study.opening.empty()) out += element("p", {{"class", "opening"}}, study.opening);
  if (!study.answer.empty()) out += element("p", {{"class", "answer"}}, Html::markup(study.answer));
  if (!study.picture.empty())
    out += element("a", {{"class", "card"}, {"href", link_to(page)}},
                   void_element("img", {{"src", link_to((study.page.parent_path() / study.picture).generic_string())},
                                        {"alt", "the result of " + study.title + " in one picture"},
                                        {"loading", "lazy"}}));
  out += what_it_is(study) + verdicts(study);
  return element("article", {{"id", "study-" + study.name}}, out + element("p", {{"class", "caption"}}, cells)) + Html::markup("\n");
}

/// The file of the figure or gallery that findings name; "" where no finished cell has it.
std::string picture_of(const Findings& findings, const StudyView& view, const Measured& measured) {
  for (const auto& figure : view.figures)
    if (figure.id == findings.picture && !collect(figure, measured).empty()) return "figures/" + figure.id + ".svg";
  for (const auto& gallery : view.galleries) {
    if (!findings.picture.starts_with(gallery.id)) continue;  // pictures of the others need not be read
    const auto pictures = find_pictures(gallery, measured);
    for (std::size_t k = 0; k < pictures.size(); ++k)
      if (is_named(gallery, k + 1, findings.picture) && !pictures[k].file.empty() && !pictures[k].is_sound()) return pictures[k].file;
  }
  return "";
}

}  // namespace

StudySummary summarise(const StudyView& view, const records::Store& store, const fs::path& page) {
  const Findings findings(view.findings, "findings.toml");
  StudySummary out{.name = view.name,
                   .title = view.title,
                   .document = view.document,
                   .profile = view.profile,
                   .opening = findings.document,
                   .evidence = view.evidence,
                   .verdicts = {},
                   .page = page};
  for (const auto& record : store.all()) {
    if (const auto total = record.seconds.find("total"); total != record.seconds.end()) out.seconds += total->second;
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
  if (!view.evidence) return out;
  const auto claims = records::judge(view.claims, "claims.toml", store, view.own_methods);
  for (const auto& claim : claims) ++out.verdicts[claim.verdict];
  if (!speaks_of(findings, view) || !findings.answer) return out;
  const Measured measured(store);
  const auto answer = said(*findings.answer, claims, measured);
  if (answer.waits) return out;
  out.answer = shown(answer).bytes();
  out.picture = picture_of(findings, view, measured);
  return out;
}

std::string studies_page(const std::vector<StudySummary>& studies) {
  Html articles;
  for (const auto& study : studies) articles += study_article(study);
  return document("reprise: studies", element("main", element("header", element("p", {{"class", "eyebrow"}}, "reprise") +
                                                                            element("h1", "What documents claim, and what was found")) +
                                                          element("section", {{"class", "studies"}}, articles)));
}

}  // namespace reprise::reports
