// The child's side of a worker: runs the cells that it receives, one after another, and writes
// their records.
//
// Parent to worker, one JSON object a line: first {"study", "settings", "data", "device",
// "results"}, then {"record", "file"} for each cell, a record with all that is known before it
// runs, and the file of an external method or "". Worker to parent: {"status":
// "done"|"failed", "error", "seconds"} for each cell; other lines are the cell's progress, for
// people.
#pragma once
#include <vector>

#include "experiments/study.h"

namespace reprise::reproduce {

/// Serves on standard input until it closes, with deterministic arithmetic on one thread. Returns
/// the process's exit status.
int serve_as_worker(const std::vector<Study>& studies);

/// Serves as a rank above 0 of processes that train one cell together (training/data_parallel.h).
/// It runs the same cells as rank 0's worker and keeps no results. Error: a cell failed here;
/// another rank has ended.
void follow_rank_0(const std::vector<Study>& studies);

}  // namespace reprise::reproduce
