// What claims require.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "records/asked.h"
#include "records/claim_pairs.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

/// What one method has of what is required; nothing where no finished cell of it has the metric.
struct Shown {
  double beyond = 0;  ///< by how much it misses its bounds; 0 where it holds
  std::string text{};
  double p = 1;  ///< of a gain, one-sided
};

/// Whether its value was chosen inside the list of candidates, in every seed.
std::optional<Shown> chosen_inside(const RequirementTest& test, const ClaimRecords::Seeds& seeds) {
  std::optional<Shown> shown;
  for (const auto& [seed, record] : seeds) {
    const Metric* chosen = record->status == Status::Done ? find_metric(*record, test.metric) : nullptr;
    const auto listed = record->options->find(test.inside);
    if (!chosen || listed == record->options->end() || !listed->is_array()) continue;
    std::vector<double> list;
    for (const auto& value : *listed)
      if (value.is_number()) list.push_back(value.get<double>());
    if (list.empty()) continue;
    const auto [least, greatest] = std::minmax_element(list.begin(), list.end());
    const bool holds = (test.from_zero || *least < chosen->value) && chosen->value < *greatest;
    if (!shown || !holds) shown = {holds ? 0.0 : 1.0, number_text(chosen->value)};
  }
  return shown;
}

/// 1 where fewer than two seeds tell.
double p_of(const std::vector<double>& gains, const Replicates* replicates) {
  if (gains.size() < 2) return 1;
  const std::vector<double> none(gains.size(), 0.0);
  return paired_t(gains, none, 0.95, replicates ? replicates->test_over_train : 0).p_greater;
}

std::optional<Shown> within_bounds(const RequirementTest& test, const ClaimRecords& records, const ClaimRecords::Key& key,
                                   const ClaimRecords::Key& other) {
  const auto& seeds = records.seeds(key);
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
  const auto beyond = [&](double value) {
    if (test.size) value = std::abs(value);
    return std::max({0.0, test.at_least.value_or(value) - value, value - test.at_most.value_or(value)});
  };
  if (test.every_seed) {
    const auto worst = std::ranges::max(values, {}, beyond);
    return Shown{beyond(worst), fmt::format("{}{:.3g} in one seed", test.than.empty() ? "" : "a gain of ", worst)};
  }
  const double value = mean(values);
  return Shown{beyond(value), fmt::format("{}{:.3g}", test.than.empty() ? "" : "a gain of ", value),
               test.significant ? p_of(values, records.replicates(std::get<0>(key), std::get<1>(key))) : 1};
}

/// Every method that the claim compares, and every one that it is compared with.
std::vector<std::pair<ClaimRecords::Key, ClaimRecords::Key>> each_compared(const Claim& claim, const ClaimRecords& records) {
  std::set<ClaimRecords::Key> all;
  for (const auto& [key, other] : compared(claim, records.methods(), records.own())) all.insert({key, other});
  std::vector<std::pair<ClaimRecords::Key, ClaimRecords::Key>> found;
  for (const auto& key : all) found.emplace_back(key, ClaimRecords::Key{});
  return found;
}

constexpr double level = 0.05;

/// Those whose gain is not significant miss their bounds by that.
void judge_significance(const RequirementTest& test, std::vector<std::pair<std::string, Shown>>& found) {
  std::vector<double> p;
  for (const auto& [who, shown] : found) p.push_back(shown.p);
  if (test.any && !p.empty()) p = holm(p);
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto& shown = found[i].second;
    shown.text += fmt::format(" (p = {:.2g})", p[i]);
    if (!(p[i] < level)) shown.beyond += p[i];
  }
}

std::string asked(const RequirementTest& test) {
  if (!test.inside.empty()) return (test.from_zero ? " a value below the last of " : " a value inside ") + test.inside;
  return (test.significant ? " significance" + std::string(test.at_least || test.at_most ? " and" : "") : "") +
         (test.at_least ? fmt::format(" at least {:g}", *test.at_least) : "") + (test.at_least && test.at_most ? " and" : "") +
         (test.at_most ? fmt::format(" at most {:g}", *test.at_most) : "") + (test.size ? " either way" : "") +
         (test.every_seed ? " in every seed" : "");
}

}  // namespace

Requirement required(const RequirementTest& test, const Claim& claim, const ClaimRecords& judged, const ClaimRecords& all_records) {
  Requirement requirement{.says = test.says + (test.post_hoc ? " (asked when the seeds had been seen)" : ""), .post_hoc = test.post_hoc};
  std::vector<std::pair<std::string, Shown>> found;  // who, and what it has
  std::vector<std::string> where;
  const auto asked_of = test.compared ? each_compared(claim, all_records)
                                      : all_records.matching(test.table, test.dataset, test.methods, test.than_table, test.than);
  for (const auto& [key, other] : asked_of) {
    const auto* records = &judged;
    if (judged.seeds(key).empty()) records = &all_records;
    const auto& [table, dataset, method] = key;
    const auto& than = std::get<2>(other);
    const auto shown = test.inside.empty() ? within_bounds(test, *records, key, other) : chosen_inside(test, records->seeds(key));
    if (!shown) continue;
    found.emplace_back(method, *shown);
    where.push_back((than.empty() ? "" : " over " + (than == method ? "its " + test.than_metric : than)) + " on " + dataset);
  }
  if (test.significant) judge_significance(test, found);
  const int all = static_cast<int>(found.size());
  int met = 0;
  // Told is the one that decides: where one is enough the nearest to the bounds, else the farthest from them.
  std::optional<double> told;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [method, shown] = found[i];
    met += shown.beyond == 0;
    if (told && (test.any ? shown.beyond >= *told : shown.beyond <= *told)) continue;
    told = shown.beyond;
    requirement.measured = fmt::format("{} has {} of {}{}", test.metric, shown.text, method, where[i]);
  }
  requirement.was_measured = all > 0;
  requirement.holds = all > 0 && (test.any ? met > 0 : met == all);
  if (all == 0)
    requirement.measured = test.compared ? fmt::format("no finished cell that is compared has its '{}'", test.metric)
                                         : fmt::format("no finished cell of table '{}' has its '{}'", test.table, test.metric);
  else
    requirement.measured += fmt::format("; asked for{}{}", asked(test), all > 1 ? fmt::format(", which {} of {} have", met, all) : "");
  return requirement;
}

}  // namespace reprise::records
