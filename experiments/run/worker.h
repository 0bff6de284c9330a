// The child's side of a worker: runs the cells that it receives, one after another, and writes
// their records.
//
// Messages are JSON objects, one per line:
//   - Parent to worker, first: {"study", "settings", "data", "device", "results", "together"}.
//   - Parent to worker, per cell: {"record", "file"}. The record holds all that is known before the
//     cell runs. The file is that of an external method, or "".
//   - Worker to parent, per cell: {"status": "done"|"failed", "error", "seconds"}.
// Other lines of the worker are the cell's progress.
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
