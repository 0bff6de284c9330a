// MoCoGAN's generator (Tulyakov, Liu, Yang, Kautz 2018; document mocogan): a clip is a path in the
// latent space of pictures.
//
//     z^(k) = [z_C ; z_M^(k)]      x^(k) = G_I(z^(k))                             k = 1 .. K           paragraphs 42, 43
//     z_M^(k) = h^(k) = R_M(epsilon^(k), h^(k-1))    a one-layer GRU:
//       r = sigmoid(W_ir e + b_ir + W_hr h + b_hr)     s = sigmoid(W_is e + b_is + W_hs h + b_hs)
//       c = tanh(W_ic e + b_ic + r (W_hc h + b_hc))    h' = (1 - s) c + s h
// z_C ~ N(0, I_dC), once per clip; epsilon^(k) ~ N(0, I_dE) at each step; h^(0) ~ N(0, I_dM). K is
// any number.
//
// An action z_A, one-hot and fixed for the clip, enters either way:
//     IntoMotion   e = [z_A ; epsilon^(k)]               document, eq 7 and paragraph 62
//     IntoImage    z^(k) = [z_C ; z_A ; z_M^(k)]         as the authors' release has it
//
// Weights are named as in the release: "recurrent.weight_ih", ..., of a GRU cell; "main.N", of G_I
// (models/adversarial/decoder.h). At its settings (S = 64, f = 64, d_C = 50, d_M = d_E = 10,
// IntoImage) a dictionary of the release loads, and one is written.
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
  std::int64_t depth = 0;   ///< of G_I; models/adversarial/decoder.h
  bool grid = false;        ///< the same
  std::int64_t d_C = 50, d_M = 10, d_E = 10;
  std::int64_t d_A = 0;  ///< number of actions; 0: no z_A
  ActionEntry entry = ActionEntry::IntoMotion;
};

/// What a batch of clips is made of.
struct ClipCodes {
  at::Tensor z_C;      ///< [B, d_C]
  at::Tensor h_0;      ///< [B, d_M]
  at::Tensor epsilon;  ///< [B, K, d_E]
  at::Tensor z_A;      ///< [B, d_A], one-hot; not defined where d_A is 0
};

class MocoganNetworkImpl : public torch::nn::Module {
 public:
  /// UsageError: a side that is not a power of two from 8; a count below 1.
  explicit MocoganNetworkImpl(const MocoganNetworkOptions& options);
  /// R_M: z_M^(1) .. z_M^(K): [B, K, d_M]. UsageError: codes of other sizes (named).
  at::Tensor motion(const ClipCodes& codes);
  /// Begins with an R_M that turns h: W_hc is 1.2 times a rotation of each pair of units, by 2 pi /
  /// u a frame, u ~ U(frames, 4 frames); gate r is open and s nearly shut (b_ir = 2, b_is = -2); an
  /// odd last unit forgets. So h^(0) says where the path of codes goes, each frame has a code of
  /// its own, and none stays that could stand in for z_C. As PyTorch draws a GRU, what h^(0) said
  /// is gone after a few frames: what is left is a clock, and the path becomes z_C's. UsageError:
  /// frames below 3.
  void turn(double frames, Random& random);
  /// [B, K, C, S, S], from -1 to 1.
  at::Tensor forward(const ClipCodes& codes);
  const MocoganNetworkOptions& options() const { return options_; }

 private:
  /// Of R_M, as at::gru takes them; in one piece of memory as cuDNN wants them, which it would make
  /// of them at every call, and warn of.
  std::vector<at::Tensor> weights_of_recurrence(bool in_one_piece) const;

  MocoganNetworkOptions options_;
  torch::nn::GRUCell recurrent_{nullptr};
  torch::nn::Sequential main_{nullptr};
};
TORCH_MODULE(MocoganNetwork);

/// Codes of `count` clips of K frames, on the CPU. What is seen and how it moves come from streams
/// of their own: with one of both kept, the same content has another motion, or the same motion
/// another content. The first frames of a longer clip are those of a shorter one. actions: [count],
/// int64; not defined: drawn with the motion, where the network has any. UsageError: an action
/// beyond d_A.
ClipCodes draw_codes(const MocoganNetworkOptions& options, std::int64_t count, std::int64_t K,
                     Random content, Random motion, const at::Tensor& actions = {});

/// `count` codes from a to b, [1, ...] each, both among them: [count, ...]. With the angle theta
/// between them along the last dimension,
///     sin((1 - t) theta) / sin(theta) a + sin(t theta) / sin(theta) b,   t = i / (count - 1)
/// and the straight line where theta is 0 or pi. Gaussian codes of d values have lengths near
/// sqrt(d), which this path keeps; the straight line passes through shorter ones, which the network
/// was never trained on. UsageError: fewer than 2; other shapes.
at::Tensor codes_between(const at::Tensor& a, const at::Tensor& b, std::int64_t count);

/// The codes with a change made of each that is defined.
template <class Change>
ClipCodes each(ClipCodes codes, Change change) {
  for (auto* code : {&codes.z_C, &codes.h_0, &codes.epsilon, &codes.z_A})
    if (code->defined()) *code = change(*code);
  return codes;
}
ClipCodes on(const at::Device& device, const ClipCodes& codes);

/// The clips of these codes, [B, K, C, S, S]: in evaluation mode, without gradient, made on the
/// network's device 64 at a time, and then on the CPU.
at::Tensor clips_of_codes(MocoganNetwork G, const ClipCodes& codes);

}  // namespace reprise::models
