#include "records/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/error.h"
#include "core/text.h"
#include "records/score.h"
#include "records/spread.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

/// t_{1-alpha, freedom}; the quantities of a table ask for few different ones.
class Quantiles {
 public:
  double operator()(double alpha, double freedom) {
    const auto [at, fresh] = known_.try_emplace({alpha, freedom}, 0);
    if (fresh) at->second = student_quantile(1 - alpha, freedom);
    return at->second;
  }

 private:
  std::map<std::pair<double, double>, double> known_;
};

/// What the band of an entry is made from.
struct Basis {
  Spread spread;
  double t = 0;
  bool occasional = false;  ///< some seeds of its cell lack it: what a selection kept, for instance
};

/// The seeds of every cell, by table, dataset and method: as many as its most frequent quantity has.
std::map<std::tuple<std::string, std::string, std::string>, int> seeds_of_cells(const Reference& reference) {
  std::map<std::tuple<std::string, std::string, std::string>, int> seeds;
  for (const auto& [quantity, entry] : reference.entries) {
    int& most = seeds[{quantity.table, quantity.dataset, quantity.method}];
    most = std::max(most, entry.sample.n());
  }
  return seeds;
}

std::map<Quantity, Basis> bases_of(const Reference& reference) {
  std::map<std::string, int> family;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Quantity>> alike;
  for (const auto& [quantity, entry] : reference.entries) {
    family[quantity.table] += entry.sample.direction != Direction::Neither;
    alike[{quantity.table, quantity.metric, entry.sample.protocol}].push_back(quantity);
  }
  std::map<Quantity, Basis> bases;
  const auto seeds = seeds_of_cells(reference);
  Quantiles quantiles;
  for (const auto& [key, quantities] : alike) {
    std::vector<Spread> spreads;
    for (const auto& quantity : quantities) {
      const Sample& sample = reference.entries.at(quantity).sample;
      spreads.push_back({.deviation = deviation(sample.values), .freedom = sample.n() - 1.0});
    }
    spreads = moderated(spreads);
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      const auto& [table, dataset, method, metric] = quantities[i];
      bases[quantities[i]] = {.spread = spreads[i],
                              .t = quantiles(quantity_level / std::max(1, family[table]), spreads[i].freedom),
                              .occasional = reference.entries.at(quantities[i]).sample.n() < seeds.at({table, dataset, method})};
    }
  }
  return bases;
}

/// The first failed cell of a method, by table, dataset and method.
using FailedCells = std::map<std::tuple<std::string, std::string, std::string>, const Record*>;

FailedCells failed_cells(const std::vector<Record>& records) {
  FailedCells failed;
  for (const auto& record : records)
    if (record.status == Status::Failed) failed.try_emplace({record.cell.table, record.cell.dataset, record.cell.method}, &record);
  return failed;
}

std::string failure_text(const Record& record) {
  return fmt::format("cell {} failed: {}", record.cell.id(), record.error.substr(0, record.error.find('\n')));
}

/// The seed on which two samples differ, of those both have; `shared` says whether there is one at all.
std::optional<std::int64_t> differing_seed(const Sample& old, const Sample& now, bool& shared) {
  for (std::size_t i = 0; i < old.seeds.size(); ++i) {
    const auto found = std::find(now.seeds.begin(), now.seeds.end(), old.seeds[i]);
    if (found == now.seeds.end()) continue;
    shared = true;
    const double before = old.values[i], after = now.values[static_cast<std::size_t>(found - now.seeds.begin())];
    if (std::abs(before - after) > 1e-12 * std::max(std::abs(before), std::abs(after))) return old.seeds[i];
  }
  return std::nullopt;
}

/// True when the exact lane could judge.
bool judge_exactly(const Sample& old, const Sample& now, Judged& judged) {
  bool shared = false;
  const auto seed = differing_seed(old, now, shared);
  if (!shared) return false;
  judged.lane = Lane::Exact;
  judged.outcome = seed ? Outcome::Differs : Outcome::Same;
  judged.message = seed ? fmt::format("{} is not bit for bit what it was (first at seed {}): mean {:.12g} before, {:.12g} now; exact lane",
                                      judged.quantity.text(), *seed, old.mean, now.mean)
                        : fmt::format("{} is exactly {:.6g} as before", judged.quantity.text(), now.mean);
  return true;
}

void judge_by_band(const Sample& old, const Sample& now, const Basis& basis, Judged& judged) {
  const double before = mean_before(old, now);
  const double band = std::max({basis.t * difference_error(basis.spread, old.n(), now.n()), 1e-6 * std::abs(old.mean), 1e-12});
  judged.band = band_of_same_seeds(band, now.mean - old.mean, before - old.mean);
  const double gain = (now.mean - old.mean) * (old.direction == Direction::LowerIsBetter ? -1 : 1);
  if (old.direction == Direction::Neither)
    judged.outcome = std::abs(gain) > judged.band ? Outcome::Moved : Outcome::Same;
  else
    judged.outcome = gain < -judged.band ? Outcome::Fell : gain > judged.band ? Outcome::Rose : Outcome::Same;
  const char* verb = judged.outcome == Outcome::Fell    ? "became worse by more than its band"
                     : judged.outcome == Outcome::Rose  ? "became better by more than its band"
                     : judged.outcome == Outcome::Moved ? "left its band"
                                                        : "stays within its band";
  const std::string of_these = before == old.mean ? "" : fmt::format(", {:.6g} of these", before);
  judged.message = fmt::format("{} {}: {:.6g} before ({} seeds{}), {:.6g} now ({} seeds), band {:.3g}", judged.quantity.text(), verb,
                               old.mean, old.n(), of_these, now.mean, now.n(), judged.band);
}

