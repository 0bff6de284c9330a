#include "experiments/metric_list.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/npy.h"
#include "datasets/predicted_pictures.h"
#include "datasets/predictions.h"
#include "experiments/names.h"
#include "experiments/settings.h"
#include "metrics/classification.h"
#include "metrics/frechet.h"
#include "metrics/image_quality.h"
#include "metrics/pose.h"
#include "metrics/seams.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using datasets::PredictionKind;
using nlohmann::json;

json auc(const MetricCase& given) {
  const auto error = metrics::landmark_error(given.predicted, given.truth, given.options.length);
  return {{"auc", metrics::auc(error, given.options.limit)},
          {"failure_rate", metrics::failure_rate(error, given.options.limit)},
          {"n", error.numel()},
          {"protocol", metrics::protocol("auc", given.options.length, given.options.limit,
                                         given.truth.size(1))}};
}

json failure_rate(const MetricCase& given) {
  const auto error = metrics::landmark_error(given.predicted, given.truth, given.options.length);
  return {{"failure_rate", metrics::failure_rate(error, given.options.limit)},
          {"n", error.numel()},
          {"protocol", metrics::protocol("failure_rate", given.options.length, given.options.limit,
                                         given.truth.size(1))}};
}

json mean_error(const MetricCase& given) {
  const auto error = metrics::landmark_error(given.predicted, given.truth, given.options.length);
  return {{"mean_error", metrics::mean_error(error)},
          {"n", error.numel()},
          {"protocol", metrics::protocol("mean_error", given.options.length, std::nullopt,
                                         given.truth.size(1))}};
}

json accuracy(const MetricCase& given) {
  return {{"accuracy", metrics::accuracy(given.predicted, given.truth)},
          {"n", given.truth.numel()},
          {"protocol", metrics::accuracy_protocol}};
}

/// Labels count from 0. UsageError: more classes than a matrix is made of.
std::int64_t class_count(const MetricCase& given) {
  const auto largest =
      std::max(given.predicted.max().item<std::int64_t>(), given.truth.max().item<std::int64_t>());
  if (largest < metrics::max_confusion_classes) return largest + 1;
  throw UsageError(
      fmt::format("label {} makes more than {} classes", largest, metrics::max_confusion_classes),
      "number the classes from 0 without gaps");
}

json confusion(const MetricCase& given) {
  const auto counts = metrics::confusion(given.predicted, given.truth, class_count(given));
  json rows = json::array();
  for (const auto& row : counts.unbind(0)) {
    const auto* values = row.const_data_ptr<std::int64_t>();
    rows.push_back(std::vector<std::int64_t>(values, values + row.numel()));
  }
  return {{"confusion", rows},
          {"n", given.truth.numel()},
          {"protocol", "confusion: rows true, columns predicted"}};
}

json pose_error(const MetricCase& given) {
  const auto error = metrics::pose_error(given.predicted, given.truth);
  return {{"pose_error", error.mean}, {"pitch", error.axis[0]},
          {"yaw", error.axis[1]},     {"roll", error.axis[2]},
          {"n", given.truth.size(0)}, {"protocol", metrics::pose_error_protocol}};
}

/// Rows of each sequence's segments of neighbouring frames; items are SEQUENCE/FRAME.
std::vector<std::vector<std::int64_t>> list_segments(const MetricCase& given) {
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> rows;
  for (std::size_t row = 0; row < given.item.size(); ++row) {
    const auto& item = given.item[row];
    const auto bar = given.by_row ? std::string::npos : item.rfind('/');
    const auto first = bar == std::string::npos ? 0 : bar + 1;
    std::int64_t frame = 0;
    const auto [end, error] =
        std::from_chars(item.data() + first, item.data() + item.size(), frame);
    if (error != std::errc() || end != item.data() + item.size())
      throw UsageError(fmt::format("the frame of item {} is not a whole number", item),
                       "number the frames of a sequence");
    if (!rows.emplace(std::pair(item.substr(0, first), frame), row).second)
      throw UsageError(
          fmt::format("frame {} of sequence {} is there twice", frame, item.substr(0, first)),
          "give each frame once");
  }
  std::vector<std::vector<std::int64_t>> segments;
  const std::pair<std::string, std::int64_t>* last = nullptr;
  for (const auto& [key, row] : rows) {
    if (!last || key.first != last->first || key.second - 1 != last->second)
      segments.emplace_back();
    segments.back().push_back(row);
    last = &key;
  }
  return segments;
}

