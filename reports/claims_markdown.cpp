// Claims with their rows and comparisons as Markdown: claims.md of a report.
#include <fmt/format.h>

#include "core/markdown.h"
#include "core/text.h"
#include "reports/page.h"

namespace reprise::reports {
namespace {

using records::Judgement;

/// Returns a row of the table of a claim. Several effects are lines of one cell.
std::string row_markdown(const Judgement& row) {
  std::vector<std::string> effects, intervals;
  if (row.ratio) effects.push_back(fmt::format("{:.3g}", *row.ratio));
  for (const auto& effect : row.effects) {
    // Without a common seed there is neither an effect nor an interval.
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

/// Returns the comparisons of a row as a table; "" without any.
std::string comparisons_markdown(const Judgement& row) {
  if (row.comparisons.empty()) return "";
  std::string out = fmt::format(
      "\n{}\n\n| method | against | data | metric | effect | {} | n | p for | p against |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      row.row.empty() ? "Comparisons:" : "Comparisons of " + escape_markdown(row.row) + ":",
      interval_title);
  for (const auto& compared : row.comparisons)
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                       escape_markdown(compared.method), escape_markdown(compared.than),
                       escape_markdown(compared.dataset), escape_markdown(compared.metric),
                       effect_text(compared.effect), interval_text(compared.low, compared.high),
                       compared.n, escape_markdown(p_text(compared.p)),
                       escape_markdown(p_text(compared.p_against_holm)));
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
    // First all verdicts of the claim, then the numbers behind them.
    for (const auto& row : claim.rows) out += row_markdown(row);
    for (const auto& row : claim.rows) out += comparisons_markdown(row);
  }
  return out;
}

}  // namespace reprise::reports