std::string identity(const Sample& sample) {
  const char* direction = sample.direction == Direction::HigherIsBetter  ? "higher is better"
                          : sample.direction == Direction::LowerIsBetter ? "lower is better"
                                                                         : "no direction";
  return fmt::format("'{}' [{}], {}", sample.protocol, sample.unit, direction);
}

Judged judge_entry(const Quantity& quantity, const ReferenceEntry& entry, const Basis& basis, const Samples& samples,
                   const FailedCells& failed, bool same_machine) {
  const Sample& old = entry.sample;
  Judged judged{.quantity = quantity, .old_value = old.mean, .old_n = old.n()};
  const auto found = samples.find(quantity);
  if (found != samples.end()) {
    judged.new_value = found->second.mean;
    judged.new_n = found->second.n();
  }
  if (const auto cell = failed.find({quantity.table, quantity.dataset, quantity.method}); cell != failed.end()) {
    judged.outcome = Outcome::Failed;
    judged.message = quantity.text() + ": " + failure_text(*cell->second);
  } else if (found == samples.end() && basis.occasional) {
    judged.outcome = Outcome::Absent;
    judged.message =
        fmt::format("{} was {:.6g} for the {} seeds of its cell that had it; none has it now", quantity.text(), old.mean, old.n());
  } else if (found == samples.end()) {
    judged.outcome = Outcome::Missing;
    judged.message = fmt::format("{} was {:.6g}; no finished cell of the results has it", quantity.text(), old.mean);
  } else if (identity(found->second) != identity(old)) {
    judged.outcome = Outcome::ProtocolChanged;
    judged.message = fmt::format("{} was measured as {}, now as {}: the values cannot be compared", quantity.text(), identity(old),
                                 identity(found->second));
  } else if (entry.lane != Lane::Exact || !same_machine || !judge_exactly(old, found->second, judged)) {
    judge_by_band(old, found->second, basis, judged);
  }
  return judged;
}

/// Cells of methods that the reference does not know fail the check, too, when they failed.
void add_unknown_failures(const Reference& reference, const FailedCells& failed, std::vector<Judged>& judged) {
  for (const auto& [key, record] : failed) {
    const auto& [table, dataset, method] = key;
    const auto first = reference.entries.lower_bound({table, dataset, method, ""});
    if (first != reference.entries.end() && std::tie(first->first.table, first->first.dataset, first->first.method) == key) continue;
    std::erase_if(judged,
                  [&](const Judged& one) { return std::tie(one.quantity.table, one.quantity.dataset, one.quantity.method) == key; });
    judged.push_back({.quantity = {table, dataset, method, "cell"},
                      .outcome = Outcome::Failed,
                      .old_value = {},
                      .new_value = {},
                      .message = failure_text(*record)});
  }
}

void check_same_run(const Reference& reference, const std::vector<Record>& records) {
  if (records.empty())
    throw Error("the results hold no record, so nothing can be checked", "run the study first, or correct the path of the results");
  for (const auto& record : records)
    if (record.cell.study != reference.study || record.profile != reference.profile)
      throw UsageError(fmt::format("the reference is of {} ({}), but cell {} is of {} ({})", reference.study, reference.profile,
                                   record.cell.id(), record.cell.study, record.profile),
                       "check results of the same study and profile as the reference");
}

/// What a cell's or a table's score is made from: quantities that both runs measured in the same way.
using Group = std::vector<Scored>;

struct TableGroups {
  std::map<std::pair<std::string, std::string>, Group> cells;  ///< by dataset and method
  Group all;
};

std::map<std::string, TableGroups> groups_of(const Reference& reference, const Samples& samples, const std::map<Quantity, Basis>& bases,
                                             const FailedCells& failed) {
  std::map<std::string, TableGroups> tables;
  for (const auto& [quantity, entry] : reference.entries) {
    const auto now = samples.find(quantity);
    if (now == samples.end() || bases.at(quantity).occasional || identity(now->second) != identity(entry.sample) ||
        failed.contains({quantity.table, quantity.dataset, quantity.method}))
      continue;
    const Scored scored{&entry.sample, &now->second, bases.at(quantity).spread.deviation};
    auto& table = tables[quantity.table];
    table.cells[{quantity.dataset, quantity.method}].push_back(scored);
    table.all.push_back(scored);
  }
  return tables;
}

