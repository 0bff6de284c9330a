// What the cells of a plan are expected to take: the number of their table, corrected by finished
// records.
#pragma once
#include <filesystem>
#include <vector>

#include "experiments/study.h"

namespace reprise::reproduce {

/// Sets `cost` of each cell whose table has a number (Study::seconds), and `measured`. What such
/// cells took counts before that number: those of the same method, else of the same table; in
/// `results`, else in the study's committed results. Each is scaled by the settings `per`.
void expect_seconds(const Study& study, const Settings& settings,
                    const std::filesystem::path& results, std::vector<PlannedCell>& plan);

}  // namespace reprise::reproduce
