// Claims with their rows and comparisons as Markdown: claims.md of a report.
#include <fmt/format.h>

#include "core/markdown.h"
#include "core/text.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

using records::Judgement;

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
      "\n{}\n\n| method | against | data | metric | effect | {} | n | p for | p against |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | "
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

std::string claims_markdown(std::span<const records::ClaimVerdict> claims) {
  std::string out =
      verdict_counts_text(claims) +
      "\n\n| claim | verdict | statement | reason | source |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& claim : claims)
    out += fmt::format("| {} | {} | {} | {} | {} |\n", escape_markdown(claim.id),
                       records::verdict_text(claim.verdict), escape_markdown(claim.statement),
                       escape_markdown(claim.reason), escape_markdown(claim.source));
  for (const auto& claim : claims) {
    out += fmt::format(
        "\n**Claim {}: {}**\n\n| row | verdict | reason | effect | {} | n |\n"
        "| --- | --- | --- | --- | --- | --- |\n",
        escape_markdown(claim.id), escape_markdown(claim.statement), interval_title);
    for (const auto& row : claim.rows) out += row_markdown(row);
    for (const auto& row : claim.rows) out += comparisons_markdown(row);
  }
  return out;
}

}  // namespace reprise::reports
