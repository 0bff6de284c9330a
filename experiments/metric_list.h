// The metrics for predictions of any program: one line per metric in metric_list.cpp.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "metrics/landmarks.h"
#include "records/record.h"

namespace reprise::reproduce {

struct MetricOptions {
  double limit = metrics::ced_limit;  ///< of an error, in face lengths
  metrics::FaceLength length = metrics::FaceLength::BoxDiagonal;
  /// Of metric seam: pixels before which two windows meet; 0: the picture closes on itself.
  std::vector<std::int64_t> seams = {};
  bool down = false;  ///< seams lie along the height, not the width
};

/// Content of the files.
///   - Landmarks, Labels, Pose: as in datasets/predictions.h; paired by item.
///   - Pictures: as in datasets/predicted_pictures.h. Paired by shared names, else by order.
///   - Features: .npy of numbers [N, d], one feature vector per item. Or pictures, whose pixels in
///     [0, 1] are the features. Two sets, not paired.
///   - Canvas: pictures, without a truth.
enum class MetricInput { Landmarks, Labels, Pose, Pictures, Features, Canvas };

struct MetricCase {
  /// Values in the same order if they are paired; a Canvas has no truth.
  at::Tensor predicted, truth;
  std::vector<std::string> item = {};  ///< of paired rows; row numbers for .npy
  bool by_row = false;                 ///< both are .npy: items are row numbers
  bool by_order = false;               ///< pictures whose names do not tell which belong together
  MetricOptions options = {};
};

struct NamedMetric {
  std::string name;
  std::string description;
  MetricInput input;
  /// Better direction; nothing for a metric of several numbers, which no record holds.
  std::optional<records::Direction> better;
  /// The object that --json prints: the metric under its own name, n, protocol.
  std::function<nlohmann::json(const MetricCase& given)> value;
  std::string unit = {};  ///< "" for a pure number
};

const std::vector<NamedMetric>& metric_list();

/// Reads a metric's input. UsageError: a file that cannot be read or paired; a truth that is
/// missing, or that a Canvas does not have.
MetricCase read_case(const NamedMetric& metric, const std::filesystem::path& predictions,
                     const std::filesystem::path& truth, const MetricOptions& options);

class Settings;

/// Checks the setting `metrics`: metrics of this list that cells record in addition to their
/// study's own; none by default.
/// UsageError: an unknown metric, one that no record can hold, or one whose input no cell of the
/// study has (`inputs`).
void check_named_metrics(const Settings& settings, const std::vector<MetricInput>& inputs,
                         const std::string& study);

/// Records the named metrics that take `input`: as NAME, or NAME_PART of a part of the cell, with
/// `protocol` after their own. Existing metrics stay.
void add_named_metrics(MetricInput input, const MetricCase& given, const std::string& part,
                       const std::string& protocol, const Settings& settings,
                       records::Record& record);

}  // namespace reprise::reproduce
