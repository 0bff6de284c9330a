#include "reproduce/dynamic_face/scenes.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "datasets/generators/generated_tracks.h"
#include "experiments/landmark_task.h"
#include "experiments/resampling.h"
#include "metrics/landmarks.h"
#include "metrics/pose.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using datasets::PoseTrack;

constexpr double landmark_unit = 5;  ///< landmarks in units of a fifth of the side

/// Returns the recorded sequence of a segment.
std::string recording_name(const PoseTrack& segment) {
  return segment.sequence.substr(0, segment.sequence.rfind('.'));
}

/// Reads BIWI's tracks, cut at their gaps into segments that hold a clip and a test sequence.
std::vector<PoseTrack> recorded_tracks(const Settings& settings, const DataFolder& data) {
  const auto shortest = std::max(settings.integer("clips.frames"), settings.integer("test.frames"));
  std::vector<PoseTrack> segments;
  for (const auto& track : datasets::read_pose_tracks(data / "biwi_tracks" / "biwi_plus.csv"))
    for (auto& segment : datasets::split_at_gaps(track, shortest))
      segments.push_back(std::move(segment));
  return segments;
}

std::vector<PoseTrack> all_tracks(const Settings& settings, const DataFolder& data,
                                  std::int64_t seed) {
  if (settings.text("tracks.source") == "generated")
    return datasets::generate_tracks(settings.integer("tracks.count"),
                                     settings.integer("tracks.frames"),
                                     seed_of({"dynamic_face", "tracks", std::to_string(seed)}));
  return recorded_tracks(settings, data);
}

/// Returns the number of a head, different for every seed. Numbers 0 to 9 are fixed heads
/// (head_surface.h).
std::int64_t head_number(std::int64_t seed, std::int64_t index) {
  return 100 + 1000 * seed + index;
}

}  // namespace

bool tests_recorded(const Settings& settings) {
  const auto kinds = settings.texts("test.kinds");
  return std::find(kinds.begin(), kinds.end(), recorded_kind) != kinds.end();
}

void need_tracks(const Settings& settings, const DataFolder& data) {
  if (settings.text("tracks.source") == "biwi_tracks" || tests_recorded(settings))
    data.need("biwi_tracks/biwi_plus.csv", "recorded tracks",
              "--set tracks.source=generated, without \"recorded\" in test.kinds");
}

SceneParts load_scenes(const Settings& settings, const DataFolder& data, std::int64_t seed) {
  const auto tracks = all_tracks(settings, data, seed);
  std::vector<std::string> sequences;
  std::vector<std::string> names;
  for (const auto& track : tracks) sequences.push_back(recording_name(track));
  std::vector<std::int64_t> heads;
  for (std::int64_t head = 0; head < settings.integer("heads.count"); ++head) {
    heads.push_back(head_number(seed, head));
    names.push_back(std::to_string(head));
  }
  // Tracks and heads are split independently: a test head follows a test track.
  const auto by_track =
      datasets::split_by(sequences, split_fractions(settings, "tracks.split"),
                         seed_of({"dynamic_face", "tracks", std::to_string(seed)}));
  const auto by_head = datasets::split_by(names, split_fractions(settings, "heads.split"),
                                          seed_of({"dynamic_face", "heads", std::to_string(seed)}));
  const auto part = [&](const std::vector<std::int64_t>& of_tracks,
                        const std::vector<std::int64_t>& of_heads) {
    return Scenes{.tracks = datasets::select(tracks, of_tracks),
                  .heads = datasets::select(heads, of_heads)};
  };
  SceneParts parts{.train = part(by_track.train, by_head.train),
                   .validation = part(by_track.validation, by_head.validation),
                   .test = part(by_track.test, by_head.test)};
  // Per-frame networks never see recorded tracks, so they can be trained without them. Cells that
  // need them report missing ones.
  if (tests_recorded(settings) && data.has("biwi_tracks"))
    parts.recorded = {recorded_tracks(settings, data), parts.test.heads};
  return parts;
}

Scenes select_fold(const Scenes& scenes, const Fold& fold) {
  std::vector<std::string> sequences;
  for (const auto& track : scenes.tracks) sequences.push_back(recording_name(track));
  // Folds are made of whole sequences, so that segments of one are never in two folds.
  std::sort(sequences.begin(), sequences.end());
  sequences.erase(std::unique(sequences.begin(), sequences.end()), sequences.end());
  const auto folds = static_cast<std::size_t>(fold.of);
  const auto index = static_cast<std::size_t>(fold.index);
  if (sequences.size() < folds || scenes.heads.size() < folds)
    throw UsageError(fmt::format("{} training tracks and {} heads are too few for {} folds",
                                 sequences.size(), scenes.heads.size(), folds),
                     "raise their fractions in tracks.split and heads.split, or heads.count");
  const auto is_selected = [&](std::size_t i) { return (i % folds == index) != fold.others; };
  Scenes out;
  for (const auto& track : scenes.tracks) {
    const auto rank = std::lower_bound(sequences.begin(), sequences.end(), recording_name(track)) -
                      sequences.begin();
    if (is_selected(static_cast<std::size_t>(rank))) out.tracks.push_back(track);
  }
  for (std::size_t i = 0; i < scenes.heads.size(); ++i)
    if (is_selected(i)) out.heads.push_back(scenes.heads[i]);
  return out;
}

datasets::Synhead make_synhead(const Scenes& scenes, const DegradationLevel& degradation,
                               const Settings& settings, std::uint64_t seed) {
  return {scenes.tracks,
          {.size = static_cast<int>(settings.integer("image.size")),
           .heads = scenes.heads,
           .kind = degradation.kind,
           .strength = degradation.strength,
           .seed = seed}};
}

