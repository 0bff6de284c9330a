// The stages that a convolutional network is a chain of, each a layer as eq 4 of document prernn
// writes it:
//
//     y = H(B(W o x) + γ)      o: convolution (of two or three dimensions) or matrix product
//
// with B batch norm where the network has it, γ the residual connection where there is one, and H =
// ReLU, but for the output layer, where it is the identity. A bottleneck block of a ResNet is one
// such stage: its last convolution is W, the two before it make W's input, and γ is the block's own
// input, or its projection. Poolings are stages without weights.
//
// Weights lie in the module tree under the names of PyTorch's state_dict; a stage says which.
// Dropout is no stage: it does nothing once a network is trained. Convolutions of two dimensions
// are kept channels-last: 1.5 to 2 times faster on a CPU.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reprise::models {

/// What a convolution or a pooling sees: one number a dimension (two for images, three for clips:
/// frames, height, width).
struct Window {
  std::vector<std::int64_t> size = {}, stride = {}, padding = {};
};

/// The window of `dimensions` equal sides.
Window square_window(std::size_t dimensions, std::int64_t size, std::int64_t stride,
                     std::int64_t padding);

/// W o x + b: a convolution, or a matrix product where the window is empty. Values are not set:
/// load or draw them.
class LinearMapImpl : public torch::nn::Module {
 public:
  LinearMapImpl(std::int64_t inputs, std::int64_t outputs, Window window, bool with_bias);
  /// [N, inputs, ...] -> [N, outputs, ...]; a matrix product takes [N, ...] and flattens it.
  torch::Tensor forward(const torch::Tensor& x) const;
  const Window& window() const { return window_; }

  torch::Tensor weight, bias;  ///< [outputs, inputs, window...], [outputs] or undefined

 private:
  Window window_;
};
TORCH_MODULE(LinearMap);

/// B of any number of dimensions: (x - m) / sqrt(v + 1e-5) weight + bias, a channel at a time.
/// Starts as the identity. In training m and v are those of the batch, and the stored ones follow
/// with momentum 0.1, unless the statistics are fixed.
class BatchNormImpl : public torch::nn::Module {
 public:
  explicit BatchNormImpl(std::int64_t channels);
  torch::Tensor forward(const torch::Tensor& x);
  /// scale, shift: [channels], with B(x) = scale x + shift by the stored statistics. Differentiable
  /// in weight and bias.
  std::pair<torch::Tensor, torch::Tensor> scale_and_shift() const;
  /// From now on the stored statistics serve in training too (eq 6: "pre-computed").
  void fix_statistics() { fixed_ = true; }

  torch::Tensor weight, bias, running_mean, running_var, num_batches_tracked;

 private:
  bool fixed_ = false;
};
TORCH_MODULE(BatchNorm);

enum class Activation { None, Relu, Tanh };

struct StageOptions {
  enum class Kind { Convolution, Bottleneck, Linear, MaxPool, AveragePool };
  Kind kind = Kind::Linear;
  std::string name = {};  ///< "conv5_3", "fc6", "pool5": what one calls it
  std::string path =
      {};  ///< "features.28": the module in the state dictionary that holds W; of a Bottleneck: the block
  std::string norm = {};  ///< "features.29": the module of B; "" for none. A Bottleneck has its own
  std::int64_t inputs = 0, outputs = 0;
  /// Convolution, MaxPool: the window. Bottleneck: the stride of its middle convolution is the
  /// window's. AveragePool: `size` is that of the result, whatever comes in; where all of it is 1
  /// this is global average pooling.
  Window window = {};
  bool bias = true;
  Activation activation = Activation::Relu;  ///< H
};

/// B(W o x), a part of a stage.
struct StagePart {
  LinearMap map{nullptr};
  BatchNorm norm{nullptr};
  torch::Tensor forward(const torch::Tensor& x) const;
  /// Values of the other's map and norm, where this part has them too; both have one shape.
  void copy_values(const StagePart& other);
};

/// A stage at work. Copies of it share its modules.
class Stage {
 public:
  /// Makes the stage's modules below `root`, at its paths.
  Stage(torch::nn::Module& root, StageOptions options);

  /// [N, ...] -> [N, ...]. Error: as check_input.
  torch::Tensor forward(const torch::Tensor& x) const;
  /// What W acts on, given the stage's input: x itself, but for a bottleneck.
  torch::Tensor input_of_map(const torch::Tensor& x) const;
  /// γ; undefined where the stage has none.
  torch::Tensor residual(const torch::Tensor& x) const;

  /// Error: an input that does not fit, with the stage's name and both shapes.
  void check_input(const torch::Tensor& x) const;
  /// The window of W; empty for a matrix product.
  Window window_of_map() const;

  const StageOptions& options() const { return options_; }
  /// Weights and statistics of a stage with the same options.
  void copy_values(const Stage& other);
  /// Batch norm of the whole stage uses its stored statistics from now on.
  void fix_statistics();

  /// Where W lies in the state dictionary: the path, or the last convolution of the block there.
  std::string weight_path() const;
  bool is_global_pooling() const;

  std::vector<StagePart>
      parts;  ///< the last is eq 4's W and B; a bottleneck has two before it; a pooling has none
  StagePart projection;  ///< of a bottleneck's residual connection, where channels or size change

 private:
  StageOptions options_;
};

/// Registers `child` at a path with dots ("layer4.2"); what is missing on the way is made.
void register_at(torch::nn::Module& root, const std::string& path,
                 std::shared_ptr<torch::nn::Module> child);

}  // namespace reprise::models
