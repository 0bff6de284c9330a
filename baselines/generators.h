// Trivial generators of pictures and clips. They are lower or upper bounds for every other
// generator and calibrate the metrics.
#pragma once
#include <vector>

#include "training/generator.h"

namespace reprise::baselines {

using training::GeneratorMethod;

/// Lists the generators of pictures and clips:
///   - training_items: examples, of the requested class: as real as possible, and nothing new.
///   - still: one frame of an example repeated: all content, no motion.
///   - gaussian: a Gaussian with the examples' mean and first 32 principal components, a mean per
///     class (Tipping, Bishop 1999): second moments only.
/// Further ones for clips are in degenerate_clips.h.
const std::vector<GeneratorMethod>& generators();

}  // namespace reprise::baselines
