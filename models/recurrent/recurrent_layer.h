// The recurrence of document prernn, which a trained layer gets (PreRNN,
// models/recurrent/recurrent_stage.h), and the traditional recurrent layer with random weights.
//
//     u_t(g) = W_xg x_t + b_g                                   PerGate: every gate g has its own W_xg, b_g       (eq 7)
//     v_t    = W_xy x_t + b                                     Shared (SIH): one product for all gates, u_t(g) = v_t  (eq 10)
//     VRNN   h_t = ReLU(u_t + W_hh h_{t-1})                                                                        (eq 5)
//            and with another H (document dynamic_face, eq 1, 2, 5): Elman h_t = tanh(...), Linear h_t = u_t + W_hh h_{t-1}
//     LSTM   i, f, o = sigma(u_t(g) + W_hg h_{t-1});  c~ = tanh(u_t(c) + W_hc h_{t-1})                            (eq 8, 11)
//            c_t = f c_{t-1} + i c~;  h_t = o tanh(c_t)
//     GRU    r, z = sigma(u_t(g) + W_hg h_{t-1});  h~ = tanh(u_t(h) + W_hh (r h_{t-1}))                           (eq 9, 12)
//            h_t = (1 - z) h_{t-1} + z h~
//
// The reset gate acts before the matrix, as in eq 9; torch::nn::GRU (and cuDNN) apply it after,
// which is another cell. At W_h* = 0 and zero state, the first step of a PreVRNN is the trained
// layer itself, ReLU(W_xy x + b).
//
// Speed: the inputs of all T steps go through W_x* in one matrix product; only W_h* runs step by
// step, and the backward pass, written by hand, forms each weight gradient in one product over all
// steps at its end.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <string>
#include <vector>

#include "core/random.h"

namespace reprise::models {

enum class Cell { Vrnn, Elman, Linear, Lstm, Gru };
enum class InputToHidden { PerGate, Shared };

/// Gate names in the order in which they are stacked: {"h"} (VRNN and its kin), {"i", "f", "o",
/// "c"}, {"r", "z", "h"}.
const std::vector<std::string>& gate_names(Cell cell);
/// How many of them are sigmoid gates (they come first): 0, 3, 2.
int sigmoid_gates(Cell cell);

/// u: [T, B, G n] (PerGate) or [T, B, n] (Shared), w_h: [G n, n], gates stacked as in gate_names.
/// Returns h: [T, B, n]. The state before the first step is zero. Differentiable in u and w_h.
/// Error: shapes that do not fit are both named. mask: [B, n], or undefined. W_h* then act on mask
/// h_{t-1}, the same at every step: dropout on the recurrent connection.
torch::Tensor recurrence(Cell cell, const torch::Tensor& u, const torch::Tensor& w_h,
                         const torch::Tensor& mask = {});

/// Where a recurrence stands. Undefined tensors: before the first step, zero.
struct CellState {
  torch::Tensor h, c;  ///< [B, n]; c of an LSTM alone
};
/// The same for steps that follow `state`, which is left behind the last of them; no gradient.
torch::Tensor recurrence_from(CellState& state, Cell cell, const torch::Tensor& u,
                              const torch::Tensor& w_h);

/// Activations of the sigmoid gates of the same recurrence: [T, B, (sigmoid gates) n]; no gradient.
torch::Tensor gate_activations(Cell cell, const torch::Tensor& u, const torch::Tensor& w_h);

struct RecurrentLayerOptions {
  RecurrentLayerOptions(std::int64_t inputs, std::int64_t units) : inputs_(inputs), units_(units) {}
  TORCH_ARG(std::int64_t, inputs);
  TORCH_ARG(std::int64_t, units);
  TORCH_ARG(Cell, cell) = Cell::Gru;
  TORCH_ARG(InputToHidden, input_to_hidden) = InputToHidden::PerGate;
  /// W_h* of every gate starts as this times a random orthogonal matrix.
  TORCH_ARG(double, hidden_scale) = 0.1;
  /// With which an LSTM's forget gate starts, where it has a bias of its own (PerGate).
  TORCH_ARG(double, forget_bias) = 1;
};

class RecurrentLayerImpl : public torch::nn::Module {
 public:
  /// All weights random (traditional): W_x* uniform in +-1/sqrt(inputs), b zero but for the LSTM's
  /// forget gate.
  RecurrentLayerImpl(RecurrentLayerOptions options, Random& random);

  /// x: [B, T, inputs] -> h: [B, T, units]. The state starts at zero for every clip.
  torch::Tensor forward(const torch::Tensor& x);
  /// The same for frames that follow `state`, which is left behind the last of them; no gradient.
  torch::Tensor follow(const torch::Tensor& x, CellState& state);
  /// Activations of the sigmoid gates on x, gate after gate: [gates][B, T, units].
  std::vector<torch::Tensor> gates(const torch::Tensor& x);

  const RecurrentLayerOptions& options() const { return options_; }

  torch::Tensor weight_x, bias, weight_h;  ///< [G n_h or n_h, n_in], [G n_h or n_h], [G n_h, n_h]

 private:
  torch::Tensor input_product(const torch::Tensor& x) const;
  RecurrentLayerOptions options_;
};
TORCH_MODULE(RecurrentLayer);

/// Weights of a PreRNN layer beyond those of the feedforward layer inputs -> units it came from,
/// biases left out:
/// (g-1) n_in n_h + g n_h^2, or g n_h^2 when shared. For VGG16's fc6 (25088 -> 4096), LSTM:
/// 375,390,208 and 67,108,864.
std::int64_t added_parameters(Cell cell, InputToHidden input_to_hidden, std::int64_t inputs,
                              std::int64_t units);
/// A traditional layer of width `units` on `inputs` features: g (n h + h^2).
std::int64_t traditional_parameters(Cell cell, std::int64_t inputs, std::int64_t units);

/// A random orthogonal [n, n] matrix (QR of a normal one, signs fixed), times `scale`.
torch::Tensor orthogonal(std::int64_t n, double scale, Random& random);

}  // namespace reprise::models
