// The folder in which one cell is re-run. It holds the committed records without the cell's own,
// the files of checkpoints, and folders of earlier re-runs. The cell writes only there, so no
// committed file changes.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/rerun/plan.h"

namespace reprise::reproduce {

/// Fills the empty folder `scratch`. `kept`: folder with cells/TABLE/DATASET/METHOD/seedN of
/// earlier re-runs; `before`: the cells to take from it.
/// Error: a checkpoint's file is missing, unknown to its record, or has another SHA-256 (named).
void fill_scratch(const Committed& committed, const std::string& cell,
                  const std::vector<std::string>& checkpoint,
                  const std::vector<std::string>& before, const std::filesystem::path& kept,
                  const std::filesystem::path& scratch);

}  // namespace reprise::reproduce
