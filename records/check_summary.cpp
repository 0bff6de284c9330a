// The result of a check as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/text.h"
#include "records/check.h"

namespace reprise::records {
namespace {

/// A line of a table is one: no bar and no line end in its cells.
std::string cell_text(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

std::string seeds_text(const Reference& reference, const Quantity& quantity) {
  const auto entry = reference.entries.find(quantity);
  if (entry == reference.entries.end()) return "";
  std::vector<std::string> seeds;
  for (const auto seed : entry->second.sample.seeds) seeds.push_back(std::to_string(seed));
  return join(seeds, ", ");
}

std::string value_text(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : "none"; }

std::string row_of(const Judged& judged, const Reference& reference, const std::string& results) {
  const auto& [table, dataset, method, metric] = judged.quantity;
  const bool cell = table != "speed" && table != "run";
  const auto packed = fmt::format("{}/records/{}.jsonl", results, table);
  const auto records =
      std::filesystem::exists(packed) ? packed : fmt::format("{}/cells/{}/{}/{}/seed*/record.json", results, table, dataset, method);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", fails(judged.outcome) ? "**fails**" : "", outcome_text(judged.outcome),
                     cell_text(fmt::format("{} of {}/{}/{}", metric, table, dataset, method)),
                     judged.old_value && judged.new_value ? fmt::format("{:+.3g} %", judged.percent) : "", value_text(judged.old_value),
                     value_text(judged.new_value), seeds_text(reference, judged.quantity), cell ? cell_text("`" + records + "`") : "");
}

}  // namespace

std::string summary_markdown(const CheckResult& result, const Reference& reference, const std::string& results) {
  std::vector<const Judged*> moved;
  std::size_t failed = 0;
  for (const auto& judged : result.judged) {
    failed += fails(judged.outcome);
    if (judged.outcome != Outcome::Same) moved.push_back(&judged);
  }
  // What fails first, then the largest change.
  std::stable_sort(moved.begin(), moved.end(), [](const Judged* a, const Judged* b) {
    const auto rank = [](const Judged* one) { return std::tuple(!fails(one->outcome), !one->worse, -std::abs(one->percent)); };
    return rank(a) < rank(b);
  });
  std::string text = fmt::format("## Accuracy of {} ({}): {}\n\n", result.study, result.profile, result.passed() ? "passed" : "FAILED");
  text += fmt::format("{} of {} quantities failed. Arithmetic: {}, {}.\n", failed, result.judged.size(),
                      result.arithmetic.empty() ? "not recorded" : cell_text(result.arithmetic),
                      result.known_arithmetic ? "known to the reference: judged value by value" : "not in the reference: judged by bands");
  for (const auto& problem : result.unreadable) text += fmt::format("\n- **fails**: cannot be read: {}\n", cell_text(problem));
  for (const auto& score : result.scores)
    if (fails(score.outcome)) text += fmt::format("\n- **fails**: {}\n", cell_text(score.message));
  if (moved.empty()) return text + "\nNothing moved.\n";
  text += "\n| | outcome | what | change | before | now | seeds | records |\n|---|---|---|---|---|---|---|---|\n";
  constexpr std::size_t most = 40;
  for (std::size_t i = 0; i < std::min(most, moved.size()); ++i) text += row_of(*moved[i], reference, results);
  if (moved.size() > most) text += fmt::format("\n{} more moved and are left out here; `--json` has them all.\n", moved.size() - most);
  return text;
}

}  // namespace reprise::records
