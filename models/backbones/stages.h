// Stages of a convolutional network. Each is a layer in the sense of eq 4 of document prernn:
//
//     y = H(B(W o x) + γ)      o: convolution (of two or three dimensions) or matrix product
//
// B is the optional batch norm, γ the optional residual connection. H is ReLU, and the identity for
// the output layer. Poolings are stages without weights.
//
// A bottleneck block of a ResNet is one stage. Its last convolution is W, and the two before it
// compute W's input. γ is the block's input or its projection.
//
// Weights have the names of PyTorch's state_dict; each stage knows its path. Dropout is not a
// stage, because it has no effect on a trained network. Convolutions in 2-D are stored
// channels-last, which is up to twice as fast on a CPU.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reprise::models {

/// Window of a convolution or pooling: one number per dimension (images: height, width; clips:
/// frames, height, width).
struct Window {
  std::vector<std::int64_t> size = {};
  std::vector<std::int64_t> stride = {};
  std::vector<std::int64_t> padding = {};
};

/// Makes a window with the same size, stride and padding in each dimension.
Window square_window(std::size_t dimensions, std::int64_t size, std::int64_t stride,
                     std::int64_t padding);

/// W o x + b: a convolution, or a matrix product if the window is empty. Values are not set: load
/// or draw them.
class LinearMapImpl : public torch::nn::Module {
 public:
  LinearMapImpl(std::int64_t inputs, std::int64_t outputs, Window window, bool with_bias);
  /// Maps [N, inputs, ...] to [N, outputs, ...]. A matrix product takes [N, ...] and flattens it.
  torch::Tensor forward(const torch::Tensor& x) const;
  const Window& window() const { return window_; }

  torch::Tensor weight;  ///< [outputs, inputs, window...]
  torch::Tensor bias;    ///< [outputs], or undefined

 private:
  Window window_;
};
TORCH_MODULE(LinearMap);

/// Batch norm for any number of dimensions: (x - m) / sqrt(v + 1e-5) weight + bias per channel.
/// It starts as the identity. Training uses m and v of the batch and updates the stored statistics
/// with momentum 0.1, unless they are fixed.
class BatchNormImpl : public torch::nn::Module {
 public:
  explicit BatchNormImpl(std::int64_t channels);
  torch::Tensor forward(const torch::Tensor& x);
  /// Returns scale and shift, each [channels], such that B(x) = scale x + shift with the stored
  /// statistics. Differentiable in weight and bias.
  std::pair<torch::Tensor, torch::Tensor> scale_and_shift() const;
  /// Makes training use the stored statistics from now on (eq 6: "pre-computed").
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
  std::string name = {};  ///< name of the layer: "conv5_3", "fc6", "pool5"
  /// "features.28": path of the module of W in the state dictionary; for a Bottleneck, of the
  /// block.
  std::string path = {};
  /// "features.29": path of the module of B; "": no batch norm. A Bottleneck has its own.
  std::string norm = {};
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  /// Convolution and MaxPool: the window. Bottleneck: its stride is that of the middle convolution.
  /// AveragePool: `size` is the size of the result; 1 in all dimensions is global average pooling.
  Window window = {};
  bool bias = true;
  Activation activation = Activation::Relu;  ///< H
};

/// B(W o x): one map and its norm.
struct StagePart {
  LinearMap map{nullptr};
  BatchNorm norm{nullptr};
  torch::Tensor forward(const torch::Tensor& x) const;
  /// Copies the values of the other's map and norm, as far as this part has them. Shapes must
  /// agree.
  void copy_values(const StagePart& other);
};

/// One stage of a network. Copies share its modules.
class Stage {
 public:
  /// Makes the stage's modules below `root`, at its paths.
  Stage(torch::nn::Module& root, StageOptions options);

  /// Maps [N, ...] to [N, ...]. Error: as check_input.
  torch::Tensor forward(const torch::Tensor& x) const;
  /// Input of W, given the stage's input: x itself, except in a bottleneck.
  torch::Tensor input_of_map(const torch::Tensor& x) const;
  /// γ; undefined if the stage has none.
  torch::Tensor residual(const torch::Tensor& x) const;

  /// Error: an input that does not fit (the stage's name and both shapes are given).
  void check_input(const torch::Tensor& x) const;
  /// The window of W; empty for a matrix product.
  Window window_of_map() const;

  const StageOptions& options() const { return options_; }
  /// Copies weights and statistics of a stage with the same options.
  void copy_values(const Stage& other);
  /// Makes all batch norm of the stage use its stored statistics.
  void fix_statistics();

  /// Path of W in the state dictionary: the stage's path, or the last convolution of its block.
  std::string weight_path() const;
  bool is_global_pooling() const;

  /// The last part has eq 4's W and B. A bottleneck has two before it; a pooling has none.
  std::vector<StagePart> parts;
  StagePart projection;  ///< projection of a bottleneck's residual, if channels or size change

 private:
  StageOptions options_;
};

/// Registers `child` at a dotted path ("layer4.2") and creates missing modules on the way.
void register_at(torch::nn::Module& root, const std::string& path,
                 std::shared_ptr<torch::nn::Module> child);

}  // namespace reprise::models
