// An evaluator: a small classifier that measures what methods make. It learns from real labelled
// clips or pictures that no method sees.
//
// Two things are measured with it. Its predicted class is compared with the class that was
// requested. The output of its last hidden layer is the feature space of Fréchet and kernel
// distances, precision and recall. Numbers of two evaluators are not comparable, so protocol()
// names the weights.
//
// The network is make_small_network()'s (known_backbones.h): convolutions and poolings, then either
// global average pooling or two fully connected layers, and one linear layer.
//
// Features only represent differences between the classes. With one class per motion, the evaluator
// of shape motion is blind to drifting colours: their Fréchet distance is nearly that of real
// clips. With one class per motion and brightest channel it is eight times as large. The
// probability of a motion is then the sum over its three classes.
#pragma once
#include <filesystem>
#include <string>
#include <utility>

#include "models/backbones/backbone.h"
#include "training/fit.h"
#include "training/generator.h"

namespace reprise::models {

struct EvaluatorOptions {
  std::int64_t channels = 3;  ///< channels of an item
  std::int64_t size = 16;     ///< side of an item, pixels
  std::int64_t frames = 16;   ///< frames of a clip; 0: pictures
  std::int64_t classes = 2;
  /// SmallNetworkOptions::trunk.
  std::string trunk = "16/2 p 32 64 p 64";
  /// Units of fc6 and fc7, the last hidden layer. 0: global average pooling replaces both.
  std::int64_t width = 0;
  /// Enough for shape motion at 16 x 16, in 10 s of one core.
  std::int64_t steps = 300;
  std::int64_t batch = 32;
  double learning_rate = 4e-3;
  std::int64_t steps_between_validations = 20;
  std::int64_t items_at_once = 64;  ///< items per forward pass in evaluation (memory only)
  /// Protocols name the weights by the hash of their file; else by the hash of their values.
  bool hash_of_file = false;
};

/// Splits items into training items and validation items (the last eighth). UsageError: fewer than
/// 16 items; labels that are not int64 [N].
std::pair<training::Examples, training::Examples> hold_out_eighth(const training::Examples& items);

class Evaluator {
 public:
  /// Draws the weights from the seed. UsageError: as make_small_network(); fewer than 2 classes.
  Evaluator(const EvaluatorOptions& options, std::uint64_t seed);

  /// Trains on `learned` and keeps the weights with the lowest error rate on `validation`.
  /// Items: [N, T, C, H, W], or pictures [N, C, H, W], in [-1, 1]. Labels: [N], int64. The
  /// evaluator's options set the number of epochs. The same seeds, items and thread count give the
  /// same weights.
  /// UsageError: a class without training items; labels outside the classes; other shapes.
  training::FitReport fit(const training::Examples& learned, const training::Examples& validation,
                          training::FitOptions options, training::Progress& progress);
  /// Loads weights from a file. UsageError: as training::load_weights().
  void load(const std::filesystem::path& file);

  /// Probabilities [N, K] and features [N, d], on the CPU. Items are clamped to [-1, 1].
  /// UsageError: another shape than the evaluator's.
  at::Tensor probabilities(const at::Tensor& items) const;
  at::Tensor features(const at::Tensor& items) const;
  /// Fraction of items whose most likely class is their label.
  double accuracy(const training::Examples& items) const;

  /// "frechet/judge-1f3e5d7c": a metric measured with these weights, named by the first digits of
  /// their SHA-256.
  std::string protocol(const std::string& metric) const;
  /// "frechet/judge-1f3e5d7c/N=256": the same, of n items.
  std::string protocol(const std::string& metric, std::int64_t n) const;

  /// Items as the network takes them: clips with their channels first.
  at::Tensor input(const at::Tensor& items) const {
    return options_.frames > 0 ? items.transpose(1, 2) : items;
  }

  Backbone network;  ///< to be saved and moved (training/module_state.h)

 private:
  template <typename Run>
  at::Tensor run_in_batches(const at::Tensor& items, const Run& run) const;
  EvaluatorOptions options_;
  std::string hash_of_file_;
};

}  // namespace reprise::models
