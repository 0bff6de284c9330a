// MNIST: handwritten digits in their official files.
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/issues.h"
#include "datasets/pictures.h"

namespace reprise::datasets {

/// Reads train-images-idx3-ubyte and train-labels-idx1-ubyte, or t10k-..., else the same names with
/// .gz. The official set has 60,000 and 10,000 digits. Other numbers and sides are read too.
/// UsageError: a file is missing; read_idx() refuses it; images are not square or not uint8.
/// UsageError: labels and images differ in number; a label is above 9 (the first is named).
Pictures read_mnist(const std::filesystem::path& folder, OfficialPart part);

/// Returns all issues that the reader refuses in either part, and digits that a part lacks.
std::vector<Issue> verify_mnist(const std::filesystem::path& folder);

}  // namespace reprise::datasets
