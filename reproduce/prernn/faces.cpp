#include "reproduce/prernn/faces.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/random.h"
#include "datasets/faces_300w.h"
#include "datasets/images.h"
#include "datasets/splits.h"
#include "datasets/synthetic_head.h"
#include "datasets/ytf_keypoints.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// Photographs are cut to this much around the face.
constexpr datasets::FaceCrop kept{.size = 128, .scale = 2.0};

/// All faces, with the person of each still and burst.
struct Everyone {
  FacePool pool;
  std::vector<std::string> person, burst_person;
};

Everyone generated(const Settings& settings, std::int64_t seed) {
  std::vector<std::int64_t> identities(settings.integer("stills.identities"));
  std::iota(identities.begin(), identities.end(), 0);
  const auto heads = datasets::synthetic_stills(settings.integer("stills.count"), kept.size, identities,
                                                seed_of({"prernn", "heads", std::to_string(seed)}));
  Everyone all;
  for (std::int64_t i = 0; i < heads.images.size(0); ++i) {
    all.pool.stills.push_back(datasets::to_gray(heads.images[i]));
    all.person.push_back("identity " + std::to_string(heads.identity[i].item<std::int64_t>()));
  }
  all.pool.landmarks = heads.landmarks;
  all.pool.burst_landmarks = at::empty({0, 68, 2});
  return all;
}

/// People of two sets never mix: a person's name carries the set's.
Everyone real(const std::filesystem::path& data) {
  Everyone all;
  std::vector<at::Tensor> landmarks, burst_landmarks;
  const auto add = [&](const datasets::LandmarkFrames& from, const std::string& set) {
    for (std::int64_t i = 0; i < from.size(); ++i) {
      const auto face = datasets::crop_face(from.images[i], from.landmarks[i], kept);
      all.pool.stills.push_back(datasets::to_gray(face.image));
      landmarks.push_back(face.landmarks);
      all.person.push_back(set + from.person[i]);
    }
  };
  add(datasets::read_faces_300w(data / "faces_300w"), "300w ");
  const auto video = datasets::read_ytf_keypoints(data / "ytf_keypoints");
  add(video.frames, "ytf ");
  for (const auto& burst : video.bursts) {
    const auto cut = datasets::crop_affine(video.frames.landmarks[burst.frames.front()], kept);
    for (const auto f : burst.frames) {
      all.pool.burst_frames.push_back(datasets::to_gray(datasets::warp_image(video.frames.images[f], cut, kept.size)));
      burst_landmarks.push_back(datasets::move_points(video.frames.landmarks[f], cut));
    }
    all.burst_person.push_back("ytf " + burst.person);
  }
  all.pool.landmarks = at::stack(landmarks);
  all.pool.burst_landmarks = at::stack(burst_landmarks);
  return all;
}

/// The stills of these indices, and the bursts of the same people.
FacePool part_of(const Everyone& all, const std::vector<std::int64_t>& indices) {
  FacePool part;
  std::vector<std::string> people;
  for (const auto i : indices) {
    part.stills.push_back(all.pool.stills[i]);
    people.push_back(all.person[i]);
  }
  part.landmarks = all.pool.landmarks.index_select(0, at::tensor(indices, at::kLong));
  std::sort(people.begin(), people.end());
  std::vector<std::int64_t> rows;
  for (std::size_t b = 0; b < all.burst_person.size(); ++b) {
    if (!std::binary_search(people.begin(), people.end(), all.burst_person[b])) continue;
    for (std::size_t f = 3 * b; f < 3 * b + 3; ++f) {
      part.burst_frames.push_back(all.pool.burst_frames[f]);
      rows.push_back(static_cast<std::int64_t>(f));
    }
  }
  part.burst_landmarks = all.pool.burst_landmarks.index_select(0, at::tensor(rows, at::kLong));
  return part;
}

}  // namespace

Faces load_faces(const Settings& settings, const std::filesystem::path& data, std::int64_t seed) {
  const auto all = settings.text("stills.source") == "real" ? real(data) : generated(settings, seed);
  const auto shares = settings.numbers("stills.split");
  if (shares.size() != 3)
    throw UsageError("stills.split is not three numbers", "give the shares of training, validation and test, as [0.65, 0.15, 0.20]");
  const auto split = datasets::split_by(all.person, {shares[0], shares[1], shares[2]}, seed_of({"prernn", "split", std::to_string(seed)}));
  return {.train = part_of(all, split.train), .validation = part_of(all, split.validation), .test = part_of(all, split.test)};
}

}  // namespace reprise::reproduce::prernn_study
