#include "reproduce/prernn/measure.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "experiments/landmark_task.h"
#include "experiments/sequence_training.h"
#include "metrics/gates.h"
#include "metrics/landmarks.h"
#include "models/methods.h"
#include "reproduce/prernn/clips.h"

namespace reprise::reproduce::prernn_study {
namespace {

using records::Direction;

/// Errors [N, T] of landmarks [N, T, 68, 2].
at::Tensor clip_errors(const at::Tensor& predicted, const at::Tensor& truth) {
  return metrics::landmark_error(predicted.flatten(0, 1), truth.flatten(0, 1))
      .view({truth.size(0), truth.size(1)});
}

}  // namespace

void measure_gaps(const at::Tensor& predicted, const at::Tensor& truth, const at::Tensor& damaged,
                  bool oracle, CellContext& context, records::Curves& curves) {
  // Without both kinds of frames there is nothing to compare.
  if (!damaged.any().item<bool>() || damaged.all().item<bool>()) return;
  auto& record = context.record;
  const auto error = clip_errors(predicted, truth);
  measure_error(error.index({damaged}), record.cell.dataset + ", damaged frames", "damaged",
                record);
  measure_error(error.index({~damaged}), record.cell.dataset + ", clear frames", "clear", record);
  curves["error_in_gaps"] = values_of(metrics::error_in_gaps(error, damaged));
  if (!oracle) return;
  // Bounds on what memory can gain, from the plain network's landmarks in clear frames.
  for (const bool causal : {true, false})
    measure_error(clip_errors(bridge_gaps(predicted, damaged, causal), truth),
                  fmt::format("{}, damaged frames by {} clear ones", record.cell.dataset,
                              causal ? "earlier" : "the nearest"),
                  causal ? "bridged_causal" : "bridged", record);
}

void measure_convergence(const records::Curves& curves, const std::string& part,
                         records::Record& record) {
  const auto& errors = curves.at(name_with_part("validation_error", part));
  // With an "epoch" curve the first error is that before training.
  const auto first = errors.begin() + (curves.contains(name_with_part("epoch", part)) ? 1 : 0);
  const double least = *std::min_element(first, errors.end());
  // Relative to its own best, so that networks of different accuracy can be compared.
  double above = 0;
  for (auto error = first; error != errors.end(); ++error) above += *error / least - 1;
  record.metrics.push_back({.name = name_with_part("above_its_best", part),
                            .value = above,
                            .unit = "epochs",
                            .direction = Direction::LowerIsBetter,
                            .protocol = "validation, summed over epochs"});
}

at::Tensor smooth_landmarks(const at::Tensor& predicted, double weight) {
  std::vector<at::Tensor> frames;
  for (const auto& frame : predicted.unbind(1))
    frames.push_back(frames.empty() ? frame : frame * weight + frames.back() * (1 - weight));
  return at::stack(frames, 1);
}

void measure_smoothed(const at::Tensor& validation, const at::Tensor& validation_truth,
                      const at::Tensor& predicted, const at::Tensor& truth,
                      records::Record& record) {
  double best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int tenths = 1; tenths <= 10; ++tenths) {
    const double weight = tenths / 10.0;
    const double error =
        metrics::mean_error(clip_errors(smooth_landmarks(validation, weight), validation_truth));
    // Of equal errors the smaller weight counts.
    if (error >= least) continue;
    best = weight;
    least = error;
  }
  record.metrics.push_back({.name = "smoothing_weight",
                            .value = best,
                            .unit = "",
                            .direction = Direction::Neither,
                            .protocol = ""});
  measure_error(clip_errors(smooth_landmarks(predicted, best), truth), record.cell.dataset,
                "smoothed", record);
}

void measure_error(const at::Tensor& error, const std::string& data, const std::string& part,
                   records::Record& record) {
  record.parameters[name_with_part("test_frames", part)] = error.numel();
  record_landmark_error(error, {.part = part, .data = data}, record);
}

at::Tensor measure_clips(const at::Tensor& predicted, const at::Tensor& truth, CellContext& context,
                         records::Curves& curves) {
  auto error = measure_landmarks(predicted, truth, {.data = context.record.cell.dataset}, context);
  context.record.parameters["test_frames"] = error.numel();
  const auto curve = metrics::error_curve(error);
  curves["ced_x"] = curve.x;
  curves["ced"] = curve.y;
  curves["error_by_position"] = values_of(metrics::error_by_position(error));
  return error;
}

