#include "reproduce/dynamic_face/scenes.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "datasets/generators/generated_tracks.h"
#include "experiments/landmark_task.h"
#include "experiments/replicates.h"
#include "metrics/landmarks.h"
#include "metrics/pose.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using datasets::PoseTrack;

constexpr double pose_unit = 20;     ///< degrees
constexpr double landmark_unit = 5;  ///< a fifth of the side

/// The recorded sequence that a stretch is of.
std::string sequence_of(const PoseTrack& stretch) {
  return stretch.sequence.substr(0, stretch.sequence.rfind('.'));
}

std::vector<PoseTrack> recorded_tracks(const Settings& settings, const DataFolder& data) {
  const auto shortest = std::max(settings.integer("clips.frames"), settings.integer("test.frames"));
  std::vector<PoseTrack> stretches;
  for (const auto& track : datasets::read_pose_tracks(data / "biwi_tracks" / "biwi_plus.csv"))
    for (auto& stretch : datasets::without_gaps(track, shortest))
      stretches.push_back(std::move(stretch));
  return stretches;
}

std::vector<PoseTrack> all_tracks(const Settings& settings, const DataFolder& data,
                                  std::int64_t seed) {
  if (settings.text("tracks.source") == "generated")
    return datasets::generated_tracks(settings.integer("tracks.count"),
                                      settings.integer("tracks.frames"),
                                      seed_of({"dynamic_face", "tracks", std::to_string(seed)}));
  return recorded_tracks(settings, data);
}

/// Heads of a replicate are nobody else's.
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
  std::vector<std::string> sequences, names;
  for (const auto& track : tracks) sequences.push_back(sequence_of(track));
  std::vector<std::int64_t> heads;
  for (std::int64_t head = 0; head < settings.integer("heads.count"); ++head) {
    heads.push_back(head_number(seed, head));
    names.push_back(std::to_string(head));
  }
  const auto by_track =
      datasets::split_by(sequences, shares_of(settings, "tracks.split"),
                         seed_of({"dynamic_face", "tracks", std::to_string(seed)}));
  const auto by_head = datasets::split_by(names, shares_of(settings, "heads.split"),
                                          seed_of({"dynamic_face", "heads", std::to_string(seed)}));
  const auto part = [&](const std::vector<std::int64_t>& of_tracks,
                        const std::vector<std::int64_t>& of_heads) {
    return Scenes{datasets::select(tracks, of_tracks), datasets::select(heads, of_heads)};
  };
  SceneParts parts{part(by_track.train, by_head.train),
                   part(by_track.validation, by_head.validation),
                   part(by_track.test, by_head.test)};
  // Per-frame networks never see recorded tracks, and are trained where these are not there, too.
  // Who asks for them says that they are missing.
  if (tests_recorded(settings) && data.has("biwi_tracks"))
    parts.recorded = {recorded_tracks(settings, data), parts.test.heads};
  return parts;
}

Scenes fold_of(const Scenes& scenes, const Fold& fold) {
  std::vector<std::string> sequences;
  for (const auto& track : scenes.tracks) sequences.push_back(sequence_of(track));
  std::sort(sequences.begin(), sequences.end());
  sequences.erase(std::unique(sequences.begin(), sequences.end()), sequences.end());
  const auto folds = static_cast<std::size_t>(fold.of),
             index = static_cast<std::size_t>(fold.index);
  if (sequences.size() < folds || scenes.heads.size() < folds)
    throw UsageError(fmt::format("training scenes of {} tracks and {} heads have no {} folds",
                                 sequences.size(), scenes.heads.size(), folds),
                     "give more of them: tracks.split, heads.split");
  const auto taken = [&](std::size_t i) { return (i % folds == index) != fold.others; };
  Scenes out;
  for (const auto& track : scenes.tracks) {
    const auto place = std::lower_bound(sequences.begin(), sequences.end(), sequence_of(track)) -
                       sequences.begin();
    if (taken(static_cast<std::size_t>(place))) out.tracks.push_back(track);
  }
  for (std::size_t i = 0; i < scenes.heads.size(); ++i)
    if (taken(i)) out.heads.push_back(scenes.heads[i]);
  return out;
}

datasets::Synhead synhead_of(const Scenes& scenes, const Trouble& trouble, const Settings& settings,
                             std::uint64_t seed) {
  return {scenes.tracks,
          {.size = static_cast<int>(settings.integer("image.size")),
           .heads = scenes.heads,
           .kind = trouble.kind,
           .strength = trouble.strength,
           .seed = seed}};
}

