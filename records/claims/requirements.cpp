// Requirements of claims' rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "core/text.h"
#include "records/claims/claim_pairs.h"
#include "records/claims/registry.h"
#include "records/trial.h"
#include "statistics/statistics.h"

namespace reprise::records {
namespace {

/// Measured value of a requirement for one method; nothing if no finished cell has the metric.
struct RequirementValue {
  double beyond = 0;  ///< by how much it misses its bounds; 0 where it holds
  std::string text{};
  double p = 1;  ///< of a gain, one-sided
};

/// Whether the gain must be significant, too.
bool has_significance(const RequirementTest& test) {
  return test.kind == RequirementTest::Kind::Some && !test.than.empty();
}

/// The candidates that a setting lists for a chosen metric: numbers, or texts of a grid,
/// "first=0.35|0.7|1.4", for the metric with_first.
std::vector<double> list_candidates(const nlohmann::json& setting, const std::string& metric) {
  std::vector<double> candidates;
  for (const auto& value : setting) {
    if (value.is_number()) candidates.push_back(value.get<double>());
    if (!value.is_string()) continue;
    // A grid is a text such as "first=0.35|0.7|1.4".
    static const std::regex axis("([A-Za-z_]+)=([0-9.e|+-]+)"), number("[0-9.e+-]+");
    const auto text = value.get<std::string>();
    for (std::sregex_iterator at(text.begin(), text.end(), axis), end; at != end; ++at) {
      // Metrics "with_NAME" record the chosen value of hyperparameter NAME.
      if ("with_" + (*at)[1].str() != metric) continue;
      const auto values = (*at)[2].str();
      for (std::sregex_iterator one(values.begin(), values.end(), number); one != end; ++one)
        candidates.push_back(std::stod((*one)[0]));
    }
  }
  return candidates;
}

/// The values of a hyperparameter that a method's own trials on a data set have, by the table of
/// the search.
using TriedValues = std::map<std::string, std::set<double>>;
TriedValues tried_values(const ClaimRecords::Key& key, const std::string& metric,
                         const ClaimRecords& all_records) {
  TriedValues values;
  const auto& [table, dataset, method] = key;
  for (const auto& [its_table, its_dataset, name] : all_records.methods())
    if (its_table.starts_with("search") && its_dataset == dataset && name.starts_with(method + "+"))
      for (const auto& [hyperparameter, text, value] : parse_trial(name).hyperparameters)
        if (holds_hyperparameter(metric, hyperparameter)) values[its_table].insert(value);
  return values;
}

/// Whether its value was chosen inside the list of candidates, in every seed. A search that tried
/// the whole list may have widened it.
std::optional<RequirementValue> chosen_inside(const RequirementTest& test,
                                              const ClaimRecords::Seeds& seeds,
                                              const TriedValues& tried) {
  std::optional<RequirementValue> shown;
  for (const auto& [seed, record] : seeds) {
    const Metric* chosen =
        record->status == Status::Done ? find_metric(*record, test.metric) : nullptr;
    const auto listed = record->options->find(test.inside);
    if (!chosen || listed == record->options->end() || !listed->is_array()) continue;
    auto list = list_candidates(*listed, test.metric);
    if (list.empty()) continue;
    // The search may have widened its list. Values that it tried count as candidates only if it
    // tried the complete list, else they are of another search.
    const std::set<double> listed_values(list.begin(), list.end());
    for (const auto& [table, values] : tried)
      if (std::includes(values.begin(), values.end(), listed_values.begin(), listed_values.end()))
        list.insert(list.end(), values.begin(), values.end());
    // The chosen value must lie strictly inside: at an edge a better one may lie beyond the list.
    const auto [least, greatest] = std::minmax_element(list.begin(), list.end());
    const bool holds = (test.from_zero || *least < chosen->value) && chosen->value < *greatest;
    if (!shown || !holds) shown = {holds ? 0.0 : 1.0, "is " + number_text(chosen->value)};
  }
  return shown;
}

/// One-sided p of the mean gain; 1 with fewer than two seeds.
double gain_p(const std::vector<double>& gains, const ResamplingRule* replicates) {
  if (gains.size() < 2) return 1;
  const std::vector<double> none(gains.size(), 0.0);
  return statistics::paired_t(gains, none, statistics::confidence_level,
                              replicates ? replicates->test_over_train : 0)
      .p_greater;
}

/// Returns the distance of a value from the bounds; 0 within them.
double missing_to_bounds(const RequirementTest& test, double value) {
  return std::max(
      {0.0, test.at_least.value_or(value) - value, value - test.at_most.value_or(value)});
}

/// The values of the method, or its gains over the other, one for each seed that has them.
std::vector<double> collect_values(const RequirementTest& test, const ClaimRecords::Seeds& seeds,
                                   const ClaimRecords::Seeds& others) {
  std::vector<double> values;
  if (!test.than.empty()) {
    for (const auto& [seed, gain] :
         metric_gains(test.metric, test.than_metric, false, seeds, others).by_seed)
      values.push_back(gain);
    return values;
  }
  for (const auto& [seed, record] : seeds)
    if (const Metric* found =
            record->status == Status::Done ? find_metric(*record, test.metric) : nullptr)
      values.push_back(found->value);
  return values;
}

std::optional<RequirementValue> within_bounds(const RequirementTest& test,
                                              const ClaimRecords::Seeds& seeds,
                                              const ClaimRecords::Seeds& others,
                                              const ResamplingRule* replicates) {
  using Kind = RequirementTest::Kind;
  if (test.kind == Kind::Ratio) {
    // The two means are collected separately, so the `than` of the requirement is cleared.
    RequirementTest single = test;
    single.than.clear();
    const auto mine = collect_values(single, seeds, {});
    single.metric = test.than_metric;
    const auto theirs = collect_values(single, others, {});
    if (mine.empty() || theirs.empty() || statistics::mean(theirs) == 0) return std::nullopt;
    const double ratio = statistics::mean(mine) / statistics::mean(theirs);
    return RequirementValue{missing_to_bounds(test, ratio),
                            fmt::format("is {:.3g} times that", ratio)};
  }
  const auto values = collect_values(test, seeds, others);
  if (values.empty()) return std::nullopt;
  const std::string what = test.than.empty() ? "is " : "gains ";
  if (test.kind == Kind::Every) {
    // The value that misses its bounds most decides.
    const auto worst =
        std::ranges::max(values, {}, [&](double value) { return missing_to_bounds(test, value); });
    return RequirementValue{missing_to_bounds(test, worst),
                            fmt::format("{}{:.3g} in one seed", what, worst)};
  }
  const double value = statistics::mean(values);
  const double p = has_significance(test) ? gain_p(values, replicates) : 1;
  return RequirementValue{missing_to_bounds(test, value), fmt::format("{}{:.3g}", what, value), p};
}

/// Every method that the row compares, and every one that it is compared with.
std::vector<std::pair<ClaimRecords::Key, ClaimRecords::Key>> each_compared(
    const ClaimRow& row, const ClaimRecords& records) {
  std::set<ClaimRecords::Key> all;
  for (const auto& planned : planned_comparisons(row, records.methods(), records.own()))
    // A set: a method that is compared several times is checked once.
    all.insert({planned.method, planned.than});
  std::vector<std::pair<ClaimRecords::Key, ClaimRecords::Key>> found;
  for (const auto& key : all) found.emplace_back(key, ClaimRecords::Key{});
  return found;
}

/// Gains that are not significant count as outside their bounds.
void judge_significance(std::vector<std::pair<std::string, RequirementValue>>& found) {
  std::vector<double> p;
  for (const auto& [who, shown] : found) p.push_back(shown.p);
  // One of several methods suffices, so their p-values are corrected together.
  if (!p.empty()) p = statistics::adjust_by_holm(p);
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto& shown = found[i].second;
    shown.text += fmt::format(" (p = {:.2g})", p[i]);
    if (!(p[i] < claim_level)) shown.beyond += p[i];
  }
}

std::string bounds_text(const RequirementTest& test) {
  if (!test.inside.empty())
    return (test.from_zero ? " a value below the last of " : " a value inside ") + test.inside;
  std::string text;
  if (has_significance(test)) text += " significance and";
  if (test.at_least) text += fmt::format(" at least {:g}", *test.at_least);
  if (test.at_least && test.at_most) text += " and";
  if (test.at_most) text += fmt::format(" at most {:g}", *test.at_most);
  if (test.kind == RequirementTest::Kind::Every) text += " in every seed";
  return text;
}

}  // namespace

