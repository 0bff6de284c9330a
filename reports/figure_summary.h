// Summarises a figure in sentences with the numbers that were drawn, so that they are never stale.
//
// Examples by kind of figure:
//   - lines with bands: "At frame 16 PreGRU fc6 is lowest (0.031). Highest is CNN (0.035). Their
//     intervals do not overlap."
//   - lines of differences: "At frame 16 only the intervals of A, B exclude 0."
//   - bars, for each series: "PreGRU fc6 is highest at 0.9-1.0."
//   - a matrix: "Recognised most often: wave (98 %). Least often: point (61 %)."
//   - points, for each series: "Median of PreLSTM fc6: (0.31, 0.52)."
//
// A figure of single seeds (SeedMerge::First) is an example and has no summary. findings.toml may
// have a sentence for it, as for any figure.
#pragma once
#include <string>

#include "reports/figures.h"

namespace reprise::reports {

/// Returns the summary; "" for a drawing without data and for an example.
std::string summarise_figure(const Drawing& drawing);

}  // namespace reprise::reports