namespace {

/// Gates of one recurrent layer by name.
struct LayerGates {
  std::string layer;
  std::map<std::string, at::Tensor> gates = {};
  /// Returns the activations of all gates together.
  at::Tensor activations() const {
    std::vector<at::Tensor> flat;
    for (const auto& [name, gate] : gates) flat.push_back(gate.flatten());
    return at::cat(flat);
  }
};

/// Groups gates ("LAYER.GATE" -> activations) by layer, in the order of names.
std::vector<LayerGates> split_by_layer(const std::map<std::string, at::Tensor>& gates) {
  std::vector<LayerGates> layers;
  for (const auto& [name, activations] : gates) {
    const auto dot = name.find_last_of('.');
    if (layers.empty() || layers.back().layer != name.substr(0, dot))
      layers.push_back({.layer = name.substr(0, dot)});
    layers.back().gates[name.substr(dot + 1)] = activations.cpu();
  }
  return layers;
}

/// Writes the curves KEY.GATE.left and .right (with `units`) and KEY.GATE.histogram.
void record_gate_curves(const LayerGates& layer, const std::string& key, bool units,
                        records::Curves& curves) {
  for (const auto& [gate, activations] : layer.gates) {
    const auto name = key + "." + gate;
    // One value per unit and seed would be half of a run's records; figure 2A shows one seed.
    if (units) {
      const auto saturation = metrics::saturation(activations);
      curves[name + ".left"] = values_of(saturation.left);
      curves[name + ".right"] = values_of(saturation.right);
    }
    curves[name + ".histogram"] =
        values_of(metrics::gate_histogram(activations) / static_cast<double>(activations.numel()));
  }
}

/// Records metrics of a layer, "first" or "second", before or after training.
void record_gate_metrics(const LayerGates& layer, const std::string& ordinal, bool before_training,
                         const std::string& part, records::Record& record) {
  const auto activations = layer.activations();
  const auto outside = 1 - metrics::active_fraction(activations);
  const auto add = [&](const std::string& what, double value, const std::string& protocol) {
    record.metrics.push_back(
        {.name = name_with_part(what + "_" + ordinal + (before_training ? "_start" : ""), part),
         .value = value,
         .unit = "",
         .direction = Direction::HigherIsBetter,
         .protocol = protocol + ", validation"});
  };
  add("saturation", outside, "share outside [0.1, 0.9]");
  // Claims compare both metrics, so they share one protocol.
  add("active", 1 - outside, "share outside [0.1, 0.9]");
  if (const auto forget = layer.gates.find("f"); forget != layer.gates.end()) {
    add("remembers", forget->second.gt(0.9).to(at::kDouble).mean().item<double>(),
        "share of forget gates above 0.9");
    add("forget_saturation", 1 - metrics::active_fraction(forget->second),
        "share of forget gates outside [0.1, 0.9]");
  }
  if (before_training) return;
  record.metrics.push_back({.name = name_with_part("kept_" + ordinal, part),
                            .value = metrics::keeps_layer(activations) ? 1.0 : 0.0,
                            .unit = "",
                            .direction = Direction::Neither,
                            .protocol = ""});
  if (ordinal != "first") return;
  // Without a record of the start the gain is 0.
  const auto start =
      record.metric(name_with_part("saturation_first_start", part)).value_or(outside);
  record.metrics.push_back({.name = name_with_part("saturation_gain", part),
                            .value = outside - start,
                            .unit = "",
                            .direction = Direction::HigherIsBetter,
                            .protocol = "trained - start"});
}

}  // namespace

void measure_gates(training::SequenceNetwork& network, const at::Tensor& features,
                   const std::string& when, const std::string& part, bool units,
                   records::Record& record, records::Curves& curves) {
  network.eval();
  // Names of layers differ between methods (fc6, rnn1); "first" and "second" make them comparable.
  const std::vector<std::string> ordinals{"first", "second"};
  const auto layers = split_by_layer(network.gates(features.to(device_of(network))));
  for (std::size_t l = 0; l < layers.size(); ++l) {
    record_gate_curves(layers[l], (part.empty() ? "" : part + ".") + when + ordinals.at(l), units,
                       curves);
    record_gate_metrics(layers[l], ordinals[l], !when.empty(), part, record);
  }
}

void count_parameters(const training::SequenceNetwork& network, const models::MethodTraits& traits,
                      std::int64_t features, std::int64_t width, records::Record& record) {
  // VGG16: 512 x 7 x 7 features of the last pooling; fc6 and fc7 have 4096 units.
  constexpr std::int64_t vgg16_features = 25088;
  constexpr std::int64_t vgg16_width = 4096;
  const auto recurrent = network.recurrent_parameters(features, width);
  const auto vgg16 = network.recurrent_parameters(vgg16_features, vgg16_width);
  // A layer that became recurrent also multiplies by its own trained weights.
  auto products = vgg16;
  for (const auto layer : traits.layers)
    products += (layer == models::Layer::Fc6 ? vgg16_features : vgg16_width) * vgg16_width;
  record.parameters["products_vgg16"] = products;
  record.parameters["all"] = count_weights(network);
  record.parameters["recurrent"] = recurrent;
  record.parameters["recurrent_vgg16"] = vgg16;
}

void count_parameters(const training::SequenceNetwork& network, const models::Backbone& trained,
                      const std::string& part, records::Record& record) {
  // The first layer behind the features has their number of inputs.
  const auto& stages = trained->stages();
  const auto first = stages[trained->index_of(models::features_layer(trained)) + 1].options();
  record.parameters[name_with_part("all", part)] = count_weights(network);
  record.parameters[name_with_part("recurrent", part)] =
      network.recurrent_parameters(first.inputs, stages.back().options().inputs);
}

}  // namespace reprise::reproduce::prernn_study
