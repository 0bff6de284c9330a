// The cells of external methods in a run: planned beside the study's own, and records of other
// files removed.
#pragma once
#include <string>
#include <vector>

#include "experiments/run/request.h"
#include "records/store.h"

namespace reprise::reproduce {

/// Where a plan has the cells of an external method: from `first` up to before `end`.
struct ExternalCells {
  std::string name;
  std::size_t first = 0, end = 0;
};

/// Appends the cells of the request's external methods to the study's own. UsageError: the study
/// takes none; a name that another method has; as plan_external().
std::vector<ExternalCells> add_external(const Study& study, const RunRequest& request,
                                        const PlannedSeeds& planned_seeds,
                                        std::vector<PlannedCell>& plan,
                                        std::vector<std::string>& notes);

/// UsageError: --only or --seeds leave out all cells of a method that the request gives a file of.
void expect_chosen(const std::vector<ExternalCells>& external, const RunRequest& request,
                   const std::vector<bool>& chosen);

/// Removes records that other files of this run's methods made, in the rows that the run chooses a
/// cell of: no row mixes two files. Records of other rows stay. So do those of predictions for
/// which this run has no file: each seed has a file of its own, which may be unchanged.
void remove_stale(const std::vector<ExternalMethod>& external, const std::vector<PlannedCell>& plan,
                  const std::vector<bool>& chosen, const records::Store& store,
                  std::vector<std::string>& notes);

}  // namespace reprise::reproduce
