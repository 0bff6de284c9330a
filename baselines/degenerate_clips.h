// Generators of clips that are worthless each in its own way, made from the examples that they are
// given: which metric sees which way is a table of these rows, and a metric that no row fails
// measures nothing.
//
// Given real clips that nothing else learned from, a row has one flaw alone; training_items and
// still (generators.h) belong to the table.
#pragma once
#include <vector>

#include "baselines/generators.h"

namespace reprise::baselines {

/// Of an example x_t, t = 0 ... T - 1; each of the class that was asked for where a row heeds
/// labels.
///     shuffled        its frames in a drawn order
///     reversed        its frames from last to first
///     foreign_frames  frame t of another example for every t
///     one_clip        one example, for every sample
///     sixteen_clips   one of sixteen examples, as many of each class as there are
///     colour_drift    from its own channels to those of their neighbours: (1 - a) x_t + a roll(x_t), a = t / (T - 1)
///     colour_flicker  each channel of each frame darkened by a factor of its own, uniform in [0.4, 1]
///     noisy           plus normal noise of standard deviation 0.1, clamped to [-1, 1]
///     black           -1 everywhere
///     wrong_class     an example of another class than the one asked for
std::vector<GeneratorMethod> degenerate_clips();

}  // namespace reprise::baselines
