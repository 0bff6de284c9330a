// The order of a run: which cells of a plan run, and which first.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/study.h"

namespace reprise::reproduce {

struct Step {
  PlannedCell planned;
  /// Positions in the list of steps; only cells that must still run.
  std::vector<std::size_t> needs;
  /// Time of the cell's record as the run began; nothing without one.
  std::optional<std::filesystem::file_time_type> written = {};
  /// Whether its search may get more trials: it waits for the next plan.
  bool waits_for_trials = false;
  /// Failure in an earlier round of this run: it does not run again.
  std::string failure = {};
};

/// State of a planned cell in a results folder.
enum class Standing {
  Missing,  ///< nothing, or a cell that failed or was interrupted
  /// Finished, but out of date: another version of the study, other data, another file.
  Stale,
  Emptied,  ///< Finished, but without its files (weights, splits), which packed records lack.
  Done
};

/// Marks the cells of the plan whose id matches one of the globs `only` and whose seed is in
/// `seeds` (none: any). UsageError: a glob or seed without a match; shows the nearest names.
std::vector<bool> chosen_cells(const std::vector<PlannedCell>& plan,
                               const std::vector<std::string>& only,
                               const std::vector<std::int64_t>& seeds);

/// State of each search of a plan, by its cells of trials.
using SearchResults = std::map<records::Cell, SearchResult>;  // by Search::trials

/// Follows the searches of a plan by their finished trials, and adds the trials that widen their
/// grids. Unfinished cells of such a search need them. The next plan follows further, and the same
/// records give the same plan.
/// `finished`: returns the record, if up to date, of the cell or of a trial of its search. A search
/// without a possible choice is left alone, and its cells fail.
SearchResults widen_searches(
    std::vector<PlannedCell>& plan,
    const std::function<std::optional<records::Record>(const PlannedCell&, const records::Cell&)>&
        finished);

/// Returns the steps of a run in the order in which they should start:
///   - the chosen unfinished cells;
///   - the cells they need;
///   - finished cells that need a cell that runs again.
///
/// A cell comes after its needs. Otherwise the cell comes first whose chain of waiting work, itself
/// included, costs more. An Emptied cell runs for its files if another cell needs them. Its
/// dependents stay up to date, because the same version and data give the same files.
/// `chosen` and `standing` have an entry per cell of the plan. Error: two cells of one id, a need
/// outside the plan, or circular needs.
std::vector<Step> steps_to_run(const std::vector<PlannedCell>& plan,
                               const std::vector<bool>& chosen,
                               const std::vector<Standing>& standing);

}  // namespace reprise::reproduce
