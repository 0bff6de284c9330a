// Runs the cells of a study in parallel worker processes.
//
// A finished cell is skipped; one that failed, was killed or has not run is run. An error in a cell
// fails only that cell and its dependents, whose records state it. Errors include crashes and the
// kernel's out-of-memory killer.
// Every worker computes on one thread, so records do not depend on the number of workers.
#pragma once
#include <vector>

#include "experiments/run/plan.h"
#include "experiments/run/request.h"

namespace reprise::reproduce {

/// Runs a study. A finished cell is up to date if version, data and settings are those of its
/// record. Otherwise it runs again, and so do finished cells that need it.
/// UsageError: invalid settings or data; a folder with other options; `only` without a match; an
/// external method that does not fit, or has another's name. Error: `alone`, and a needed cell is
/// not done.
///
/// Several runs of the same options may share a folder, on one machine or several: no cell runs
/// twice (lease.h). A run that continues packed records locks the folder. UsageError: it is locked
/// so.
RunResult run(const Study& study, const RunRequest& request);

/// Lists the steps of a run, each after those it needs; writes nothing. Errors as run().
std::vector<Step> list_steps(const Study& study, RunRequest request);

}  // namespace reprise::reproduce
