// Shape-motion videos, generated: a disc or a square of one colour oscillates on a dark background,
// along a row or a column. They follow the shape-motion set of MoCoGAN, whose own files
// read_shape_motion() reads (action_videos.h).
//
// Classes: horizontal, vertical. The centre of frame t of T is
//
//     q_t = q + r sin(2 pi (c t / T + p))
//
// along the axis of motion, and fixed across it. Drawn once per clip, alike for both classes:
//
// - shape, colour, middle q and phase p
// - half-width: 0.07 to 0.14 of the side
// - gray level of the background: 0 to 24
// - number of oscillations c: 0.5 to 1.5
// - amplitude r: at least 0.15 of the side, and at most what keeps the shape in the picture
//
// Edges are smooth over a pixel. A single frame hardly reveals the class.
#pragma once
#include <cstdint>

#include "datasets/clips.h"

namespace reprise::datasets {

/// Renders n clips with colour [N, frames, size, size, 3]. Each two clips are one of each class, in
/// random order. Each clip is its own person. Items are named "shape000017". Clip i depends on
/// neither n nor the number of threads. UsageError: n or frames too small; a size outside 8 to
/// 1024.
LabelledClips generate_moving_shapes(std::int64_t n, std::int64_t frames, int size,
                                     std::uint64_t seed);

}  // namespace reprise::datasets