Requirement check_requirement(const RequirementTest& test, const ClaimRow& row,
                              const ClaimRecords& judged, const ClaimRecords& all_records) {
  Requirement requirement{.statement = test.statement + (test.post_hoc ? " (post hoc)" : ""),
                          .post_hoc = test.post_hoc};
  std::vector<std::pair<std::string, RequirementValue>> found;  // who, and what it has
  std::vector<std::string> where, datasets;
  const auto candidates = test.compared
                              ? each_compared(row, all_records)
                              : all_records.matching(test.table, test.dataset, test.methods,
                                                     test.than_table, test.than);
  for (const auto& [key, other] : candidates) {
    // A method without any judged seed serves all seeds, such as a network that was trained once.
    const auto seeds_of = [&](const ClaimRecords::Key& of) -> const ClaimRecords::Seeds& {
      const auto& seeds = judged.seeds(of);
      return seeds.empty() ? all_records.seeds(of) : seeds;
    };
    const auto& [table, dataset, method] = key;
    const auto& than = std::get<2>(other);
    const auto shown =
        test.inside.empty()
            ? within_bounds(test, seeds_of(key), seeds_of(other),
                            all_records.resampling_rule(table, dataset))
            : chosen_inside(test, seeds_of(key), tried_values(key, test.metric, all_records));
    if (!shown) continue;
    found.emplace_back(method, *shown);
    const std::string relation = test.kind == RequirementTest::Kind::Ratio ? " of " : " over ";
    where.push_back(than.empty() ? ""
                                 : relation + (than == method ? "its " + test.than_metric : than));
    datasets.push_back(dataset);
  }
  if (has_significance(test)) judge_significance(found);
  const int all = static_cast<int>(found.size());
  int met = 0;
  // The text is of the deciding method: the nearest to the bounds if one method is enough, else the
  // farthest from them.
  const bool some = test.kind == RequirementTest::Kind::Some;
  std::optional<double> reported;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [method, shown] = found[i];
    // 0 means within the bounds (RequirementValue).
    met += shown.beyond == 0;
    if (reported && (some ? shown.beyond >= *reported : shown.beyond <= *reported)) continue;
    reported = shown.beyond;
    requirement.measured =
        fmt::format("{} on {}: {} {}{}", method, datasets[i], test.metric, shown.text, where[i]);
  }
  requirement.was_measured = all > 0;
  requirement.holds = all > 0 && (some ? met > 0 : met == all);
  if (all == 0)
    requirement.measured =
        test.compared
            ? fmt::format("No finished cell that is compared has '{}'.", test.metric)
            : fmt::format("No finished cell of table '{}' has '{}'.", test.table, test.metric);
  else
    requirement.measured +=
        fmt::format(". Required:{}.{}", bounds_text(test),
                    all > 1 ? fmt::format(" {} of {} methods meet it.", met, all) : "");
  return requirement;
}

}  // namespace reprise::records
