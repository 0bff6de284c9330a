// Written digits: MNIST as its files have it, and digits drawn by a generator.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "datasets/landmarks.h"

namespace reprise::datasets {

struct Digits {
  at::Tensor images;  ///< [N, S, S], uint8: 0 is paper, 255 is ink
  at::Tensor labels;  ///< [N], int64: 0 to 9
  std::int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
};

enum class MnistPart { Train, Test };

/// train-images-idx3-ubyte and train-labels-idx1-ubyte, or t10k-...; each as it is or, where it is not there, with .gz. The official set
/// has 60,000 and 10,000 digits of 28 x 28 pixels; any other number and side are read too. UsageError: a file that is missing, or that
/// read_idx() refuses; images that are not square or not uint8; labels that are more or fewer than the images, or above 9 (the first is
/// named).
Digits read_mnist(const std::filesystem::path& folder, MnistPart part);

/// What the reader refuses in either part, and digits of which a part has none.
std::vector<Problem> verify_mnist(const std::filesystem::path& folder);

/// n drawn digits. Each is a path of one to three strokes, of two or three ways in which people write it; drawn once a digit: the way,
/// where each of its points lies (the strokes stay joined), slant, turn within 12 degrees, height 0.58 to 0.76 of the side, width, place,
/// the pen's width and how soft its edge is. Ink is 255 in the middle of a stroke, half of it at the pen's edge, and linear in the distance
/// across the edge; the border's pixels are free of it.
///
/// Labels go round: each ten digits are one of each class, in an order drawn for the ten. Digit i depends on neither n nor the number of
/// threads. UsageError: n < 0; a size outside 8 to 512.
Digits drawn_digits(std::int64_t n, int size, std::uint64_t seed);

}  // namespace reprise::datasets
