#include "experiments/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "core/error.h"
#include "core/text.h"
#include "experiments/sequence_training.h"

namespace reprise::reproduce {
namespace {

using records::Direction;
using records::Trial;

std::vector<double> sorted_values(const Axis& axis) {
  std::vector<double> values;
  for (const auto& text : axis.values)
    values.push_back(records::hyperparameter(axis.name, text).value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Next value beyond the end of a list of at least two, by the list's own progression: 100 for 1,
/// 3, 10, 30. Nothing beyond the bounds of the hyperparameter.
std::optional<double> next_value(const Axis& axis, bool above) {
  auto values = sorted_values(axis);
  const auto n = values.size();
  // Positive lists grow by their ratio, others by their step.
  const bool by_ratio = values.front() > 0;
  if (!above) std::reverse(values.begin(), values.end());
  const auto last = values[n - 1];
  const auto before = values[n - 2];
  // The ratio (or step) is taken over two places, because lists such as 1, 3, 10, 30 alternate
  // between two ratios. A list of two values has only one.
  const auto from = n > 2 ? before : last;
  const auto start = n > 2 ? values[n - 3] : before;
  auto next = by_ratio ? from * (last / start) : from + (last - start);
  next = std::stod(fmt::format("{:.3g}", next));  // 0.3, not 0.30000000000000004
  if (axis.whole) next = std::round(next);
  const bool further = above ? next > last : next < last;
  if (!further || next < axis.least || next > axis.greatest) return std::nullopt;
  return next;
}

records::Cell trial_cell(const Search& search, const Trial& trial, std::int64_t seed) {
  auto cell = search.trials;
  cell.method = records::trial_name(trial);
  cell.seed = seed;
  return cell;
}

/// The axis that a trial takes its value of a hyperparameter from.
Axis* find_axis(Grid& grid, const std::string& name) {
  for (auto& entry : grid)
    for (auto& axis : entry)
      if (axis.name == name) return &axis;
  return nullptr;
}

/// The first trial that has no record.
std::optional<records::Cell> missing_trial(const Search& search, const Grid& grid,
                                           const FindRecord& find) {
  for (const auto& cell : trial_cells(search, grid))
    if (!find(cell)) return cell;
  return std::nullopt;
}

/// Adds a value beyond each edge at which the best trial lies. The list must still be allowed to
/// widen, or the trials of that value exist. Lists the other edges. Returns whether a value was
/// added.
bool widen_grid(const Search& search, const Trial& best, const FindRecord& find, Grid& grid,
                std::vector<std::string>& edges) {
  bool wider = false;
  for (const auto& [name, text, value] : best.hyperparameters) {
    auto* axis = find_axis(grid, name);
    if (axis == nullptr) continue;  // fixed by the method's name
    const auto values = sorted_values(*axis);
    for (const bool above : {false, true}) {
      // A list of one value has no edge: it is fixed.
      const bool is_last = values.size() > 1 && value == (above ? values.back() : values.front());
      // At its bound a hyperparameter lies at no edge: nothing is beyond it.
      if (!is_last || value == (above ? axis->greatest : axis->least)) continue;
      if (const auto next = next_value(*axis, above)) {
        auto& added = above ? axis->above : axis->below;
        // The value is tried first, because its trials decide below whether it may stay.
        axis->values.push_back(records::hyperparameter(name, *next).text);
        if (added < search.widen || !missing_trial(search, grid, find)) {
          ++added;
          wider = true;
          continue;
        }
        axis->values.pop_back();
      }
      const auto edge = fmt::format("{}={}, the {} of {} values", name, text,
                                    above ? "greatest" : "least", values.size());
      if (std::find(edges.begin(), edges.end(), edge) == edges.end()) edges.push_back(edge);
    }
  }
  return wider;
}

/// The best trial by a rule.
Trial choose(const Search& search, const std::vector<Trial>& trials, const SelectionRule& rule,
             const FindRecord& find) {
  const auto kept = [&](const Trial& trial) {
    return rule.kept.empty()
               ? rule.at_least
               : trial_mean(search, trial, rule.kept, Direction::HigherIsBetter, find);
  };
  auto at_least = rule.at_least;
  // The tolerance is relative to the best trial, which is known only now.
  if (rule.within) {
    at_least = -INFINITY;
    for (const auto& trial : trials) at_least = std::max(at_least, kept(trial) - *rule.within);
  }
  const Trial* best = nullptr;
  // Compared in this order: the kept metric, as far as it is below the limit; then the gain.
  std::pair<double, double> most;
  for (const auto& trial : trials) {
    const auto value =
        trial_mean(search, trial, name_with_part(rule.metric, rule.part), rule.better, find);
    // trial_mean() gives a diverged trial an infinite value.
    if (!std::isfinite(value)) continue;  // diverged
    const std::pair<double, double> found{std::min(kept(trial), at_least),
                                          rule.better == Direction::LowerIsBetter ? -value : value};
    if (best != nullptr && !(found > most)) continue;
    best = &trial;
    most = found;
  }
  if (best == nullptr)
    throw Error(fmt::format("no trial of {} in {} can be chosen: training diverged in all of them",
                            search.trials.method, search.trials.table),
                "add lower rates to the search");
  return *best;
}

}  // namespace

Axis axis(const std::string& name, const std::vector<double>& values) {
  Axis made{.name = name};
  for (const auto value : values) made.values.push_back(records::hyperparameter(name, value).text);
  return made;
}

std::vector<Axis> parse_axes(const std::string& text) {
  std::vector<Axis> axes;
  std::istringstream parts(text);
  for (std::string part; parts >> part;) {
    const auto equals = std::min(part.find('='), part.size());
    auto& axis = axes.emplace_back(Axis{.name = part.substr(0, equals)});
    std::istringstream values(equals < part.size() ? part.substr(equals + 1) : "");
    for (std::string value; std::getline(values, value, '|');)
      axis.values.push_back(records::hyperparameter(axis.name, value).text);
    if (axis.values.empty())
      throw UsageError(fmt::format("\"{}\" of a search lists no values", part),
                       "list them as NAME=NUMBER|NUMBER, such as first=0.5|1|2");
  }
  return axes;
}

bool Search::chooses() const { return list_trials(*this, grid).size() > 1; }

std::vector<Trial> list_trials(const Search& search, const Grid& grid) {
  std::vector<Trial> trials{records::parse_trial(search.trials.method)};
  for (const auto& entry : grid) {
    // Each entry of the grid multiplies the trials by its values; the first entry varies slowest.
    std::vector<Trial> longer;
    for (const auto& trial : trials)
      for (const auto& axis : entry)
        for (const auto& value : axis.values) {
          longer.push_back(trial);
          longer.back().hyperparameters.push_back(records::hyperparameter(axis.name, value));
        }
    trials = std::move(longer);
  }
  return trials;
}

std::vector<records::Cell> trial_cells(const Search& search, const Grid& grid) {
  std::vector<records::Cell> cells;
  const auto trials = list_trials(search, grid);
  for (std::int64_t seed = 0; seed < search.seeds && trials.size() > 1; ++seed)
    for (const auto& trial : trials) cells.push_back(trial_cell(search, trial, seed));
  return cells;
}

double trial_mean(const Search& search, const Trial& trial, const std::string& metric,
                  Direction better, const FindRecord& find) {
  double sum = 0;
  for (std::int64_t seed = 0; seed < search.seeds; ++seed) {
    const auto cell = trial_cell(search, trial, seed);
    const auto record = find(cell);
    const auto value = record ? record->metric(metric) : std::nullopt;
    if (!value && !(record && record->metric(diverged_metric)))
      throw Error(
          fmt::format("the search trial {} has no {}", cell.id(), metric),
          fmt::format("run it again: add --redo '{}' to the command of this run", cell.id()));
    // A diverged trial has the worst possible value, so that it is never chosen.
    sum += value.value_or(better == Direction::LowerIsBetter ? INFINITY : -INFINITY);
  }
  // One diverged seed makes the mean infinite, so that the trial is not chosen.
  return sum / static_cast<double>(search.seeds);
}

SearchResult follow_search(const Search& search, const FindRecord& find) {
  SearchResult result{.grid = search.grid};
  for (;;) {
    const auto trials = list_trials(search, result.grid);
    if (trials.size() == 1) {  // nothing to choose
      result.best.assign(search.rules.size(), trials.front());
      return result;
    }
    result.missing = missing_trial(search, result.grid, find);
    if (result.missing) return result;
    for (const auto& rule : search.rules) result.best.push_back(choose(search, trials, rule, find));
    bool wider = false;
    result.edges.clear();
    for (const auto& best : result.best)
      wider = widen_grid(search, best, find, result.grid, result.edges) || wider;
    if (!wider) return result;
    // The wider grid may have another best trial.
    result.best.clear();
  }
}

FindRecord records_in(const records::Store& store) {
  return [&store](const records::Cell& cell) {
    auto record = store.find(cell);
    // A failed or running trial cannot be chosen.
    if (record && record->status != records::Status::Done) record.reset();
    return record;
  };
}

std::int64_t widen_setting(const Settings& settings) {
  return settings.all().value("search.widen", std::int64_t{0});
}

SearchResult finished_search(const Search& search, const records::Store& store) {
  auto result = follow_search(search, records_in(store));
  if (result.missing)
    throw Error("there is no record of the search trial " + result.missing->id(),
                fmt::format("run it first: add --only '{}' to the command of this run",
                            result.missing->id()));
  return result;
}

Trial best_trial(const Search& search, const records::Store& store, const std::string& part) {
  const auto result = finished_search(search, store);
  const auto rule = std::find_if(search.rules.begin(), search.rules.end(),
                                 [&](const SelectionRule& one) { return one.part == part; });
  if (rule == search.rules.end())
    throw Error("the search of " + search.trials.method + " has no rule for " + part,
                "add a SelectionRule for it");
  return result.best[static_cast<std::size_t>(rule - search.rules.begin())];
}

bool made_with(const records::Record& record, const Search& search, const SearchResult& result) {
  for (std::size_t r = 0; r < result.best.size(); ++r) {
    const auto& part = search.rules[r].part;
    // A record made by another number of trials, or with other hyperparameters, is stale.
    for (const auto& metric : record.metrics) {
      if (metric.name == trials_metric &&
          metric.value != static_cast<double>(list_trials(search, result.grid).size()))
        return false;
      if (metric.direction != Direction::Neither ||
          !(part.empty() || metric.name.ends_with("_" + part)))
        continue;
      for (const auto& [name, text, value] : result.best[r].hyperparameters)
        if (!search.fixed.contains(name) && records::holds_hyperparameter(metric.name, name) &&
            metric.value != value)
          return false;
    }
  }
  return true;
}

}  // namespace reprise::reproduce
