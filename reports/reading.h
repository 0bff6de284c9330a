// States what a figure shows, in sentences with the numbers that were drawn. They are made with the
// figure, so they are never stale.
//
//   lines, mean and band   "At frame 16 PreGRU fc6 is lowest (0.031). Highest is CNN (0.035). Their intervals do not overlap."
//                          of differences: "At frame 16 only the intervals of A, B exclude 0."
//   bars                   "PreGRU fc6 is highest at 0.9-1.0." for each series
//   a matrix               "Recognised most often: wave (98 %). Least often: point (61 %). It is most often confused with ..."
//   points                 "Median of PreLSTM fc6: (0.31, 0.52)." for each series, of x and of y
//
// A figure of single seeds (Seeds::First) is an example: a number of it says nothing. findings.toml
// has the words for it, as for any figure whose message is more than this.
#pragma once
#include <string>

#include "reports/figures.h"

namespace reprise::reports {

/// "" for a drawing without data and for an example.
std::string reading(const Drawing& drawing);

}  // namespace reprise::reports