datasets::SynheadClips draw_clips(const datasets::Synhead& set, std::int64_t count,
                                  std::int64_t frames, bool augment, Random& random) {
  std::vector<datasets::SynheadPlace> places;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto sequence = random.below(set.sequences());
    const auto length = static_cast<std::int64_t>(set.track(sequence).frame.size());
    places.push_back(
        {sequence, random.below(length - frames + 1), random.below(std::int64_t{1} << 40)});
  }
  auto clips = set.read(places, frames);
  if (!augment) return clips;
  const auto put = [&](const datasets::SynheadClips& from, std::int64_t start, std::int64_t step) {
    const auto copy = [&](at::Tensor& to, const at::Tensor& other) {
      to.slice(0, start, count, step).copy_(other.slice(0, start, count, step));
    };
    copy(clips.images, from.images), copy(clips.pose, from.pose);
    copy(clips.landmarks, from.landmarks), copy(clips.places, from.places);
  };
  put(datasets::mirrored(clips), 0, 2);
  put(datasets::reversed(clips), 0, 3);
  return clips;
}

std::vector<datasets::SynheadPlace> test_places(const datasets::Synhead& set, std::int64_t count,
                                                std::int64_t frames, Random& random) {
  const auto heads = set.heads(), tracks = set.sequences() / heads;
  const auto track = random.permutation(tracks), head = random.permutation(heads);
  const auto together =
      std::lcm(tracks, heads);  // after so many turns the same pairs would come again
  std::vector<datasets::SynheadPlace> places;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto sequence = track[static_cast<std::size_t>(i % tracks)] * heads +
                          head[static_cast<std::size_t>((i + i / together) % heads)];
    const auto length = static_cast<std::int64_t>(set.track(sequence).frame.size());
    places.push_back({sequence, random.below(length - frames + 1), i});
  }
  return places;
}

at::Tensor input_of(const at::Tensor& images) {
  const auto side = images.size(-2);
  const auto x = images.reshape({-1, side * side * 3}).to(at::kFloat);
  const auto centred = x - x.mean(1, true);
  const auto scaled = centred / (centred.square().mean(1, true).sqrt() + 4);
  return scaled.view({-1, side, side, 3}).permute({0, 3, 1, 2});
}

Truth truth_of(const datasets::SynheadClips& clips) {
  return {clips.pose, clips.landmarks, clips.places};
}

bool gives_pose(Output output) { return output == Output::Pose || output == Output::Joint; }
bool gives_landmarks(Output output) {
  return output == Output::Landmarks || output == Output::Joint;
}

std::int64_t size_of(Output output) {
  if (output == Output::Places) return 204;
  return output == Output::Pose ? 3 : output == Output::Landmarks ? 136 : 139;
}

at::Tensor target_of(Output output, const Truth& truth, std::int64_t side) {
  if (output == Output::Places) return truth.places.flatten(-2);
  // There may be no ground truth for outputs that the network does not have.
  const auto of_pose = gives_pose(output) ? truth.pose / pose_unit : at::Tensor();
  if (!gives_landmarks(output)) return of_pose;
  const auto of_landmarks = encode_landmarks(truth.landmarks, side) * landmark_unit;
  return output == Output::Landmarks ? of_landmarks : at::cat({of_pose, of_landmarks}, -1);
}

at::Tensor pose_of(const at::Tensor& outputs) { return outputs.narrow(-1, 0, 3) * pose_unit; }

at::Tensor landmarks_of(const at::Tensor& outputs, std::int64_t side) {
  return decode_landmarks(outputs.narrow(-1, outputs.size(-1) - 136, 136) / landmark_unit, side);
}

at::Tensor places_of(const at::Tensor& outputs) { return outputs.unflatten(-1, {68, 3}); }

at::Tensor squared_error(const at::Tensor& outputs, const at::Tensor& truth,
                         double landmark_weight) {
  const auto square = (outputs - truth).square();
  if (outputs.size(-1) != size_of(Output::Joint)) return square.mean();
  return square.narrow(-1, 0, 3).mean() + landmark_weight * square.narrow(-1, 3, 136).mean();
}

double mean_error(Output output, const at::Tensor& outputs, const Truth& truth, std::int64_t side) {
  if (gives_pose(output)) return metrics::pose_error(pose_of(outputs), truth.pose).mean;
  if (output == Output::Places)
    return metrics::place_error(places_of(outputs), truth.places) * millimetres;
  return metrics::mean_error(metrics::landmark_error(landmarks_of(outputs, side).flatten(0, -3),
                                                     truth.landmarks.flatten(0, -3)));
}

const char* name_of(Output output) {
  if (gives_pose(output)) return "pose";
  return output == Output::Places ? "places" : "landmarks";
}

}  // namespace reprise::reproduce::dynamic_face_study
