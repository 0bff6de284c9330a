// A convolutional network as a chain of named stages. It can run up to any layer, and any suitable
// layer can be made recurrent (models/recurrent/recurrent_backbone.h).
//
//     forward(x) = stage_K(... stage_2(stage_1(x)))
//     features(x, "fc7")      output of the stage fc7, after its ReLU
//
// x: images [N, C, H, W], or clips [N, C, D, H, W] for 3-D convolutions. The state has PyTorch's
// names and shapes (models/backbones/known_backbones.h: VGG16, ResNet-50, C3D, small networks). A
// layer is named by its stage ("conv5_3", "fc6", "layer4.2") or by the path of its weights in the
// state dictionary ("features.28", "classifier.0", "layer4.2.conv3").
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
  /// Leaves the weights unset: load or draw them.
  explicit BackboneImpl(const std::vector<StageOptions>& stages);
  /// Draws W ~ N(0, 2 / fan in) in the order of the parameters (He et al. 2015). Biases are zero;
  /// batch norm is unchanged.
  void draw(Random& random);

  torch::Tensor forward(const torch::Tensor& x) const;
  /// Output of a layer. UsageError: as index_of.
  torch::Tensor features(const torch::Tensor& x, const std::string& layer) const;
  /// Runs stages first .. last - 1 only.
  torch::Tensor run(const torch::Tensor& x, std::size_t first, std::size_t last) const;

  const std::vector<Stage>& stages() const { return stages_; }
  /// Index of the stage of a layer. UsageError: an unknown layer (the known ones are listed).
  std::size_t index_of(const std::string& layer) const;

 private:
  std::vector<Stage> stages_;
};
TORCH_MODULE(Backbone);

}  // namespace reprise::models
