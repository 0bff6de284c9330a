// The table of the document's claims on index.html.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

using records::ClaimVerdict;
using records::Judgement;
using records::Verdict;

/// An effect of a row that counts, or its ratio.
struct ClaimEffect {
  const Judgement* row;
  const records::Effect* effect;  ///< null: the ratio
};

std::vector<ClaimEffect> list_effects(const ClaimVerdict& claim) {
  std::vector<ClaimEffect> out;
  for (const auto* row : judged_rows(claim)) {
    if (row->ratio) out.push_back({.row = row, .effect = nullptr});
    for (const auto& effect : row->effects)
      if (effect.n > 0) out.push_back({.row = row, .effect = &effect});
  }
  return out;
}

/// Labels an effect if the claim has several: row, metric and counterpart.
std::string effect_label(const PageContent& content, const ClaimVerdict& claim,
                         const ClaimEffect& shown) {
  const auto word = [&](const std::string& id) { return content.findings.word(id); };
  std::vector<std::string> parts;
  if (judged_rows(claim).size() > 1 && !shown.row->row.empty())
    parts.push_back(word(shown.row->row));
  if (!shown.effect)
    parts.emplace_back("ratio");
  else if (parts.empty() || shown.row->effects.size() > 1)
    parts.push_back(records::effect_name(*shown.row, *shown.effect, word));
  return join(parts, ", ");
}

Html effect_line(const PageContent& content, const ClaimVerdict& claim, const ClaimEffect& shown) {
  Html line;
  if (shown.effect) {
    const double value = shown.effect->effect;
    line = element("b", number(value, effect_text(value)));
    line += Html(" ") + interval_html(shown.effect->low, shown.effect->high);
    line += element("span", {{"class", "n"}}, fmt::format(" n\u202F{}", shown.effect->n));
  } else {
    // A ratio has no sign: it is compared with the limit of its claim.
    const double ratio = *shown.row->ratio;
    line = element("b", number(ratio, fmt::format("{:.3g}", ratio)));
  }
  return element("li", element("span", {{"class", "what"}}, effect_label(content, claim, shown)) +
                           Html(" ") + line);
}

/// Measured effects and published differences of the same pairs, line by line.
struct ClaimCells {
  Html paper, ours;
};

ClaimCells claim_cells(const PageContent& content, const ClaimVerdict& claim) {
  // Effects per claim on index.html; details.html has all.
  constexpr std::size_t most = 3;
  const auto effects = list_effects(claim);
  Html paper, ours;
  bool printed = false;  // whether the document prints any of the differences
  for (std::size_t i = 0; i < std::min(most, effects.size()); ++i) {
    const auto& shown = effects[i];
    ours += effect_line(content, claim, shown);
    std::optional<double> difference;
    if (shown.effect) difference = document_difference(content.tables, *shown.row, *shown.effect);
    printed |= difference.has_value();
    // A dash keeps both lists aligned line by line.
    Html text("–");
    if (difference) text = element("b", number(*difference, effect_text(*difference)));
    paper += element("li", text);
  }
  if (effects.size() > most)
    ours += element("li", link(details_page_name, fmt::format("… {} more", effects.size() - most),
                               claim_anchor(claim.id)));
  const auto list = [](const Html& items) {
    return items.empty() ? items : element("ul", {{"class", "effects"}}, items);
  };
  return {.paper = printed ? list(paper) : Html("–"), .ours = list(ours)};
}

/// Counts the rows behind a verdict that rows can disagree on: "2 of 3 rows". "" for others.
std::string agreeing_rows_text(const ClaimVerdict& claim) {
  const auto rows = judged_rows(claim);
  if (rows.size() < 2) return "";
  // A claim is reproduced in part because of its reproduced rows.
  auto counted = claim.verdict;
  if (claim.verdict == Verdict::InPart)
    counted = Verdict::Reproduced;
  else if (claim.verdict != Verdict::Contradicted)
    return "";
  const auto same =
      std::ranges::count_if(rows, [&](const auto* row) { return row->verdict == counted; });
  return fmt::format("{} of {} rows", same, rows.size());
}

