// The metrics that anyone's predictions can be judged by: one line a metric in metric_list.cpp.
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

/// What the files hold.
///   Landmarks, Labels, Pose   datasets/predictions.h; paired by item
///   Pictures                  datasets/predicted_pictures.h; paired by name where names are shared, else by their order
///   Features                  .npy of numbers, [N, d]: a feature vector of each item; or pictures, whose pixels from 0 to 1 are the features.
///                             Two sets, not paired
///   Canvas                    pictures, without a truth
enum class MetricInput { Landmarks, Labels, Pose, Pictures, Features, Canvas };

struct MetricCase {
  /// In the same order where they are paired; truth is not defined for a Canvas.
  at::Tensor predicted, truth;
  std::vector<std::string> item = {};  ///< of paired rows; row numbers for .npy
  bool by_row = false;                 ///< both are .npy: items are row numbers
  bool by_order = false;               ///< pictures whose names do not tell which belong together
  MetricOptions options = {};
};

struct NamedMetric {
  std::string name, says;
  MetricInput input;
  /// Which way; not set: it is more than one number, and no record holds it.
  std::optional<records::Direction> better;
  /// The object that --json prints: the metric under its own name, n, protocol.
  std::function<nlohmann::json(const MetricCase& given)> value;
  std::string unit = {};  ///< "" for a pure number
};

const std::vector<NamedMetric>& metric_list();

/// UsageError: what cannot be read or paired; a truth that is missing, or that a Canvas does not
/// have.
MetricCase read_case(const NamedMetric& metric, const std::filesystem::path& predictions,
                     const std::filesystem::path& truth, const MetricOptions& options);

class Settings;

/// The setting `metrics` of every profile names metrics of this list that cells put into their
/// records beside their study's own: none by default. UsageError: one that is not in the list, that
/// no record can hold, or whose input no cell of the study has (`inputs`).
void check_named_metrics(const Settings& settings, const std::vector<MetricInput>& inputs,
                         const std::string& study);

/// Puts those that take `input` into the record: as NAME, or NAME_PART of a part of the cell, with
/// `protocol` behind their own. One that the record has already stays as it is.
void add_named_metrics(MetricInput input, const MetricCase& given, const std::string& part,
                       const std::string& protocol, const Settings& settings,
                       records::Record& record);

}  // namespace reprise::reproduce
