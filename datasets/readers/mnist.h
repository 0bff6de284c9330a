// MNIST: written digits, as its files have them.
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/pictures.h"
#include "datasets/problems.h"

namespace reprise::datasets {

/// train-images-idx3-ubyte and train-labels-idx1-ubyte, or t10k-...; each as it is or, where it is
/// not there, with .gz. The official set has 60,000 and 10,000 digits of 28 x 28 pixels; any other
/// number and side are read too. UsageError: a file that is missing, or that read_idx() refuses;
/// images that are not square or not uint8; labels that are more or fewer than the images, or above
/// 9 (the first is named).
Pictures read_mnist(const std::filesystem::path& folder, OfficialPart part);

/// What the reader refuses in either part, and digits of which a part has none.
std::vector<Problem> verify_mnist(const std::filesystem::path& folder);

}  // namespace reprise::datasets
