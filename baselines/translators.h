// Translators that any other has to beat: what translated pictures are worth is read off these
// rows.
#pragma once
#include <vector>

#include "training/translator.h"

namespace reprise::baselines {

/// identity            the picture itself: all content, nothing of the other domain
/// constant            the mean picture of the other domain: no content
/// constant_colour     the other domain's most frequent colour everywhere: the floor of a pixel accuracy
/// nearest             the picture of the other set that is nearest in squared distance: the other domain, and whose content?
/// drawn               a picture of the other set by lot: the floor of a distance to real pictures; no content
/// nearest_colour      each pixel's colour is the nearest of the other set's colours: no picture is understood
/// colour_statistics   each channel's mean and standard deviation moved to the other set's (Reinhard et al. 2001): colour alone
/// matched_colours     colour_statistics, then nearest_colour: what a map gains by matched colours without any place
const std::vector<training::TranslatorMethod>& translators();

}  // namespace reprise::baselines
