#include "reproduce/prernn/faces.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/error.h"
#include "core/random.h"
#include "datasets/formats/images.h"
#include "datasets/readers/faces_300w.h"
#include "datasets/readers/vw300.h"
#include "datasets/readers/ytf_keypoints.h"
#include "datasets/scene/synthetic_head.h"
#include "datasets/splits.h"
#include "experiments/resampling.h"
#include "reproduce/prernn/datasets.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// Crop of a photograph around the face. The virtual camera shows about half of its side.
datasets::FaceCrop face_crop(const Settings& settings) {
  return {.size = std::max<std::int64_t>(128, 2 * settings.integer("image.size")), .scale = 2.0};
}

/// All faces, with the person of each still and burst.
struct AllFaces {
  FacePool pool;
  std::vector<std::string> person, burst_person;
};

/// Generates heads of numbered identities.
AllFaces generate_heads(const Settings& settings, std::int64_t seed) {
  // Identities repeat over the stills, so the split by person keeps all stills of one together.
  const auto identities = datasets::count_up(settings.integer("stills.identities"));
  const auto heads =
      datasets::render_head_stills(settings.integer("stills.count"), face_crop(settings).size,
                                   identities, seed_of({"prernn", "heads", std::to_string(seed)}));
  AllFaces all;
  all.pool.stills = heads.images.unbind();
  for (std::int64_t i = 0; i < heads.images.size(0); ++i)
    all.person.push_back("identity " + std::to_string(heads.identity[i].item<std::int64_t>()));
  all.pool.landmarks = heads.landmarks;
  // Generated heads have no bursts; select_people() still indexes this tensor.
  all.pool.burst_landmarks = at::empty({0, 68, 2});
  return all;
}

/// Adds frames of one video as a burst. One crop around all their landmarks keeps the moving head
/// inside.
void add_burst(const datasets::LandmarkFrames& from, const std::vector<std::int64_t>& frames,
               const datasets::FaceCrop& crop, FacePool& pool, std::vector<at::Tensor>& landmarks) {
  std::vector<at::Tensor> points;
  points.reserve(frames.size());
  for (const auto f : frames) points.push_back(from.landmarks[f]);
  const auto affine = datasets::crop_affine(at::cat(points), crop);
  for (const auto f : frames) {
    pool.burst_frames.push_back(datasets::warp_image(from.images[f], affine, crop.size));
    landmarks.push_back(datasets::move_points(from.landmarks[f], affine));
  }
}

/// Reads photographs. A person's name begins with the data set, so that people of two sets never
/// mix.
AllFaces read_photographs(const Settings& settings, const DataFolder& data) {
  const auto crop = face_crop(settings);
  AllFaces all;
  std::vector<at::Tensor> landmarks, burst_landmarks;
  const auto add = [&](const datasets::LandmarkFrames& from, const std::string& set) {
    for (std::int64_t i = 0; i < from.size(); ++i) {
      const auto face = datasets::crop_face(from.images[i], from.landmarks[i], crop);
      all.pool.stills.push_back(face.image);
      landmarks.push_back(face.landmarks);
      all.person.push_back(set + from.person[i]);
    }
  };
  add(datasets::read_faces_300w(data / "faces_300w"), "300w ");
  const auto video = datasets::read_ytf_keypoints(data / "ytf_keypoints");
  add(video.frames, "ytf ");
  for (const auto& burst : video.bursts) {
    add_burst(video.frames, burst.frames, crop, all.pool, burst_landmarks);
    all.burst_person.push_back("ytf " + burst.person);
  }
  all.pool.landmarks = at::stack(landmarks);
  all.pool.burst_landmarks = at::stack(burst_landmarks);
  return all;
}

/// Reads 300-VW. Clips are spread over each video, as many per video as all sets need together.
/// Every frame is also a still.
AllFaces read_annotated_videos(const Settings& settings, const DataFolder& data) {
  const auto crop = face_crop(settings);
  const auto set = datasets::read_vw300(data / "300vw");
  const auto frames = settings.integer("camera.frames");
  const auto videos = static_cast<std::int64_t>(set.size());
  const auto requested = settings.integer("clips.training") + settings.integer("clips.validation") +
                         settings.integer("clips.test");
  const auto most = (requested + videos - 1) / videos;  // clips per video, rounded up
  AllFaces all;
  all.pool.burst_length = frames;
  std::vector<at::Tensor> landmarks;
  for (const auto& video : set) {
    const auto starts = datasets::find_clip_starts(video, frames);
    const auto count = static_cast<std::int64_t>(starts.size());
    const auto taken = std::min(count, most);
    datasets::ClipReader reader(video);
    for (std::int64_t i = 0; i < taken; ++i) {
      // Start i of `taken`, evenly spread over all `count` possible ones.
      add_burst(reader.read(starts[i * count / taken], frames), datasets::count_up(frames), crop,
                all.pool, landmarks);
      all.burst_person.push_back(video.name);
      all.person.insert(all.person.end(), frames, video.name);
    }
  }
  if (landmarks.empty())
    throw UsageError(data.place("300vw").string() + " holds no " + std::to_string(frames) +
                         " annotated frames in a row",
                     "lower camera.frames, or complete the annotations");
  // The CNN learns from single frames of the same videos.
  all.pool.stills = all.pool.burst_frames;
  all.pool.landmarks = all.pool.burst_landmarks = at::stack(landmarks);
  return all;
}

AllFaces load_all_faces(const std::string& source, const Settings& settings, const DataFolder& data,
                        std::int64_t seed) {
  // Only generated heads differ between seeds; the split of the others does.
  if (source == generated_faces) return generate_heads(settings, seed);
  if (source == video_faces) return read_annotated_videos(settings, data);
  return read_photographs(settings, data);
}

/// Selects stills by index, and the bursts of the same people.
FacePool select_people(const AllFaces& all, const std::vector<std::int64_t>& indices) {
  FacePool part;
  part.burst_length = all.pool.burst_length;
  const auto length = static_cast<std::size_t>(part.burst_length);
  part.stills = datasets::select(all.pool.stills, indices);
  auto people = datasets::select(all.person, indices);
  part.landmarks = all.pool.landmarks.index_select(0, at::tensor(indices, at::kLong));
  std::sort(people.begin(), people.end());  // for the binary search below
  std::vector<std::int64_t> rows;
  for (std::size_t b = 0; b < all.burst_person.size(); ++b) {
    if (!std::binary_search(people.begin(), people.end(), all.burst_person[b])) continue;
    // Frames of burst b are adjacent in the pool.
    for (std::size_t f = length * b; f < length * (b + 1); ++f) {
      part.burst_frames.push_back(all.pool.burst_frames[f]);
      rows.push_back(static_cast<std::int64_t>(f));
    }
  }
  part.burst_landmarks = all.pool.burst_landmarks.index_select(0, at::tensor(rows, at::kLong));
  return part;
}

}  // namespace

Faces load_faces(const std::string& source, const Settings& settings, const DataFolder& data,
                 std::int64_t seed) {
  const auto all = load_all_faces(source, settings, data, seed);
  const auto split = datasets::split_by(all.person, split_fractions(settings, "stills.split"),
                                        seed_of({"prernn", "split", std::to_string(seed)}));
  return {.train = select_people(all, split.train),
          .validation = select_people(all, split.validation),
          .test = select_people(all, split.test)};
}

}  // namespace reprise::reproduce::prernn_study
