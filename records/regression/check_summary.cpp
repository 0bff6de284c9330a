// The result of a check as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/markdown.h"
#include "core/text.h"
#include "records/regression/check.h"

namespace reprise::records {
namespace {

/// A file's name as code: a backtick would end it, a bar its cell.
std::string code(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '`' || c == '|' || c == '\n' || c == '\r'; }, '?');
  return "`" + text + "`";
}

std::string seeds_text(const Reference& reference, const Quantity& quantity) {
  const auto entry = reference.entries.find(quantity);
  if (entry == reference.entries.end()) return "";
  std::vector<std::string> seeds;
  for (const auto seed : entry->second.sample.seeds) seeds.push_back(std::to_string(seed));
  return join(seeds, ", ");
}

std::string value_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "none";
}

std::string summary_row(const QuantityCheck& judged, const Reference& reference,
                        const std::string& results) {
  const auto& [table, dataset, method, metric] = judged.quantity;
  // Quantities of these two tables have no records.
  const bool cell = table != "speed" && table != "run";
  const auto packed = fmt::format("{}/records/{}.jsonl.gz", results, table);
  const auto records =
      std::filesystem::exists(packed)
          ? packed
          : fmt::format("{}/cells/{}/{}/{}/seed*/record.json", results, table, dataset, method);
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} | {} |\n", fails(judged.outcome) ? "**fails**" : "",
      outcome_text(judged.outcome),
      escape_markdown(fmt::format("{} of {}/{}/{}", metric, table, dataset, method)),
      judged.old_value && judged.new_value ? fmt::format("{:+.3g} %", judged.percent) : "",
      value_text(judged.old_value), value_text(judged.new_value),
      seeds_text(reference, judged.quantity), cell ? code(records) : "");
}

}  // namespace

std::string summary_markdown(const CheckResult& result, const Reference& reference,
                             const std::string& results) {
  std::vector<const QuantityCheck*> moved;
  for (const auto& judged : result.judged)
    if (judged.outcome != Outcome::Same) moved.push_back(&judged);
  std::stable_sort(moved.begin(), moved.end(),
                   [](const QuantityCheck* a, const QuantityCheck* b) { return is_worse(*a, *b); });
  std::string text =
      fmt::format("## Accuracy of {} ({}): {}\n\n", escape_markdown(result.study),
                  escape_markdown(result.profile), result.passes() ? "passed" : "FAILED");
  const Counts counts = count_outcomes(result);
  text += fmt::format("{} of {} quantities failed: {}. Judged {}.\n", counts.failed,
                      counts.quantities, counts_text(counts), escape_markdown(basis_text(result)));
  for (const auto& problem : result.unreadable)
    text += fmt::format("\n- **fails**: cannot be read: {}\n", escape_markdown(problem));
  for (const auto& score : result.scores)
    if (fails(score.outcome))
      text += fmt::format("\n- **fails**: {}\n", escape_markdown(score.message));
  if (moved.empty()) return text + "\nNothing moved.\n";
  text +=
      "\n| | outcome | what | change | before | now | seeds | records |\n|---|---|---|---|---|---|---|---|\n";
  // A comment on a pull request stays readable with so many rows.
  constexpr std::size_t most = 40;
  for (std::size_t i = 0; i < std::min(most, moved.size()); ++i)
    text += summary_row(*moved[i], reference, results);
  if (moved.size() > most)
    text += fmt::format("\n{} more moved and are left out here; `--json` has them all.\n",
                        moved.size() - most);
  return text;
}

}  // namespace reprise::records
