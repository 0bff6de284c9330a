// A run that registers its comparisons, with the seeds seen so far, before its first cell starts
// (records/claims/registry.h).
#pragma once
#include "experiments/run/request.h"

namespace reprise::reproduce {

/// As run(). Writes every comparison of the study's claims to RESULTS/preregistered.json before a
/// cell starts, and adds the finished cells at the end.
RunResult run_preregistered(const Study& study, RunRequest request);

}  // namespace reprise::reproduce
