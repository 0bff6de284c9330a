// The metrics that anyone's predictions can be judged by: one line a metric in metric_list.cpp.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/predictions.h"
#include "metrics/landmarks.h"

namespace reprise::reproduce {

struct MetricOptions {
  double limit = 0.08;  ///< of an error, in face lengths
  metrics::FaceLength length = metrics::FaceLength::BoxDiagonal;
};

struct NamedMetric {
  std::string name, says;
  datasets::PredictionKind kind;
  /// The object that --json prints: the metric under its own name, n, protocol.
  std::function<nlohmann::json(const at::Tensor& predicted, const at::Tensor& truth, const MetricOptions& options)> value;
};

const std::vector<NamedMetric>& metric_list();

}  // namespace reprise::reproduce
