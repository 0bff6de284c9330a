// Drifting gratings, generated: stripes that move right, down, left or up. Which of two opposite
// ways they move no single frame tells.
//
// The gray value at place s (in sides of the picture, across the stripes) of frame t is
//     128 + a cos(2 pi (k s - t / P) + phi)     right and down
//     128 + a cos(2 pi (k s + t / P) + phi)     left and up
// Drawn once per clip, in the same way for all classes: k (2, 3 or 4 stripes), P (4 to 8 frames for
// a stripe to take the place of the next one) and phi. The contrast a (30 to 120) is the person's.
#pragma once
#include <cstdint>
#include <vector>

#include "datasets/clips.h"

namespace reprise::datasets {

/// n clips: colour [N, frames, size, size, 3]. Clip i does not depend on n. UsageError: a size
/// outside 16 to 1024; as ClipPlan.
LabelledClips gratings(std::int64_t n, std::int64_t frames, int size,
                       const std::vector<std::int64_t>& people, std::uint64_t seed);

}  // namespace reprise::datasets
