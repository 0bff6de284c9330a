#include "reproduce/prernn/measure.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "experiments/sequence_training.h"
#include "metrics/gates.h"
#include "metrics/landmarks.h"
#include "models/methods.h"
#include "reproduce/prernn/clips.h"

namespace reprise::reproduce::prernn_study {
namespace {

using records::Direction;

}  // namespace

void measure_gaps(const at::Tensor& predicted, const at::Tensor& truth, const at::Tensor& damaged, bool oracle, CellContext& context,
                  records::Curves& curves) {
  if (!damaged.any().item<bool>() || damaged.all().item<bool>()) return;
  auto& record = context.record;
  const auto error_of = [&](const at::Tensor& landmarks) {
    return metrics::landmark_error(landmarks.flatten(0, 1), truth.flatten(0, 1)).view({truth.size(0), truth.size(1)});
  };
  const auto error = error_of(predicted);
  measure_error(error.index({damaged}), record.cell.dataset + ", damaged frames", "_damaged", record);
  measure_error(error.index({~damaged}), record.cell.dataset + ", clear frames", "_clear", record);
  curves["error_in_gaps"] = values_of(metrics::error_in_gaps(error, damaged));
  if (!oracle) return;
  for (const bool causal : {true, false})
    measure_error(error_of(bridged(predicted, damaged, causal)).flatten(),
                  fmt::format("{}, damaged frames by {} clear ones", record.cell.dataset, causal ? "earlier" : "the nearest"),
                  causal ? "_bridged_causal" : "_bridged", record);
}

void measure_convergence(const records::Curves& curves, const std::string& part, records::Record& record) {
  const auto& errors = curves.at(of_part("validation_error", part));
  const auto first = errors.begin() + (curves.contains(of_part("epoch", part)) ? 1 : 0);
  const double least = *std::min_element(first, errors.end());
  double above = 0;
  for (auto error = first; error != errors.end(); ++error) above += *error / least - 1;
  record.metrics.push_back({of_part("above_its_best", part), above, "epochs", Direction::LowerIsBetter, "validation, summed over epochs"});
}

at::Tensor smoothed(const at::Tensor& predicted, double weight) {
  std::vector<at::Tensor> frames;
  for (const auto& frame : predicted.unbind(1)) frames.push_back(frames.empty() ? frame : frame * weight + frames.back() * (1 - weight));
  return at::stack(frames, 1);
}

void measure_smoothed(const at::Tensor& validation, const at::Tensor& validation_truth, const at::Tensor& predicted,
                      const at::Tensor& truth, records::Record& record) {
  const auto error_of = [](const at::Tensor& points, const at::Tensor& its_truth) {
    return metrics::landmark_error(points.flatten(0, 1), its_truth.flatten(0, 1));
  };
  double best = 1, least = std::numeric_limits<double>::infinity();
  for (int tenths = 1; tenths <= 10; ++tenths) {
    const double weight = tenths / 10.0, error = metrics::mean_error(error_of(smoothed(validation, weight), validation_truth));
    if (error < least) best = weight, least = error;
  }
  record.metrics.push_back({"smoothing_weight", best, "", Direction::Neither, ""});
  measure_error(error_of(smoothed(predicted, best), truth), record.cell.dataset, "_smoothed", record);
}

void measure_error(const at::Tensor& error, const std::string& dataset, const std::string& suffix, records::Record& record) {
  constexpr double limit = 0.08;
  constexpr auto length = metrics::FaceLength::BoxDiagonal;
  const auto add = [&](const std::string& name, double value, Direction direction, std::optional<double> at_limit) {
    record.metrics.push_back(
        {name + suffix, value, "", direction, fmt::format("{}, {}", metrics::protocol(name, length, at_limit), dataset)});
  };
  record.parameters["test_frames" + suffix] = error.numel();
  add("auc", metrics::auc(error, limit), Direction::HigherIsBetter, limit);
  add("mean_error", metrics::mean_error(error), Direction::LowerIsBetter, std::nullopt);
  add("failure_rate", metrics::failure_rate(error, limit), Direction::LowerIsBetter, limit);
}

at::Tensor measure_landmarks(const at::Tensor& predicted, const at::Tensor& truth, std::int64_t frames, CellContext& context,
                             records::Curves& curves) {
  auto& record = context.record;
  auto error = metrics::landmark_error(predicted, truth);
  measure_error(error, record.cell.dataset, "", record);
  add_named_metrics(MetricInput::Landmarks, {.predicted = predicted, .truth = truth}, "", record.cell.dataset, context.settings, record);
  measure_curves(error, frames, curves);
  return error;
}

void measure_curves(const at::Tensor& error, std::int64_t frames, records::Curves& curves) {
  const auto curve = metrics::error_curve(error);
  curves["ced_x"] = curve.x;
  curves["ced"] = curve.y;
  curves["error_by_position"] = values_of(metrics::error_by_position(error.view({-1, frames})));
}

void measure_gates(training::SequenceNetwork& network, const at::Tensor& features, const std::string& when, const std::string& part,
                   bool units, records::Record& record, records::Curves& curves) {
  network.eval();
  auto gates = network.gates(features.to(device_of(network)));
  if (gates.empty()) return;
  for (auto& [name, activations] : gates) activations = activations.cpu();
  const std::string before = part.empty() ? when : part + "." + when;
  std::vector<std::string> layers;
  for (const auto& [name, activations] : gates) {
    const auto layer = name.substr(0, name.find_last_of('.'));
    if (layers.empty() || layers.back() != layer) layers.push_back(layer);
  }
  const std::vector<std::string> ordinals{"first", "second"};
  for (std::size_t l = 0; l < layers.size(); ++l) {
    std::vector<at::Tensor> all;
    for (const auto& [name, activations] : gates) {
      if (name.substr(0, name.find_last_of('.')) != layers[l]) continue;
      const auto key = before + ordinals.at(l) + name.substr(name.find_last_of('.'));
      const auto saturation = metrics::saturation(activations);
      if (units) {  // figure 2A shows one seed; a value a unit for each would be half of a run's records
        curves[key + ".left"] = values_of(saturation.left);
        curves[key + ".right"] = values_of(saturation.right);
      }
      curves[key + ".histogram"] = values_of(metrics::gate_histogram(activations) / static_cast<double>(activations.numel()));
      all.push_back(activations.flatten());
    }
    const auto activations = at::cat(all);
    const auto outside = 1 - metrics::active_share(activations);
    const auto add = [&](const std::string& what, double value, const std::string& protocol) {
      record.metrics.push_back({of_part(what + "_" + ordinals[l] + (when.empty() ? "" : "_start"), part), value, "",
                                Direction::HigherIsBetter, protocol + ", validation"});
    };
    add("saturation", outside, "share outside [0.1, 0.9]");
    add("active", 1 - outside, "share outside [0.1, 0.9]");  // one protocol: they are compared with each other
    if (const auto forget = gates.find(layers[l] + ".f"); forget != gates.end()) {
      add("remembers", forget->second.gt(0.9).to(at::kDouble).mean().item<double>(), "share of forget gates above 0.9");
      add("forget_saturation", 1 - metrics::active_share(forget->second), "share of forget gates outside [0.1, 0.9]");
    }
    if (!when.empty()) continue;
    record.metrics.push_back(
        {of_part("kept_" + ordinals[l], part), metrics::keeps_layer(activations) ? 1.0 : 0.0, "", Direction::Neither, ""});
    if (l == 0)
      record.metrics.push_back({of_part("saturation_gain", part),
                                outside - record.metric(of_part("saturation_first_start", part)).value_or(outside), "",
                                Direction::HigherIsBetter, "trained - start"});
  }
}

void count_parameters(const training::SequenceNetwork& network, const models::MethodFacts& facts, std::int64_t features, std::int64_t width,
                      records::Record& record) {
  constexpr std::int64_t vgg16_features = 25088, vgg16_width = 4096;
  std::int64_t all = 0;
  for (const auto& p : network.parameters()) all += p.numel();
  const auto recurrent = network.recurrent_parameters(features, width);
  const auto vgg16 = network.recurrent_parameters(vgg16_features, vgg16_width);
  auto products = vgg16;
  for (const auto layer : facts.layers) products += (layer == models::Layer::Fc6 ? vgg16_features : vgg16_width) * vgg16_width;
  record.parameters["products_vgg16"] = products;
  record.parameters["all"] = all;
  record.parameters["recurrent"] = recurrent;
  record.parameters["recurrent_vgg16"] = vgg16;
}

void count_parameters(const training::SequenceNetwork& network, const models::Backbone& trained, const std::string& part,
                      records::Record& record) {
  const auto& stages = trained->stages();
  const auto first = stages[trained->index_of(models::features_layer(trained)) + 1].options();
  std::int64_t all = 0;
  for (const auto& p : network.parameters()) all += p.numel();
  record.parameters[of_part("all", part)] = all;
  record.parameters[of_part("recurrent", part)] = network.recurrent_parameters(first.inputs, stages.back().options().inputs);
}

}  // namespace reprise::reproduce::prernn_study
