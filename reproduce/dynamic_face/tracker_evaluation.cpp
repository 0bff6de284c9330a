#include "reproduce/dynamic_face/tracker_evaluation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "datasets/face_drawing.h"
#include "datasets/formats/images.h"
#include "datasets/landmark_pose.h"
#include "metrics/landmarks.h"
#include "reproduce/dynamic_face/scenes.h"
#include "statistics/statistics.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using datasets::FaceWindow;
using records::Direction;

constexpr double turned_by = 20;  ///< rotation of a test photograph in its plane, degrees

at::Tensor rotate_picture(const at::Tensor& picture, double degrees) {
  return datasets::warp_image(
      picture, datasets::turn_affine(picture.size(0), picture.size(1), degrees), picture.size(0));
}

/// Shows a photograph through a camera that sways without rotation, so the head's pose is the same
/// in all frames.
std::vector<at::Tensor> simulate_sway(const at::Tensor& picture, std::int64_t frames) {
  constexpr double period = 24;  // frames
  std::vector<at::Tensor> out;
  const auto side = static_cast<double>(picture.size(0));
  for (std::int64_t t = 0; t < frames; ++t) {
    const double phase = 2 * std::numbers::pi * static_cast<double>(t) / period;
    // The zoom has another period, so that it does not repeat with the shift.
    const double scale = 1 + 0.06 * std::sin(1.7 * phase);
    const double dx = 0.06 * side * std::sin(phase);
    const double dy = 0.04 * side * std::cos(phase);
    const double middle = (side - 1) / 2;
    out.push_back(datasets::warp_image(
        picture, {scale, 0, middle * (1 - scale) + dx, 0, scale, middle * (1 - scale) + dy},
        picture.size(0)));
  }
  return out;
}

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

/// Returns NaN for no values, as median().
double mean(const std::vector<double>& values) {
  return values.empty() ? std::nan("") : statistics::mean(values);
}

/// Returns the landmark error as a fraction of the box's diagonal.
double box_error(const at::Tensor& landmarks, const at::Tensor& truth) {
  return metrics::landmark_error(landmarks.unsqueeze(0), truth.unsqueeze(0).to(at::kDouble))[0]
      .item<double>();
}

/// Records a value, unless it is NaN because no face was found.
void add(records::Record& record, const char* name, double value, const char* unit,
         Direction direction, const char* protocol) {
  if (std::isfinite(value))
    record.metrics.push_back(
        {.name = name, .value = value, .unit = unit, .direction = direction, .protocol = protocol});
}

}  // namespace

std::vector<std::optional<TrackerEvaluation::Estimate>> TrackerEvaluation::track_frames(
    const std::vector<at::Tensor>& frames, double sigma) {
  auto options = window_;
  options.sigma = sigma;
  datasets::CausalWindows windows(options);
  std::vector<std::optional<Estimate>> estimates(frames.size());
  std::vector<at::Tensor> pictures;
  std::vector<std::pair<std::size_t, FaceWindow>> windows_by_frame;
  for (std::size_t t = 0; t < frames.size(); ++t) {
    const auto faces = windows.next(detect_(frames[t]));
    if (faces.empty()) continue;
    pictures.push_back(datasets::crop_window(frames[t], faces.front().window, side_));
    windows_by_frame.emplace_back(t, faces.front().window);
  }
  if (pictures.empty()) return estimates;
  // All pictures of the face at once: the network may be recurrent.
  const auto outputs = track_(at::stack(pictures));
  for (std::size_t i = 0; i < windows_by_frame.size(); ++i) {
    const auto& [frame, found] = windows_by_frame[i];
    Estimate estimate{.pose = {}, .landmarks = {}, .window = found};
    const auto output = outputs[static_cast<std::int64_t>(i)];
    const auto pose = extract_pose(output);
    for (std::size_t a = 0; a < 3; ++a)
      estimate.pose[a] = pose[static_cast<std::int64_t>(a)].item<double>();
    // Landmarks are pixels of the window; measurements compare pixels of the photograph.
    estimate.landmarks =
        datasets::points_in_frame(extract_landmarks(output, side_), estimate.window, side_)
            .to(at::kDouble);
    estimates[frame] = estimate;
  }
  return estimates;
}

