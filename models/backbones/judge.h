// A judge of clips or of pictures: a small network trained to tell the classes of real labelled ones. What it calls generated clips is the
// motion control score (the accuracy with which it finds the class that was asked for), and what its last layer but one sees of them is where
// Fréchet and kernel distances, precision and recall are measured. It learns from items that no generator learns from.
//
// The network is small_network()'s (known_backbones.h): 3x3x3, of pictures 3x3 convolutions with batch norm and ReLU, poolings, global average
// pooling (the features, as many as the last convolution has channels), one linear layer. Numbers of two judges are not comparable, so
// protocol() names the weights.
//
// Features see what the classes ask for. Of shape motion, classes of the motion alone leave drifting colours unseen by the Fréchet distance
// (0.018 where real clips have 0.012); motion times brightest channel, six classes, makes it 3.0 where real clips have 0.35. The
// probability of a motion is then the sum over its three.
#pragma once
#include <string>

#include "models/backbones/backbone.h"
#include "training/fit.h"

namespace reprise::models {

struct JudgeOptions {
  std::int64_t size = 16, frames = 16;  ///< of its clips; three channels; frames 0: it judges pictures
  std::int64_t classes = 2;
  std::string trunk = "16/2 p 32 64 p 64";  ///< as SmallNetworkOptions has it
  /// On shape motion 300 steps take 10 s of one core at 16 x 16; at 32 x 32, 160 take 24 s and find 99.8 % of the motions of fresh clips.
  std::int64_t steps = 300, batch = 32;
  double learning_rate = 4e-3;
};

class Judge {
 public:
  /// Weights drawn from the seed. UsageError: as small_network(); fewer than 2 classes.
  Judge(const JudgeOptions& options, std::uint64_t seed);
  /// Trains on all items but held_out() and keeps the weights with the least error rate on these, which is the report's validation error. items: [N, T, 3, H, W], or pictures [N, 3, H, W], in [-1, 1]; labels: [N], int64. The same seeds, items and thread count
  /// give the same weights. UsageError: fewer than 16 items; a class of which there is none among what it learns from; labels outside the classes; other shapes.
  training::FitReport fit(const at::Tensor& items, const at::Tensor& labels, std::uint64_t seed, training::Progress& progress);
  /// The last eighth of items or labels.
  static at::Tensor held_out(const at::Tensor& all) { return all.slice(0, all.size(0) - all.size(0) / 8); }

  /// [N, K] and [N, d], on the CPU. Items are clamped to [-1, 1]. UsageError: another shape than it was made for.
  at::Tensor probabilities(const at::Tensor& items) const;
  at::Tensor features(const at::Tensor& items) const;

  /// "motion_control/judge-1f3e5d7c/N=256": a metric by this judge, of n items. The digits are those of a hash of its weights.
  std::string protocol(const std::string& metric, std::int64_t n) const;

  /// Items as the network takes them: clips with their channels first.
  at::Tensor input(const at::Tensor& items) const { return options_.frames > 0 ? items.transpose(1, 2) : items; }

  Backbone network;  ///< to be saved and loaded (training/module_state.h)

 private:
  template <typename See>
  at::Tensor seen(const at::Tensor& items, const See& see) const;
  JudgeOptions options_;
};

}  // namespace reprise::models