/// Counts the rows that do not count and have the opposite verdict. "" without any.
std::string opposed_rows_text(const ClaimVerdict& claim) {
  Verdict opposite = Verdict::NotRun;
  if (claim.verdict == Verdict::Reproduced) opposite = Verdict::Contradicted;
  if (claim.verdict == Verdict::Contradicted) opposite = Verdict::Reproduced;
  if (opposite == Verdict::NotRun) return "";
  const auto count = std::ranges::count_if(
      claim.rows, [&](const auto& row) { return row.further && row.verdict == opposite; });
  if (count == 0) return "";
  return fmt::format("{} further row{} {}", count, count == 1 ? "" : "s",
                     records::verdict_text(opposite));
}

/// Qualifies a verdict: whether its comparisons were chosen after their seeds had been seen, how
/// many rows have it, and whether rows that do not count contradict it.
Html verdict_notes(const ClaimVerdict& claim) {
  std::vector<std::string> notes;
  if (claim.preregistration == records::Preregistration::PostHoc) notes.emplace_back("post hoc");
  for (auto& note : {agreeing_rows_text(claim), opposed_rows_text(claim)})
    if (!note.empty()) notes.push_back(note);
  return notes.empty() ? Html() : element("small", {{"class", "n"}}, " " + join(notes, "; "));
}

Html claim_table_row(const PageContent& content, const ClaimVerdict& claim) {
  const Html name =
      link(details_page_name, claim.id, claim_anchor(claim.id)) + Html(" ") + Html(claim.statement);
  Html line = element("th", {{"scope", "row"}, {"title", claim.source}}, name);
  // A smoke test lists the claims only: its numbers decide nothing.
  if (content.view.evidence) {
    const auto cells = claim_cells(content, claim);
    const auto cell = [](const char* title, const Html& text) {
      return element("td", {{"data-title", title}}, text);
    };
    line += cell("paper", cells.paper) + cell("here", cells.ours) +
            cell("verdict", badge(claim.verdict) + verdict_notes(claim)) +
            cell("why", explanation_html(content, claim));
  }
  return element("tr", {{"id", claim_anchor(claim.id)}}, line) + Html::markup("\n");
}

Html claims_table(const PageContent& content, bool own) {
  Html rows;
  for (const auto& claim : content.verdicts)
    if (claim.own == own) rows += claim_table_row(content, claim);
  if (rows.empty()) return {};
  Html head = element("th", {{"scope", "col"}}, "claim");
  if (content.view.evidence)
    for (const char* title : {"paper", "here", "verdict", "why"})
      head += element("th", {{"scope", "col"}}, title);
  return copyable(element("table", {{"class", "claims"}},
                          element("thead", element("tr", head)) + element("tbody", rows)));
}

}  // namespace

Html claims_table_section(const PageContent& content) {
  Html body = claims_table(content, false);
  if (const auto own = claims_table(content, true); !own.empty())
    body +=
        element("details", {{"class", "more"}},
                element("summary", "our own questions, which the document does not state") + own);
  if (body.empty()) body = element("p", {{"class", "none"}}, "This study states no claims.");
  if (content.view.evidence && !content.verdicts.empty())
    body =
        element("p", {{"class", "counts"}}, verdict_counts_text(content.verdicts) + ".") +
        element("p", {{"class", "caption"}},
                "Here: mean paired difference over seeds with its 90 % interval and the number of "
                "seeds n. Positive favours the claim. Paper: the difference between its own "
                "values, where it prints both. Post hoc: a comparison was chosen after results on "
                "these seeds were known.") +
        body;
  return element("section", {{"id", "claims"}}, element("h2", "The document's claims") + body);
}

}  // namespace reprise::reports
