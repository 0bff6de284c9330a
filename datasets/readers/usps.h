// USPS: written digits of the postal service, 16 x 16 pixels, in the layout of LIBSVM's data sets:
// a line of text per digit,
//     LABEL INDEX:VALUE INDEX:VALUE ...
// LABEL is the digit plus 1, INDEX counts pixels row by row from 1 to 256, VALUE goes from -1
// (paper) to 1 (ink); an index that is left out has the value 0.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/pictures.h"
#include "datasets/problems.h"

namespace reprise::datasets {

/// usps or usps.t, as it is or, where it is not there, with .bz2. The official parts have 7,291 and
/// 2,007 digits. Values become bytes, round(127.5 (v + 1)). UsageError: a file that is missing;
/// bzip2 that is damaged (core/compression.h); a line that is not of this layout, a label that is
/// not 1 to 10, an index out of order or beyond 256, a value beyond [-1, 1] (the line is named).
Pictures read_usps(const std::filesystem::path& folder, OfficialPart part);
Pictures parse_usps(std::string_view text, const std::string& name);

/// What the reader refuses in either part, and digits of which a part has none.
std::vector<Problem> verify_usps(const std::filesystem::path& folder);

}  // namespace reprise::datasets
