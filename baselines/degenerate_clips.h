// Degenerate generators of clips: negative controls that show which defect each metric detects.
// Each generator gives the real examples exactly one defect. A useful metric gets worse for at
// least one of them.
//
// Callers fit the generators to real test clips, which no method was trained on. Two further
// controls, "training_items" and "still", are in generators.h.
#pragma once
#include <vector>

#include "baselines/generators.h"

namespace reprise::baselines {

/// Lists the generators. Each sample is made from an example x_t, t = 0 ... T - 1. With labels, the
/// example has the requested class, except in foreign_frames, one_clip and wrong_class.
///   - shuffled: frames in a random order.
///   - reversed: frames from last to first.
///   - foreign_frames: a new example is drawn for every frame t.
///   - one_clip: the same example for every sample.
///   - sixteen_clips: one of sixteen examples, as many of each class as available.
///   - colour_drift: (1 - a) x_t + a roll(x_t) over channels, a = t / (T - 1). roll() moves each
///     channel to the next place: the colours are exchanged gradually.
///   - colour_flicker: each channel of each frame times a random factor, uniform in [0.4, 1].
///   - noisy: normal noise of standard deviation 0.1 added, clamped to [-1, 1].
///   - black: -1 everywhere.
///   - wrong_class: an example of another class than the requested one.
std::vector<GeneratorMethod> degenerate_clips();

}  // namespace reprise::baselines
