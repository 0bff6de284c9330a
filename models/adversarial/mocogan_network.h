// MoCoGAN's generator (Tulyakov, Liu, Yang, Kautz 2018; document mocogan): a clip is a path in the
// latent space of pictures.
//
//     z^(k) = [z_C ; z_M^(k)]      x^(k) = G_I(z^(k))      k = 1 .. K           paragraphs 42, 43
//     z_M^(k) = h^(k) = R_M(epsilon^(k), h^(k-1))    a one-layer GRU:
//       r = sigmoid(W_ir e + b_ir + W_hr h + b_hr)     s = sigmoid(W_is e + b_is + W_hs h + b_hs)
//       c = tanh(W_ic e + b_ic + r (W_hc h + b_hc))    h' = (1 - s) c + s h
// z_C ~ N(0, I_dC) is drawn once per clip, epsilon^(k) ~ N(0, I_dE) at each step, and h^(0) ~ N(0,
// I_dM). K is arbitrary.
//
// An action z_A is one-hot and constant in a clip. It enters at one of two places:
//     IntoMotion   e = [z_A ; epsilon^(k)]               document, eq 7 and paragraph 62
//     IntoImage    z^(k) = [z_C ; z_A ; z_M^(k)]         as in the authors' release
//
// Weights have the names of the release: "recurrent.weight_ih", ... (GRU cell) and "main.N" (G_I,
// models/adversarial/decoder.h). With the release's settings (S = 64, f = 64, d_C = 50, d_M = d_E =
// 10, IntoImage) state dictionaries of the release can be read and written.
#pragma once
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/rnn.h>

#include <optional>

#include "core/random.h"

namespace reprise::models {

enum class ActionEntry { IntoMotion, IntoImage };

struct MocoganNetworkOptions {
  std::int64_t side = 64, channels = 3;
  std::int64_t width = 64;  ///< f of G_I
  std::int64_t depth = 0;   ///< depth of G_I: models/adversarial/decoder.h
  bool grid = false;        ///< position coordinates in G_I: the same file
  std::int64_t d_C = 50, d_M = 10, d_E = 10;
  std::int64_t d_A = 0;  ///< number of actions; 0: no z_A
  ActionEntry entry = ActionEntry::IntoMotion;
};

/// Random inputs of the generator for a batch of clips.
struct ClipCodes {
  at::Tensor z_C;      ///< [B, d_C]
  at::Tensor h_0;      ///< [B, d_M]
  at::Tensor epsilon;  ///< [B, K, d_E]
  at::Tensor z_A;      ///< [B, d_A], one-hot; undefined if d_A is 0
};

class MocoganNetworkImpl : public torch::nn::Module {
 public:
  /// UsageError: a side that is not a power of two from 8; a count below 1.
  explicit MocoganNetworkImpl(const MocoganNetworkOptions& options);
  /// Runs R_M: z_M^(1) .. z_M^(K), [B, K, d_M]. UsageError: codes of other sizes (named).
  at::Tensor motion(const ClipCodes& codes);
  /// Initialises R_M such that h rotates, so that h^(0) determines the path of motion codes.
  /// W_hc is 1.2 times a rotation of each pair of units by 2 pi / u per frame, u ~ U(frames, 4
  /// frames).
  /// Gate r is open and s nearly shut (b_ir = 2, b_is = -2). An odd last unit has no memory.
  /// With PyTorch's initialisation, h^(0) is forgotten after a few frames. The motion code is then
  /// only a clock, and z_C takes over the motion. UsageError: frames below 3.
  void start_rotating(double frames, Random& random);
  /// Clips [B, K, C, S, S], values from -1 to 1.
  at::Tensor forward(const ClipCodes& codes);
  const MocoganNetworkOptions& options() const { return options_; }

 private:
  /// Weights of R_M in the order of at::gru. in_one_piece: contiguous in memory as cuDNN needs
  /// them, which otherwise copies them at every call and warns.
  std::vector<at::Tensor> recurrence_weights(bool in_one_piece) const;

  MocoganNetworkOptions options_;
  torch::nn::GRUCell recurrent_{nullptr};
  torch::nn::Sequential main_{nullptr};
};
TORCH_MODULE(MocoganNetwork);

/// Draws codes of `count` clips of K frames, on the CPU. Content and motion have separate random
/// streams, so that either can be kept while the other changes. A longer clip begins with the
/// frames of a shorter one. actions: [count], int64; undefined: drawn with the motion, if the
/// network has actions. UsageError: an action above d_A - 1.
ClipCodes draw_codes(const MocoganNetworkOptions& options, std::int64_t count, std::int64_t K,
                     Random content, Random motion, const at::Tensor& actions = {});

/// Interpolates `count` codes from a to b, each [1, ...], both included: [count, ...].
/// With the angle theta between them along the last dimension, code i is
///     sin((1 - t) theta) / sin(theta) a + sin(t theta) / sin(theta) b,   t = i / (count - 1)
/// and on the straight line if theta is 0 or pi. Gaussian codes of d values have lengths near
/// sqrt(d), which this path keeps. A straight line passes through shorter codes, which the network
/// never saw in training. UsageError: a count below 2; other shapes.
at::Tensor interpolate_codes(const at::Tensor& a, const at::Tensor& b, std::int64_t count);

/// Applies `change` to each code that is defined.
template <class Change>
ClipCodes transform_codes(ClipCodes codes, Change change) {
  for (auto* code : {&codes.z_C, &codes.h_0, &codes.epsilon, &codes.z_A})
    if (code->defined()) *code = change(*code);
  return codes;
}
/// Copies the codes to a device.
ClipCodes move_codes(const at::Device& device, const ClipCodes& codes);

/// Decodes codes into clips [B, K, C, S, S] on the CPU. Runs in evaluation mode without gradient on
/// the network's device, 64 clips at a time.
at::Tensor decode_clips(MocoganNetwork G, const ClipCodes& codes);

}  // namespace reprise::models