json jitter(const MetricCase& given) {
  std::vector<at::Tensor> predicted, truth;
  for (const auto& rows : list_segments(given)) {
    const auto index = at::tensor(rows, at::kLong);
    predicted.push_back(given.predicted.index_select(0, index));
    truth.push_back(given.truth.index_select(0, index));
  }
  return {{"jitter", metrics::pose_jitter(predicted, truth)},
          {"n", given.truth.size(0)},
          {"protocol", metrics::pose_jitter_protocol}};
}

/// Describes the pairing of pictures, unless it is by name.
std::string pairing(const MetricCase& given) {
  return given.by_order ? "; paired by the order of their names" : "";
}

json psnr(const MetricCase& given) {
  // Equal pictures have an infinite PSNR; 60 dB bounds it, so that the mean exists.
  const auto each = metrics::psnr(given.predicted, given.truth, 255).clamp_max(60);
  return {
      {"psnr", each.mean().item<double>()},
      {"n", each.numel()},
      {"protocol", "PSNR in dB, range 255, mean over items; equal ones count 60" + pairing(given)}};
}

json ssim(const MetricCase& given) {
  const auto channels_first = [](const at::Tensor& pictures) {
    return pictures.permute({0, 3, 1, 2}).contiguous();
  };
  const auto each =
      metrics::ssim(channels_first(given.predicted), channels_first(given.truth), 255);
  return {{"ssim", each.mean().item<double>()},
          {"n", each.numel()},
          {"protocol",
           "SSIM, range 255, Gaussian window of 11 x 11, mean over items" + pairing(given)}};
}

json distance(const MetricCase& given, const char* name, double value) {
  return {{name, value},
          {"n", given.predicted.size(0)},
          {"n_truth", given.truth.size(0)},
          {"protocol",
           fmt::format("{} distance of the {} features given", name, given.predicted.size(1))}};
}

json frechet(const MetricCase& given) {
  return distance(given, "frechet", metrics::frechet_distance(given.predicted, given.truth));
}
json kernel(const MetricCase& given) {
  return distance(given, "kernel", metrics::kernel_distance(given.predicted, given.truth));
}

json seam(const MetricCase& given) {
  if (given.options.seams.empty())
    throw UsageError("no seam is given", "give them with --seams, for example --seams 64,128");
  return {{"seam", metrics::seam_energy(given.predicted.to(at::kDouble), given.options.down ? 1 : 2,
                                        given.options.seams)},
          {"n", given.predicted.size(0)},
          {"protocol", "step at seams over step elsewhere"}};
}

PredictionKind kind_of_rows(MetricInput input) {
  if (input == MetricInput::Labels) return PredictionKind::Labels;
  return input == MetricInput::Pose ? PredictionKind::Pose : PredictionKind::Landmarks;
}

at::Tensor read_features(const fs::path& path) {
  // Rows of numbers are features; arrays of more dimensions are pictures.
  if (datasets::is_npy(path)) {
    const auto values = datasets::read_npy(path);
    if (values.dim() == 2 && values.size(0) > 0) return values.to(at::kDouble);
  }
  return datasets::read_predicted_pictures(path).flatten(1).to(at::kDouble) / 255;
}

/// A profile's text need not have the key: that nothing is named is what a run adds to it.
std::vector<std::string> named_metrics(const Settings& settings) {
  return settings.all().contains("metrics") ? settings.texts("metrics")
                                            : std::vector<std::string>();
}

}  // namespace

