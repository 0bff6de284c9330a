// Claims and their verdicts, on the page and as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>
#include <set>
#include <span>

#include "core/markdown.h"
#include "core/text.h"
#include "reports/claim_groups.h"
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
      return {"badge open", "0"};
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

Html comparison_row(const PageContent& content, const records::Comparison& c) {
  return element("tr", element("td", content.findings.word(c.method)) + element("td", content.findings.word(c.than)) +
                           element("td", content.findings.word(c.dataset)) + element("td", content.findings.word(c.metric)) +
                           element("td", {{"class", "num"}}, number(c.effect, effect_text(c.effect))) +
                           element("td", {{"class", "num"}}, interval_html(c.low, c.high)) +
                           element("td", {{"class", "num"}}, std::to_string(c.n)) +
                           element("td", {{"class", "num"}}, number(c.p_holm, p_text(c.p_holm))) +
                           element("td", {{"class", "num"}}, number(c.p_against_holm, p_text(c.p_against_holm)))) +
         Html::markup("\n");
}

/// The judge's sentence with what methods, data sets and metrics are called in place of their ids. A command stays as it is typed.
std::string in_words(const PageContent& content, const std::string& text) {
  static const std::regex id(R"(\./reprise [^;]*|[A-Za-z][A-Za-z0-9_]*)");
  std::string out;
  auto rest = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), id), end; at != end; ++at) {
    const std::string name = (*at)[0];
    const bool is_id = !name.starts_with('.') && (name.find('_') != std::string::npos || content.view.method_titles.contains(name));
    out.append(rest, (*at)[0].first).append(is_id ? content.findings.word(name) : name);
    rest = (*at)[0].second;
  }
  return out.append(rest, text.end());
}

/// What had to hold before the claim says anything, with the numbers.
Html requirements(const PageContent& content, const records::Judgement& claim) {
  Html items;
  for (const auto& requirement : claim.requirements)
    items += element("li", Html(requirement.says + (requirement.holds ? " ✓ " : " ✗ ")) +
                               element("span", {{"class", "source"}}, in_words(content, requirement.measured)));
  return items.empty() ? items : element("ul", {{"class", "requirements"}}, items);
}

/// All pairs of a claim or of one row of it, with the judge's own sentences.
Html comparisons(const PageContent& content, const records::Judgement& claim) {
  if (claim.comparisons.empty()) return {};
  Html inside = requirements(content, claim);
  constexpr std::string_view between = "; test ";
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 2) {
    end = claim.reason.find(between, begin);
    inside +=
        element("p", {{"class", "reason"}}, in_words(content, claim.reason.substr(begin, end == std::string::npos ? end : end - begin)));
  }
  Html head;
  for (const auto& title :
       {std::string("method"), std::string("against"), std::string("data"), std::string("metric"), std::string("effect"),
        confidence_text(claim), std::string("n"), std::string("p for"), std::string("p against")})
    head += element("th", {{"scope", "col"}}, title);
  Html rows;
  for (const auto& comparison : claim.comparisons) rows += comparison_row(content, comparison);
  inside += element("div", {{"class", "scroll"}},
                    element("table", {{"class", "plain"}}, element("thead", element("tr", head)) + element("tbody", rows)));
  const auto count = claim.comparisons.size();
  const std::string title =
      (claim.row.empty() ? "" : content.findings.word(claim.row) + ": ") + fmt::format("{} comparison{}", count, count == 1 ? "" : "s");
  return element("details", element("summary", title) + inside);
}

/// What seeds renew where they are not independent: the page says what its tests rest on.
std::string renewal_text(const records::Judgement& claim) {
  std::set<records::Renews> found;
  for (const auto& comparison : claim.comparisons) found.insert(comparison.renews);
  if (found.contains(records::Renews::Split)) return "seeds divide one finite set anew: corrected resampled t";
  return found.contains(records::Renews::Weights) ? "seeds renew no items: this speaks of these alone" : "";
}

/// "= 0.031", "< 0.001"
Html p_html(double p) { return number(p, (p < 0.001 ? "< 0.001" : "= " + p_text(p))); }

/// The effect of each metric with its interval.
Html effects(const PageContent& content, const records::Judgement& claim) {
  Html out;
  if (claim.fraction) out += element("span", Html("fraction ") + element("b", number(*claim.fraction, effect_text(*claim.fraction))));
  for (const auto& effect : claim.effects) {
    if (effect.n == 0) continue;
    out += element(
        "span", Html(records::effect_name(claim, effect, [&](const std::string& id) { return content.findings.word(id); }) + " ") +
                    element("b", number(effect.effect, effect_text(effect.effect))) + Html(" ") + interval_html(effect.low, effect.high));
  }
  return out;
}

