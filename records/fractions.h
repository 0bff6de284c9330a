// Intervals of fractions: parts of items, such as an accuracy, and means of values between 0 and 1,
// such as an area under a curve. The intervals stay between 0 and 1.
//
// A record states the number of independent items of a fraction (Metric::items). The mean p over S
// seeds with N items in all has Wilson's score interval for an effective number of items:
//     n = p (1 - p) / max(p (1 - p) / N, s^2 / S) * (z / t_{S-1})^2
// s is the standard deviation over seeds. Few seeds, or seeds that scatter more than their items
// alone, make n smaller. If p is 0 or 1 nothing scatters, and N replaces the first factor.
//
// Sources:
//   - interval: Wilson 1927
//   - effective number: Korn and Graubard 1998
//   - both together: Franco, Little, Louis and Slud 2019
//
// Without a count of items the interval is Student's t over seeds, cut to [0, 1]. The mean of a
// fraction cannot lie outside, so cutting loses no coverage. If every seed is at 0 or 1, there is
// no interval.
#pragma once
#include <cstdint>
#include <span>

#include "records/record.h"
#include "statistics/statistics.h"

namespace reprise::records {

/// Whether the metric is a fraction: it counts items, or its protocol and name say so.
bool is_fraction(const Metric& metric);

/// Returns the interval of the mean of `values`, one per seed, of `items` items in all.
/// Error: fewer than two values; a value outside [0, 1]; no item.
statistics::Interval fraction_interval(std::span<const double> values, std::int64_t items,
                                       double confidence = statistics::confidence_level);

statistics::Interval cut_to_fraction(const statistics::Interval& interval);

}  // namespace reprise::records
