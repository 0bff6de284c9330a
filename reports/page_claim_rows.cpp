// The claims on details.html: every row with its effects, evidence, requirements and comparisons.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/page.h"

namespace reprise::reports {
namespace {

using records::ClaimVerdict;
using records::Judgement;
using records::Verdict;

/// Returns a comparison as a row: names, effect, interval, seeds and both p-values.
Html comparison_row(const PageContent& content, const records::Comparison& compared) {
  const auto num = [](const Html& text) { return element("td", {{"class", "num"}}, text); };
  return element("tr", element("td", content.findings.word(compared.method)) +
                           element("td", content.findings.word(compared.than)) +
                           element("td", content.findings.word(compared.dataset)) +
                           element("td", content.findings.word(compared.metric)) +
                           num(number(compared.effect, effect_text(compared.effect))) +
                           num(interval_html(compared.low, compared.high)) +
                           num(std::to_string(compared.n)) +
                           num(number(compared.p, p_text(compared.p))) +
                           num(number(compared.p_against_holm, p_text(compared.p_against_holm)))) +
         Html::markup("\n");
}

/// Lists the requirements of a row, with the numbers.
Html requirement_items(const PageContent& content, const Judgement& row) {
  Html items;
  for (const auto& requirement : row.requirements)
    items += element("li", Html((requirement.holds ? "✓ " : "✗ ") + requirement.statement + ". ") +
                               element("span", {{"class", "source"}},
                                       replace_ids(content, requirement.measured)));
  return items.empty() ? items : element("ul", {{"class", "requirements"}}, items);
}

/// Lists all comparisons of a row, with its requirements and the reason of its verdict.
Html comparison_details(const PageContent& content, const Judgement& row) {
  Html inside = requirement_items(content, row) +
                element("p", {{"class", "reason"}}, replace_ids(content, row.reason));
  if (!row.comparisons.empty()) {
    Html head;
    for (const char* title : {"method", "against", "data", "metric", "effect", interval_title, "n",
                              "p for", "p against"})
      head += element("th", {{"scope", "col"}}, title);
    Html lines;
    for (const auto& comparison : row.comparisons) lines += comparison_row(content, comparison);
    inside += copyable(element("table", {{"class", "plain"}},
                               element("thead", element("tr", head)) + element("tbody", lines)));
  }
  const std::string title = "comparisons and requirements" +
                            (row.row.empty() ? "" : ": " + content.findings.word(row.row));
  return element("details", element("summary", title) + inside);
}

/// States what seeds resample if they are not independent, because the tests depend on it.
std::string resampling_note(const Judgement& row) {
  std::set<records::Resampling> found;
  for (const auto& comparison : row.comparisons) found.insert(comparison.resampling);
  if (found.contains(records::Resampling::Split))
    return "seeds resample the split of one finite set: corrected resampled t test";
  return found.contains(records::Resampling::Weights)
             ? "all seeds have the same test items: the result holds only for these"
             : "";
}

/// Lists the effects of a row with their intervals, and its ratio.
Html row_effects(const PageContent& content, const Judgement& row) {
  Html out;
  const auto word = [&](const std::string& id) { return content.findings.word(id); };
  if (row.ratio)
    out += element("span", Html("ratio ") +
                               element("b", number(*row.ratio, fmt::format("{:.3g}", *row.ratio))));
  for (const auto& effect : row.effects) {
    if (effect.n == 0) continue;
    out += element("span", Html(records::effect_name(row, effect, word) + " ") +
                               element("b", number(effect.effect, effect_text(effect.effect))) +
                               Html(" ") + interval_html(effect.low, effect.high));
  }
  return out;
}

Html p_html(double p) { return number(p, (p < 0.001 ? "< 0.001" : "= " + p_text(p))); }

/// Lists what decided a row: its seeds and p-value. For an undecided row: which way its comparisons
/// point, and how many seeds would decide it.
Html row_evidence(const Judgement& row) {
  Html out;
  const auto count = row.comparisons.size();
  if (row.n > 0) out += element("span", fmt::format("{} seed{}", row.n, row.n == 1 ? "" : "s"));
  // One seed gives no test, so no p-value is printed for it.
  if (row.verdict == Verdict::Contradicted && row.n > 1)
    out += element("span", Html("against, p ") + p_html(row.p_against));
  if (row.verdict == Verdict::Reproduced && row.n > 1)
    out += element("span", Html("p ") + p_html(row.p));
  if (row.verdict == Verdict::Undecided && count > 0) {
    out += element("span", fmt::format("{} of {} favour the claim", row.towards, count));
    if (row.needed)
      out +=
          element("span", fmt::format("{} seeds would decide it (power 0.8): {} more of one core",
                                      *row.needed, duration_text(3600 * row.hours)));
  }
  if (const auto text = resampling_note(row); !text.empty()) out += element("span", text);
  const auto fails = [](const auto& requirement) { return !requirement.holds; };
  if (const auto failing = std::count_if(row.requirements.begin(), row.requirements.end(), fails);
      failing > 0)
    out += element("span", {{"class", "lacks"}},
                   fmt::format("{} of {} requirements fail", failing, row.requirements.size()));
  if (row.preregistration == records::Preregistration::PostHoc) {
    const std::string at = row.commit.empty() ? "" : ", at " + row.commit.substr(0, 12);
    out += element("span", {{"class", "lacks"}},
                   "post hoc: registered after results on its seeds were known" + at);
  }
  return out;
}

Html claim_rows_table(const PageContent& content, const ClaimVerdict& claim) {
  Html lines;
  // The rows that count come first, whatever their order in claims.toml.
  for (const bool further : {false, true})
    for (const auto& row : claim.rows) {
      if (row.further != further) continue;
      Html name = content.findings.word(row.row);
      if (further && !claim.counted_rows().empty())
        name += element("small", {{"class", "source"}}, "further, not counted");
      lines += element("tr", {{"data-verdict", std::string(records::verdict_text(row.verdict))}},
                       element("th", {{"scope", "row"}}, name) + element("td", badge(row.verdict)) +
                           element("td", {{"class", "facts"}}, row_effects(content, row)) +
                           element("td", {{"class", "facts"}}, row_evidence(row))) +
               Html::markup("\n");
    }
  Html head;
  for (const char* title : {"row", "verdict", "effects with their 90 % intervals", "evidence"})
    head += element("th", {{"scope", "col"}}, title);
  return copyable(element("table", {{"class", "verdicts"}},
                          element("thead", element("tr", head)) + element("tbody", lines)));
}

/// Returns a claim as an article that the search of the page can hide.
Html claim_article(const PageContent& content, const ClaimVerdict& claim) {
  Html head = element("h3", Html(claim.id + ". " + claim.statement)) +
              element("p", {{"class", "source"}}, claim.source);
  const auto anchor = claim_anchor(claim.id);
  if (!content.view.evidence)
    return element("article", {{"class", "claim other"}, {"id", anchor}}, head);
  // The reason states the counts; the study's explanation follows it.
  head = badge(claim.verdict) + head +
         element("p", {{"class", "reason"}}, replace_ids(content, claim.reason));
  if (const auto explanation = explanation_html(content, claim); !explanation.empty())
    head += element("p", {{"class", "why"}}, explanation);
  // A claim without rows has one judgement that compares nothing; its reason is printed above.
  const bool has_rows = claim.rows.size() > 1 || !claim.rows.front().row.empty() ||
                        !claim.rows.front().comparisons.empty();
  Html body;
  if (has_rows) {
    body = claim_rows_table(content, claim);
    for (const auto& row : claim.rows) body += comparison_details(content, row);
  }
  return element("article",
                 {{"class", "claim " + badge_colour(claim.verdict)},
                  {"id", anchor},
                  {"data-verdict", std::string(records::verdict_text(claim.verdict))}},
                 head + body) +
         Html::markup("\n");
}

}  // namespace

Html claims_section(const PageContent& content) {
  Html articles;
  for (const auto& claim : content.verdicts) articles += claim_article(content, claim);
  if (articles.empty()) return {};
  const Html lead =
      content.view.evidence
          ? element(
                "p", {{"class", "lead"}},
                "Each row compares pairs of runs with the same seed and data. Effects are mean "
                "paired differences. Positive favours the claim. Each direction has a one-sided "
                "test at 5 %, which matches a 90 % interval. For the claim all comparisons of a "
                "row must be significant, without correction. Against it one is enough, and p "
                "against is corrected by Holm's method over the row.")
          : Html();
  return element("section", {{"id", "claims"}},
                 element("h2", "Claims, row by row") + lead + articles);
}

}  // namespace reprise::reports
