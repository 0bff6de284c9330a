#include "experiments/landmark_task.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <optional>

#include "experiments/sequence_training.h"
#include "metrics/landmarks.h"
#include "metrics/pose.h"

namespace reprise::reproduce {
namespace {

using records::Direction;

constexpr auto length = metrics::FaceLength::BoxDiagonal;

}  // namespace

at::Tensor encode_landmarks(const at::Tensor& landmarks, std::int64_t side) {
  // The centre of the crop becomes 0 and its edges ± 0.5, so that targets have a scale near 1 at
  // any size.
  return (landmarks / static_cast<double>(side) - 0.5).flatten(-2);
}

at::Tensor decode_landmarks(const at::Tensor& outputs, std::int64_t side) {
  return (outputs + 0.5).mul(static_cast<double>(side)).unflatten(-1, {68, 2});
}

void record_landmark_error(const at::Tensor& error, const LandmarkMetrics& chosen,
                           records::Record& record) {
  const auto add = [&](const std::string& name, double value, Direction direction,
                       std::optional<double> limit) {
    record.metrics.push_back(
        {.name = name_with_part(name, chosen.part),
         .value = value,
         .direction = direction,
         .protocol = fmt::format("{}, {}", metrics::protocol(name, length, limit), chosen.data)});
  };
  add("auc", metrics::auc(error), Direction::HigherIsBetter, metrics::ced_limit);
  if (chosen.mean_error)
    add("mean_error", metrics::mean_error(error), Direction::LowerIsBetter, std::nullopt);
  add("failure_rate", metrics::failure_rate(error), Direction::LowerIsBetter, metrics::ced_limit);
}

at::Tensor measure_landmarks(const at::Tensor& predicted, const at::Tensor& truth,
                             const LandmarkMetrics& chosen, CellContext& context) {
  auto& record = context.record;
  // Frames of all clips in one list: [N, T, 68, 2] -> [N T, 68, 2].
  const auto points = predicted.flatten(0, 1);
  const auto true_points = truth.flatten(0, 1);
  const auto error = metrics::landmark_error(points, true_points);
  record_landmark_error(error, chosen, record);
  // Both are of the points over time, so they need the clips, not the list of frames.
  if (chosen.jitter_and_lag) {
    record.metrics.push_back(
        {.name = name_with_part("landmark_jitter", chosen.part),
         .value = metrics::landmark_jitter(predicted, truth, length),
         .direction = Direction::LowerIsBetter,
         .protocol =
             fmt::format("{}, {}", metrics::protocol("landmark_jitter", length), chosen.data)});
    record.metrics.push_back(
        {.name = name_with_part("landmark_lag", chosen.part),
         .value = metrics::landmark_lag(predicted, truth),
         .unit = "frames",
         .protocol = fmt::format("{}, {}", metrics::pose_lag_protocol, chosen.data)});
  }
  add_named_metrics(MetricInput::Landmarks, {.predicted = points, .truth = true_points},
                    chosen.part, chosen.data, context.settings, record);
  return error.view({truth.size(0), truth.size(1)});
}

}  // namespace reprise::reproduce