datasets::SynheadClips draw_clips(const datasets::Synhead& set, std::int64_t count,
                                  std::int64_t frames, bool augment, Random& random) {
  std::vector<datasets::SynheadPosition> positions;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto sequence = random.below(set.sequences());
    const auto length = static_cast<std::int64_t>(set.track(sequence).frame.size());
    // Takes are drawn from a range in which two equal ones are unlikely.
    const auto first = random.below(length - frames + 1);
    const auto take = random.below(std::int64_t{1} << 40);
    positions.push_back({.sequence = sequence, .first = first, .take = take});
  }
  auto clips = set.read(positions, frames);
  if (!augment) return clips;
  const auto put = [&](const datasets::SynheadClips& from, std::int64_t start, std::int64_t step) {
    const auto copy = [&](at::Tensor& to, const at::Tensor& other) {
      to.slice(0, start, count, step).copy_(other.slice(0, start, count, step));
    };
    copy(clips.images, from.images);
    copy(clips.pose, from.pose);
    copy(clips.landmarks, from.landmarks);
    copy(clips.landmarks_3d, from.landmarks_3d);
  };
  // A clip that is both mirrored and reversed is the reverse of its mirror image.
  put(datasets::mirror_clips(clips), /*start=*/0, /*step=*/2);
  put(datasets::reverse_clips(clips), /*start=*/0, /*step=*/3);
  return clips;
}

std::vector<datasets::SynheadPosition> choose_test_sequences(const datasets::Synhead& set,
                                                             std::int64_t count,
                                                             std::int64_t frames, Random& random) {
  const auto heads = set.heads();
  const auto tracks = set.sequences() / heads;
  const auto track = random.permutation(tracks);
  const auto head = random.permutation(heads);
  // After so many turns the same pairs would return: heads then move on by one.
  const auto period = std::lcm(tracks, heads);
  std::vector<datasets::SynheadPosition> positions;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto sequence = track[static_cast<std::size_t>(i % tracks)] * heads +
                          head[static_cast<std::size_t>((i + i / period) % heads)];
    const auto length = static_cast<std::int64_t>(set.track(sequence).frame.size());
    positions.push_back(
        {.sequence = sequence, .first = random.below(length - frames + 1), .take = i});
  }
  return positions;
}

at::Tensor network_input(const at::Tensor& images) {
  const auto side = images.size(-2);
  const auto x = images.reshape({-1, side * side * 3}).to(at::kFloat);
  const auto centred = x - x.mean(1, true);
  // 4 gray levels: the noise of a nearly uniform image is not amplified.
  const auto scaled = centred / (centred.square().mean(1, true).sqrt() + 4);
  return scaled.view({-1, side, side, 3}).permute({0, 3, 1, 2});
}

Truth clip_truth(const datasets::SynheadClips& clips) {
  return {.pose = clips.pose, .landmarks = clips.landmarks, .landmarks_3d = clips.landmarks_3d};
}

bool gives_pose(Output output) { return output == Output::Pose || output == Output::Joint; }
bool gives_landmarks(Output output) {
  return output == Output::Landmarks || output == Output::Joint;
}

std::int64_t output_size(Output output) {
  switch (output) {
    case Output::Pose:
      return 3;
    case Output::Landmarks:
      return 136;  // 68 points
    case Output::Landmarks3d:
      return 204;  // 68 points
    case Output::Joint:
      break;
  }
  return 139;  // pose, then landmarks
}

at::Tensor encode_target(Output output, const Truth& truth, std::int64_t side) {
  if (output == Output::Landmarks3d) return truth.landmarks_3d.flatten(-2);
  // Ground truth may be missing for outputs that the network does not have.
  const auto of_pose = gives_pose(output) ? truth.pose / pose_unit : at::Tensor();
  if (!gives_landmarks(output)) return of_pose;
  const auto of_landmarks = encode_landmarks(truth.landmarks, side) * landmark_unit;
  return output == Output::Landmarks ? of_landmarks : at::cat({of_pose, of_landmarks}, -1);
}

at::Tensor extract_pose(const at::Tensor& outputs) { return outputs.narrow(-1, 0, 3) * pose_unit; }

at::Tensor extract_landmarks(const at::Tensor& outputs, std::int64_t side) {
  return decode_landmarks(outputs.narrow(-1, outputs.size(-1) - 136, 136) / landmark_unit, side);
}

at::Tensor extract_landmarks_3d(const at::Tensor& outputs) {
  return outputs.unflatten(-1, {68, 3});
}

at::Tensor squared_error(const at::Tensor& outputs, const at::Tensor& truth,
                         double landmark_weight) {
  const auto square = (outputs - truth).square();
  if (outputs.size(-1) != output_size(Output::Joint)) return square.mean();
  return square.narrow(-1, 0, 3).mean() + landmark_weight * square.narrow(-1, 3, 136).mean();
}

double mean_error(Output output, const at::Tensor& outputs, const Truth& truth, std::int64_t side) {
  if (gives_pose(output)) return metrics::pose_error(extract_pose(outputs), truth.pose).mean;
  if (output == Output::Landmarks3d)
    return metrics::landmark_error_3d(extract_landmarks_3d(outputs), truth.landmarks_3d) *
           millimetres_per_decimetre;
  return metrics::mean_error(metrics::landmark_error(
      extract_landmarks(outputs, side).flatten(0, -3), truth.landmarks.flatten(0, -3)));
}

const char* output_name(Output output) {
  if (gives_pose(output)) return "pose";
  return output == Output::Landmarks3d ? "places" : "landmarks";
}

}  // namespace reprise::reproduce::dynamic_face_study
