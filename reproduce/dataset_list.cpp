#include "reproduce/dataset_list.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/random.h"
#include "datasets/faces_300w.h"
#include "datasets/faces_in_motion.h"
#include "datasets/synthetic_head.h"
#include "datasets/ytf_keypoints.h"
#include "reproduce/names.h"

namespace reprise::reproduce {
namespace {

using datasets::LandmarkFrames;
namespace fs = std::filesystem;

datasets::HeadStills stills_of(std::int64_t count, const MakeOptions& options) {
  std::vector<std::int64_t> people(static_cast<std::size_t>(std::max<std::int64_t>(options.people, 1)));
  std::iota(people.begin(), people.end(), 0);
  return datasets::synthetic_stills(count, static_cast<int>(options.size), people, options.seed);
}

std::string person_of(const datasets::HeadStills& stills, std::int64_t i) {
  return fmt::format("person{:03}", stills.identity[i].item<std::int64_t>());
}

LandmarkFrames make_heads(const MakeOptions& options) {
  const auto stills = stills_of(options.count, options);
  LandmarkFrames frames;
  frames.landmarks = stills.landmarks;
  for (std::int64_t i = 0; i < options.count; ++i) {
    frames.images.push_back(stills.images[i]);
    frames.person.push_back(person_of(stills, i));
    frames.item.push_back(fmt::format("{}/{:06}", frames.person.back(), i));
  }
  return frames;
}

/// A clip a still; the items of a clip are its frames.
LandmarkFrames make_motion(const MakeOptions& options) {
  const auto stills = stills_of(options.count, options);
  std::vector<at::Tensor> images;
  std::vector<std::vector<std::int64_t>> runs;
  for (std::int64_t i = 0; i < options.count; ++i) {
    images.push_back(stills.images[i]);
    runs.push_back({i});
  }
  datasets::MotionOptions motion;
  motion.frames = options.frames;
  motion.size = options.size;
  const auto clips = datasets::faces_in_motion(images, stills.landmarks, runs, motion, Random(options.seed));
  LandmarkFrames frames;
  frames.landmarks = clips.landmarks.reshape({-1, datasets::face_points, 2});
  for (std::int64_t i = 0; i < options.count; ++i)
    for (std::int64_t t = 0; t < options.frames; ++t) {
      frames.images.push_back(clips.frames[i][t]);
      frames.person.push_back(person_of(stills, i));
      frames.item.push_back(fmt::format("{}/clip{:06}/{:03}", frames.person.back(), i, t));
    }
  return frames;
}

}  // namespace

const std::vector<NamedDataset>& dataset_list() {
  static const std::vector<NamedDataset> all = {
      {"faces_300w", "photographs with 68 landmarks a face, 300-W layout (.pts beside the image)",
       [](const fs::path& folder) { return datasets::read_faces_300w(folder); }, datasets::verify_faces_300w, nullptr},
      {"ytf_keypoints", "video frames with 68 landmarks, three-frame bursts (training_frames_keypoints.csv and training/)",
       [](const fs::path& folder) { return datasets::read_ytf_keypoints(folder).frames; }, datasets::verify_ytf_keypoints, nullptr},
      {"synthetic_head", "generated: a 3-D head with exact pose and landmarks", nullptr, nullptr, make_heads},
      {"faces_in_motion", "generated: a virtual camera over a generated head, with occluders, blur, noise and flicker", nullptr, nullptr,
       make_motion},
  };
  return all;
}

const NamedDataset& dataset_named(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& dataset : dataset_list()) {
    if (dataset.name == name) return dataset;
    known.push_back(dataset.name);
  }
  throw unknown("data set", name, known);
}

}  // namespace reprise::reproduce
