// The order of a run: which cells of a study's plan run, and which of them first.
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
  /// When the cell's record was written that was there as the run began; nothing: there was none.
  std::optional<std::filesystem::file_time_type> written = {};
  /// Its search may yet get more trials: it waits for the next plan.
  bool waits_for_trials = false;
  /// Why it failed in an earlier round of this run: it does not run again.
  std::string failure = {};
};

/// What a results folder holds of a planned cell.
enum class Standing {
  Missing,  ///< nothing, or a cell that failed or was interrupted
  /// A finished cell that would come out otherwise now: another version of the study, other data,
  /// another file.
  Stale,
  Emptied,  ///< a finished cell whose files (weights, splits) did not travel with its packed record
  Done
};

/// For each cell of the plan whether its id matches one of the globs `only` and its seed is one of
/// `seeds` (none: any). UsageError: a glob or a seed that matches no cell; shows the cells that are
/// named most alike.
std::vector<bool> chosen_cells(const std::vector<PlannedCell>& plan,
                               const std::vector<std::string>& only,
                               const std::vector<std::int64_t>& seeds);

/// What finished trials decide of a plan's searches, for each cell that has a search. The cells
/// share those of one search.
using SearchResults = std::map<records::Cell, SearchResult>;  // by Search::trials

/// Follows the searches of a plan as far as their finished trials go, and adds the trials by which
/// these widen their grids; the cells of such a search need them, but for a finished cell, which
/// stands until the search has ended. The next plan follows further: the same records give the same
/// plan. `finished`: the record, where it is up to date, of the cell or of a trial of its search. A
/// search in which no trial can be chosen is left as it is, and its cells fail.
SearchResults widen_searches(
    std::vector<PlannedCell>& plan,
    const std::function<std::optional<records::Record>(const PlannedCell&, const records::Cell&)>&
        finished);

/// The chosen cells that are not done, with those they need (done ones are left out), and finished
/// ones that need a cell that runs again:
/// sorted by when they should start. A cell stands before another when the chain of work that waits
/// for it, itself included, costs more, and always after those it needs. A cell that is Emptied
/// runs for its files where a cell that runs needs it, and what was made of it stands: the same
/// version and data give the same files. `chosen` and `standing` have an entry per cell of the
/// plan. Error: two cells of one id, a need that is not in the plan, or needs that go in a circle.
std::vector<Step> steps_to_run(const std::vector<PlannedCell>& plan,
                               const std::vector<bool>& chosen,
                               const std::vector<Standing>& standing);

}  // namespace reprise::reproduce
