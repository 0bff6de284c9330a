// SVHN: cropped digits of house numbers in their .mat files (Netzer et al. 2011, format 2).
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/issues.h"
#include "datasets/pictures.h"

namespace reprise::datasets {

/// Reads train_32x32.mat or test_32x32.mat as RGB pictures, [N, S, S, 3]. Each file contains X: [S,
/// S, 3, N], uint8, and y: [N, 1], where 10 is the digit 0. The official parts have 73,257 and
/// 26,032 digits of 32 x 32 pixels; other numbers and sides are read too. UsageError: a file is
/// missing; read_mat() refuses it; X or y is missing or of another shape or type; a label is not 1
/// to 10 (the first is named).
Pictures read_svhn(const std::filesystem::path& folder, OfficialPart part);

/// Returns all issues that the reader refuses in train, test and, if present, extra. Digits that a
/// part lacks are issues too.
std::vector<Issue> verify_svhn(const std::filesystem::path& folder);

}  // namespace reprise::datasets
