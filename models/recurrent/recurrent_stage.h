// Any stage of a trained network made recurrent (document prernn, eq 5 to 12).
//
//     u_t(g) = W_xg x_t + b_g                              a fully connected layer
//     u_t(g) = P(B(W_xg * x_t + b_g) + γ_t)                a convolutional one, of two or three dimensions           (eq 6, 7)
//     v_t    = the same with the one trained W_xy, for all gates                                                     (eq 10, 11)
//     h_t    = the cell on u_t and W_h* (models/recurrent/recurrent_layer.h); for VRNN h_t = ReLU(u_t + W_hh h_{t-1})          (eq 5, 6)
//
// PerGate: every gate has its own copy of W_xy and b, each fine-tuned on its own. Shared (SIH): one
// for all gates. B is one for all gates; it uses its stored statistics in training too, and its
// scale and shift are parameters. γ_t is the residual connection of a block. P is global average
// pooling and takes the place of the network's own, so h_t is a vector of the layer's channels. By
// the equations the activation comes after P here, and before it in the trained network: without
// W_hh a PreVRNN gives ReLU(P(a_t)), the network P(ReLU(a_t)).
//
// Nothing stands between W, B and P but sums, so P(B(W * x)) = B(W s) with s the mean, over all
// positions of the window, of what the window sees (of a 1x1 convolution: the mean of x). This is
// what is computed: a matrix product per time step in place of G convolutions.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "core/random.h"
#include "models/backbones/stages.h"
#include "models/recurrent/recurrent_layer.h"

namespace reprise::models {

/// x: [N, C, sides...] -> s: [N, C, window...], s[n, c, j] = mean over the window's positions p of
/// x[n, c, p stride + j - padding] (zero beyond the border). The mean over all positions of a
/// convolution W * x is W s.
torch::Tensor window_means(const torch::Tensor& x, const Window& window);

struct RecurrentStageOptions {
  Cell cell = Cell::Gru;
  InputToHidden input_to_hidden = InputToHidden::PerGate;
  double hidden_scale =
      0.1;  ///< W_h* of every gate starts as this times a random orthogonal matrix
  /// The sigmoid gates start with W_xg = 0 and a bias that lets the input through (LSTM: i, o +2, f
  /// -2; GRU: z +2, r 0), so that the layer starts near the trained one; false: every gate starts
  /// as a copy of the trained W_xy, b. PerGate, with a bias.
  bool open_gates = false;
};

class RecurrentStageImpl : public torch::nn::Module {
 public:
  /// Copies what it needs of the trained stage. Error: a stage without weights or without
  /// activation; open gates that are shared, or have no bias.
  RecurrentStageImpl(const Stage& trained, const RecurrentStageOptions& options, Random& random);

  /// x: [B, T, ...], what the trained stage took of each frame -> h: [B, T, n]. The state starts at
  /// zero for every clip. mask: as recurrence() takes it.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& mask = {});
  /// The same for frames that follow `state`, which is left behind the last of them; no gradient.
  torch::Tensor follow(const torch::Tensor& x, CellState& state);
  /// Activations of the sigmoid gates on x, gate after gate: [gates][B, T, n].
  std::vector<torch::Tensor> gates(const torch::Tensor& x);
  /// Weights beyond those of the trained stage, biases left out: (G - 1) |W_xy| + G n^2, or G n^2
  /// when shared.
  std::int64_t added_parameters() const;

  const RecurrentStageOptions& options() const { return options_; }

  torch::Tensor weight_x, bias,
      weight_h;  ///< [G n or n, inputs, window...], [G n or n] or undefined, [G n, n]

 private:
  void open_gates();
  torch::Tensor input_product(const torch::Tensor& x) const;
  RecurrentStageOptions options_;
  Stage trained_;  ///< its own copy, without W
};
TORCH_MODULE(RecurrentStage);

}  // namespace reprise::models
