// Digits as on house numbers, generated: for those who have no SVHN (readers/svhn.h), in its form.
#pragma once
#include "datasets/pictures.h"

namespace reprise::datasets {

/// n printed digits in colour, [N, side, side, 3], RGB. The middle one is the class; at its left
/// and right stand others, cut off by the border. Drawn once a picture: one of six printed fonts
/// (Hershey's vector fonts, OpenCV's putText) and its weight, height 0.5 to 0.8 of the side, width,
/// slant, turn within 12 degrees, place, the colours of wall and digit (either is the lighter one),
/// a slope of light over the wall, blur and noise. A classifier of written digits does not know
/// them, and the other way round.
///
/// Labels go round: each ten pictures are one of each class, in a drawn order. Picture i depends on
/// neither n nor the number of threads. UsageError: n < 0; a side outside 16 to 256.
Pictures drawn_street_digits(std::int64_t n, int side, std::uint64_t seed);

}  // namespace reprise::datasets
