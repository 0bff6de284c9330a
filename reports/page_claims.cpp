// Claims and their verdicts, on the page and as Markdown.
#include <fmt/format.h>

#include <cmath>
#include <span>

#include "core/text.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

struct BadgeLook {
  std::string_view style, sign;
};

BadgeLook look_of(records::Verdict verdict) {
  switch (verdict) {
    case records::Verdict::Reproduced:
      return {"badge yes", "✓"};
    case records::Verdict::NotReproduced:
      return {"badge no", "✗"};
    case records::Verdict::Inconclusive:
      return {"badge open", "?"};
    case records::Verdict::NotComparable:
      return {"badge other", "≠"};
    case records::Verdict::NotRun:
      break;
  }
  return {"badge other", "–"};
}

bool judged(const records::Judgement& claim) {
  return claim.n > 0 && claim.verdict != records::Verdict::NotRun && claim.verdict != records::Verdict::NotComparable;
}

/// Counts and single seeds have an effect without width.
bool has_interval(double low, double high) { return std::isfinite(low) && std::isfinite(high) && low < high; }

std::string interval_text(double low, double high) {
  return has_interval(low, high) ? "[" + effect_text(low) + ", " + effect_text(high) + "]" : "";
}

Html interval_html(double low, double high) {
  if (!has_interval(low, high)) return {};
  return element("span", {{"class", "interval"}},
                 Html("[") + number(low, effect_text(low)) + Html(", ") + number(high, effect_text(high)) + Html("]"));
}

Html comparison_row(const records::Comparison& c) {
  return element("tr", element("td", c.method) + element("td", c.than) + element("td", c.dataset) + element("td", c.metric) +
                           element("td", {{"class", "num"}}, number(c.effect, effect_text(c.effect))) +
                           element("td", {{"class", "num"}}, interval_html(c.low, c.high)) +
                           element("td", {{"class", "num"}}, std::to_string(c.n)) +
                           element("td", {{"class", "num"}}, number(c.p, p_text(c.p))) +
                           element("td", {{"class", "num"}}, number(c.p_holm, p_text(c.p_holm)))) +
         Html::markup("\n");
}

Html comparisons(const records::Judgement& claim) {
  if (claim.comparisons.empty()) return {};
  Html head;
  for (const char* title : {"method", "against", "data", "metric", "effect", "95 % interval", "n", "p", "Holm p"})
    head += element("th", {{"scope", "col"}}, title);
  Html rows;
  for (const auto& comparison : claim.comparisons) rows += comparison_row(comparison);
  const auto count = claim.comparisons.size();
  return element("details",
                 element("summary", fmt::format("{} comparison{}", count, count == 1 ? "" : "s")) +
                     element("div", {{"class", "scroll"}},
                             element("table", {{"class", "plain"}}, element("thead", element("tr", head)) + element("tbody", rows))));
}

/// A paragraph for each test of a claim that has several; many are folded away.
Html reasons(const std::string& reason) {
  constexpr std::string_view between = "; test ";
  constexpr int shown = 2;
  Html out;
  std::size_t begin = 0, end = 0;
  int count = 0;
  for (; end != std::string::npos; begin = end + 2, ++count) {
    end = reason.find(between, begin);
    out += element("p", {{"class", "reason"}}, reason.substr(begin, end == std::string::npos ? end : end - begin));
  }
  if (count <= shown) return out;
  return element("details", element("summary", fmt::format("{} tests, all of which must hold", count)) + out);
}

Html effect_facts(const records::Judgement& claim) {
  if (!judged(claim)) return {};
  return element("span", Html("effect ") + element("b", number(claim.effect, effect_text(claim.effect))) + Html(" ") +
                             interval_html(claim.low, claim.high)) +
         element("span", Html("n ") + element("b", std::to_string(claim.n)));
}

Html facts(const Html& content) { return content.empty() ? content : element("p", {{"class", "facts"}}, content); }
Html source(const records::Judgement& claim) { return element("span", {{"class", "source"}}, claim.source); }
Html says(const records::Judgement& claim) { return element("p", {{"class", "says"}}, claim.says); }

