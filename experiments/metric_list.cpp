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
    // JSON takes vectors, so each row of the matrix is copied.
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
    // Rows without names form one sequence, in their order.
    const auto bar = given.by_row ? std::string::npos : item.rfind('/');
    const auto first = bar == std::string::npos ? 0 : bar + 1;
    std::int64_t frame = 0;
    const auto [end, error] =
        std::from_chars(item.data() + first, item.data() + item.size(), frame);
    if (error != std::errc() || end != item.data() + item.size())
      throw UsageError(fmt::format("the frame of item {} is not a whole number", item),
                       "number the frames of a sequence");
    // The map also sorts the frames of each sequence.
    if (!rows.emplace(std::pair(item.substr(0, first), frame), row).second)
      throw UsageError(
          fmt::format("frame {} of sequence {} is there twice", frame, item.substr(0, first)),
          "give each frame once");
  }
  std::vector<std::vector<std::int64_t>> segments;
  const std::pair<std::string, std::int64_t>* last = nullptr;
  for (const auto& [key, row] : rows) {
    // A gap in the frame numbers starts a new segment, because a step over it is no motion.
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
    // One tensor per segment: jitter is of steps between neighbouring frames.
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
    // Files store [N, H, W, 3]; the metric takes [N, 3, H, W].
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
  // Pixels 0 to 255 as fractions, one row per picture.
  return datasets::read_predicted_pictures(path).flatten(1).to(at::kDouble) / 255;
}

/// Names in the setting `metrics`. The text of a profile need not contain it: by default it is
/// empty.
std::vector<std::string> named_metrics(const Settings& settings) {
  return settings.all().contains("metrics") ? settings.texts("metrics")
                                            : std::vector<std::string>();
}

}  // namespace

const std::vector<NamedMetric>& metric_list() {
  using enum MetricInput;
  using enum records::Direction;
  static const std::vector<NamedMetric> all = {
      {.name = "auc",
       .description =
           "area under the cumulative landmark error curve up to --limit, and the failure rate",
       .input = Landmarks,
       .better = HigherIsBetter,
       .value = auc},
      {.name = "failure_rate",
       .description = "fraction of frames whose landmark error is above --limit",
       .input = Landmarks,
       .better = LowerIsBetter,
       .value = failure_rate},
      {.name = "mean_error",
       .description = "mean landmark error, in face lengths",
       .input = Landmarks,
       .better = LowerIsBetter,
       .value = mean_error,
       .unit = "face lengths"},
      {.name = "accuracy",
       .description = "fraction of right labels",
       .input = Labels,
       .better = HigherIsBetter,
       .value = accuracy},
      {.name = "confusion",
       .description = "how often each true label was called which",
       .input = Labels,
       .better = {},
       .value = confusion},
      {.name = "pose_error",
       .description =
           "mean absolute error of head poses, degrees, of each axis and the mean of the three",
       .input = Pose,
       .better = LowerIsBetter,
       .value = pose_error,
       .unit = "deg"},
      {.name = "jitter",
       .description = "standard deviation of the pose error's steps from frame to frame, degrees",
       .input = Pose,
       .better = LowerIsBetter,
       .value = jitter,
       .unit = "deg"},
      {.name = "psnr",
       .description = "peak signal-to-noise ratio of pictures, dB, mean over items",
       .input = Pictures,
       .better = HigherIsBetter,
       .value = psnr,
       .unit = "dB"},
      {.name = "ssim",
       .description = "structural similarity of pictures, mean over items",
       .input = Pictures,
       .better = HigherIsBetter,
       .value = ssim},
      {.name = "frechet",
       .description = "Fréchet distance of two sets by their feature vectors, or by their pixels",
       .input = Features,
       .better = LowerIsBetter,
       .value = frechet},
      {.name = "kernel",
       .description =
           "kernel distance (unbiased) of two sets by their feature vectors, or by their pixels",
       .input = Features,
       .better = LowerIsBetter,
       .value = kernel},
      {.name = "seam",
       .description = "how much rougher pictures are at --seams than elsewhere; no --truth",
       .input = Canvas,
       .better = LowerIsBetter,
       .value = seam},
  };
  return all;
}

MetricCase read_case(const NamedMetric& metric, const fs::path& predictions, const fs::path& truth,
                     const MetricOptions& options) {
  const bool alone = metric.input == MetricInput::Canvas;
  // Only metrics of a canvas have no true values.
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
  // Landmarks, labels and poses: rows that are paired by item.
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
    // Only metrics of a single number fit into a record.
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
    // A study may record the metric itself, by its own protocol.
    if (metric.input != input || record.metric(in_record)) continue;
    const auto found = metric.value(given);
    record.metrics.push_back(
        {.name = in_record,
         .value = found.at(name).get<double>(),
         .unit = metric.unit,
         .direction = *metric.better,
         .protocol = found.at("protocol").get<std::string>() + ", " + protocol});
  }
}

}  // namespace reprise::reproduce
