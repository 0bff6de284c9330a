// Generators of clips of T frames from one code z per clip, which MoCoGAN is compared with.
//
//     VGAN (Vondrick, Pirsiavash, Torralba 2016)    z ~ N(0, I), 100 values
//         x = m f + (1 - m) b       f, m = F(z): 3-D transposed convolutions, tanh and sigmoid
//                                   b = B(z): one still picture, tanh
//         one stream: x = f
//     TGAN (Saito, Matsumoto, Saito 2017)           z_0 ~ U(-1, 1), 100 values
//         z_1^(1) .. z_1^(T) = G_0(z_0): 1-D transposed convolutions, tanh, 100 values each
//         x^(t) = G_1(z_0, z_1^(t))
// Sizes follow side S, frames T and width f. The papers have S = 64; VGAN T = 32 and f = 64; TGAN T
// = 16 and f = 32:
//     F, B    n = log2(S) - 2 doublings from 4 x 4 (F: T / 2^n frames) at widths 2^(n-1) f .. f
//             (models/adversarial/decoder.h)
//  G_0     F at one step, F being 16 f, then doublings at F / 2, F / 4, F / 4, ..., the last at 100
//     G_1     z_0 and z_1 each become 2^(n-1) f channels of 4 x 4; n doublings at 2^(n-1) f .. f;
//             a convolution of 3 x 3
// Batch norm and ReLU follow all steps but the last. There are no biases (the papers have some).
#pragma once
#include <torch/nn/module.h>

#include <memory>

namespace reprise::baselines {

enum class ClipNetworkKind { Vgan, VganOneStream, Tgan };

struct ClipNetworkOptions {
  ClipNetworkKind kind = ClipNetworkKind::Vgan;
  std::int64_t side = 64, channels = 3, frames = 32;
  std::int64_t width = 64;          ///< f
  std::int64_t temporal_width = 0;  ///< F of TGAN; 0: 16 f
  std::int64_t d_z = 100;           ///< values of z, z_0 and z_1
  /// Depth of F and B, as in models/adversarial/decoder.h. With depth or grid, TGAN's G_1 is such a
  /// decoder too, with input [z_0; z_1].
  std::int64_t depth = 0;
  bool grid = false;
};

struct GeneratedClips {
  at::Tensor clips;  ///< [B, C, T, S, S], from -1 to 1
  at::Tensor mask;   ///< m: [B, 1, T, S, S], from 0 to 1; VGAN with two streams only
};

class ClipNetwork : public torch::nn::Module {
 public:
  /// z: [B, d_z].
  virtual GeneratedClips forward(const at::Tensor& z) = 0;
};

/// UsageError: a side that is not a power of two from 8; for VGAN, frames that do not halve n
/// times; for TGAN, frames that are not a power of two; a depth below n; a count below 1.
std::shared_ptr<ClipNetwork> make_clip_network(const ClipNetworkOptions& options);

/// Draws z for `count` clips, on the CPU.
at::Tensor draw_z(const ClipNetworkOptions& options, std::int64_t count, std::uint64_t seed);

/// Enforces TGAN's constraint: no singular value of a kernel (one row per output channel) above 1,
/// and batch norm's weight between 0.01 and 1 times the running standard deviation. Batch norm's
/// slope is then at most 1.
void clip_singular_values(torch::nn::Module& network);

}  // namespace reprise::baselines
