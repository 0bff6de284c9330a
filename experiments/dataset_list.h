// The data sets that `data` and `list datasets` know: one line a set in dataset_list.cpp.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "datasets/landmarks.h"
#include "datasets/transforms/optical_flow.h"
#include "datasets/videos.h"

namespace reprise::reproduce {

/// How a generated set is to be.
struct MakeOptions {
  std::int64_t count = 100;  ///< stills or clips
  std::int64_t size = 64;    ///< pixels a side
  std::int64_t frames = 8;   ///< of a clip
  std::int64_t people = 10;
  std::uint64_t seed = 0;
  std::optional<std::vector<std::int64_t>> who = {};  ///< these identities in place of 0 .. people - 1
  datasets::FlowOptions flow = {};                    ///< of sets that have optical flow
};

/// A set holds faces with landmarks or clips with classes, and is read or generated: one of read, make, read_videos, make_clips is there.
/// Videos with poses or landmarks a frame, and sets of plain pictures or sounds, are read by studies alone: these sets have `verify`, and
/// `data export` refuses them.
struct NamedDataset {
  std::string name, says;
  /// Of a set that is read: from its folder.
  std::function<datasets::LandmarkFrames(const std::filesystem::path& folder)> read = nullptr;
  std::function<std::vector<datasets::Problem>(const std::filesystem::path& folder)> verify = nullptr;
  /// Of a generated set.
  std::function<datasets::LandmarkFrames(const MakeOptions& options)> make = nullptr;
  std::function<datasets::VideoSet(const std::filesystem::path& folder)> read_videos = nullptr;
  std::function<datasets::LabelledClips(const MakeOptions& options)> make_clips = nullptr;
  bool generated() const { return make || make_clips; }
};

const std::vector<NamedDataset>& dataset_list();

/// UsageError: lists the known ones.
const NamedDataset& dataset_named(const std::string& name);

}  // namespace reprise::reproduce
