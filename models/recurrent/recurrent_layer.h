// The recurrence of document prernn. Trained layers get it (PreRNN,
// models/recurrent/recurrent_stage.h), and so does the traditional recurrent layer.
//
//     u_t(g) = W_xg x_t + b_g      PerGate: every gate g has its own W_xg, b_g               (eq 7)
//     v_t    = W_xy x_t + b     Shared (SIH): one product for all gates, u_t(g) = v_t       (eq 10)
//     VRNN   h_t = ReLU(u_t + W_hh h_{t-1})                                                  (eq 5)
//            with another H (document dynamic_face, eq 1, 2, 5):
//            Elman h_t = tanh(...), Linear h_t = u_t + W_hh h_{t-1}
//     LSTM   i, f, o = sigma(u_t(g) + W_hg h_{t-1});  c~ = tanh(u_t(c) + W_hc h_{t-1})   (eq 8, 11)
//            c_t = f c_{t-1} + i c~;  h_t = o tanh(c_t)
//  GRU    r, z = sigma(u_t(g) + W_hg h_{t-1});  h~ = tanh(u_t(h) + W_hh (r h_{t-1}))     (eq 9, 12)
//            h_t = (1 - z) h_{t-1} + z h~
//
// The reset gate acts before the matrix, as in eq 9. torch::nn::GRU and cuDNN apply it after, which
// is another cell. At W_h* = 0 and zero state, the first step of a PreVRNN is the trained layer
// itself, ReLU(W_xy x + b).
//
// Speed: the inputs of all T steps go through W_x* in one matrix product, and only W_h* runs step
// by step. The hand-written backward pass forms each weight gradient in one product over all steps.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <string>
#include <vector>

#include "core/random.h"

namespace reprise::models {

enum class RecurrentCell { Vrnn, Elman, Linear, Lstm, Gru };
enum class InputToHidden { PerGate, Shared };

/// Gate names in the order in which they are stacked: {"h"} (VRNN, Elman, Linear), {"i", "f", "o",
/// "c"}, {"r", "z", "h"}.
const std::vector<std::string>& gate_names(RecurrentCell cell);
/// Number of sigmoid gates, which come first: 0, 3, 2.
int sigmoid_gates(RecurrentCell cell);

/// Runs the recurrence from zero state. u: [T, B, G n] (PerGate) or [T, B, n] (Shared), w_h: [G n,
/// n], gates stacked as in gate_names. Returns h: [T, B, n]. Differentiable in u and w_h.
/// mask: [B, n], or undefined. W_h* then act on mask h_{t-1}, the same mask at every step: dropout
/// on the recurrent connection. Error: shapes that do not fit (both named).
torch::Tensor recurrence(RecurrentCell cell, const torch::Tensor& u, const torch::Tensor& w_h,
                         const torch::Tensor& mask = {});

/// State of a recurrence. Undefined tensors: before the first step, zero.
struct CellState {
  torch::Tensor h, c;  ///< [B, n]; c: LSTM only
};
/// Continues from `state`, which becomes the state after the last step. Without gradient.
torch::Tensor recurrence_from(CellState& state, RecurrentCell cell, const torch::Tensor& u,
                              const torch::Tensor& w_h);

/// Activations of the sigmoid gates of the same recurrence: [T, B, (sigmoid gates) n]; no gradient.
torch::Tensor gate_activations(RecurrentCell cell, const torch::Tensor& u,
                               const torch::Tensor& w_h);

struct RecurrentLayerOptions {
  RecurrentLayerOptions(std::int64_t inputs, std::int64_t units) : inputs_(inputs), units_(units) {}
  TORCH_ARG(std::int64_t, inputs);
  TORCH_ARG(std::int64_t, units);
  TORCH_ARG(RecurrentCell, cell) = RecurrentCell::Gru;
  TORCH_ARG(InputToHidden, input_to_hidden) = InputToHidden::PerGate;
  /// Factor of the random orthogonal matrix that W_h* of every gate starts as.
  TORCH_ARG(double, hidden_scale) = 0.1;
  /// Initial bias of an LSTM's forget gate, if it has its own bias (PerGate).
  TORCH_ARG(double, forget_bias) = 1;
};

class RecurrentLayerImpl : public torch::nn::Module {
 public:
  /// Draws all weights (traditional): W_x* uniform in +-1/sqrt(inputs), b zero except for the
  /// LSTM's forget gate.
  RecurrentLayerImpl(RecurrentLayerOptions options, Random& random);

  /// x: [B, T, inputs] -> h: [B, T, units]. The state starts at zero for every clip.
  torch::Tensor forward(const torch::Tensor& x);
  /// Continues from `state`, which becomes the state after the last frame. Without gradient.
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

/// Weights of a PreRNN layer beyond those of its feedforward layer inputs -> units, without biases:
/// (g-1) n_in n_h + g n_h^2, or g n_h^2 when shared.
/// For VGG16's fc6 (25088 -> 4096) with LSTM: 375,390,208 and 67,108,864.
std::int64_t added_parameters(RecurrentCell cell, InputToHidden input_to_hidden,
                              std::int64_t inputs, std::int64_t units);
/// Weights of a traditional layer of width `units` on `inputs` features: g (n h + h^2).
std::int64_t traditional_parameters(RecurrentCell cell, std::int64_t inputs, std::int64_t units);

/// Draws an orthogonal [n, n] matrix (QR of a normal one, signs fixed) and scales it.
torch::Tensor draw_orthogonal(std::int64_t n, double scale, Random& random);

}  // namespace reprise::models
