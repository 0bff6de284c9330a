// Expected seconds of a plan's cells: the number of their table, corrected by finished records.
#pragma once
#include <filesystem>
#include <vector>

#include "experiments/study.h"

namespace reprise::reproduce {

/// Sets `cost` and `measured` of each cell whose table has a number (Study::seconds). Measured
/// seconds take precedence: of the same method, else of the same table; in `results`, else in the
/// study's committed results. All are scaled by the settings `per`.
void expect_seconds(const Study& study, const Settings& settings,
                    const std::filesystem::path& results, std::vector<PlannedCell>& plan);

}  // namespace reprise::reproduce
