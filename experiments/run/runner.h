// Runs the cells of a study side by side in worker processes.
//
// A cell that is done is skipped; one that failed, was killed or has not run yet is run. What goes
// wrong in a cell (an exception, a crash, the kernel's out-of-memory killer) costs that cell: its
// record says what happened, cells that need it get a record that says so, the others go on. Every
// worker computes on one thread, so records do not depend on how many there are.
#pragma once
#include <vector>

#include "experiments/run/plan.h"
#include "experiments/run/request.h"

namespace reprise::reproduce {

/// A finished cell is up to date as long as the study's version, its data and its settings are
/// those of its record. Otherwise it runs again, and so do finished cells that need it. UsageError:
/// settings or data that do not do; a folder that holds other options; `only` without a match; an
/// external method that does not do, or has the name of another. Error: `alone`, and a cell needs
/// one that is not done.
///
/// Several runs of the same options may work on one folder at once, on one machine or several: no
/// cell runs twice (lease.h). One that goes on with packed records holds the folder to its end.
/// UsageError: it is held so.
RunResult run(const Study& study, const RunRequest& request);

/// What it would run, each step after those it needs; nothing is written. Errors as run().
std::vector<Step> steps_of(const Study& study, RunRequest request);

}  // namespace reprise::reproduce
