// The recurrence of document prernn. Transformed layers (PreRNN, recurrent_stage.h) and traditional
// recurrent layers use it.
//
// Input product of gate g:
//     - PerGate (eq 7): u_t(g) = W_xg x_t + b_g, with separate weights for each gate.
//     - Shared (SIH, eq 10): u_t(g) = W_xy x_t + b, the same for all gates.
//
// Cells:
//     - VRNN (eq 5): h_t = ReLU(u_t + W_hh h_{t-1}).
//     - Elman and Linear (document dynamic_face, eq 1 and 2): tanh or the identity for ReLU.
//     - LSTM (eq 8):
//           i, f, o = sigma(u_t(g) + W_hg h_{t-1}),   c~ = tanh(u_t(c) + W_hc h_{t-1})
//           c_t = f c_{t-1} + i c~,   h_t = o tanh(c_t)
//     - GRU (eq 9):
//           r, z = sigma(u_t(g) + W_hg h_{t-1}),   h~ = tanh(u_t(h) + W_hh (r h_{t-1}))
//           h_t = (1 - z) h_{t-1} + z h~
//     - With SIH the LSTM is eq 11, the GRU eq 12.
//
// The reset gate acts before the matrix, as in eq 9. torch::nn::GRU and cuDNN apply it after the
// matrix, which is another cell. At W_h* = 0 a PreVRNN is the trained layer, ReLU(W_xy x + b).
//
// One matrix product applies W_x* to the inputs of all T steps; only W_h* runs step by step. The
// hand-written backward pass forms each weight gradient in one product over all steps.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <string>
#include <vector>

#include "core/random.h"

namespace reprise::models {

/// Types of cells. Each switch over them names all, so the compiler lists what a new one needs.
enum class RecurrentCell { Vrnn, Elman, Linear, Lstm, Gru };
enum class InputToHidden { PerGate, Shared };

/// Names of the gates in stacking order: {"i", "f", "o", "c"} (LSTM), {"r", "z", "h"} (GRU), {"h"}
/// (others).
const std::vector<std::string>& gate_names(RecurrentCell cell);
/// Number of sigmoid gates, which come first: LSTM 3, GRU 2, others none.
int sigmoid_gates(RecurrentCell cell);

/// Runs the recurrence from zero state. u: [T, B, G n] (PerGate) or [T, B, n] (Shared). w_h: [G n,
/// n], gates stacked as in gate_names(). Returns h: [T, B, n]. Differentiable in u and w_h.
/// mask: dropout on the recurrent connection, [B, n], or undefined. At every step W_h* act on
/// mask h_{t-1}. Error: shapes that do not fit (both named).
torch::Tensor recurrence(RecurrentCell cell, const torch::Tensor& u, const torch::Tensor& w_h,
                         const torch::Tensor& mask = {});

/// State of a recurrence. Undefined tensors: before the first step, zero.
struct CellState {
  torch::Tensor h;  ///< [B, n]
  torch::Tensor c;  ///< [B, n]; LSTM only
};
/// Continues from `state`, which becomes the state after the last step. Without gradient.
torch::Tensor recurrence_from(CellState& state, RecurrentCell cell, const torch::Tensor& u,
                              const torch::Tensor& w_h);

/// Returns the activations of the sigmoid gates, [T, B, (sigmoid gates) n]; undefined without such
/// gates. No gradient.
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

  torch::Tensor weight_x;  ///< [G n or n, inputs]
  torch::Tensor bias;      ///< [G n or n]
  torch::Tensor weight_h;  ///< [G n, n]

 private:
  torch::Tensor input_product(const torch::Tensor& x) const;
  RecurrentLayerOptions options_;
};
TORCH_MODULE(RecurrentLayer);

/// Counts the weights that PreRNN adds to a feedforward layer inputs -> units, without biases. With
/// G gates these are (G - 1) inputs units + G units^2 (PerGate) or G units^2 (Shared).
/// Example: an LSTM at VGG16's fc6 (25088 -> 4096) adds 375,390,208 weights (Shared: 67,108,864).
std::int64_t added_parameters(RecurrentCell cell, InputToHidden input_to_hidden,
                              std::int64_t inputs, std::int64_t units);
/// Counts the weights of a traditional layer, without biases: G (inputs units + units^2).
std::int64_t traditional_parameters(RecurrentCell cell, std::int64_t inputs, std::int64_t units);

/// Draws an orthogonal [n, n] matrix (QR of a normal one, signs fixed) and scales it.
torch::Tensor draw_orthogonal(std::int64_t n, double scale, Random& random);

}  // namespace reprise::models
