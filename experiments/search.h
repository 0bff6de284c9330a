// A hyperparameter search: which trials it has, which of them is the best, and how it widens its
// grid.
//
// A trial is a cell of its own, METHOD+NAME=VALUE in a table search*, on validation data of the
// first seeds (records/trial.h). The best trial gives the hyperparameters of the cells that need
// the search. Where it lies at an edge of a list, the list gets one value more on that side, by its
// own ratio or step, and the search goes on: at most `search.widen` values on each side, for every
// method alike. Finished trials beyond these count too, so that a cell need not know the setting.
// Which values are added follows from finished trials alone. So any number of workers, and a run
// that was interrupted, get the same trials.
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

/// The values that one hyperparameter is tried with.
struct Axis {
  std::string name;
  std::vector<std::string> values = {};  ///< texts of numbers, in the order of the trials
  /// What the hyperparameter may be. A best value there lies at no edge: nothing is beyond it.
  double least = 0, greatest = std::numeric_limits<double>::infinity();
  bool whole = false;        ///< only whole numbers
  int below = 0, above = 0;  ///< how many values a search has added on each side
};
Axis axis(const std::string& name, const std::vector<double>& values);
/// "first=0.5|1|2" as one axis; "balanced=0.3|1 langevin=0.3" as two that exclude each other.
/// UsageError: a part that is not NAME=NUMBER|NUMBER.
std::vector<Axis> parse_axes(const std::string& text);

/// A trial takes one value of one axis of each entry.
using Grid = std::vector<std::vector<Axis>>;

/// Which trial is the best: the one with the best mean of `metric` over the seeds, of equal ones
/// the first, among those whose mean of `kept` is at least `at_least`; where none is, the one with
/// the most of that. A trial whose training diverged is never the best.
struct Rule {
  std::string metric;
  records::Direction better = records::Direction::LowerIsBetter;
  std::string kept = {};
  double at_least = 0;
  /// `at_least` is the greatest mean of `kept` less this: what noise decides is not asked for.
  std::optional<double> within = {};
  /// "depth": the metric's name ends with it, and so do those of the chosen values.
  std::string part = {};
};

/// The metric of a trial whose training diverged, in place of all others: 1.
inline constexpr const char* diverged_metric = "diverged";

struct Search {
  /// Study, table, data set and method of all trials. The method's name may fix hyperparameters.
  records::Cell trials;
  Grid grid;
  std::int64_t seeds = 1;   ///< 0, 1, ... of each trial
  std::vector<Rule> rules;  ///< each chooses one trial
  std::int64_t widen = 0;   ///< values that a list may get on a side
  /// Hyperparameters that a cell sets otherwise, whatever the search chose.
  std::set<std::string> fixed = {};

  /// A grid of one point needs no trial.
  bool chooses() const;
};

/// The trials of a grid, without a seed: the first entry varies slowest.
std::vector<records::Trial> trials_of(const Search& search, const Grid& grid);
/// Their cells, seed by seed; none where there is nothing to choose.
std::vector<records::Cell> trial_cells(const Search& search, const Grid& grid);
inline std::vector<records::Cell> trial_cells(const Search& search) {
  return trial_cells(search, search.grid);
}

/// The record of a finished trial; nothing where there is none.
using FindRecord = std::function<std::optional<records::Record>(const records::Cell&)>;
/// The store must outlive it.
FindRecord records_in(const records::Store& store);

/// The mean of a metric over a trial's seeds; where training diverged the worst value there is.
/// Error: a record is missing or lacks the metric.
double trial_mean(const Search& search, const records::Trial& trial, const std::string& metric,
                  records::Direction better, const FindRecord& find);

/// What finished trials decide of a search.
struct SearchResult {
  Grid grid;                         ///< as far as it has been widened
  std::vector<records::Trial> best;  ///< by each rule; none while a trial is missing
  /// Best values at an edge where the search ends: "lr=0.3, the greatest of 6 values".
  std::vector<std::string> edges;
  std::optional<records::Cell> missing = {};  ///< the first trial that is not finished
};
/// Error: a trial lacks a metric of the rules; training diverged in all trials.
SearchResult follow(const Search& search, const FindRecord& find);

/// The setting search.widen, for plans; 0 for a cell, which has the trials that its plan asked for.
std::int64_t widen_setting(const Settings& settings);

/// The finished search of a cell that runs. Error: a trial is missing (how to run it), or as
/// follow().
SearchResult finished_search(const Search& search, const records::Store& store);
/// The trial that the rule of this part chose. Error: as finished_search().
records::Trial best_trial(const Search& search, const records::Store& store,
                          const std::string& part = "");

/// The metric of a record that all trials of a search went into: how many they were.
inline constexpr const char* trials_metric = "trials";

/// Whether a record was made with the hyperparameters that the search chose, as far as its metrics
/// name them, and of as many trials.
bool made_with(const records::Record& record, const Search& search, const SearchResult& result);

}  // namespace reprise::reproduce
