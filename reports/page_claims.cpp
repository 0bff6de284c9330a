// Claims and their verdicts, on the page and as Markdown.
#include <fmt/format.h>

#include <cmath>
#include <set>
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
    case records::Verdict::Contradicted:
      return {"badge no", "✗"};
    case records::Verdict::NoEffect:
      return {"badge none", "0"};
    case records::Verdict::Undecided:
      return {"badge open", "?"};
    case records::Verdict::NotTestable:
      return {"badge other", "⊘"};
    case records::Verdict::NotComparable:
      return {"badge other", "≠"};
    case records::Verdict::NotRun:
      break;
  }
  return {"badge other", "–"};
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
                           element("td", {{"class", "num"}}, number(c.p_holm, p_text(c.p_holm))) +
                           element("td", {{"class", "num"}}, number(c.p_against_holm, p_text(c.p_against_holm)))) +
         Html::markup("\n");
}

/// The confidence of the claim's intervals in per cent: each side leaves out the level that its test has.
std::string confidence_text(const records::Judgement& claim) { return number_text(100 * (1 - 2 * claim.level)) + " % interval"; }

Html comparisons(const records::Judgement& claim) {
  if (claim.comparisons.empty()) return {};
  Html head;
  for (const auto& title :
       {std::string("method"), std::string("against"), std::string("data"), std::string("metric"), std::string("effect"),
        confidence_text(claim), std::string("n"), std::string("p for"), std::string("p against")})
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

/// What seeds renew where they are not independent: the page says what its tests rest on.
std::string renewal_text(const records::Judgement& claim) {
  std::set<records::Renews> found;
  for (const auto& comparison : claim.comparisons) found.insert(comparison.renews);
  if (found.contains(records::Renews::Split)) return "seeds divide one finite set anew: corrected resampled t";
  return found.contains(records::Renews::Weights) ? "seeds renew weights alone: this speaks of these items" : "";
}

/// The effect of each metric, the p that decided, and whether it outlives a correction over the whole page.
Html effect_facts(const records::Judgement& claim) {
  Html out;
  if (claim.fraction) out += element("span", Html("fraction ") + element("b", number(*claim.fraction, effect_text(*claim.fraction))));
  for (const auto& effect : claim.effects) {
    if (effect.n == 0) continue;
    out +=
        element("span", Html(records::effect_name(claim, effect) + " ") + element("b", number(effect.effect, effect_text(effect.effect))) +
                            Html(" ") + interval_html(effect.low, effect.high));
  }
  if (claim.n > 0) out += element("span", Html("n ") + element("b", std::to_string(claim.n)));
  const bool against = claim.verdict == records::Verdict::Contradicted && claim.n > 1;
  if (against) out += element("span", Html("against, p = ") + element("b", number(claim.p_against, p_text(claim.p_against))));
  if (claim.verdict == records::Verdict::Reproduced && claim.n > 1)
    out += element("span", Html("p = ") + element("b", number(claim.p, p_text(claim.p))));
  if (claim.survives_page) out += element("span", "survives correction over the whole page");
  if (const auto text = renewal_text(claim); !text.empty()) out += element("span", text);
  for (const auto& requirement : claim.requirements)
    out += element("span", {{"title", requirement.measured}}, "requires: " + requirement.says + (requirement.holds ? " ✓" : " ✗"));
  return out;
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
                             "positive where they favour the claim, one for each metric. Either direction is tested at the claim's level, "
                             "5 % where nothing else is said, so that an interval (of 90 % then) leaves 0 out exactly where its comparison "
                             "alone decides; the p-values of several comparisons are Holm's.") +
                     (items.empty() ? element("p", {{"class", "none"}}, "This study states no claims.")
                                    : element("ul", {{"class", "claims"}}, items)));
}

std::string claims_markdown(const std::vector<records::Judgement>& claims) {
  std::string out =
      "| claim | verdict | says | reason | effect | interval | n | source |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const auto& c : claims) {
    std::vector<std::string> effects, intervals;
    if (c.fraction) effects.push_back(effect_text(*c.fraction));
    for (const auto& effect : c.effects) {
      if (effect.n == 0) continue;
      effects.push_back(escape_markdown(records::effect_name(c, effect)) + " " + effect_text(effect.effect));
      intervals.push_back(interval_text(effect.low, effect.high));
    }
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", escape_markdown(c.id), records::verdict_text(c.verdict),
                       escape_markdown(records::says_of_row(c)), escape_markdown(c.reason), join(effects, "<br>"), join(intervals, "<br>"),
                       c.n > 0 ? std::to_string(c.n) : "", escape_markdown(c.source));
  }
  for (const auto& c : claims) {
    if (c.comparisons.empty()) continue;
    out += fmt::format(
        "\n**Claim {}**\n\n| method | against | data | metric | effect | {} | n | p for | p against |\n| --- | --- | --- | --- | --- | --- | "
        "--- | --- | --- |\n",
        escape_markdown(c.id), confidence_text(c));
    for (const auto& k : c.comparisons)
      out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", escape_markdown(k.method), escape_markdown(k.than),
                         escape_markdown(k.dataset), escape_markdown(k.metric), effect_text(k.effect), interval_text(k.low, k.high), k.n,
                         escape_markdown(p_text(k.p_holm)), escape_markdown(p_text(k.p_against_holm)));
  }
  return out;
}

}  // namespace reprise::reports
