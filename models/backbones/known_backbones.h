// The networks that are transformed, with the names and shapes of the files that hold their trained
// weights.
//
//     vgg16      weights as torchvision.models.vgg16, input [N, 3, H, W], H = W = 224;
//                layers conv1_1 ... conv5_3, pool1 ... pool5, avgpool, fc6, fc7, fc8
//     vgg16_bn   weights as torchvision.models.vgg16_bn, else the same
//     resnet50   weights as torchvision.models.resnet50, the same input; layers conv1, maxpool, layer1.0 ... layer4.2, avgpool, fc
//     c3d        weights as DavideA/c3d-pytorch (Sports-1M) and other public ports of C3D, input [N, 3, 16, 112, 112];
//                layers conv1, conv2, conv3a, conv3b ... conv5b, pool1 ... pool5, fc6, fc7, fc8
//
// torchvision's avgpool makes any image large enough fit VGG16's fc6; C3D takes its own size alone.
// Outputs are scores before any softmax. Sources: Simonyan and Zisserman 2015 (configuration D); He
// et al. 2016, with the stride in a block's 3x3 convolution, as torchvision has it; Tran et al.
// 2015.
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
  std::int64_t outputs = 0;  ///< of the network as it is published
  std::int64_t frames = 0;   ///< 0: it takes images; else clips of so many frames
  std::function<Backbone(std::int64_t outputs)> make;
};
const std::vector<KnownBackbone>& known_backbones();
/// UsageError: no such name; lists those there are.
const KnownBackbone& known_backbone(const std::string& name);

/// The network with the weights of a file (any that weights::read_weights knows), with as many
/// outputs as the file has, in evaluation mode. Large tensors are taken over, not copied. Batch
/// counters that older files lack are zero. UsageError: as weights::read_weights and
/// training::load_state.
Backbone load_backbone(const KnownBackbone& known, const std::filesystem::path& file);

/// A network of the same kind, small enough to train on a CPU: 3x3 (3x3x3) convolutions with batch
/// norm and ReLU, poolings between them, and then either fc6, fc7 and out, or global average
/// pooling and out. In its state trunk.N counts a convolution, its batch norm, its ReLU and a
/// pooling one each, as torchvision's VGG does; then fc6, fc7, out.
struct SmallNetworkOptions {
  std::int64_t channels = 1;
  std::int64_t size = 64;   ///< pixels a side
  std::int64_t frames = 0;  ///< 0: images; else clips of so many frames, by 3-D convolutions
  /// In order: a number is a convolution with so many output channels, "/2" behind it gives it
  /// stride 2 in height and width, "p" is a max pooling over 2 in every dimension. Layers are
  /// conv1, conv2, ..., pool1, pool2, ...
  std::string trunk = "16/2 32 p 64 p 96 p 64";
  bool batch_norm = true;
  std::int64_t width =
      256;  ///< of fc6 and fc7; 0: global average pooling ("avgpool") in place of both
  Activation activation = Activation::Relu;  ///< of fc6 and fc7
  std::int64_t outputs = 136;
};

/// Its stages alone: nothing is allocated. UsageError: as small_network().
std::vector<StageOptions> small_network_stages(const SmallNetworkOptions& options);
/// Its output starts near these values whatever it sees, [outputs]: they are the output layer's b,
/// and W is a tenth of what it was. So the first steps are not spent on finding the mean.
void start_at(Backbone& network, const torch::Tensor& values);
/// Weights from `random`. UsageError: a trunk that cannot be read (the word is named), that has no
/// convolution, or that leaves no pixel.
Backbone small_network(const SmallNetworkOptions& options, Random& random);

}  // namespace reprise::models
