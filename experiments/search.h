// A hyperparameter search: its trials, the best of them, and the widening of its grid.
//
// A trial is a cell METHOD+NAME=VALUE in a table search*, on validation data of the first seeds
// (records/trial.h). The best trial gives the hyperparameters of the cells that need the search.
//
// If the best value lies at an edge of its list, the list gets one more value on that side, by its
// own ratio or step. Then the search continues, with at most `search.widen` new values per side.
// Finished trials beyond these count too, so a cell need not know the setting.
//
// Only finished trials decide the added values. Several workers, or a resumed run, therefore get
// the same trials.
#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/settings.h"
#include "records/store.h"
#include "records/trial.h"

namespace reprise::reproduce {

/// Values that a search tries for one hyperparameter.
struct Axis {
  std::string name;
  std::vector<std::string> values = {};  ///< numbers as texts, in the order of the trials
  /// Bounds of the hyperparameter. A best value there is at no edge, because nothing lies beyond.
  double least = 0, greatest = std::numeric_limits<double>::infinity();
  bool whole = false;        ///< integers only
  int below = 0, above = 0;  ///< number of values that the search added on each side
};
Axis axis(const std::string& name, const std::vector<double>& values);
/// Parses axes, such as "first=0.5|1|2". Several axes, separated by spaces, exclude each other:
/// "balanced=0.3|1 langevin=0.3". UsageError: a part is not NAME=NUMBER|NUMBER.
std::vector<Axis> parse_axes(const std::string& text);

/// Grid of a search: a trial takes one value of one axis of each entry.
using Grid = std::vector<std::vector<Axis>>;

/// Choice of the best trial: the best mean of `metric` over the seeds, the first of equal ones.
/// Only trials whose mean of `kept` is at least `at_least` take part; if there is none, the largest
/// `kept` decides. A diverged trial is never the best.
struct SelectionRule {
  std::string metric;
  records::Direction better = records::Direction::LowerIsBetter;
  std::string kept = {};
  double at_least = 0;
  /// Sets `at_least` to the greatest mean of `kept` less this tolerance, so that noise does not
  /// decide.
  std::optional<double> within = {};
  /// Suffix of the metric's name and of the chosen values' names: "depth".
  std::string part = {};
};

/// Metric of a diverged trial in place of all others: 1.
inline constexpr const char* diverged_metric = "diverged";

struct Search {
  /// Study, table, data set and method of all trials. The method's name may fix hyperparameters.
  records::Cell trials;
  Grid grid;
  std::int64_t seeds = 1;            ///< 0, 1, ... of each trial
  std::vector<SelectionRule> rules;  ///< each chooses one trial
  std::int64_t widen = 0;            ///< maximum number of added values per side
  /// Hyperparameters that a cell sets itself, whatever the search chose.
  std::set<std::string> fixed = {};

  /// Whether there is a choice: a grid of one point needs no trial.
  bool chooses() const;
};

/// Lists the trials of a grid, without a seed: the first entry varies slowest.
std::vector<records::Trial> list_trials(const Search& search, const Grid& grid);
/// Lists their cells, seed by seed; none if there is nothing to choose.
std::vector<records::Cell> trial_cells(const Search& search, const Grid& grid);
inline std::vector<records::Cell> trial_cells(const Search& search) {
  return trial_cells(search, search.grid);
}

/// Function that returns the record of a finished trial; nothing without one.
using FindRecord = std::function<std::optional<records::Record>(const records::Cell&)>;
/// Returns a function that reads finished trials from a store, which must outlive it.
FindRecord records_in(const records::Store& store);

/// Returns the mean of a metric over a trial's seeds; the worst possible value if training
/// diverged. Error: a record is missing or lacks the metric.
double trial_mean(const Search& search, const records::Trial& trial, const std::string& metric,
                  records::Direction better, const FindRecord& find);

/// State of a search by its finished trials.
struct SearchResult {
  Grid grid;                         ///< the widened grid
  std::vector<records::Trial> best;  ///< best trial by each rule; none while a trial is missing
  /// Best values at an edge of the final grid: "lr=0.3, the greatest of 6 values".
  std::vector<std::string> edges;
  std::optional<records::Cell> missing = {};  ///< first unfinished trial
};
/// Follows a search by its finished trials. Error: a trial lacks a metric of the rules; training
/// diverged in all trials.
SearchResult follow_search(const Search& search, const FindRecord& find);

/// Returns the setting search.widen for plans; 0 for a cell, which has the trials of its plan.
std::int64_t widen_setting(const Settings& settings);

/// Returns the finished search of a running cell. Error: a trial is missing (how to run it), or as
/// follow_search().
SearchResult finished_search(const Search& search, const records::Store& store);
/// Returns the trial that the rule of this part chose. Error: as finished_search().
records::Trial best_trial(const Search& search, const records::Store& store,
                          const std::string& part = "");

/// Metric with the number of trials, of a record made from all trials of a search.
inline constexpr const char* trials_metric = "trials";

/// Whether a record was made with the chosen hyperparameters, as far as its metrics name them, and
/// with as many trials.
bool made_with(const records::Record& record, const Search& search, const SearchResult& result);

}  // namespace reprise::reproduce
