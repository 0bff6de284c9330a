// Handwritten digits, generated.
#pragma once
#include "datasets/pictures.h"

namespace reprise::datasets {

/// Draws n handwritten digits.
///
/// Each digit is a path of one to three strokes, in one of two or three common ways of writing it.
/// The way and the points of the path are random (strokes stay joined), as are slant, turn within
/// 12 degrees, width and position. Height is 0.58 to 0.76 of the side. The pen's width and softness
/// are random too. Ink is 255 in the middle of a stroke, half of it at the pen's edge, and linear
/// across the edge. Border pixels are free of ink.
///
/// Each ten digits contain every class once, in random order. Digit i depends on neither n nor the
/// number of threads. UsageError: n < 0; a size outside 8 to 512.
Pictures draw_digits(std::int64_t n, int size, std::uint64_t seed);

}  // namespace reprise::datasets