void TrackerEvaluation::measure_stills(records::Record& record) {
  std::vector<double> off;
  std::vector<double> yaw;
  std::vector<double> roll;
  std::vector<double> follows;
  std::vector<double> always_zero;
  std::int64_t found = 0;
  std::int64_t found_turned = 0;
  std::int64_t all = 0;
  // At most about 400 photographs: more hardly change a median.
  for (std::int64_t i = 0; i < faces_.frames.size();
       i += std::max<std::int64_t>(1, faces_.frames.size() / 400)) {
    const auto& picture = faces_.frames.images[static_cast<std::size_t>(i)];
    ++all;
    const auto truth = datasets::estimate_pose(faces_.frames.landmarks[i]);
    if (const auto face = track_frames({picture}, 0).front()) {
      ++found;
      off.push_back(100 * box_error(face->landmarks, faces_.frames.landmarks[i]));
      yaw.push_back(std::abs(face->pose[1] - truth[1].item<double>()));
      roll.push_back(std::abs(face->pose[2] - truth[2].item<double>()));
      // The error of a constant yaw of 0 is the trivial baseline.
      always_zero.push_back(std::abs(truth[1].item<double>()));
    }
    // The same photograph turned both ways: the estimated roll should follow by the same angle.
    const auto left = track_frames({rotate_picture(picture, -turned_by)}, 0).front();
    const auto right = track_frames({rotate_picture(picture, turned_by)}, 0).front();
    if (!left || !right) continue;
    ++found_turned;
    follows.push_back(std::abs(right->pose[2] - left->pose[2] - 2 * turned_by));
  }
  const auto fraction = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(all);
  };
  add(record, "found", fraction(found), "", Direction::HigherIsBetter,
      "test photographs in which the cascade finds a face");
  add(record, "found_turned", fraction(found_turned), "", Direction::HigherIsBetter,
      "the same, turned by 20 degrees either way");
  add(record, "landmarks", median(off), "%", Direction::LowerIsBetter,
      "median over faces found, of the box's diagonal");
  add(record, "yaw", mean(yaw), "deg", Direction::LowerIsBetter,
      "mean, against the pose solved from the true landmarks");
  add(record, "yaw_zero", mean(always_zero), "deg", Direction::Neither,
      "of always saying 0, on the same faces");
  add(record, "roll", mean(roll), "deg", Direction::LowerIsBetter,
      "mean, against the pose solved from the true landmarks");
  add(record, "roll_follows", median(follows), "deg", Direction::LowerIsBetter,
      "median difference of the roll of a photograph turned by 20 and by -20 degrees from 40");
}

void TrackerEvaluation::measure_sway(records::Record& record) {
  std::vector<double> yaw;
  // 48 frames are two periods of the sway. A face found in less than half of them is skipped.
  for (std::int64_t i = 0; i < faces_.frames.size();
       i += std::max<std::int64_t>(1, faces_.frames.size() / 30)) {
    std::vector<double> seen;
    for (const auto& estimate :
         track_frames(simulate_sway(faces_.frames.images[static_cast<std::size_t>(i)], 48), 3))
      if (estimate) seen.push_back(estimate->pose[1]);
    if (seen.size() < 24) continue;
    yaw.push_back(at::tensor(seen, at::kDouble).std(/*unbiased=*/false).item<double>());
  }
  add(record, "sway", median(yaw), "deg", Direction::LowerIsBetter,
      "standard deviation of the yaw of a photograph that sways and does not turn, "
      "median over photographs");
}

void TrackerEvaluation::measure_bursts(records::Record& record) {
  std::vector<double> off;
  for (std::size_t b = 0; b < faces_.bursts.size(); ++b) {
    std::vector<at::Tensor> frames;
    for (const auto f : faces_.bursts[b].frames)
      frames.push_back(faces_.frames.images[static_cast<std::size_t>(f)]);
    const auto estimates = track_frames(frames, 0);
    for (std::size_t t = 0; t < estimates.size(); ++t)
      if (const auto& estimate = estimates[t])
        off.push_back(100 * box_error(estimate->landmarks,
                                      faces_.frames.landmarks[faces_.bursts[b].frames[t]]));
  }
  add(record, "landmarks_bursts", median(off), "%", Direction::LowerIsBetter,
      "median over frames of bursts, of the box's diagonal");
}

void TrackerEvaluation::draw_faces(const std::filesystem::path& path) {
  std::vector<at::Tensor> pictures;
  for (std::int64_t i = 0; i < faces_.frames.size() && pictures.size() < 8;
       i += std::max<std::int64_t>(1, faces_.frames.size() / 9)) {
    const auto& picture = faces_.frames.images[static_cast<std::size_t>(i)];
    // Every third face is turned, to show that the pose follows.
    const double angle = pictures.size() % 3 == 2 ? turned_by : 0;
    const auto large =
        datasets::squeeze_image(angle == 0 ? picture : rotate_picture(picture, angle), 240);
    auto shown = large.contiguous().clone();
    if (const auto face = track_frames({large}, 0).front())
      datasets::draw_face(shown, face->window, face->pose, face->landmarks);
    pictures.push_back(shown);
  }
  if (!pictures.empty()) datasets::write_png(path, at::cat(pictures, 1));
}

}  // namespace reprise::reproduce::dynamic_face_study
