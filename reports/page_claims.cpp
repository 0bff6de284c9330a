// Claims and their verdicts: the table of index.html, every row on details.html, and all of it as
// Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>
#include <set>

#include "core/markdown.h"
#include "core/text.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

using records::ClaimVerdict;
using records::Judgement;
using records::Verdict;

constexpr const char* interval_title = "90 % interval";  // leaves out claim_level on either side

struct BadgeStyle {
  std::string_view style, sign;
};

BadgeStyle badge_style(Verdict verdict) {
  switch (verdict) {
    case Verdict::Reproduced:
      return {"badge yes", "✓"};
    case Verdict::InPart:
      return {"badge part", "◐"};
    case Verdict::Contradicted:
      return {"badge no", "✗"};
    case Verdict::NoEffect:
      return {"badge open", "0"};
    case Verdict::Undecided:
      return {"badge open", "?"};
    case Verdict::NotTestable:
      return {"badge other", "⊘"};
    case Verdict::NotComparable:
      return {"badge other", "≠"};
    case Verdict::NotRun:
      break;
  }
  return {"badge other", "–"};
}

/// Counts and single seeds have an effect without width.
bool has_interval(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && low < high;
}

std::string interval_text(double low, double high) {
  return has_interval(low, high) ? "[" + effect_text(low) + ", " + effect_text(high) + "]" : "";
}

Html interval_html(double low, double high) {
  if (!has_interval(low, high)) return {};
  return element("span", {{"class", "interval"}},
                 Html("[") + number(low, effect_text(low)) + Html(", ") +
                     number(high, effect_text(high)) + Html("]"));
}

/// Whether a word of a reason is an id. An id may be an English word ("real", "start"): then only
/// its place shows it.
bool is_id(const PageContent& content, const std::string& word, std::string_view before,
           std::string_view after) {
  if (word.starts_with('.')) return false;
  if (word.find_first_of("_+") != std::string::npos) return true;
  if (before.ends_with(" on ")) return content.findings.words.contains(word);
  const bool names_method = before.ends_with("against ") || before.ends_with(" over ") ||
                            before.ends_with("that of ") || after.starts_with(" against ") ||
                            after.starts_with(" on ");
  return names_method && content.view.method_titles.contains(word);
}

