// A recurrent version of a stage of a trained network (document prernn, eq 5 to 12).
//
// Input product of gate g:
//     - Fully connected layer: u_t(g) = W_xg x_t + b_g.
//     - Convolution in 2-D or 3-D: u_t(g) = P(B(W_xg * x_t + b_g) + γ_t).
// The cell runs on u_t and W_h* (models/recurrent/recurrent_layer.h).
//
// - PerGate: every gate has its own copy of W_xy and b, fine-tuned separately.
// - Shared (SIH): one copy for all gates.
// - B: batch norm, shared by all gates. It uses its stored statistics in training too. Its scale
//   and shift are parameters.
// - γ_t: the residual connection of a block.
// - P: global average pooling, in place of the network's. So h_t is a vector of the layer's
//   channels.
//
// In the equations the activation comes after P; in the trained network it comes before. Without
// W_hh a PreVRNN computes ReLU(P(a_t)), the trained network P(ReLU(a_t)).
//
// W, B and P are linear, so P(B(W * x)) = B(W s). Here s is the mean of the window's inputs over
// all its positions. The code computes this: one matrix product per time step for G convolutions.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "core/random.h"
#include "models/backbones/stages.h"
#include "models/recurrent/recurrent_layer.h"

namespace reprise::models {

/// Averages the inputs of a window over its positions: x: [N, C, sides...] -> s: [N, C, window...].
/// s[n, c, j] is the mean over positions p of x[n, c, p stride + j - padding], zero beyond the
/// border. The mean of a convolution W * x over all positions is W s.
torch::Tensor window_means(const torch::Tensor& x, const Window& window);

struct RecurrentStageOptions {
  RecurrentCell cell = RecurrentCell::Gru;
  InputToHidden input_to_hidden = InputToHidden::PerGate;
  double hidden_scale = 0.1;  ///< factor of the random orthogonal matrix that W_h* starts as
  /// True: sigmoid gates start with W_xg = 0 and a bias that passes the input, so that the layer
  /// starts near the trained one. Needs PerGate and a bias.
  /// False: every gate starts as a copy of the trained W_xy and b.
  bool open_gates = false;
};

class RecurrentStageImpl : public torch::nn::Module {
 public:
  /// Copies the values of the trained stage. Error: a stage without weights or activation; open
  /// gates that are shared or have no bias.
  RecurrentStageImpl(const Stage& trained, const RecurrentStageOptions& options, Random& random);

  /// x: [B, T, ...], the trained stage's input for each frame. Returns h: [B, T, n]. The state
  /// starts at zero for every clip. mask: as in recurrence().
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& mask = {});
  /// Continues from `state`, which becomes the state after the last frame. Without gradient.
  torch::Tensor follow(const torch::Tensor& x, CellState& state);
  /// Activations of the sigmoid gates on x, gate after gate: [gates][B, T, n].
  std::vector<torch::Tensor> gates(const torch::Tensor& x);
  /// Counts the weights beyond those of the trained stage, without biases: (G - 1) |W_xy| + G n^2
  /// (PerGate) or G n^2 (Shared).
  std::int64_t added_parameters() const;

  const RecurrentStageOptions& options() const { return options_; }

  torch::Tensor weight_x;  ///< [G n or n, inputs, window...]
  torch::Tensor bias;      ///< [G n or n], or undefined
  torch::Tensor weight_h;  ///< [G n, n]

 private:
  void open_gates();
  torch::Tensor input_product(const torch::Tensor& x) const;
  RecurrentStageOptions options_;
  Stage trained_;  ///< a copy of the trained stage without W
};
TORCH_MODULE(RecurrentStage);

}  // namespace reprise::models