/// What stands left of the text: a badge, or what all rows have, and a name.
Html margin(const Html& verdict, const std::string& name) {
  return element("div", {{"class", "verdict"}}, verdict + element("span", {{"class", "claim-id"}}, name));
}

Html item(const std::string& id, const Html& left, const Html& right) {
  return element("li", {{"class", "claim"}, {"id", "claim-" + id}}, left + element("div", right)) + Html::markup("\n");
}

Html lone_claim(const records::Judgement& claim) {
  return item(claim.id, margin(badge(claim.verdict), "claim " + claim.id),
              says(claim) + reasons(claim.reason) + facts(effect_facts(claim) + source(claim)) + comparisons(claim));
}

/// One claim with its text once and a row for each value of its for_each.
Html claim_with_rows(std::span<const records::Judgement> rows) {
  Html items;
  for (const auto& row : rows)
    items += item(row.id, margin(badge(row.verdict), row.row), facts(effect_facts(row)) + reasons(row.reason) + comparisons(row));
  const auto& claim = rows.front();
  return item(claim.claim_id, margin({}, "claim " + claim.claim_id),
              says(claim) + facts(source(claim)) + element("ul", {{"class", "claims"}}, items));
}

}  // namespace

std::string effect_text(double effect) {
  if (effect == 0) return "0";
  std::string text = fmt::format("{:.3g}", std::fabs(effect));
  // Counts stay whole: 3.75e+08 would say less.
  if (std::fabs(effect) >= 1000) text = fixed(std::fabs(effect), 0);
  return (effect < 0 ? "\u2212" : "+") + text;
}

std::string p_text(double p) { return p < 0.001 ? "<0.001" : fmt::format("{:.3f}", p); }

Html badge(records::Verdict verdict) {
  const auto look = look_of(verdict);
  return element("span", {{"class", std::string(look.style)}},
                 element("i", {{"aria-hidden", "true"}}, look.sign) + Html(" ") + Html(records::verdict_text(verdict)));
}

Html claims_section(const PageContent& content) {
  Html items;
  for (const auto claim : records::claims_of(content.claims))
    items += claim.front().row.empty() ? lone_claim(claim.front()) : claim_with_rows(claim);
  return element("section", {{"id", "claims"}},
                 element("h2", "Claims") +
                     element("p", {{"class", "lead"}},
                             "Each claim is judged on pairs of runs with the same seed and data. Effects are mean paired differences, "
                             "positive where they favour the claim.") +
                     (items.empty() ? element("p", {{"class", "none"}}, "This study states no claims.")
                                    : element("ul", {{"class", "claims"}}, items)));
}

std::string claims_markdown(const std::vector<records::Judgement>& claims) {
  std::string out =
      "| claim | verdict | says | reason | effect | 95 % interval | n | source |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& c : claims)
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", escape_markdown(c.id), records::verdict_text(c.verdict),
                       escape_markdown(records::says_of_row(c)), escape_markdown(c.reason), judged(c) ? effect_text(c.effect) : "",
                       judged(c) ? interval_text(c.low, c.high) : "", judged(c) ? std::to_string(c.n) : "", escape_markdown(c.source));
  for (const auto& c : claims) {
    if (c.comparisons.empty()) continue;
    out += "\n**Claim " + escape_markdown(c.id) +
           "**\n\n| method | against | data | metric | effect | 95 % interval | n | p | Holm p |\n| --- | --- | --- | --- | --- | --- | "
           "--- | --- | --- |\n";
    for (const auto& k : c.comparisons)
      out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", escape_markdown(k.method), escape_markdown(k.than),
                         escape_markdown(k.dataset), escape_markdown(k.metric), effect_text(k.effect), interval_text(k.low, k.high), k.n,
                         escape_markdown(p_text(k.p)), escape_markdown(p_text(k.p_holm)));
  }
  return out;
}

}  // namespace reprise::reports
