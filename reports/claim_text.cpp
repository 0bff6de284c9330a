#include "reports/claim_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <regex>

#include "core/text.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

using records::ClaimVerdict;
using records::Verdict;

struct BadgeStyle {
  std::string_view colour;  ///< class of the style sheet (reports/style.h)
  std::string_view sign;
};

BadgeStyle badge_style(Verdict verdict) {
  switch (verdict) {
    case Verdict::Reproduced:
      return {.colour = "yes", .sign = "✓"};
    case Verdict::InPart:
      return {.colour = "part", .sign = "◐"};
    case Verdict::Contradicted:
      return {.colour = "no", .sign = "✗"};
    case Verdict::NoEffect:
      return {.colour = "open", .sign = "0"};
    case Verdict::Undecided:
      return {.colour = "open", .sign = "?"};
    case Verdict::NotTestable:
      return {.colour = "other", .sign = "⊘"};
    case Verdict::NotComparable:
      return {.colour = "other", .sign = "≠"};
    case Verdict::NotRun:
      break;
  }
  return {.colour = "other", .sign = "–"};
}

/// Counts and single seeds have an effect without width.
bool has_interval(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && low < high;
}

/// Whether a word of a reason is an id. An id may be an English word ("real", "start"): then the
/// words before and after it decide.
bool is_id(const PageContent& content, const std::string& word, std::string_view before,
           std::string_view after) {
  // A command of the reason; its ids must stay as they are typed.
  if (word.starts_with('.')) return false;
  // No English word of a reason has an underscore or a plus.
  if (word.find_first_of("_+") != std::string::npos) return true;
  if (before.ends_with(" on ")) return content.findings.words.contains(word);
  const bool names_method = before.ends_with("against ") || before.ends_with(" over ") ||
                            before.ends_with("that of ") || after.starts_with(" against ") ||
                            after.starts_with(" on ");
  return names_method && content.view.method_titles.contains(word);
}

}  // namespace

std::string effect_text(double effect) {
  if (std::fabs(effect) < 1e-12) return "0";  // what is left of a sum that is 0
  std::string text = fmt::format("{:.3g}", std::fabs(effect));
  // Counts stay whole: 3.75e+08 would say less.
  if (std::fabs(effect) >= 1000) text = format_fixed(std::fabs(effect), 0);
  return (effect < 0 ? "\u2212" : "+") + text;
}

std::string p_text(double p) { return p < 0.001 ? "<0.001" : fmt::format("{:.3f}", p); }

std::string interval_text(double low, double high) {
  return has_interval(low, high) ? "[" + effect_text(low) + ", " + effect_text(high) + "]" : "";
}

Html interval_html(double low, double high) {
  if (!has_interval(low, high)) return {};
  return element("span", {{"class", "interval"}},
                 Html("[") + number(low, effect_text(low)) + Html(", ") +
                     number(high, effect_text(high)) + Html("]"));
}

std::string replace_ids(const PageContent& content, const std::string& text) {
  // Commands (./reprise ...), and words that may be ids, with the values of a trial.
  static const std::regex id(
      R"(\./reprise [^;]*|[A-Za-z][A-Za-z0-9_]*(\+[a-z_]+=[0-9]+(\.[0-9]+)?)*)");
  std::string out;
  auto rest = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), id), end; at != end; ++at) {
    const std::string name = (*at)[0];
    const std::string_view all = text;
    const auto begin = static_cast<std::size_t>(at->position());
    const bool named = is_id(content, name, all.substr(0, begin), all.substr(begin + name.size()));
    out.append(rest, (*at)[0].first).append(named ? content.findings.word(name) : name);
    rest = (*at)[0].second;
  }
  return out.append(rest, text.end());
}

Html explanation_html(const PageContent& content, const ClaimVerdict& claim) {
  const auto at = content.explanations.find(claim.id);
  if (at != content.explanations.end() && !at->second.waits) return finding_html(at->second);
  // These verdicts come from the run or its set-up, so their reason is the explanation.
  const bool says_itself = claim.verdict == Verdict::NotRun ||
                           claim.verdict == Verdict::NotComparable ||
                           claim.verdict == Verdict::NotTestable;
  return says_itself ? Html(replace_ids(content, claim.reason)) : Html();
}

std::string_view verdict_meaning(Verdict verdict) {
  switch (verdict) {
    case Verdict::Reproduced:
      return "every comparison shows the claimed gain, each at 5 %";
    case Verdict::InPart:
      return "some rows of the claim are reproduced, and others are not";
    case Verdict::Contradicted:
      return "a comparison significantly contradicts the claim, beyond the margin";
    case Verdict::NoEffect:
      return "all differences lie within the margin that counts as no difference";
    case Verdict::Undecided:
      return "the intervals allow both a gain and no gain";
    case Verdict::NotTestable:
      return "a requirement fails: no gain is possible, or the measurement does not work";
    case Verdict::NotComparable:
      return "the values have different protocols";
    case Verdict::NotRun:
      break;
  }
  return "no finished run has the compared values";
}

Html badge(Verdict verdict) {
  const auto [colour, sign] = badge_style(verdict);
  return element(
      "span",
      {{"class", "badge " + std::string(colour)}, {"title", std::string(verdict_meaning(verdict))}},
      // A screen reader reads the word; it would read the sign as another one.
      element("i", {{"aria-hidden", "true"}}, sign) + Html(" ") +
          Html(records::verdict_text(verdict)));
}

std::string badge_colour(Verdict verdict) { return std::string(badge_style(verdict).colour); }

std::string claim_anchor(const std::string& id) {
  std::string out = "claim-";
  for (const char c : id) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return out;
}

std::string verdict_counts_text(std::span<const ClaimVerdict> claims) {
  // The document's claims are counted by verdict, our own questions only in all.
  std::map<Verdict, int> counts;
  std::size_t own = 0;
  for (const auto& claim : claims)
    if (claim.own)
      ++own;
    else
      ++counts[claim.verdict];
  const auto all = claims.size() - own;
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts)
    parts.push_back(fmt::format("{} {}", count, records::verdict_text(verdict)));
  std::string text;
  if (all > 0) text = fmt::format("{} claim{}: {}", all, all == 1 ? "" : "s", join(parts, ", "));
  const auto post_hoc = std::ranges::count_if(claims, [](const ClaimVerdict& claim) {
    return !claim.own && claim.preregistration == records::Preregistration::PostHoc;
  });
  if (post_hoc > 0) text += fmt::format(" ({} of these post hoc)", post_hoc);
  if (own > 0 && !text.empty()) text += "; ";
  if (own > 0) text += fmt::format("{} question{} of our own", own, own == 1 ? "" : "s");
  return text;
}

}  // namespace reprise::reports
