// A run whose comparisons are registered before its first cell starts, with the seeds that had been
// seen then (records/claims/registry.h).
#pragma once
#include "experiments/run/request.h"

namespace reprise::reproduce {

/// As run(). RESULTS/preregistered.json holds every comparison of the study's claims before a cell
/// starts, and what has finished when it ends.
RunResult run_preregistered(const Study& study, RunRequest request);

}  // namespace reprise::reproduce
