// Translators that any other has to beat: what translated pictures are worth is read off these rows.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "training/method_info.h"
#include "training/translator.h"

namespace reprise::baselines {

struct TranslatorMethod {
  training::MethodInfo info;
  bool invertible = false;  ///< there and back again gives the picture, but for what is cut off at -1 and 1
  std::function<std::unique_ptr<training::Translator>()> make;
};

/// identity            the picture itself: all content, nothing of the other domain
/// constant            the mean picture of the other domain: no content
/// nearest             the picture of the other set that is nearest in squared distance: the other domain, and whose content?
/// colour_statistics   each channel's mean and standard deviation moved to the other set's (Reinhard et al. 2001): colour alone
const std::vector<TranslatorMethod>& translators();

}  // namespace reprise::baselines
