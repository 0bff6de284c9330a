// A VGG-like network: 3x3 convolutions, batch norm and ReLU with max pooling between them, then fc6, fc7 and an output layer.
//
// The part before fc6 is the trunk; what it gives, flattened, are the features that the recurrent layers of document prernn work on:
//     features(x): [N, C, S, S] -> [N, n];   fc6: n -> width, ReLU;   fc7: width -> width, ReLU;   out: width -> outputs, linear
// VGG16 itself is "64 64 p 128 128 p 256 256 256 p 512 512 512 p 512 512 512 p", width 4096, without batch norm, 3 channels, 224 pixels:
// n = 25088 (Simonyan and Zisserman, 2015). Images and convolutions are kept channels-last: 1.5 to 2 times faster on a CPU.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <string>

#include "core/random.h"

namespace reprise::models {

struct VggOptions {
  TORCH_ARG(std::int64_t, channels) = 1;  ///< of the image
  TORCH_ARG(std::int64_t, size) = 64;     ///< pixels a side
  /// In order: a number is a convolution with so many output channels, "/2" behind it gives it stride 2, "p" is a 2x2 max pooling.
  TORCH_ARG(std::string, trunk) = "16/2 32 p 64 p 96 p 64";
  TORCH_ARG(bool, batch_norm) = true;
  TORCH_ARG(std::int64_t, width) = 256;  ///< of fc6 and fc7
  TORCH_ARG(std::int64_t, outputs) = 136;
};

class VggImpl : public torch::nn::Module {
 public:
  /// Weights: He-normal from `random`; biases zero. UsageError: a trunk that cannot be read (the word is named), or that leaves no pixel of
  /// the image.
  VggImpl(VggOptions options, Random& random);

  torch::Tensor features(const torch::Tensor& x);
  torch::Tensor forward(const torch::Tensor& x);
  std::int64_t feature_count() const;
  const VggOptions& options() const { return options_; }

  torch::nn::Sequential trunk;
  torch::nn::Linear fc6{nullptr}, fc7{nullptr}, out{nullptr};

 private:
  VggOptions options_;
};
TORCH_MODULE(Vgg);

}  // namespace reprise::models
