#include "records/regression/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/text.h"
#include "records/regression/bands.h"
#include "records/regression/score.h"
#include "statistics/spread.h"
#include "statistics/statistics.h"

namespace reprise::records {
namespace {

/// Largest relative change of a constant of the set-up that passes (check.h).
constexpr double constant_tolerance = 1e-3;

/// The first failed cell of a method, by table, dataset and method.
using FailedCells = std::map<std::tuple<std::string, std::string, std::string>, const Record*>;

FailedCells failed_cells(const std::vector<Record>& records) {
  FailedCells failed;
  for (const auto& record : records)
    if (record.status == Status::Failed)
      failed.try_emplace({record.cell.table, record.cell.dataset, record.cell.method}, &record);
  return failed;
}

std::set<MethodKey> failed_methods(const FailedCells& failed) {
  std::set<MethodKey> methods;
  for (const auto& [key, record] : failed)
    methods.insert({std::get<0>(key), std::get<1>(key), std::get<2>(key)});
  return methods;
}

std::string failure_text(const Record& record) {
  return fmt::format("cell {} failed: {}", record.cell.id(),
                     record.error.substr(0, record.error.find('\n')));
}

/// "auc of table1/faces/cnn fell by 14.9 % (0.4349 to 0.3697, same seeds, same platform)"
std::string change_text(const QuantityCheck& judged, const std::string& beside) {
  const auto& [table, dataset, method, metric] = judged.quantity;
  const double change = judged.new_value.value() - judged.old_value.value();
  const std::string size = *judged.old_value == 0
                               ? fmt::format("{:.4g}", std::abs(change))
                               : fmt::format("{:.3g} %", std::abs(judged.percent));
  return fmt::format("{} of {}/{}/{} {} by {} ({:.4g} to {:.4g}, {})", metric, table, dataset,
                     method, change < 0 ? "fell" : "rose", size, *judged.old_value,
                     *judged.new_value, beside);
}

void note_change(double old_value, double new_value, Direction direction, QuantityCheck& judged) {
  judged.old_value = old_value;
  judged.new_value = new_value;
  judged.percent = old_value == 0 ? 0 : 100 * (new_value - old_value) / std::abs(old_value);
  judged.worse =
      direction != Direction::Neither && (new_value - old_value) * direction_sign(direction) < 0;
}

/// The values of the same platform are compared seed by seed. True when that decides.
bool judge_by_values(const PairedChanges& paired, QuantityCheck& judged) {
  judged.basis = CheckBasis::Values;
  if (judged.own_values == judged.values) {
    judged.outcome = Outcome::Same;
    judged.message = fmt::format("{} is {:.6g} as before (same seeds, same platform)",
                                 judged.quantity.text(), paired.now.mean);
    return true;
  }
  if (!fell_beyond_rounding(paired.before, paired.now)) return false;
  judged.outcome = Outcome::Fell;
  judged.message = change_text(judged, "same seeds, same platform; too much for rounding");
  return true;
}

void judge_by_band(const PairedChanges& paired, QuantityCheck& judged) {
  const auto direction = paired.now.direction;
  const double old = *judged.old_value;
  const double gain = (paired.now.mean - old) * direction_sign(direction);
  judged.basis = CheckBasis::Seeds;
  judged.band = paired.band();
  judged.outcome = Outcome::Same;
  if (direction == Direction::Neither) {
    if (std::abs(gain) > judged.band) judged.outcome = Outcome::Moved;
  } else if (std::abs(gain) > judged.band) {
    judged.outcome = gain < 0 ? Outcome::Fell : Outcome::Rose;
  }
  // On the same platform equal code gives equal values, so even a small change is reported.
  if (judged.outcome == Outcome::Same && paired.own_platform) judged.outcome = Outcome::Changed;
  std::string passes = "informational: it may move";
  if (direction != Direction::Neither)
    passes = old == 0 ? fmt::format("{:.3g} passes", judged.band)
                      : fmt::format("{:.2g} % passes", 100 * judged.band / std::abs(old));
  judged.message = change_text(judged, fmt::format("same seeds, {} platform; {}",
                                                   paired.own_platform ? "same" : "other", passes));
}

void judge_constant(const Sample& old, const Sample& now, QuantityCheck& judged) {
  judged.basis = CheckBasis::Values;
  note_change(old.mean, now.mean, Direction::Neither, judged);
  judged.band = constant_tolerance * std::abs(old.mean);
  judged.outcome = std::abs(now.mean - old.mean) > judged.band ? Outcome::Differs : Outcome::Same;
  judged.worse = judged.outcome == Outcome::Differs;
  judged.message = change_text(judged, "equal for every seed: a setting or the input data changed");
}

std::string identity(const Sample& sample) {
  const char* direction = "no direction";
  if (sample.direction == Direction::HigherIsBetter) direction = "higher is better";
  if (sample.direction == Direction::LowerIsBetter) direction = "lower is better";
  // The evaluator's hash depends on the platform, and is the same evaluator all the same.
  return fmt::format("'{}' [{}], {}", without_evaluator(sample.protocol), sample.unit, direction);
}

/// Finds quantities that some seeds of their cell lack, such as those of a selection. A cell has as
/// many seeds as its most frequent quantity. `n_of` returns the number of seeds of a quantity.
template <typename Quantities, typename Count>
std::set<Quantity> find_occasional(const Quantities& quantities, const Count& n_of) {
  std::map<std::tuple<std::string, std::string, std::string>, int> seeds;
  for (const auto& [quantity, entry] : quantities) {
    int& most = seeds[{quantity.table, quantity.dataset, quantity.method}];
    most = std::max(most, n_of(entry));
  }
  std::set<Quantity> found;
  for (const auto& [quantity, entry] : quantities)
    if (n_of(entry) < seeds.at({quantity.table, quantity.dataset, quantity.method}))
      found.insert(quantity);
  return found;
}

/// Quantities that some seeds of a cell lack, in the reference and now.
struct Lacking {
  std::set<Quantity> before, now;
};

/// A quantity that both runs measured in the same way, and whose seeds they share.
void judge_numbers(const ReferenceEntry& entry, const Sample& now, const PairedChanges& paired,
                   std::size_t platform, bool constant, QuantityCheck& judged) {
  judged.values = now.n();
  judged.known_platform = platform <= entry.others.size();
  judged.own_platform = paired.own_platform;
  if (paired.own_platform)
    for (std::size_t i = 0; i < paired.before.size(); ++i)
      judged.own_values += std::abs(paired.now.values[i] - paired.before[i]) <=
                           same_value_tolerance(paired.before[i]);
  if (constant) {
    judge_constant(entry.sample, now, judged);
    return;
  }
  note_change(statistics::mean(paired.before), paired.now.mean, paired.now.direction, judged);
  if (const auto fault =
          judged.guarded ? seed_fault(paired.before, paired.own_platform, paired.now) : "";
      !fault.empty()) {
    judged.basis = paired.own_platform ? CheckBasis::Values : CheckBasis::Seeds;
    judged.outcome = Outcome::Differs;
    judged.message = fmt::format("{}: {}", judged.quantity.text(), fault);
    return;
  }
  // Values of the same platform decide if they are equal or fell alike; else the band does.
  if (paired.own_platform && judge_by_values(paired, judged)) return;
  judge_by_band(paired, judged);
}

QuantityCheck judge_entry(const Quantity& quantity, const ReferenceEntry& entry, const Pairs& pairs,
                          const Samples& samples, const FailedCells& failed, const Lacking& lacking,
                          std::size_t platform, bool constant) {
  const Sample& old = entry.sample;
  QuantityCheck judged{.quantity = quantity, .old_value = old.mean, .old_n = old.n()};
  judged.guarded = constant || old.direction != Direction::Neither;
  const auto found = samples.find(quantity);
  if (found != samples.end()) {
    judged.new_value = found->second.mean;
    judged.new_n = found->second.n();
  }
  if (const auto cell = failed.find({quantity.table, quantity.dataset, quantity.method});
      cell != failed.end()) {
    judged.outcome = Outcome::Failed;
    judged.message = quantity.text() + ": " + failure_text(*cell->second);
  } else if (found == samples.end() && lacking.before.contains(quantity)) {
    judged.outcome = Outcome::Absent;
    judged.message =
        fmt::format("{} was {:.6g} for the {} seeds of its cell that had it; none has it now",
                    quantity.text(), old.mean, old.n());
  } else if (found == samples.end()) {
    judged.outcome = Outcome::Missing;
    judged.message = fmt::format("{} was {:.6g}; no finished cell of the results has it",
                                 quantity.text(), old.mean);
  } else if (lacking.now.contains(quantity) && !lacking.before.contains(quantity)) {
    judged.outcome = Outcome::Missing;
    judged.message =
        fmt::format("{}: only {} of the finished cells have it; in the reference all have it",
                    quantity.text(), found->second.n());
  } else if (identity(found->second) != identity(old)) {
    judged.outcome = Outcome::ProtocolChanged;
    judged.message = fmt::format("{} was measured as {}, now as {}: the values cannot be compared",
                                 quantity.text(), identity(old), identity(found->second));
  } else if (const auto paired = pairs.find(quantity); paired != pairs.end()) {
    judge_numbers(entry, found->second, paired->second, platform, constant, judged);
  } else {
    // A quantity that only some seeds have may be of other ones now.
    judged.outcome = lacking.before.contains(quantity) ? Outcome::Absent : Outcome::Missing;
    judged.message = fmt::format(
        "{}: the run shares fewer than two seeds with the reference; run it with the reference's seeds",
        quantity.text());
  }
  return judged;
}

/// Adds failed cells of methods that the reference does not contain. They fail the check too.
void add_unknown_failures(const Reference& reference, const FailedCells& failed,
                          std::vector<QuantityCheck>& judged) {
  for (const auto& [key, record] : failed) {
    const auto& [table, dataset, method] = key;
    // The first entry of the method in the sorted reference; none if the reference does not know
    // it.
    const auto first = reference.entries.lower_bound({table, dataset, method, ""});
    if (first != reference.entries.end() &&
        std::tie(first->first.table, first->first.dataset, first->first.method) == key)
      continue;
    std::erase_if(judged, [&](const QuantityCheck& one) {
      return std::tie(one.quantity.table, one.quantity.dataset, one.quantity.method) == key;
    });
    judged.push_back({.quantity = {table, dataset, method, "cell"},
                      .outcome = Outcome::Failed,
                      .old_value = {},
                      .new_value = {},
                      .message = failure_text(*record)});
  }
}

void check_same_run(const Reference& reference, const std::vector<Record>& records) {
  if (records.empty())
    throw Error("the results hold no record, so nothing can be checked",
                "run the study first, or correct the path of the results");
  for (const auto& record : records)
    if (record.cell.study != reference.study || record.profile != reference.profile)
      throw UsageError(
          fmt::format("the reference is of {} ({}), but cell {} is of {} ({})", reference.study,
                      reference.profile, record.cell.id(), record.cell.study, record.profile),
          "check results of the same study and profile as the reference");
}

/// The platform of a cell's records.
using PlatformOf = std::function<std::string(const Quantity&)>;

/// Returns the index of a platform in the reference; SIZE_MAX for an unknown one.
std::size_t platform_index(const Reference& reference, const std::string& arithmetic) {
  const auto known =
      std::find(reference.arithmetics.begin(), reference.arithmetics.end(), arithmetic);
  if (arithmetic.empty() || known == reference.arithmetics.end()) return SIZE_MAX;
  return static_cast<std::size_t>(known - reference.arithmetics.begin());
}

CheckResult judge(Reference reference, Samples samples, const FailedCells& failed,
                  const PlatformOf& find_platform) {
  std::set<Quantity> constants;
  for (auto& [quantity, entry] : reference.entries) {
    // An informational metric is checked like one without a direction, which cannot fail.
    if (reference.is_informational(quantity))
      entry.sample.direction = Direction::Neither;
    else if (entry.is_constant())
      constants.insert(quantity);
  }
  for (auto& [quantity, sample] : samples)
    if (reference.is_informational(quantity)) sample.direction = Direction::Neither;
  CheckResult result{.study = reference.study,
                     .profile = reference.profile,
                     .arithmetic = {},
                     .judged = {},
                     .scores = {}};
  Pairs pairs;
  for (const auto& [quantity, entry] : reference.entries)
    if (const auto now = samples.find(quantity);
        now != samples.end() && identity(now->second) == identity(entry.sample))
      if (auto paired =
              pair_seeds(entry, now->second, platform_index(reference, find_platform(quantity))))
        pairs.emplace(quantity, std::move(*paired));
  // Bands need the spreads of all quantities of a table.
  set_bands(reference, pairs);
  const Lacking lacking{
      .before = find_occasional(reference.entries,
                                [](const ReferenceEntry& entry) { return entry.sample.n(); }),
      .now = find_occasional(samples, [](const Sample& sample) { return sample.n(); })};
  for (const auto& [quantity, entry] : reference.entries)
    result.judged.push_back(judge_entry(quantity, entry, pairs, samples, failed, lacking,
                                        platform_index(reference, find_platform(quantity)),
                                        constants.contains(quantity)));
  for (const auto& [quantity, sample] : samples) {
    // A quantity with one seed has no spread; no reference could hold it.
    if (reference.entries.contains(quantity) || sample.n() < 2) continue;
    result.judged.push_back({.quantity = quantity,
                             .outcome = Outcome::Added,
                             .old_value = {},
                             .new_value = sample.mean,
                             .new_n = sample.n(),
                             .message = fmt::format("{} is {:.6g}; the reference does not know it",
                                                    quantity.text(), sample.mean)});
  }
  add_unknown_failures(reference, failed, result.judged);
  // If every value equals that of the same platform, means can find nothing more.
  const bool all_same =
      std::all_of(result.judged.begin(), result.judged.end(), [](const QuantityCheck& one) {
        return one.basis == CheckBasis::Values && one.outcome == Outcome::Same;
      });
  if (!all_same)
    check_scores(reference, pairs, lacking.before, failed_methods(failed), result.scores);
  return result;
}

void sort_by_quantity(std::vector<QuantityCheck>& judged) {
  std::sort(judged.begin(), judged.end(),
            [](const QuantityCheck& a, const QuantityCheck& b) { return a.quantity < b.quantity; });
}

}  // namespace

CheckResult judge(const Reference& reference, const Samples& samples,
                  const std::string& arithmetic) {
  auto result =
      judge(reference, samples, FailedCells{}, [&](const Quantity&) { return arithmetic; });
  result.arithmetic = arithmetic;
  result.known_arithmetic = platform_index(reference, arithmetic) != SIZE_MAX;
  sort_by_quantity(result.judged);
  return result;
}

CheckResult check(const Reference& reference, const std::vector<Record>& records,
                  const Scope& scope) {
  check_same_run(reference, records);
  const Reference part = select_scope(reference, scope);
  if (part.entries.empty())
    throw UsageError("nothing of the reference is in --only " + scope.only,
                     fmt::format("give a glob of TABLE/DATASET/METHOD, as {0}/* or {0}/{1}/{2}",
                                 reference.entries.begin()->first.table,
                                 reference.entries.begin()->first.dataset,
                                 reference.entries.begin()->first.method));
  const auto some = select_scope(records, scope);
  expect_same_settings(part, some);
  const auto platforms = platforms_by_method(some);
  auto result = judge(part, aggregate(some), failed_cells(some), [&](const Quantity& quantity) {
    const auto found = platforms.find({quantity.table, quantity.dataset, quantity.method});
    return found == platforms.end() ? "" : found->second;
  });
  for (const auto& record : some)
    if (record.status == Status::Done)
      result.platforms[record.environment->arithmetic].push_back(record.cell.id());
  result.known_arithmetic = !result.platforms.empty();
  for (const auto& [platform, cells] : result.platforms) {
    if (result.arithmetic.empty() || cells.size() > result.platforms.at(result.arithmetic).size())
      result.arithmetic = platform;
    result.known_arithmetic = result.known_arithmetic && platform_index(part, platform) != SIZE_MAX;
  }
  check_completeness(part, some, result);
  check_costs(part, some, result);
  sort_by_quantity(result.judged);
  return result;
}

}  // namespace reprise::records
