// Shape-motion videos, generated: a disc or a square of one colour moves to and fro over a dark
// ground, along a line or a column. After the shape-motion set of MoCoGAN, whose own files
// read_shape_motion() reads (action_videos.h).
//
// Classes: horizontal, vertical. The centre of frame t of T is
//     q_t = q + r sin(2 pi (c t / T + p))   along its way, and fixed across it
// Drawn once a clip, in the same way for both classes: the shape, its half-width (0.07 to 0.14 of
// the side), colour, ground (0 to 24), q, r (0.15 of the side or more, as far as the shape stays in
// the picture), c (0.5 to 1.5 times to and fro) and the phase p. Edges are smooth over a pixel. A
// single frame hardly tells the class.
#pragma once
#include <cstdint>

#include "datasets/clips.h"

namespace reprise::datasets {

/// n clips: colour [N, frames, size, size, 3]. Each two clips are one of each class, in a drawn
/// order; each clip is its own person. Items "shape000017". Clip i depends on neither n nor the
/// number of threads. UsageError: n < 0; frames < 1; a size outside 8 to 1024.
LabelledClips moving_shapes(std::int64_t n, std::int64_t frames, int size, std::uint64_t seed);

}  // namespace reprise::datasets