/// A reason with the names of methods, data sets and metrics instead of their ids. A command stays
/// as it is typed.
std::string in_words(const PageContent& content, const std::string& text) {
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

/// Why the claim has its verdict: the study's sentence; of a claim that was not run or compared,
/// the judge's.
Html explanation_html(const PageContent& content, const ClaimVerdict& claim) {
  const auto at = content.explanations.find(claim.id);
  if (at != content.explanations.end() && !at->second.waits) return finding_html(at->second);
  const bool says_itself = claim.verdict == Verdict::NotRun ||
                           claim.verdict == Verdict::NotComparable ||
                           claim.verdict == Verdict::NotTestable;
  return says_itself ? Html(in_words(content, claim.reason)) : Html();
}

// The table of index.html.

/// An effect of a row that counts, or its ratio.
struct ClaimEffect {
  const Judgement* row;
  const records::Effect* effect;  ///< null: the ratio
};

std::vector<ClaimEffect> list_effects(const ClaimVerdict& claim) {
  std::vector<ClaimEffect> out;
  for (const auto* row : judged_rows(claim)) {
    if (row->ratio) out.push_back({row, nullptr});
    for (const auto& effect : row->effects)
      if (effect.n > 0) out.push_back({row, &effect});
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
  const double value = shown.effect ? shown.effect->effect : *shown.row->ratio;
  Html line =
      element("b", number(value, shown.effect ? effect_text(value) : fmt::format("{:.3g}", value)));
  if (shown.effect) {
    line += Html(" ") + interval_html(shown.effect->low, shown.effect->high);
    line += element("span", {{"class", "n"}}, fmt::format(" n\u202F{}", shown.effect->n));
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
  bool printed = false;
  for (std::size_t i = 0; i < std::min(most, effects.size()); ++i) {
    const auto& shown = effects[i];
    ours += effect_line(content, claim, shown);
    const auto difference = shown.effect
                                ? document_difference(content.tables, *shown.row, *shown.effect)
                                : std::nullopt;
    printed |= difference.has_value();
    paper += element(
        "li", difference ? element("b", number(*difference, effect_text(*difference))) : Html("–"));
  }
  if (effects.size() > most)
    ours += element("li", link(details_page_name, fmt::format("… {} more", effects.size() - most),
                               claim_anchor(claim.id)));
  const auto list = [](const Html& items) {
    return items.empty() ? items : element("ul", {{"class", "effects"}}, items);
  };
  return {.paper = printed ? list(paper) : Html("–"), .ours = list(ours)};
}

/// Notes for the reader of a verdict: whether its comparisons were chosen after their seeds had
/// been seen, how many rows have it, and whether rows that do not count contradict it.
Html verdict_notes(const ClaimVerdict& claim) {
  std::vector<std::string> notes;
  if (claim.preregistration == records::Preregistration::PostHoc) notes.emplace_back("post hoc");
  const auto rows = judged_rows(claim);
  const bool mixed = claim.verdict == Verdict::InPart || claim.verdict == Verdict::Contradicted;
  if (const auto same = std::ranges::count_if(
          rows,
          [&](const auto* row) {
            return row->verdict ==
                   (claim.verdict == Verdict::InPart ? Verdict::Reproduced : claim.verdict);
          });
      mixed && rows.size() > 1)
    notes.push_back(fmt::format("{} of {} rows", same, rows.size()));
  Verdict opposite = Verdict::NotRun;
  if (claim.verdict == Verdict::Reproduced) opposite = Verdict::Contradicted;
  if (claim.verdict == Verdict::Contradicted) opposite = Verdict::Reproduced;
  const auto others = std::ranges::count_if(
      claim.rows, [&](const auto& row) { return row.further && row.verdict == opposite; });
  if (opposite != Verdict::NotRun && others > 0)
    notes.push_back(fmt::format("{} further row{} {}", others, others == 1 ? "" : "s",
                                records::verdict_text(opposite)));
  return notes.empty() ? Html() : element("small", {{"class", "n"}}, " " + join(notes, "; "));
}

Html claim_table_row(const PageContent& content, const ClaimVerdict& claim) {
  const Html name =
      link(details_page_name, claim.id, claim_anchor(claim.id)) + Html(" ") + Html(claim.says);
  Html line = element("th", {{"scope", "row"}, {"title", claim.source}}, name);
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

// Every row on details.html.

Html comparison_row(const PageContent& content, const records::Comparison& c) {
  const auto num = [](const Html& text) { return element("td", {{"class", "num"}}, text); };
  return element("tr", element("td", content.findings.word(c.method)) +
                           element("td", content.findings.word(c.than)) +
                           element("td", content.findings.word(c.dataset)) +
                           element("td", content.findings.word(c.metric)) +
                           num(number(c.effect, effect_text(c.effect))) +
                           num(interval_html(c.low, c.high)) + num(std::to_string(c.n)) +
                           num(number(c.p, p_text(c.p))) +
                           num(number(c.p_against_holm, p_text(c.p_against_holm)))) +
         Html::markup("\n");
}

/// Lists the requirements of a row, with the numbers.
Html requirement_items(const PageContent& content, const Judgement& row) {
  Html items;
  for (const auto& requirement : row.requirements)
    items += element(
        "li", Html((requirement.holds ? "✓ " : "✗ ") + requirement.says + ". ") +
                  element("span", {{"class", "source"}}, in_words(content, requirement.measured)));
  return items.empty() ? items : element("ul", {{"class", "requirements"}}, items);
}

/// All comparisons of a row, with the judge's own sentence.
Html comparisons(const PageContent& content, const Judgement& row) {
  Html inside = requirement_items(content, row) +
                element("p", {{"class", "reason"}}, in_words(content, row.reason));
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

/// The p-value that decided; of an undecided row which way its comparisons point and how many seeds
/// would decide it.
Html row_evidence(const Judgement& row) {
  Html out;
  const auto count = row.comparisons.size();
  if (row.n > 0) out += element("span", fmt::format("{} seed{}", row.n, row.n == 1 ? "" : "s"));
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

std::string claim_class(Verdict verdict) {
  const auto look = badge_style(verdict).style;
  return "claim" + std::string(look.substr(look.find(' ')));
}

Html claim_article(const PageContent& content, const ClaimVerdict& claim) {
  Html head = element("h3", Html(claim.id + ". " + claim.says)) +
              element("p", {{"class", "source"}}, claim.source);
  const auto anchor = claim_anchor(claim.id);
  if (!content.view.evidence)
    return element("article", {{"class", "claim other"}, {"id", anchor}}, head);
  head = badge(claim.verdict) + head +
         element("p", {{"class", "reason"}}, in_words(content, claim.reason));
  if (const auto explanation = explanation_html(content, claim); !explanation.empty())
    head += element("p", {{"class", "why"}}, explanation);
  // A claim without rows has one judgement that compares nothing: its reason says all.
  const bool has_rows = claim.rows.size() > 1 || !claim.rows.front().row.empty() ||
                        !claim.rows.front().comparisons.empty();
  Html body;
  if (has_rows) {
    body = claim_rows_table(content, claim);
    for (const auto& row : claim.rows) body += comparisons(content, row);
  }
  return element("article",
                 {{"class", claim_class(claim.verdict)},
                  {"id", anchor},
                  {"data-verdict", std::string(records::verdict_text(claim.verdict))}},
                 head + body) +
         Html::markup("\n");
}

std::string row_markdown(const Judgement& row) {
  std::vector<std::string> effects, intervals;
  if (row.ratio) effects.push_back(fmt::format("{:.3g}", *row.ratio));
  for (const auto& effect : row.effects) {
    if (effect.n == 0) continue;
    effects.push_back(escape_markdown(records::effect_name(row, effect)) + " " +
                      effect_text(effect.effect));
    intervals.push_back(interval_text(effect.low, effect.high));
  }
  return fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", escape_markdown(row.row),
                     row.further ? " (further)" : "", records::verdict_text(row.verdict),
                     escape_markdown(row.reason), join(effects, "<br>"), join(intervals, "<br>"),
                     row.n > 0 ? std::to_string(row.n) : "");
}

std::string comparisons_markdown(const Judgement& row) {
  if (row.comparisons.empty()) return "";
  std::string out = fmt::format(
      "\n{}\n\n| method | against | data | metric | effect | {} | n | p for | p against |\n| --- | --- | --- | --- | --- | --- | --- | --- | "
      "--- |\n",
      row.row.empty() ? "Comparisons:" : "Comparisons of " + escape_markdown(row.row) + ":",
      interval_title);
  for (const auto& k : row.comparisons)
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", escape_markdown(k.method),
                    escape_markdown(k.than), escape_markdown(k.dataset), escape_markdown(k.metric),
                    effect_text(k.effect), interval_text(k.low, k.high), k.n,
                    escape_markdown(p_text(k.p)), escape_markdown(p_text(k.p_against_holm)));
  return out;
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
  const auto look = badge_style(verdict);
  return element(
      "span",
      {{"class", std::string(look.style)}, {"title", std::string(verdict_meaning(verdict))}},
      element("i", {{"aria-hidden", "true"}}, look.sign) + Html(" ") +
          Html(records::verdict_text(verdict)));
}

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
  std::string text =
      all == 0 ? "" : fmt::format("{} claim{}: {}", all, all == 1 ? "" : "s", join(parts, ", "));
  const auto post_hoc = std::ranges::count_if(claims, [](const ClaimVerdict& claim) {
    return !claim.own && claim.preregistration == records::Preregistration::PostHoc;
  });
  if (post_hoc > 0) text += fmt::format(" ({} of these post hoc)", post_hoc);
  if (own > 0)
    text += fmt::format("{}{} question{} of our own", text.empty() ? "" : "; ", own,
                        own == 1 ? "" : "s");
  return text;
}

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
        element(
            "p", {{"class", "caption"}},
            "Here: mean paired difference over seeds with its 90 % interval and the number of seeds n. Positive favours the claim. "
            "Paper: the difference between its own values, where it prints both. Post hoc: a comparison was chosen after results on "
            "these seeds were known.") +
        body;
  return element("section", {{"id", "claims"}}, element("h2", "The document's claims") + body);
}

Html claims_section(const PageContent& content) {
  Html articles;
  for (const auto& claim : content.verdicts) articles += claim_article(content, claim);
  if (articles.empty()) return {};
  const Html lead =
      content.view.evidence
          ? element(
                "p", {{"class", "lead"}},
                "Each row compares pairs of runs with the same seed and data. Effects are mean paired differences. Positive favours the "
                "claim. Each direction has a one-sided test at 5 %, which matches a 90 % interval. For the claim all comparisons of a row "
                "must be significant, without correction. Against it one is enough, and p against is corrected by Holm's method over the row.")
          : Html();
  return element("section", {{"id", "claims"}},
                 element("h2", "Claims, row by row") + lead + articles);
}

std::string claims_markdown(std::span<const ClaimVerdict> claims) {
  std::string out =
      verdict_counts_text(claims) +
      "\n\n| claim | verdict | says | reason | source |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& claim : claims)
    out += fmt::format("| {} | {} | {} | {} | {} |\n", escape_markdown(claim.id),
                       records::verdict_text(claim.verdict), escape_markdown(claim.says),
                       escape_markdown(claim.reason), escape_markdown(claim.source));
  for (const auto& claim : claims) {
    out += fmt::format(
        "\n**Claim {}: {}**\n\n| row | verdict | reason | effect | {} | n |\n| --- | --- | --- | --- | --- | --- |\n",
        escape_markdown(claim.id), escape_markdown(claim.says), interval_title);
    for (const auto& row : claim.rows) out += row_markdown(row);
    for (const auto& row : claim.rows) out += comparisons_markdown(row);
  }
  return out;
}

}  // namespace reprise::reports
