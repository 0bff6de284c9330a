// What a figure shows, in a sentence whose numbers are those that were drawn: it is made with the figure, so that it is never older.
//
//   lines, mean and band   "At frame 16 PreGRU fc6 is lowest, 0.031, and the plain network highest, 0.035; their intervals lie apart."
//                          of differences: "At frame 16 the intervals of A (-0.012) and B (-0.010) exclude 0; that of C holds it."
//   bars                   "Highest: PreGRU fc6 at 0.9-1.0, 0.34." for each series
//   a matrix               "Right most often: wave, 98 %; least often: point, 61 %, which is called wave in 20 %."
//   points                 "Middle of the points: PreLSTM fc6 (0.31, 0.52)." for each series, the medians of x and of y
//
// A figure of single seeds (Seeds::First) is an example: a number of it says nothing. findings.toml has the words for it, as for any
// figure whose message is more than this.
#pragma once
#include <string>

#include "reports/figures.h"

namespace reprise::reports {

/// "" for a drawing without data and for an example.
std::string reading(const Drawing& drawing);

}  // namespace reprise::reports
