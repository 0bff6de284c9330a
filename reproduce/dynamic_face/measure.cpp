// Measurements on test sequences, and stored estimates for filters.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "datasets/face_drawing.h"
#include "datasets/formats/webp.h"
#include "experiments/landmark_task.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "metrics/pose.h"
#include "reproduce/dynamic_face/cells.h"
#include "weights/safetensors.h"

namespace reprise::reproduce::dynamic_face_study {

using records::Direction;

void write_estimates(const CellContext& context, const Estimates& estimates) {
  weights::StateDict tensors;
  for (const auto& [part, poses] : estimates)
    tensors.emplace_back(part, poses.to(at::kFloat).contiguous());
  weights::write_safetensors(context.folder / "estimates.safetensors", tensors);
}

Estimates read_estimates(const CellContext& context, const std::string& method) {
  Estimates estimates;
  for (const auto& [part, poses] :
       weights::read_weights(context.store.folder(cell("pose", method, context.record.cell.seed)) /
                             "estimates.safetensors"))
    estimates[part] = poses;
  return estimates;
}

std::vector<double> tested_strengths(const Settings& settings) {
  std::vector<double> all{0, 1};
  for (const auto value : settings.numbers("strength.values")) all.push_back(value);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> test_parts(const Settings& settings) {
  auto parts = settings.texts("test.kinds");
  for (const auto& kind : settings.texts("strength.kinds"))
    for (const auto value : settings.numbers("strength.values"))
      parts.push_back(fmt::format("{}@{}", kind, value));
  return parts;
}

namespace {

/// Writes curves of the error by strength, from the kind "clean" (0) to the kind itself (1).
void record_strengths(const Estimates& estimates, const CellContext& context,
                      records::Curves& curves) {
  const auto error = [&](const std::string& part) {
    return metrics::pose_error(estimates.at(part), read_clips(context, "pose", part).truth.pose)
        .mean;
  };
  const auto all = tested_strengths(context.settings);
  for (const auto& kind : context.settings.texts("strength.kinds")) {
    auto& curve = curves["strength_error_" + kind];
    for (const auto value : all) {
      // Both ends of the curve are kinds of their own.
      auto part = fmt::format("{}@{}", kind, value);
      if (value == 0) part = "clean";
      if (value == 1) part = kind;
      curve.push_back(error(part));
    }
  }
  if (!context.settings.texts("strength.kinds").empty()) curves["strength"] = all;
}

/// Draws every third of the first frames of the first test sequence, with the axes of the estimated
/// pose.
void draw_track(const Estimates& estimates, const CellContext& context) {
  constexpr std::int64_t shown = 72;       // frames
  constexpr std::int64_t step = 3;         // frames
  constexpr double frames_per_second = 4;  // slow enough to compare axes by eye
  const auto& settings = context.settings;
  const auto& cell = context.record.cell;
  const auto kind = settings.text("clips.kind");
  if (!is_shown(settings, cell.seed) || !estimates.contains(kind) ||
      std::find(animated_methods.begin(), animated_methods.end(), cell.method) ==
          animated_methods.end())
    return;
  const auto seed = data_seed(settings, cell.seed);
  const auto clips =
      test_sequences(load_scenes(settings, context.data, seed), kind, settings, seed);
  const auto draw = [&](const std::string& name, const at::Tensor& pose) {
    const auto first = [&](const at::Tensor& of) { return of[0].slice(0, 0, shown, step); };
    datasets::write_webp(
        context.folder / name,
        datasets::draw_tracked_frames(first(clips.images), first(pose), first(clips.pose)),
        frames_per_second);
  };
  draw("track.webp", estimates.at(kind));
  if (cell.method == per_frame) draw("truth.webp", clips.pose);
}

/// Records error_PART, error_pitch_PART, ..., jitter_PART, lag_PART, and the metrics that the
/// profile names.
void record_pose(const std::string& part, const at::Tensor& poses, const at::Tensor& truth,
                 CellContext& context) {
  auto& record = context.record;
  const auto add = [&](const std::string& name, double value, const char* unit, Direction direction,
                       const char* protocol) {
    record.metrics.push_back({.name = name_with_part(name, part),
                              .value = value,
                              .unit = unit,
                              .direction = direction,
                              .protocol = fmt::format("{}, synhead {}", protocol, part)});
  };
  const auto error = metrics::pose_error(poses, truth);
  add("error", error.mean, "deg", Direction::LowerIsBetter, metrics::pose_error_protocol);
  for (std::size_t a = 0; a < 3; ++a)
    add(fmt::format("error_{}", datasets::angle_names[a]), error.axis[a], "deg",
        Direction::LowerIsBetter, metrics::pose_error_protocol);
  add("jitter", metrics::pose_jitter(poses, truth), "deg", Direction::LowerIsBetter,
      metrics::pose_jitter_protocol);
  add("lag", metrics::pose_lag(poses, truth), "frames", Direction::Neither,
      metrics::pose_lag_protocol);
  add_named_metrics(MetricInput::Pose,
                    {.predicted = poses.flatten(0, 1), .truth = truth.flatten(0, 1)}, part,
                    "synhead " + part, context.settings, record);
}

}  // namespace

void measure_pose(const Estimates& estimates, CellContext& context, records::Curves& curves,
                  const Estimates& truths) {
  auto& record = context.record;
  if (estimates.empty()) return;
  const auto parts = test_parts(context.settings);
  if (std::all_of(parts.begin(), parts.end(),
                  [&](const std::string& part) { return estimates.contains(part); }))
    record_strengths(estimates, context, curves);
  draw_track(estimates, context);
  for (const auto& [part, poses] : estimates) {
    if (part.find('@') != std::string::npos) continue;  // a strength is only a point of a curve
    const auto truth =
        truths.contains(part) ? truths.at(part) : read_clips(context, "pose", part).truth.pose;
    record_pose(part, poses, truth, context);
    // One point of the figure of error over jitter.
    curves["at_error_" + part] = {record.metric("error_" + part).value()};
    curves["at_jitter_" + part] = {record.metric("jitter_" + part).value()};
    if (!is_shown(context.settings, record.cell.seed) || part == "validation") continue;
    // The yaw of the first test sequence, for the figure of tracks over time.
    curves["track_" + part] = values_of(poses[0].select(-1, 1));
    if (record.cell.method == per_frame)
      curves["truth_" + part] = values_of(truth[0].select(-1, 1));
  }
}

at::Tensor make_impulse() {
  constexpr std::int64_t response = 30;  // frames: longer than any filter of the study remembers
  auto x = torch::zeros({1, impulse_at + response, 3});
  x[0][impulse_at][1] = 1;
  return x;
}

void record_impulse(const at::Tensor& response, records::Curves& curves) {
  curves["impulse"] = values_of(response[0].select(-1, 1).slice(0, impulse_at));
}

void record_gain(const std::function<at::Tensor(const at::Tensor& x)>& track,
                 records::Curves& curves) {
  // Clip t has an impulse at frame t: its response there is the gain after t earlier frames.
  constexpr std::int64_t frames = 20;
  auto x = torch::zeros({frames, frames, 3});
  for (std::int64_t t = 0; t < frames; ++t) x[t][t][1] = 1;
  const auto moved = track(x) - track(torch::zeros_like(x));
  auto& gain = curves["gain"];
  for (std::int64_t t = 0; t < frames; ++t) gain.push_back(moved[t][t][1].item<double>());
}

void record_tracker_weights(const baselines::LinearTracker& tracker, const std::string& form,
                            records::Record& record) {
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, double>>{{"w_hh_21", tracker.w_hh(1, 0)},
                                                             {"w_hh_22", tracker.w_hh(1, 1)},
                                                             {"w_ih_1", tracker.w_ih(0)},
                                                             {"w_ih_2", tracker.w_ih(1)}})
    record.metrics.push_back(
        {.name = name + form,
         .value = value,
         .unit = "",
         .direction = Direction::Neither,
         .protocol = "yaw; state: the estimate, and the next if 0 is measured"});
}

void record_landmark_error_3d(double error, const std::string& kind, records::Record& record) {
  record.metrics.push_back(
      {.name = "error_3d_" + kind,
       .value = error,
       .unit = "mm",
       .direction = Direction::LowerIsBetter,
       .protocol = fmt::format("{}, synhead {}", metrics::landmark_error_3d_protocol, kind)});
}

void measure_points(const at::Tensor& predicted, const at::Tensor& truth, const std::string& kind,
                    CellContext& context) {
  measure_landmarks(
      predicted, truth,
      {.part = kind, .data = "synhead " + kind, .mean_error = false, .jitter_and_lag = true},
      context);
}

}  // namespace reprise::reproduce::dynamic_face_study
