// Digits drawn by a generator.
#pragma once
#include "datasets/pictures.h"

namespace reprise::datasets {

/// n drawn digits. Each is a path of one to three strokes, of two or three ways in which people
/// write it; drawn once a digit: the way, where each of its points lies (the strokes stay joined),
/// slant, turn within 12 degrees, height 0.58 to 0.76 of the side, width, place, the pen's width
/// and how soft its edge is. Ink is 255 in the middle of a stroke, half of it at the pen's edge,
/// and linear in the distance across the edge; the border's pixels are free of it.
///
/// Labels go round: each ten digits are one of each class, in an order drawn for the ten. Digit i
/// depends on neither n nor the number of threads. UsageError: n < 0; a size outside 8 to 512.
Pictures drawn_digits(std::int64_t n, int size, std::uint64_t seed);

}  // namespace reprise::datasets
