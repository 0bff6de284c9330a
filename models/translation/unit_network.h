// The six networks of UNIT (document unit, fig. 1E, 2A, 2C; paragraphs 28 to 50): two encoders E,
// two generators G, two discriminators D, with shared weights in each pair.
//
//     z_i = E_mu,i(x_i) + eta, eta ~ N(0, I)      q_i(z_i | x_i) = N(E_mu,i(x_i), I), unit variance
//     x11 = G_1(z_1)   x12 = G_2(z_1)   x22 = G_2(z_2)   x21 = G_1(z_2)   xij: domain i to domain j
//     E_1 = E_H o E_L1,  E_2 = E_H o E_L2
//     G_1 = G_L1 o G_H,  G_2 = G_L2 o G_H
//     D_1 = D_H o D_L1,  D_2 = D_H o D_L2
// E_H are the last shared_E residual blocks of the encoders, G_H the first shared_G of the
// generators.
// D_H are the last shared_D convolutions of the discriminators and their head. With 0 the pair
// shares no weight and keeps its depth.
//
//     E   conv 7, f | `halvings` of conv 3, stride 2, twice as wide each | blocks_E residual blocks
//     G   blocks_G residual blocks | `halvings` doublings, half as wide each
//         | transposed conv 1, tanh
//     D   conv kernel_D, stride 2, f | layers_D - 1 of conv 3, stride 2, twice as wide each
//         | conv 1: a logit per patch
// A doubling is a transposed conv 3 with stride 2, or with Upsampling::Nearest a conv 3 of the
// picture with each pixel repeated. Transposed convolutions overlap unevenly, which can leave a
// checkerboard (Odena et al., Deconvolution and checkerboard artifacts, 2016).
//
// With scales_D = n, each domain has n discriminators without shared weights. The k-th sees the
// picture halved k times, each time after a blur with the kernel (1, 2, 1) / 4.
//
// LeakyReLU 0.01 follows each convolution. With norm_in_halves, instance norm and ReLU replace it
// in E's halvings and G's doublings. Residual blocks are x + norm(conv(ReLU(norm(conv(x))))) with
// instance norm without weights. Convolutions of 3 have padding 1; all have biases.
//
// Names and shapes are those of the authors' NIPS code. E and G: encode_A, encode_B, enc_shared,
// dec_shared, decode_A, decode_B; domain 1 is A. D: model_A, model_B, model_S; with several scales
// model_1_A, model_2_A, model_4_A, ... The code calls these networks:
//     COCOResGen2, COCOResGen   E and G without and with norm_in_halves
//     COCOSharedDis             D
//     COCODis                   D with kernel_D = 3 and shared_D = 0
//     COCOMsDis                 the same with scales_D = 3
// Sources: the document; Liu et al. 2017.
#pragma once
#include <torch/nn/modules/container/sequential.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "training/translator.h"

namespace reprise::models {

/// How a generator doubles the side of its features.
enum class Upsampling {
  Transposed,  ///< transposed convolution, as released
  Nearest      ///< repeated pixels, then a convolution
};
/// Name in files and options: "transposed" or "nearest".
std::string upsampling_name(Upsampling upsampling);
/// UsageError: an unknown name (both known ones are named).
Upsampling find_upsampling(const std::string& name);

/// Statistics (mean and variance of each channel) with which the instance norms of E and G work.
enum class NormStatistics {
  Own,     ///< those of each picture, as in training
  Record,  ///< those of the whole batch, which are kept
  Kept     ///< those of the last pass with Record
};

struct UnitNetworkOptions {
  std::int64_t channels_1 = 3, channels_2 = 3;
  /// True: fig. 1E with E_1, E_2, G_2, D_2 and the streams x12 and x22; false: fig. 2C with all
  /// six.
  bool one_way = false;
  std::int64_t width = 64;  ///< f of E and G
  std::int64_t halvings = 2;
  std::int64_t blocks_E = 4, shared_E = 1;
  std::int64_t blocks_G = 4, shared_G = 1;
  bool norm_in_halves = false;
  std::int64_t width_D = 64;
  std::int64_t layers_D = 6, shared_D = 4;
  std::int64_t kernel_D = 7;
  Upsampling upsampling = Upsampling::Transposed;
  std::int64_t scales_D = 1;
};

/// Outputs of E and G. Tensors of networks that do not exist are undefined.
struct UnitStreams {
  at::Tensor mu_1, mu_2;  ///< E_mu,i(x_i): [N, d, h, w]
  at::Tensor x11, x12, x22, x21;
};
/// The cycle-reconstruction streams: translations are encoded, in training with separate noise, and
/// translated back.
struct UnitCycles {
  at::Tensor mu_12, mu_21;  ///< E_mu,2(x12), E_mu,1(x21)
  at::Tensor x121, x212;    ///< G_1(z_2 ~ q_2(z_2 | x12)), G_2(z_1 ~ q_1(z_1 | x21))
};

/// E_1, E_2, G_1, G_2 in one module.
class UnitNetworkImpl : public torch::nn::Module {
 public:
  /// UsageError: a count outside its range (both are named); more shared layers than layers.
  explicit UnitNetworkImpl(const UnitNetworkOptions& options);
  /// x_1, x_2: [N, C_i, H, W], from -1 to 1, sides multiples of 2^halvings. Evaluation mode uses
  /// the mean codes.
  UnitStreams streams(const at::Tensor& x_1, const at::Tensor& x_2);
  /// Needs both generators.
  UnitCycles cycles(const UnitStreams& streams);
  /// E_mu,i: [N, d, h, w]. UsageError: other channels; a side that does not halve `halvings` times.
  at::Tensor encode(const at::Tensor& x, training::Domain of);
  /// G_i of a given code. UsageError: the system has no G_1.
  at::Tensor decode(const at::Tensor& z, training::Domain into);
  /// Switches all instance norms. A part of a large picture is translated like the whole with kept
  /// statistics of the whole. An Error of a pass: Kept, and no pass in this direction was recorded.
  void set_norm_statistics(NormStatistics statistics);
  const UnitNetworkOptions& options() const { return options_; }

 private:
  at::Tensor front(const at::Tensor& x, training::Domain of);
  at::Tensor add_code_noise(const at::Tensor& mu) const;
  UnitNetworkOptions options_;
  torch::nn::Sequential encode_A_, encode_B_, enc_shared_, dec_shared_, decode_A_{nullptr},
      decode_B_;
};
TORCH_MODULE(UnitNetwork);

/// D_1 and D_2; a one-way system has D_2 only.
class UnitDiscriminatorsImpl : public torch::nn::Module {
 public:
  explicit UnitDiscriminatorsImpl(const UnitNetworkOptions& options);
  /// Logits of each scale, finest first: [N, positions].
  std::vector<at::Tensor> compute_logits(const at::Tensor& x, training::Domain of);
  /// Logits of all scales: [N, positions].
  at::Tensor forward(const at::Tensor& x, training::Domain of);

 private:
  std::vector<torch::nn::Sequential> models_A_, models_B_;  ///< by scale
  torch::nn::Sequential model_S_;
};
TORCH_MODULE(UnitDiscriminators);

enum class UnitStart {
  Gaussian,  ///< kernels N(0, 0.02), as released; biases 0
  He         ///< kernels N(0, sqrt(2 / fan in)), biases 0
};
/// Draws the weights. equal: layers of the second domain start as copies of the first domain's, if
/// their shapes agree.
void draw_unit(torch::nn::Module& network, UnitStart start, bool equal, Random& random);

}  // namespace reprise::models
