// Published networks, with the names and shapes of their weight files.
//
// - vgg16: torchvision.models.vgg16. Input: [N, 3, 224, 224]. Layers: conv1_1 to conv5_3, pool1 to
//   pool5, avgpool, fc6, fc7, fc8. Source: Simonyan and Zisserman 2015, configuration D.
// - vgg16_bn: torchvision.models.vgg16_bn, else the same.
// - resnet50: torchvision.models.resnet50. The same input. Layers: conv1, maxpool, layer1.0 to
//   layer4.2, avgpool, fc. Source: He et al. 2016; the stride is in a block's 3x3 convolution, as
//   in torchvision.
// - c3d: DavideA/c3d-pytorch (Sports-1M) and other public ports of C3D. Input: [N, 3, 16, 112,
//   112]. Layers: conv1, conv2, conv3a, conv3b to conv5b, pool1 to pool5, fc6, fc7, fc8. Source:
//   Tran et al. 2015.
//
// torchvision's avgpool lets VGG16 take any large enough image. C3D takes only its own size.
// Outputs are scores before softmax.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "models/backbones/backbone.h"

namespace reprise::models {

Backbone vgg16(std::int64_t outputs = 1000, bool batch_norm = false);
Backbone resnet50(std::int64_t outputs = 1000);
Backbone c3d(std::int64_t outputs = 487);

struct KnownBackbone {
  std::string name, title;
  std::int64_t outputs = 0;  ///< outputs of the published network
  std::int64_t frames = 0;   ///< frames of an input clip; 0: images
  std::function<Backbone(std::int64_t outputs)> make;
};
const std::vector<KnownBackbone>& known_backbones();
/// Finds an entry by name. UsageError: an unknown name (the known ones are listed).
const KnownBackbone& known_backbone(const std::string& name);

/// Loads a network in evaluation mode, with as many outputs as the file has. The file may have any
/// format of weights::read_weights. Large tensors are moved, not copied. Batch counters that older
/// files lack are zero. UsageError: as weights::read_weights and training::load_state.
Backbone load_backbone(const KnownBackbone& known, const std::filesystem::path& file);

/// A network small enough to train on a CPU. Convolutions with batch norm and ReLU, and poolings,
/// are followed by fc6, fc7 and out, or by global average pooling and out. Kernels are 3 wide.
/// Its state is named trunk.N, where N counts each convolution, batch norm, ReLU and pooling as
/// torchvision's VGG does; then fc6, fc7, out.
struct SmallNetworkOptions {
  std::int64_t channels = 1;
  std::int64_t size = 64;   ///< pixels a side
  std::int64_t frames = 0;  ///< frames of a clip (3-D convolutions); 0: images
  /// Layers in order, separated by spaces, and named conv1, conv2, ... and pool1, pool2, ...
  /// - A number is a convolution with so many output channels.
  /// - "/2" after it is its stride in height and width.
  /// - "p" is max pooling over 2 in every dimension.
  std::string trunk = "16/2 32 p 64 p 96 p 64";
  bool batch_norm = true;
  /// Units of fc6 and fc7. 0: global average pooling ("avgpool") replaces both.
  std::int64_t width = 256;
  Activation activation = Activation::Relu;  ///< activation of fc6 and fc7
  std::int64_t outputs = 136;
};

/// Makes the stages only; nothing is allocated. UsageError: as make_small_network().
std::vector<StageOptions> small_network_stages(const SmallNetworkOptions& options);
/// Makes the output start near `values`, [outputs]: they become the output layer's b, and W is
/// scaled by 0.1. Training then spends no steps on finding the mean.
void start_output_at(Backbone& network, const torch::Tensor& values);
/// Makes the network and draws its weights. UsageError: a trunk with an unknown word (named),
/// without a convolution, or that leaves no pixel.
Backbone make_small_network(const SmallNetworkOptions& options, Random& random);

}  // namespace reprise::models