const std::vector<NamedMetric>& metric_list() {
  using enum MetricInput;
  using enum records::Direction;
  static const std::vector<NamedMetric> all = {
      {"auc", "area under the cumulative landmark error curve up to --limit, and the failure rate",
       Landmarks, HigherIsBetter, auc},
      {"failure_rate", "fraction of frames whose landmark error is above --limit", Landmarks,
       LowerIsBetter, failure_rate},
      {"mean_error", "mean landmark error, in face lengths", Landmarks, LowerIsBetter, mean_error,
       "face lengths"},
      {"accuracy", "fraction of right labels", Labels, HigherIsBetter, accuracy},
      {"confusion", "how often each true label was called which", Labels, {}, confusion},
      {"pose_error",
       "mean absolute error of head poses, degrees, of each axis and the mean of the three", Pose,
       LowerIsBetter, pose_error, "deg"},
      {"jitter", "standard deviation of the pose error's steps from frame to frame, degrees", Pose,
       LowerIsBetter, jitter, "deg"},
      {"psnr", "peak signal-to-noise ratio of pictures, dB, mean over items", Pictures,
       HigherIsBetter, psnr, "dB"},
      {"ssim", "structural similarity of pictures, mean over items", Pictures, HigherIsBetter,
       ssim},
      {"frechet", "Fréchet distance of two sets by their feature vectors, or by their pixels",
       Features, LowerIsBetter, frechet},
      {"kernel",
       "kernel distance (unbiased) of two sets by their feature vectors, or by their pixels",
       Features, LowerIsBetter, kernel},
      {"seam", "how much rougher pictures are at --seams than elsewhere; no --truth", Canvas,
       LowerIsBetter, seam},
  };
  return all;
}

MetricCase read_case(const NamedMetric& metric, const fs::path& predictions, const fs::path& truth,
                     const MetricOptions& options) {
  const bool alone = metric.input == MetricInput::Canvas;
  if (alone == !truth.empty())
    throw UsageError(alone ? metric.name + " has no truth" : metric.name + " needs the true ones",
                     alone ? "leave out --truth" : "give --truth");
  if (!options.seams.empty() && !alone)
    throw UsageError(metric.name + " has no seams", "leave out --seams");
  switch (metric.input) {
    case MetricInput::Pictures: {
      auto pairs = datasets::read_paired_pictures(predictions, truth);
      return {.predicted = pairs.predicted,
              .truth = pairs.truth,
              .by_order = pairs.by_order,
              .options = options};
    }
    case MetricInput::Features:
      return {.predicted = read_features(predictions),
              .truth = read_features(truth),
              .options = options};
    case MetricInput::Canvas:
      return {.predicted = datasets::read_predicted_pictures(predictions),
              .truth = {},
              .options = options};
    default:
      break;
  }
  const auto read = datasets::read_predictions(predictions, kind_of_rows(metric.input));
  const auto known = datasets::read_predictions(truth, kind_of_rows(metric.input));
  return {.predicted = datasets::align_predictions(read, known),
          .truth = known.values,
          .item = known.item,
          .by_row = known.by_row,
          .options = options};
}

void check_named_metrics(const Settings& settings, const std::vector<MetricInput>& inputs,
                         const std::string& study) {
  std::vector<std::string> fit;
  for (const auto& metric : metric_list())
    if (metric.better && std::count(inputs.begin(), inputs.end(), metric.input) > 0)
      fit.push_back(metric.name);
  for (const auto& name : named_metrics(settings)) {
    const NamedMetric& metric = find_named(metric_list(), "metric", name);
    if (!metric.better)
      throw UsageError("metrics: " + name + " is more than one number, and no record holds it",
                       "leave it out");
    if (std::count(fit.begin(), fit.end(), name) == 0)
      throw UsageError("metrics: no cell of " + study + " has what " + name + " takes",
                       fit.empty() ? "leave it out" : "name some of " + join(fit, ", "));
  }
}

void add_named_metrics(MetricInput input, const MetricCase& given, const std::string& part,
                       const std::string& protocol, const Settings& settings,
                       records::Record& record) {
  for (const auto& name : named_metrics(settings)) {
    const NamedMetric& metric = find_named(metric_list(), "metric", name);
    const auto in_record = part.empty() ? name : name + "_" + part;
    if (metric.input != input || record.metric(in_record)) continue;
    const auto found = metric.value(given);
    record.metrics.push_back({in_record, found.at(name).get<double>(), metric.unit, *metric.better,
                              found.at("protocol").get<std::string>() + ", " + protocol});
  }
}

}  // namespace reprise::reproduce
