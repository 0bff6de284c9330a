// The readable sets of faces, by name: what `data list` shows, `data verify` checks and `data export` writes.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/landmarks.h"

namespace reprise::datasets {

struct Reader {
  std::string name;
  std::string layout;                                                ///< the official layout, in one line
  std::function<bool(const std::filesystem::path& folder)> present;  ///< something of the set is there
  std::function<std::vector<Problem>(const std::filesystem::path& folder)> verify;
  std::function<LandmarkFrames(const std::filesystem::path& folder)> frames;  ///< all stills; empty for sets read clip by clip
};

/// One line a set. The folder of a set is DATA/NAME.
const std::vector<Reader>& readers();

/// UsageError: an unknown name (lists the known ones, the nearest first).
const Reader& reader(const std::string& name);

}  // namespace reprise::datasets
