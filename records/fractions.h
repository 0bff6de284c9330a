// Fractions: shares of items, such as an accuracy, and means of what lies between 0 and 1, such as
// an area under a curve. Their intervals stay between 0 and 1.
//
// A record says of how many independent items a metric is a share (Metric::items). The mean p over
// S seeds with N items in all has Wilson's score interval, not of N items but of
//     n = p (1 - p) / max(p (1 - p) / N, s^2 / S) * (z / t_{S-1})^2
// the effective number: what seeds scatter beyond their items (s, their standard deviation) makes
// it smaller, and so does that few seeds know little of it. With p at 0 or 1 nothing scatters, and
// N stands for the first factor. Sources: Wilson 1927; Korn and Graubard 1998 (the effective
// number); Franco, Little, Louis and Slud 2019 (Wilson's interval with it).
//
// Where no record says how many items there were, the interval is Student's t over seeds, cut to
// [0, 1]. Cutting loses no coverage: what is cut away the mean of a fraction cannot be. Where every
// seed is at 0 or at 1, there is none.
#pragma once
#include <cstdint>
#include <span>

#include "records/record.h"
#include "statistics/statistics.h"

namespace reprise::records {

/// By its count of items; of metrics without one by protocol and name, as the studies write them.
bool is_fraction(const Metric& metric);

/// p ± ... of the mean of `values`, one a seed, of `items` items in all. Error: fewer than two
/// values; a value outside [0, 1]; no item.
Interval fraction_interval(std::span<const double> values, std::int64_t items,
                           double confidence = confidence_level);

Interval cut_to_fraction(const Interval& interval);

}  // namespace reprise::records
