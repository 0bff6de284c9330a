// Digits like those of house numbers, generated in the form of SVHN (readers/svhn.h), for users
// without that set.
#pragma once
#include "datasets/pictures.h"

namespace reprise::datasets {

/// Draws n printed digits in colour, [N, side, side, 3], RGB.
///
/// The middle digit is the class. Neighbours at its left and right are cut off by the border. A
/// classifier of handwritten digits fails on these pictures, and the reverse. Drawn once per
/// picture:
///
/// - one of six printed fonts (Hershey's vector fonts, OpenCV's putText) and its weight
/// - height: 0.5 to 0.8 of the side
/// - turn within 12 degrees, width, slant and position
/// - colours of wall and digit, and a gradient of light over the wall
/// - blur and noise
///
/// Each ten pictures contain every class once, in random order. Picture i depends on neither n nor
/// the number of threads. UsageError: n < 0; a side outside 16 to 256.
Pictures draw_street_digits(std::int64_t n, int side, std::uint64_t seed);

}  // namespace reprise::datasets
