// Degenerate generators of clips: negative controls that show which defect each metric detects.
// Each alters the examples in one way. A metric that no negative control fails measures nothing.
//
// They are fitted to real clips that no method learned from, so that each has one defect only.
// training_items and still (generators.h) complete the table.
#pragma once
#include <vector>

#include "baselines/generators.h"

namespace reprise::baselines {

/// Samples from an example x_t, t = 0 ... T - 1; of the requested class if the generator has
/// labels.
///   - shuffled: frames in a random order.
///   - reversed: frames from last to first.
///   - foreign_frames: frame t of another example for every t.
///   - one_clip: the same example for every sample.
///   - sixteen_clips: one of sixteen examples, as many of each class as available.
///   - colour_drift: (1 - a) x_t + a roll(x_t) over channels, a = t / (T - 1).
///   - colour_flicker: each channel of each frame times a random factor, uniform in [0.4, 1].
///   - noisy: normal noise of standard deviation 0.1 added, clamped to [-1, 1].
///   - black: -1 everywhere.
///   - wrong_class: an example of another class than the requested one.
std::vector<GeneratorMethod> degenerate_clips();

}  // namespace reprise::baselines
