// The folder that one cell is re-run in. It holds the committed records without the cell's own, the
// files of checkpoints, and the folders of cells that were re-run before. What the cell writes
// stays in there, so that no committed file changes.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/rerun/plan.h"

namespace reprise::reproduce {

/// Fills the empty folder `scratch`. `kept`: where cells/TABLE/DATASET/METHOD/seedN lie that were
/// re-run before; those of `before` are taken from it. Error: a file of a checkpoint that is
/// missing, that the record of its cell does not name, or whose SHA-256 is another one than there
/// (named).
void fill_scratch(const Committed& committed, const std::string& cell,
                  const std::vector<std::string>& checkpoint,
                  const std::vector<std::string>& before, const std::filesystem::path& kept,
                  const std::filesystem::path& scratch);

}  // namespace reprise::reproduce
