// The data sets that `data` and `list datasets` know: one line a set in dataset_list.cpp.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/landmarks.h"

namespace reprise::reproduce {

/// How a generated set is to be.
struct MakeOptions {
  std::int64_t count = 100;  ///< stills or clips
  std::int64_t size = 64;    ///< pixels a side
  std::int64_t frames = 8;   ///< of a clip
  std::int64_t people = 10;
  std::uint64_t seed = 0;
};

struct NamedDataset {
  std::string name, says;
  /// Of a set that is read: from its folder. Empty for a generated one.
  std::function<datasets::LandmarkFrames(const std::filesystem::path& folder)> read;
  std::function<std::vector<datasets::Problem>(const std::filesystem::path& folder)> verify;
  /// Of a generated set; empty for one that is read.
  std::function<datasets::LandmarkFrames(const MakeOptions& options)> make;
};

const std::vector<NamedDataset>& dataset_list();

/// UsageError: lists the known ones.
const NamedDataset& dataset_named(const std::string& name);

}  // namespace reprise::reproduce
