// SVHN: cropped digits of house numbers in their .mat files (Netzer et al. 2011, format 2).
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/issues.h"
#include "datasets/pictures.h"

namespace reprise::datasets {

/// Reads train_32x32.mat or test_32x32.mat as RGB pictures, [N, S, S, 3]. Each file contains:
///
/// - X: [S, S, 3, N], uint8
/// - y: [N, 1]; label 10 is the digit 0
///
/// The official parts have 73,257 and 26,032 digits. Other numbers and sides are read too.
/// UsageError: a file is missing; read_mat() refuses it. UsageError: X or y is missing or of
/// another shape or type. UsageError: a label is not 1 to 10 (the first is named).
Pictures read_svhn(const std::filesystem::path& folder, OfficialPart part);
/// Reads extra_32x32.mat, 531,131 additional training digits.
Pictures read_svhn_extra(const std::filesystem::path& folder);

/// Returns all issues that the reader refuses in train, test and, if present, extra. Digits that a
/// part lacks are issues too.
std::vector<Issue> verify_svhn(const std::filesystem::path& folder);

}  // namespace reprise::datasets
