// USPS: handwritten digits of the postal service, 16 x 16 pixels, in the layout of LIBSVM's data
// sets.
//
// A digit is one line of text:
//
//     LABEL INDEX:VALUE INDEX:VALUE ...
//
// LABEL is the digit plus 1. INDEX counts pixels row by row from 1 to 256. VALUE lies between -1
// (paper) and 1 (ink). A missing index has the value 0.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/issues.h"
#include "datasets/pictures.h"

namespace reprise::datasets {

/// Reads usps or usps.t, else the same name with .bz2. The official parts have 7291 and 2007
/// digits. Values v become bytes: round(127.5 (v + 1)). UsageError: a file is missing or its bzip2
/// is damaged (core/compression.h). UsageError, with the line: a malformed line; a label, index or
/// value out of range; indices that do not ascend.
Pictures read_usps(const std::filesystem::path& folder, OfficialPart part);
Pictures parse_usps(std::string_view text, const std::string& name);

/// Returns all issues that the reader refuses in either part, and digits that a part lacks.
std::vector<Issue> verify_usps(const std::filesystem::path& folder);

}  // namespace reprise::datasets
