// The network F of a diffusion model: a U-Net of residual blocks with attention at low resolutions.
// It is conditioned on the noise level and on a label or text.
//
//     e = SiLU(W_1 SiLU(W_0 [cos 2 pi f c_noise, sin 2 pi f c_noise] + condition))    one per item
//     block:      h = conv(SiLU(norm(x)));   h = conv(SiLU(norm(h) (1 + scale(e)) + shift(e)))
//                 y = (skip(x) + h) / sqrt(2)
//     attention:  y = (x + softmax(q k^T / sqrt(d)) v W) / sqrt(2)
// Level l has channels[l] channels at 1 / (patch 2^l) of the picture's sides. Each level has
// `blocks` blocks on the way down and one more on the way up. The latter also see the outputs of
// the way down.
// With patch = p, a p x p square of pixels becomes one position with p^2 times the channels, the
// cheapest downsampling. A block starts nearly as the identity, the network as F = 0.
//
// The condition is none, a class (labels: [N]) or a text (labels: [N, words], vocabulary numbers, 0
// for no word). A small encoder (text_encoder.h) maps a text to a vector. An item is unconditioned
// if its first label is below 0.
// Sources:
// - Blocks, initialisation and scaling by 1 / sqrt(2): Karras et al. 2022, appendix F.1.
// - Unconditioned items: Ho, Salimans 2022.
#pragma once
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/random.h"
#include "models/diffusion/edm.h"
#include "models/layers/text_encoder.h"

namespace reprise::models {

struct UNetOptions {
  std::int64_t image_channels = 1;
  std::int64_t patch = 1;
  std::vector<std::int64_t> channels{32, 64};
  std::int64_t blocks = 1;
  std::vector<std::int64_t> attention{};  ///< levels with attention
  std::int64_t embedding = 128;           ///< width of e
  std::int64_t classes = 0;               ///< 0: no classes
  std::int64_t words = 0;                 ///< vocabulary size, including 0 for no word; 0: no text
  double dropout = 0;
};
nlohmann::json to_json(const UNetOptions& options);
/// Parses the options. UsageError: a missing key or another type (named). `where` names the file.
UNetOptions unet_options(const nlohmann::json& json, const std::string& where);
/// Attention heads at a level of so many channels: one per 64 channels, dividing the channels.
std::int64_t attention_heads(std::int64_t channels);

class UNetBlockImpl : public torch::nn::Module {
 public:
  enum class Resample { None, Down, Up };
  UNetBlockImpl(std::int64_t in, std::int64_t out, std::int64_t embedding, bool attention,
                Resample resample, double dropout);
  /// x: [N, in, H, W], e: [N, embedding] -> [N, out, H', W'], H' = H, H / 2 or 2 H.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& e);
  bool resamples() const { return resample_ != Resample::None; }
  /// Weights of the last layer of each path, which are initialised near zero.
  std::vector<torch::Tensor> last_weights() const;

 private:
  torch::Tensor attend(const torch::Tensor& x);

  Resample resample_;
  double dropout_;
  std::int64_t heads_ = 0;
  torch::nn::GroupNorm norm0_{nullptr};
  torch::nn::GroupNorm norm1_{nullptr};
  torch::nn::GroupNorm norm2_{nullptr};
  torch::nn::Conv2d conv0_{nullptr};
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::Conv2d skip_{nullptr};
  torch::nn::Conv2d qkv_{nullptr};
  torch::nn::Conv2d projection_{nullptr};
  torch::nn::Linear affine_{nullptr};
};
TORCH_MODULE(UNetBlock);

class UNet : public RawNetwork {
 public:
  /// UsageError: a size below 1; attention at a level that does not exist; both classes and words.
  UNet(const UNetOptions& options, Random& random);
  /// UsageError: sides that patch 2^(levels - 1) does not divide; another number of channels;
  /// labels of another kind or range than the network's (both named).
  at::Tensor forward(const at::Tensor& x, const at::Tensor& c_noise,
                     const at::Tensor& labels) override;
  const UNetOptions& options() const { return options_; }

 private:
  void draw(Random& random);
  void check(const at::Tensor& x) const;
  at::Tensor condition(const at::Tensor& labels, std::int64_t n);

  UNetOptions options_;
  at::Tensor frequencies_;
  torch::nn::Linear embed0_{nullptr};
  torch::nn::Linear embed1_{nullptr};
  torch::nn::Embedding classes_{nullptr};
  TextEncoder text_{nullptr};
  torch::nn::Conv2d first_{nullptr};
  torch::nn::Conv2d last_{nullptr};
  torch::nn::GroupNorm last_norm_{nullptr};
  std::vector<UNetBlock> down_;
  std::vector<UNetBlock> up_;
};

}  // namespace reprise::models
