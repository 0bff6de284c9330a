// SVHN: digits of house numbers, cropped, as its .mat files have them (Netzer et al. 2011, format
// 2).
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/pictures.h"
#include "datasets/problems.h"

namespace reprise::datasets {

/// train_32x32.mat or test_32x32.mat, each with X: [S, S, 3, N], uint8, and y: [N, 1], of which 10
/// is the digit 0. The official parts have 73,257 and 26,032 digits of 32 x 32 pixels; any other
/// number and side are read too. Images: [N, S, S, 3], RGB. UsageError: a file that is missing, or
/// that read_mat() refuses; no X or y; other shapes or types; labels that are not 1 to 10 (the
/// first is named).
Pictures read_svhn(const std::filesystem::path& folder, OfficialPart part);

/// What the reader refuses in train and test, and in extra where it is there; digits of which a
/// part has none.
std::vector<Problem> verify_svhn(const std::filesystem::path& folder);

}  // namespace reprise::datasets