/// The p that decided and whether it outlives a correction over the whole page; of an open one what points which way, and what it would take.
Html evidence(const records::Judgement& claim) {
  using records::Verdict;
  Html out;
  const auto count = claim.comparisons.size();
  if (claim.verdict == Verdict::Contradicted && claim.n > 1) out += element("span", Html("against, p ") + p_html(claim.p_against));
  if (claim.verdict == Verdict::Reproduced && claim.n > 1) out += element("span", Html("p ") + p_html(claim.p));
  if (claim.survives_page) out += element("span", "survives correction over the whole page");
  if (claim.verdict == Verdict::Undecided && count > 0) {
    out += element("span", fmt::format("{} of {} point the claimed way", claim.towards, count));
    if (claim.needed)
      out += element(
          "span", fmt::format("{} seeds would decide (power 0.8), {} more of one core", *claim.needed, duration_text(3600 * claim.hours)));
  }
  if (claim.asked == records::Asked::PostHoc) {
    const std::string at = claim.commit.empty() ? "" : ", at " + claim.commit.substr(0, 12);
    out += element("span", {{"class", "lacks"}}, "post hoc: asked as it is when its seeds had been seen" + at);
  }
  if (claim.looks)
    out += element("span", fmt::format("look {} at seeds added until it is decided, at the level {}", claim.looks->seeds.size(),
                                       number_text(claim.level)));
  return out;
}

/// How many seeds, and what they renew where they are not independent.
Html ground(const records::Judgement& claim) {
  Html out;
  if (claim.n > 0) out += element("span", fmt::format("{} seed{}", claim.n, claim.n == 1 ? "" : "s"));
  const auto by_items = [](const auto& comparison) { return comparison.items > 0; };
  if (std::any_of(claim.comparisons.begin(), claim.comparisons.end(), by_items))
    out += element("span", "by paired items within seeds: of these trained networks, not of training again");
  if (const auto text = renewal_text(claim); !text.empty()) out += element("span", text);
  return out;
}

/// What a claim requires, each once, in the order of its rows.
std::vector<std::string> required_of(std::span<const records::Judgement> rows) {
  std::vector<std::string> out;
  for (const auto& row : rows)
    for (const auto& requirement : row.requirements)
      if (std::find(out.begin(), out.end(), requirement.says) == out.end()) out.push_back(requirement.says);
  return out;
}

/// "lacks 1, 3" of the numbered requirements.
Html lacking(const records::Judgement& claim, const std::vector<std::string>& required) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < required.size(); ++i) {
    const auto fails = [&](const auto& requirement) { return !requirement.holds && requirement.says == required[i]; };
    if (std::any_of(claim.requirements.begin(), claim.requirements.end(), fails)) numbers.push_back(std::to_string(i + 1));
  }
  return numbers.empty() ? Html() : element("span", {{"class", "lacks"}}, "lacks " + join(numbers, ", "));
}

/// "2 of 3 requirements fail": which, and with what numbers, stands behind the fold.
Html requirements_met(const records::Judgement& claim) {
  const auto all = claim.requirements.size();
  if (all == 0) return {};
  const auto failing = std::count_if(claim.requirements.begin(), claim.requirements.end(), [](const auto& r) { return !r.holds; });
  if (failing == 0) return element("span", all == 1 ? "its requirement holds" : fmt::format("its {} requirements hold", all));
  return element("span", {{"class", "lacks"}},
                 all == 1 ? "its requirement fails" : fmt::format("{} of {} requirements fail", failing, all));
}

Html requirement_list(const std::vector<std::string>& required) {
  std::string text;
  for (std::size_t i = 0; i < required.size(); ++i) text += fmt::format("{}{}. {}", i ? "; " : "", i + 1, required[i]);
  return text.empty() ? Html() : element("p", {{"class", "source"}}, "requires " + text);
}

Html facts(const Html& content) { return content.empty() ? content : element("p", {{"class", "facts"}}, content); }

/// Why a verdict is not "reproduced": the study's sentence, or what a requirement lacks.
Html why(const PageContent& content, const records::Judgement& claim) {
  const auto* found = content.found.empty() ? nullptr : content.findings.why(claim);
  if (found) return element("p", {{"class", "why"}}, found->says);
  const bool says_itself = claim.verdict == records::Verdict::NotRun || claim.verdict == records::Verdict::NotComparable ||
                           claim.verdict == records::Verdict::NotTestable;
  return says_itself ? element("p", {{"class", "why"}}, in_words(content, claim.reason)) : Html();
}

Html says(const records::Judgement& claim) {
  return element("h4", claim.says) + element("p", {{"class", "source"}}, "claim " + claim.claim_id + "; " + claim.source);
}

Html lone_claim(const PageContent& content, const records::Judgement& claim) {
  return badge(claim.verdict) + says(claim) + why(content, claim) +
         facts(effects(content, claim) + evidence(claim) + ground(claim) + requirements_met(claim)) + comparisons(content, claim);
}

