// Trivial translators of pictures. They calibrate the metrics and are lower bounds for every other
// translator.
#pragma once
#include <vector>

#include "training/translator.h"

namespace reprise::baselines {

/// Lists the translators:
///   - identity: the picture itself: all content, nothing of the other domain.
///   - constant: the mean picture of the other domain: no content.
///   - constant_colour: the other domain's most frequent colour: lower bound of pixel accuracy.
///   - nearest: the nearest picture of the other set by squared distance: the right domain, other
///     content.
///   - drawn: a random picture of the other set: lower bound of a distance to real pictures.
///   - nearest_colour: each pixel's colour replaced by the nearest of the other set's colours.
///   - colour_statistics: each channel's mean and standard deviation moved to the other set's
///     (Reinhard et al. 2001): colour only.
///   - matched_colours: colour_statistics, then nearest_colour: matched colours without positions.
const std::vector<training::TranslatorMethod>& translators();

}  // namespace reprise::baselines