void judge_score(const Score& score, const Spread& spread, double t, JudgedScore& judged) {
  judged.quantities = score.quantities;
  judged.change = score.change;
  judged.band = band_of_same_seeds(t * difference_error(spread, score.old_n, score.new_n), score.change, score.before);
  judged.outcome = judged.change < -judged.band ? Outcome::Fell : judged.change > judged.band ? Outcome::Rose : Outcome::Same;
  const char* verb = judged.outcome == Outcome::Fell   ? "became worse by more than the band"
                     : judged.outcome == Outcome::Rose ? "became better by more than the band"
                                                       : "stay within the band";
  judged.message = fmt::format("{} {}: {} metrics moved by {:+.3g} standard deviations of their seed spread on average, band {:.3g}",
                               judged.text(), verb, judged.quantities, judged.change, judged.band);
}

/// The cells of a table that have several metrics, then the table as a whole when it has several cells.
void judge_table(const std::string& table, const TableGroups& groups, std::vector<JudgedScore>& judged) {
  std::vector<Score> scores;
  std::vector<Spread> spreads;
  const std::size_t first = judged.size();
  for (const auto& [cell, group] : groups.cells)
    if (const auto of_cell = score(group)) {
      judged.push_back({.table = table, .dataset = cell.first, .method = cell.second});
      scores.push_back(*of_cell);
      spreads.push_back(of_cell->spread);
    }
  spreads = moderated(spreads);
  Quantiles quantiles;
  for (std::size_t i = 0; i < scores.size(); ++i)
    judge_score(scores[i], spreads[i], quantiles(cell_level / static_cast<double>(scores.size()), spreads[i].freedom), judged[first + i]);
  if (groups.cells.size() < 2) return;
  if (const auto whole = score(groups.all))
    judge_score(*whole, whole->spread, quantiles(table_level, whole->spread.freedom), judged.emplace_back(JudgedScore{.table = table}));
}

CheckResult judge(Reference reference, Samples samples, const FailedCells& failed, bool same_machine) {
  const auto is_told = [&](const Quantity& quantity) {
    return std::any_of(reference.told.begin(), reference.told.end(),
                       [&](const std::string& glob) { return matches_glob(quantity.metric, glob); });
  };
  for (auto& [quantity, entry] : reference.entries)
    if (is_told(quantity)) entry.sample.direction = Direction::Neither;
  for (auto& [quantity, sample] : samples)
    if (is_told(quantity)) sample.direction = Direction::Neither;
  const auto bases = bases_of(reference);
  CheckResult result{.study = reference.study, .profile = reference.profile, .judged = {}, .scores = {}};
  for (const auto& [quantity, entry] : reference.entries)
    result.judged.push_back(judge_entry(quantity, entry, bases.at(quantity), samples, failed, same_machine));
  for (const auto& [quantity, sample] : samples) {
    if (reference.entries.contains(quantity) || sample.n() < 2) continue;
    result.judged.push_back({.quantity = quantity,
                             .outcome = Outcome::Added,
                             .old_value = {},
                             .new_value = sample.mean,
                             .new_n = sample.n(),
                             .message = fmt::format("{} is {:.6g}; the reference does not know it", quantity.text(), sample.mean)});
  }
  add_unknown_failures(reference, failed, result.judged);
  std::sort(result.judged.begin(), result.judged.end(), [](const Judged& a, const Judged& b) { return a.quantity < b.quantity; });
  for (const auto& [table, groups] : groups_of(reference, samples, bases, failed)) judge_table(table, groups, result.scores);
  return result;
}

}  // namespace

std::string JudgedScore::text() const {
  return method.empty() ? table + ", all cells," : fmt::format("{}/{}/{}, all metrics,", table, dataset, method);
}

std::string_view outcome_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::Same:
      return "same";
    case Outcome::Rose:
      return "rose";
    case Outcome::Moved:
      return "moved";
    case Outcome::Added:
      return "added";
    case Outcome::Absent:
      return "absent";
    case Outcome::Fell:
      return "fell";
    case Outcome::Differs:
      return "differs";
    case Outcome::Missing:
      return "missing";
    case Outcome::Failed:
      return "failed";
    case Outcome::ProtocolChanged:
      break;
  }
  return "protocol changed";
}

bool fails(Outcome outcome) { return outcome >= Outcome::Fell; }

bool CheckResult::passed() const {
  return std::none_of(judged.begin(), judged.end(), [](const Judged& one) { return fails(one.outcome); }) &&
         std::none_of(scores.begin(), scores.end(), [](const JudgedScore& one) { return fails(one.outcome); });
}

int CheckResult::count(Outcome outcome) const {
  return static_cast<int>(std::count_if(judged.begin(), judged.end(), [&](const Judged& one) { return one.outcome == outcome; }));
}

CheckResult judge(const Reference& reference, const Samples& samples) { return judge(reference, samples, {}, /*same_machine=*/false); }

CheckResult check(const Reference& reference, const std::vector<Record>& records) {
  check_same_run(reference, records);
  const bool same_machine = reference.machine && machine_of(records) == reference.machine;
  return judge(reference, aggregate(records), failed_cells(records), same_machine);
}

}  // namespace reprise::records
