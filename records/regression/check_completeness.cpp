// Whether a run is what the reference was made from: the same settings and data, every cell, every
// seed.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "records/regression/check.h"

namespace reprise::records {
namespace {

std::string numbers(const std::vector<std::int64_t>& seeds) {
  std::vector<std::string> texts;
  for (const auto seed : seeds) texts.push_back(std::to_string(seed));
  return join(texts, ", ");
}

}  // namespace

void expect_same_settings(const Reference& reference, const std::vector<Record>& records) {
  const auto now = collect_settings(records);
  std::vector<std::string> differences;
  for (const auto& [key, value] : now.items()) {
    const auto before = reference.settings.find(key);
    if (before == reference.settings.end())
      differences.push_back(fmt::format("{} none -> {}", key, json_text(value)));
    else if (*before != value)
      differences.push_back(fmt::format("{} {} -> {}", key, json_text(*before), json_text(value)));
  }
  // A setting that a part of a run lacks may belong to the missing cells. A cell without any
  // setting belongs to no run.
  for (const auto& record : records)
    if (record.options->empty() && !reference.settings.empty())
      differences.push_back(record.cell.id() + " holds no settings at all");
  if (!differences.empty())
    throw UsageError(
        fmt::format("the results were made with other settings or data than the reference: {}",
                    first_few(differences)),
        "check a run with the reference's settings; where they are meant to change, renew the reference with --update");
}

void check_completeness(const Reference& reference, const std::vector<Record>& records,
                        CheckResult& result) {
  std::map<MethodKey, std::set<std::int64_t>> finished;
  std::map<MethodKey, std::vector<std::int64_t>> unfinished;
  for (const auto& record : records) {
    const MethodKey key{record.cell.table, record.cell.dataset, record.cell.method};
    if (record.status == Status::Done) finished[key].insert(record.cell.seed);
    // A cell still marked as running was killed; failed cells are reported elsewhere.
    if (record.status == Status::Running) unfinished[key].push_back(record.cell.seed);
  }
  for (const auto& [key, costs] : reference.costs) {
    std::vector<std::int64_t> missing;
    std::copy_if(costs.seeds.begin(), costs.seeds.end(), std::back_inserter(missing),
                 [&](std::int64_t seed) { return !finished[key].contains(seed); });
    if (missing.empty()) continue;
    const auto began = unfinished.find(key);
    result.judged.push_back(
        {.quantity = {key.table, key.dataset, key.method, "cell"},
         .outcome = Outcome::Missing,
         .old_n = static_cast<int>(costs.seeds.size()),
         .new_n = static_cast<int>(costs.seeds.size() - missing.size()),
         .message = fmt::format(
             "{}/{}/{} has no finished cell of seed {} (the reference has seeds {}){}; run the study to its end",
             key.table, key.dataset, key.method, numbers(missing), numbers(costs.seeds),
             began == unfinished.end()
                 ? ""
                 : fmt::format("; seed {} is unfinished", numbers(began->second)))});
  }
}

}  // namespace reprise::records
