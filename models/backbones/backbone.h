// A convolutional network as a chain of named stages, so that one can run it up to a layer, and
// name a layer to make recurrent (models/recurrent/recurrent_backbone.h).
//
//     forward(x) = stage_K(... stage_2(stage_1(x)));      features(x, "fc7"): what the stage fc7 gives, its ReLU included
//
// x: images [N, C, H, W], or clips [N, C, D, H, W] for a network of 3-D convolutions. The state has
// PyTorch's names and shapes (models/backbones/known_backbones.h: VGG16, ResNet-50, C3D, and small
// ones). A layer is named as the stage is ("conv5_3", "fc6", "layer4.2") or by the path of its
// weights in the state dictionary ("features.28", "classifier.0", "layer4.2.conv3").
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "models/backbones/stages.h"

namespace reprise::models {

class BackboneImpl : public torch::nn::Module {
 public:
  /// Weights are not set: load them, or draw them.
  explicit BackboneImpl(const std::vector<StageOptions>& stages);
  /// W: normal, standard deviation sqrt(2 / fan in) (He et al. 2015), in the order of the
  /// parameters; biases zero; batch norm unchanged.
  void draw(Random& random);

  torch::Tensor forward(const torch::Tensor& x) const;
  /// UsageError: as index_of.
  torch::Tensor features(const torch::Tensor& x, const std::string& layer) const;
  /// Stages first .. last - 1 alone.
  torch::Tensor run(const torch::Tensor& x, std::size_t first, std::size_t last) const;

  const std::vector<Stage>& stages() const { return stages_; }
  /// UsageError: no such layer; lists those there are.
  std::size_t index_of(const std::string& layer) const;

 private:
  std::vector<Stage> stages_;
};
TORCH_MODULE(Backbone);

}  // namespace reprise::models
