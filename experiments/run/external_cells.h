// Cells of external methods in a run: their plan, and removal of records of other files.
#pragma once
#include <string>
#include <vector>

#include "experiments/run/request.h"
#include "records/store.h"

namespace reprise::reproduce {

/// Cells of an external method in a plan: from `first` up to before `end`.
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

/// Checks that the run includes a cell of each external method. UsageError: --only or --seeds
/// exclude all of them.
void expect_chosen(const std::vector<ExternalCells>& external, const RunRequest& request,
                   const std::vector<bool>& chosen);

/// Removes records of other files of this run's methods, in the rows with a chosen cell, so that no
/// row mixes two files. Records of other rows stay, and so do predictions without a file in this
/// run.
void remove_stale(const std::vector<ExternalMethod>& external, const std::vector<PlannedCell>& plan,
                  const std::vector<bool>& chosen, const records::Store& store,
                  std::vector<std::string>& notes);

}  // namespace reprise::reproduce
