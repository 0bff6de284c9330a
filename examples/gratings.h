// Drifting gratings, generated: stripes that move right, down, left or up. A single frame does not
// show in which of two opposite directions they move.
//
// The gray value at position s (fraction of the side, across the stripes) of frame t is
//
//     128 + a cos(2 pi (k s - t / P) + phi)     right and down
//     128 + a cos(2 pi (k s + t / P) + phi)     left and up
//
//   - k: number of stripes, 2 to 4.
//   - P: period of a stripe, 4 to 8 frames.
//   - phi: phase.
//   - a: contrast of the person, 30 to 120.
//
// k, P and phi are drawn per clip from the same distribution for all classes.
#pragma once
#include <cstdint>
#include <vector>

#include "datasets/clips.h"

namespace reprise::datasets {

/// Generates n clips: colour [N, frames, size, size, 3]. Clip i does not depend on n. UsageError: a
/// size outside 16 to 1024; as ClipPlan.
LabelledClips generate_gratings(std::int64_t n, std::int64_t frames, int size,
                                const std::vector<std::int64_t>& people, std::uint64_t seed);

}  // namespace reprise::datasets
