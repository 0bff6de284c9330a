#include "reproduce/metric_list.h"

#include <ATen/core/Tensor.h>

#include <algorithm>

#include "metrics/classification.h"
#include "metrics/pose.h"

namespace reprise::reproduce {
namespace {

using datasets::PredictionKind;
using nlohmann::json;

json auc(const at::Tensor& predicted, const at::Tensor& truth, const MetricOptions& options) {
  const auto error = metrics::landmark_error(predicted, truth, options.length);
  return {{"auc", metrics::auc(error, options.limit)},
          {"failure_rate", metrics::failure_rate(error, options.limit)},
          {"n", error.numel()},
          {"protocol", metrics::protocol("auc", options.length, options.limit, truth.size(1))}};
}

json failure_rate(const at::Tensor& predicted, const at::Tensor& truth, const MetricOptions& options) {
  const auto error = metrics::landmark_error(predicted, truth, options.length);
  return {{"failure_rate", metrics::failure_rate(error, options.limit)},
          {"n", error.numel()},
          {"protocol", metrics::protocol("failure_rate", options.length, options.limit, truth.size(1))}};
}

json mean_error(const at::Tensor& predicted, const at::Tensor& truth, const MetricOptions& options) {
  const auto error = metrics::landmark_error(predicted, truth, options.length);
  return {{"mean_error", metrics::mean_error(error)},
          {"n", error.numel()},
          {"protocol", metrics::protocol("mean_error", options.length, std::nullopt, truth.size(1))}};
}

json accuracy(const at::Tensor& predicted, const at::Tensor& truth, const MetricOptions&) {
  return {{"accuracy", metrics::accuracy(predicted, truth)}, {"n", truth.numel()}, {"protocol", metrics::accuracy_protocol}};
}

/// Labels count from 0.
std::int64_t class_count(const at::Tensor& predicted, const at::Tensor& truth) {
  return std::max(predicted.max().item<std::int64_t>(), truth.max().item<std::int64_t>()) + 1;
}

json confusion(const at::Tensor& predicted, const at::Tensor& truth, const MetricOptions&) {
  const auto classes = class_count(predicted, truth);
  const auto counts = metrics::confusion(predicted, truth, classes);
  json rows = json::array();
  for (std::int64_t i = 0; i < classes; ++i) {
    json row = json::array();
    for (std::int64_t j = 0; j < classes; ++j) row.push_back(counts[i][j].item<std::int64_t>());
    rows.push_back(row);
  }
  return {{"confusion", rows}, {"n", truth.numel()}, {"protocol", "confusion: rows true, columns predicted"}};
}

json pose_error(const at::Tensor& predicted, const at::Tensor& truth, const MetricOptions&) {
  const auto error = metrics::pose_error(predicted, truth);
  return {{"pose_error", error.mean}, {"pitch", error.axis[0]}, {"yaw", error.axis[1]},
          {"roll", error.axis[2]},    {"n", truth.size(0)},     {"protocol", metrics::pose_error_protocol}};
}

}  // namespace

const std::vector<NamedMetric>& metric_list() {
  static const std::vector<NamedMetric> all = {
      {"auc", "area under the cumulative landmark error curve up to --limit, and the failure rate", PredictionKind::Landmarks, auc},
      {"failure_rate", "fraction of frames whose landmark error is above --limit", PredictionKind::Landmarks, failure_rate},
      {"mean_error", "mean landmark error, in face lengths", PredictionKind::Landmarks, mean_error},
      {"accuracy", "fraction of right labels", PredictionKind::Labels, accuracy},
      {"confusion", "how often each true label was called which", PredictionKind::Labels, confusion},
      {"pose_error", "mean absolute error of head poses, degrees, of each axis and the mean of the three", PredictionKind::Pose,
       pose_error},
  };
  return all;
}

}  // namespace reprise::reproduce
