// Generators that any other has to beat or cannot beat: what a table of generated pictures or clips
// means is read off these rows.
#pragma once
#include <vector>

#include "training/generator.h"

namespace reprise::baselines {

using training::GeneratorMethod;

/// training_items    examples drawn again, those of the class asked for: as real as samples can be, and nothing new
/// still             one frame of an example, as often as there are frames: all content, no motion
/// gaussian          the Gaussian of the examples' mean and their 32 first principal components, a mean per class (Tipping, Bishop 1999):
///                   what second moments alone give
/// and degenerate_clips.h, of clips alone.
const std::vector<GeneratorMethod>& generators();

}  // namespace reprise::baselines
