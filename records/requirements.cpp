// What claims require.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "records/claim_pairs.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

/// What one method has of what is required; nothing where no finished cell of it has the metric.
struct Shown {
  double beyond = 0;  ///< by how much it misses its bounds; 0 where it holds
  std::string text{};
};

/// Whether its value was chosen inside the list of candidates, in every seed.
std::optional<Shown> chosen_inside(const RequirementTest& test, const ClaimRecords::Seeds& seeds) {
  std::optional<Shown> shown;
  for (const auto& [seed, record] : seeds) {
    const Metric* chosen = record->status == Status::Done ? find_metric(*record, test.metric) : nullptr;
    const auto listed = record->options.find(test.inside);
    if (!chosen || listed == record->options.end() || !listed->is_array()) continue;
    std::vector<double> list;
    for (const auto& value : *listed)
      if (value.is_number()) list.push_back(value.get<double>());
    if (list.empty()) continue;
    const auto [least, greatest] = std::minmax_element(list.begin(), list.end());
    const bool holds = *least < chosen->value && chosen->value < *greatest;
    if (!shown || !holds) shown = {holds ? 0.0 : 1.0, number_text(chosen->value)};
  }
  return shown;
}

std::optional<Shown> within_bounds(const RequirementTest& test, const ClaimRecords& records, const ClaimRecords::Seeds& seeds,
                                   const ClaimRecords::Key& other) {
  std::vector<double> values;
  if (test.than.empty()) {
    for (const auto& [seed, record] : seeds)
      if (const Metric* found = record->status == Status::Done ? find_metric(*record, test.metric) : nullptr)
        values.push_back(found->value);
  } else {
    for (const auto& [seed, gain] : metric_gains(test.metric, test.than_metric, false, seeds, records.seeds(other)).by_seed)
      values.push_back(gain);
  }
  if (values.empty()) return std::nullopt;
  const double value = mean(values);
  return Shown{std::max({0.0, test.at_least.value_or(value) - value, value - test.at_most.value_or(value)}),
               fmt::format("{}{:.3g}", test.than.empty() ? "" : "a gain of ", value)};
}

std::string asked(const RequirementTest& test) {
  if (!test.inside.empty()) return " a value inside " + test.inside;
  return (test.at_least ? fmt::format(" at least {:g}", *test.at_least) : "") + (test.at_least && test.at_most ? " and" : "") +
         (test.at_most ? fmt::format(" at most {:g}", *test.at_most) : "");
}

}  // namespace

Requirement required(const RequirementTest& test, const ClaimRecords& records) {
  Requirement requirement{.says = test.says};
  int all = 0, met = 0;
  // Told is the one that decides: where one is enough the nearest to the bounds, else the farthest from them.
  std::optional<double> told;
  for (const auto& [key, other] : records.matching(test.table, test.dataset, test.methods, test.than_table, test.than)) {
    const auto& [table, dataset, method] = key;
    const auto& than = std::get<2>(other);
    const auto& seeds = records.seeds(key);
    const auto shown = test.inside.empty() ? within_bounds(test, records, seeds, other) : chosen_inside(test, seeds);
    if (!shown) continue;
    ++all;
    met += shown->beyond == 0;
    if (told && (test.any ? shown->beyond >= *told : shown->beyond <= *told)) continue;
    told = shown->beyond;
    const auto over = than.empty() ? "" : " over " + (than == method ? "its " + test.than_metric : than);
    requirement.measured = fmt::format("{} has {} of {}{} on {}", test.metric, shown->text, method, over, dataset);
  }
  requirement.holds = all > 0 && (test.any ? met > 0 : met == all);
  if (all == 0)
    requirement.measured = fmt::format("no finished cell of table '{}' has its '{}'", test.table, test.metric);
  else
    requirement.measured += fmt::format("; asked for{}{}", asked(test), all > 1 ? fmt::format(", which {} of {} have", met, all) : "");
  return requirement;
}

}  // namespace reprise::records
