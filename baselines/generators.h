// Generators that any other has to beat or cannot beat: what a table of generated pictures or clips means is read off these rows.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "training/generator.h"
#include "training/method_info.h"

namespace reprise::baselines {

struct GeneratorMethod {
  training::MethodInfo info;
  bool conditional = false;  ///< heeds SampleRequest::labels; others ignore them
  bool any_length = false;   ///< clips of any number of frames
  bool clips_only = false;   ///< does not learn from pictures
  bool seeded = true;        ///< another seed gives other samples
  bool faithful = true;      ///< a sample as a whole lies near an example
  bool wrong_class = false;  ///< where labels are heeded: never gives the class that was asked for
  std::function<std::unique_ptr<training::Generator>()> make;
};

/// training_items    examples drawn again, those of the class asked for: as real as samples can be, and nothing new
/// still             one frame of an example, as often as there are frames: all content, no motion
/// gaussian          the Gaussian of the examples' mean and their 32 first principal components, a mean per class (Tipping, Bishop 1999):
///                   what second moments alone give
/// and degenerate_clips.h, of clips alone.
const std::vector<GeneratorMethod>& generators();

}  // namespace reprise::baselines