/// One claim with its text once, a line for each value of its for_each, and each reason once.
Html claim_with_rows(const PageContent& content, std::span<const records::Judgement> rows) {
  Html lines, whys, folded;
  std::set<std::string> said;
  const auto required = required_of(rows);
  const auto common = ground(rows.front());
  const bool same = std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return ground(row).bytes() == common.bytes(); });
  for (const auto& row : rows) {
    lines +=
        element("tr", element("th", {{"scope", "row"}}, content.findings.word(row.row)) + element("td", badge(row.verdict)) +
                          element("td", {{"class", "facts"}}, effects(content, row)) +
                          element("td", {{"class", "facts"}}, evidence(row) + (same ? Html() : ground(row)) + lacking(row, required))) +
        Html::markup("\n");
    if (auto text = why(content, row); !text.empty() && said.insert(text.bytes()).second)
      whys += element("div", {{"class", "reasoned"}}, badge(row.verdict) + text);
    folded += comparisons(content, row);
  }
  return says(rows.front()) + whys + requirement_list(required) + (same ? facts(common) : Html()) +
         element("div", {{"class", "scroll"}}, element("table", {{"class", "verdicts"}}, element("tbody", lines))) +
         element("details", element("summary", "comparisons of each row") + folded);
}

std::string_view side_of(std::span<const records::Judgement> rows) {
  const auto verdict = rows.front().verdict;
  for (const auto& row : rows)
    if (row.verdict != verdict) return "claim mixed";
  switch (verdict) {
    case records::Verdict::Reproduced:
      return "claim yes";
    case records::Verdict::Contradicted:
      return "claim no";
    case records::Verdict::NoEffect:
    case records::Verdict::Undecided:
      return "claim open";
    default:
      return "claim other";
  }
}

Html claim_article(const PageContent& content, std::span<const records::Judgement> rows) {
  const auto& first = rows.front();
  return element("article", {{"class", std::string(side_of(rows))}, {"id", claim_anchor(first.claim_id)}},
                 first.row.empty() ? lone_claim(content, first) : claim_with_rows(content, rows)) +
         Html::markup("\n");
}

/// Claims beside what shows them, where there is room for both; rows of claims need the whole width.
Html claim_group(const PageContent& content, const Findings::Group& group, const ClaimRows& claims, const Glossary& words) {
  Html body, folded;
  bool rows = false;
  std::size_t folded_count = 0;
  for (const auto& id : group.ids)
    for (const auto& claim : claims) {
      if (claim.front().claim_id != id) continue;
      const bool folds = std::count(group.folded.begin(), group.folded.end(), id) > 0;
      rows |= claim.size() > 1 && !folds;
      folded_count += folds;
      (folds ? folded : body) += content.view.evidence
                                     ? claim_article(content, claim)
                                     : element("article", {{"class", "claim other"}, {"id", claim_anchor(id)}}, says(claim.front()));
    }
  if (!folded.empty())
    body += element("details", {{"class", "more"}},
                    element("summary", fmt::format("{} claim{} more", folded_count, folded_count == 1 ? "" : "s")) + folded);
  if (body.empty()) return {};
  const Html title = group.title.empty() ? Html() : element("h3", group.title);
  const auto shown = exhibits(content, group);
  return element("div", {{"class", rows || !shown.beside ? "group" : "group beside"}},
                 title + glossary_html(words) + element("div", body) +
                     (shown.first.empty() ? Html() : element("div", {{"class", "exhibits"}}, shown.first)) + shown.rest) +
         Html::markup("\n");
}

}  // namespace

std::string effect_text(double effect) {
  if (std::fabs(effect) < 1e-12) return "0";  // what is left of a sum that is 0
  std::string text = fmt::format("{:.3g}", std::fabs(effect));
  // Counts stay whole: 3.75e+08 would say less.
  if (std::fabs(effect) >= 1000) text = fixed(std::fabs(effect), 0);
  return (effect < 0 ? "\u2212" : "+") + text;
}

std::string confidence_text(const records::Judgement& claim) { return number_text(100 * (1 - 2 * claim.level)) + " % interval"; }

std::string p_text(double p) { return p < 0.001 ? "<0.001" : fmt::format("{:.3f}", p); }

Html badge(records::Verdict verdict) {
  const auto look = look_of(verdict);
  return element("span", {{"class", std::string(look.style)}},
                 element("i", {{"aria-hidden", "true"}}, look.sign) + Html(" ") + Html(records::verdict_text(verdict)));
}

std::string claim_anchor(const std::string& id) {
  std::string out = "claim-";
  for (const char c : id) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return out;
}

Html claims_section(const PageContent& content, const std::vector<Glossary>& words) {
  const auto claims = records::claims_of(content.claims);
  Html groups;
  const auto listed = groups_of(content, claims);
  for (std::size_t i = 0; i < listed.size(); ++i) groups += claim_group(content, listed[i], claims, words[i]);
  if (groups.empty()) groups = element("p", {{"class", "none"}}, "This study states no claims.");
  const Html lead =
      content.view.evidence
          ? element("p", {{"class", "lead"}},
                    "Each claim is judged on pairs of runs with the same seed and data. Effects are mean paired differences, "
                    "positive where they favour the claim. Either direction is tested at the claim's level, 5 % where nothing "
                    "else is said, so that an interval (of 90 % then) leaves 0 out exactly where its comparison alone decides; "
                    "the p-values of several comparisons are Holm's.")
          : Html();
  return element("section", {{"id", "claims"}}, element("h2", "Claims") + lead + groups);
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
