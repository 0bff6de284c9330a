#include "models/diffusion/unet.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "models/layers/norm_silu.h"
#include "training/torch_generator.h"
#include "training/trained_file.h"

namespace reprise::models {
namespace {

namespace nn = torch::nn;

constexpr std::int64_t channels_of_a_head = 64;  // channels per attention head

nn::GroupNorm norm(std::int64_t channels) {
  // At least four channels per group, as in EDM, and a number of groups that divides the channels.
  auto groups = std::clamp<std::int64_t>(channels / 4, 1, 32);
  while (channels % groups != 0) --groups;
  return nn::GroupNorm(nn::GroupNormOptions(groups, channels).eps(1e-5));
}

nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).padding(kernel / 2));
}

/// The convolution, with a 3 x 3 kernel w, of x upsampled by 2. Computed as a transposed
/// convolution with a 4 x 4 kernel and stride 2, which needs 4 of 9 products. The rows and columns
/// of its kernel are w_2, w_1 + w_2, w_0 + w_1, w_0.
at::Tensor convolve_upsampled(const nn::Conv2d& convolution, const at::Tensor& x) {
  if (!x.is_cpu())
    return nn::Conv2d(convolution)(
        at::upsample_nearest2d(x, at::IntArrayRef{2 * x.size(2), 2 * x.size(3)}));
  // Row k of `rows` lists which rows of w contribute to row k of the larger kernel.
  const auto rows =
      torch::tensor({{0, 0, 1}, {0, 1, 1}, {1, 1, 0}, {1, 0, 0}}, x.options().requires_grad(false));
  const auto& w = convolution->weight;
  const auto kernel = at::mm(w.transpose(0, 1).reshape({-1, 9}), at::kron(rows, rows).t())
                          .view({w.size(1), w.size(0), 4, 4});
  return at::conv_transpose2d(x, kernel, convolution->bias, 2, 1);
}

}  // namespace

// Converts both ways and requires every key.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(UNetOptions, image_channels, patch, channels, blocks, attention,
                                   embedding, classes, words, dropout)

nlohmann::json to_json(const UNetOptions& options) { return options; }

UNetOptions unet_options(const nlohmann::json& json, const std::string& where) {
  try {
    UNetOptions options;
    training::get_exactly(json, options);
    return options;
  } catch (const nlohmann::json::exception& e) {
    throw UsageError(fmt::format("{}: the U-Net's options cannot be read: {}", where, e.what()),
                     "give a file that `reprise run langevin` wrote");
  }
}

std::int64_t attention_heads(std::int64_t channels) {
  return std::max<std::int64_t>(1, channels / channels_of_a_head);
}

UNetBlockImpl::UNetBlockImpl(std::int64_t in, std::int64_t out, std::int64_t embedding,
                             bool attention, Resample resample, double dropout)
    : resample_(resample), dropout_(dropout) {
  norm0_ = register_module("norm0", norm(in));
  conv0_ = register_module("conv0", convolution(in, out, 3));
  affine_ = register_module("affine", nn::Linear(embedding, 2 * out));
  norm1_ = register_module("norm1", norm(out));
  conv1_ = register_module("conv1", convolution(out, out, 3));
  if (in != out) skip_ = register_module("skip", convolution(in, out, 1));
  if (!attention) return;
  heads_ = attention_heads(out);
  norm2_ = register_module("norm2", norm(out));
  qkv_ = register_module("qkv", convolution(out, 3 * out, 1));
  projection_ = register_module("projection", convolution(out, out, 1));
}

std::vector<torch::Tensor> UNetBlockImpl::last_weights() const {
  std::vector<torch::Tensor> last{conv1_->weight};
  if (heads_ > 0) last.push_back(projection_->weight);
  return last;
}

torch::Tensor UNetBlockImpl::attend(const torch::Tensor& x) {
  const auto n = x.size(0);
  const auto c = x.size(1);
  const auto places = x.size(2) * x.size(3);
  // [N, 3, heads, d, H W] -> q, k, v: [N, heads, H W, d]
  const auto qkv = qkv_(apply_group_norm(norm2_, x))
                       .reshape({n, 3, heads_, c / heads_, places})
                       .transpose(3, 4)
                       .unbind(1);
  // Each position attends to all others of its item, per head.
  const auto seen = torch::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2]);
  return projection_(seen.transpose(2, 3).reshape({n, c, x.size(2), x.size(3)}));
}

torch::Tensor UNetBlockImpl::forward(const torch::Tensor& x, const torch::Tensor& e) {
  const auto resampled = [this](const torch::Tensor& y) {
    if (resample_ == Resample::Down) return torch::avg_pool2d(y, 2);
    if (resample_ == Resample::Up)
      return torch::upsample_nearest2d(y, torch::IntArrayRef{2 * y.size(2), 2 * y.size(3)});
    return y;
  };
  auto h = norm_silu(norm0_, x);
  h = resample_ == Resample::Up ? convolve_upsampled(conv0_, h) : conv0_(resampled(h));
  h = norm_silu(norm1_, h, affine_(e));
  if (dropout_ > 0) h = at::dropout(h, dropout_, is_training());
  const auto kept = resampled(x);
  // In place, because nothing else owns the convolution's output.
  const auto y =
      conv1_(h).add_(skip_.is_empty() ? kept : skip_(kept)).mul_(std::numbers::sqrt2 / 2);
  // A sum of two parts of equal variance is scaled back to that variance.
  return heads_ > 0 ? attend(y).add_(y).mul_(std::numbers::sqrt2 / 2) : y;
}

UNet::UNet(const UNetOptions& options, Random& random) : options_(options) {
  const auto& [image_channels, patch, channels, blocks, attention, embedding, classes, words,
               dropout] = options_;
  const auto levels = static_cast<std::int64_t>(channels.size());
  if (image_channels < 1 || patch < 1 || levels < 1 || blocks < 1 || embedding < 8 ||
      *std::min_element(channels.begin(), channels.end()) < 1)
    throw UsageError("a U-Net without channels, levels or blocks, or an embedding below 8",
                     "give at least one of each");
  if (classes > 0 && words > 0)
    throw UsageError("a U-Net cannot be conditioned on both classes and words",
                     "set one of them to 0");
  const auto attends = [&attention](std::int64_t level) {
    return std::find(attention.begin(), attention.end(), level) != attention.end();
  };
  for (const auto level : attention)
    if (level < 0 || level >= levels)
      throw UsageError(fmt::format("attention at level {} of {}", level, levels),
                       "count levels from 0");
  // Fourier features of c_noise with frequencies from 2^-1 to 2^4.
  frequencies_ = register_buffer("frequencies", torch::logspace(-1, 4, embedding / 4, 2.0));
  embed0_ = register_module("embed0", nn::Linear(embedding / 4 * 2, embedding));
  embed1_ = register_module("embed1", nn::Linear(embedding, embedding));
  if (classes > 0) classes_ = register_module("classes", nn::Embedding(classes, embedding));
  if (words > 0)
    text_ = register_module("text",
                            TextEncoder(TextEncoderOptions{.words = words, .outputs = embedding}));
  first_ = register_module("first", convolution(image_channels * patch * patch, channels[0], 3));
  using Resample = UNetBlockImpl::Resample;
  std::vector<std::int64_t> seen{channels[0]};  // channels of all outputs of the way down
  auto now = channels[0];
  const auto add = [&](std::vector<UNetBlock>& way, const char* name, std::int64_t in,
                       std::int64_t out, bool attention_here, Resample resample) {
    way.push_back(
        register_module(fmt::format("{}{}", name, way.size()),
                        UNetBlock(in, out, embedding, attention_here, resample, dropout)));
    now = out;
  };
  for (std::int64_t level = 0; level < levels; ++level) {
    const auto width = channels[static_cast<std::size_t>(level)];
    if (level > 0) {
      add(down_, "down", now, now, false, Resample::Down);
      seen.push_back(now);
    }
    for (std::int64_t i = 0; i < blocks; ++i) {
      add(down_, "down", now, width, attends(level), Resample::None);
      seen.push_back(now);
    }
  }
  for (auto level = levels - 1; level >= 0; --level) {
    const auto width = channels[static_cast<std::size_t>(level)];
    for (std::int64_t i = 0; i <= blocks; ++i) {
      // Attention once per level on the way up, in the first block.
      add(up_, "up", now + seen.back(), width, attends(level) && i == 0, Resample::None);
      seen.pop_back();
    }
    if (level > 0) add(up_, "up", now, now, false, Resample::Up);
  }
  last_norm_ = register_module("last_norm", norm(now));
  last_ = register_module("last", convolution(now, image_channels * patch * patch, 3));
  draw(random);
}

void UNet::draw(Random& random) {
  const torch::NoGradGuard no_grad;
  const auto generator = training::torch_generator(random.split("weights").below(INT64_MAX));
  for (auto& parameter : parameters()) {
    if (parameter.dim() == 1) continue;  // biases are set below, norms start as they should
    // Weights have the variance 1 / fan-in, so that values keep their scale from layer to layer.
    const double fan_in =
        static_cast<double>(parameter.numel()) / static_cast<double>(parameter.size(0));
    parameter.copy_(torch::randn(parameter.sizes(), generator) / std::sqrt(fan_in));
  }
  for (auto& item : modules(false)) {
    if (auto* linear = item->as<nn::Linear>()) linear->bias.zero_();
    if (auto* conv = item->as<nn::Conv2d>()) conv->bias.zero_();
    // Rows of an embedding are inputs without fan-in; their entries get standard deviation 1.
    if (auto* embedding = item->as<nn::Embedding>())
      embedding->weight.mul_(std::sqrt(static_cast<double>(embedding->weight.size(1))));
    if (auto* block = item->as<UNetBlockImpl>())
      // Nearly zero, so that a block starts as the identity.
      for (auto& weight : block->last_weights()) weight.mul_(1e-5);
  }
  last_->weight.zero_();  // F = 0 at the start
}

void UNet::check(const at::Tensor& x) const {
  const auto multiple = options_.patch << (options_.channels.size() - 1);
  if (x.dim() != 4 || x.size(1) != options_.image_channels || x.size(2) % multiple != 0 ||
      x.size(3) % multiple != 0)
    throw UsageError(
        fmt::format("items of shape {}, expected [N, {}, H, W] with sides that {} divides",
                    c10::str(x.sizes()), options_.image_channels, multiple),
        "bring the pictures to the size that the model was trained on");
}

at::Tensor UNet::condition(const at::Tensor& labels, std::int64_t n) {
  const bool text = options_.words > 0;
  std::string expected = "nothing";
  if (text) expected = "texts: [N, words]";
  if (options_.classes > 0) expected = "classes: [N]";
  if (labels.size(0) != n || labels.dim() != (text ? 2 : 1) || (options_.classes == 0 && !text))
    throw UsageError(fmt::format("labels of shape {} for {} items; this model is conditioned on {}",
                                 c10::str(labels.sizes()), n, expected),
                     "give labels of that kind, or none");
  // Items with a first label below 0 are unconditioned: their condition is multiplied by 0.
  const auto given = (text ? labels.select(1, 0) : labels).ge(0).unsqueeze(1);
  if (text) return text_(labels.clamp_min(0)) * given;
  // On a GPU the check would force a synchronisation; the embedding kernel asserts on out-of-range
  // labels.
  if (labels.is_cpu() && labels.numel() > 0 &&
      labels.max().item<std::int64_t>() >= options_.classes)
    throw UsageError(fmt::format("label {} of a model with {} classes",
                                 labels.max().item<std::int64_t>(), options_.classes),
                     fmt::format("give 0 to {}", options_.classes - 1));
  return classes_(labels.clamp_min(0)) * given;
}

at::Tensor UNet::forward(const at::Tensor& x, const at::Tensor& c_noise, const at::Tensor& labels) {
  check(x);
  // Fourier features of the noise level, [N, embedding / 2].
  const auto phase = c_noise.unsqueeze(1) * frequencies_ * (2 * std::numbers::pi);
  auto e = embed0_(torch::cat({phase.cos(), phase.sin()}, 1));
  if (labels.defined()) e = e + condition(labels, x.size(0));
  e = torch::silu(embed1_(torch::silu(e)));
  // Patches become channels, so that fewer positions are computed.
  auto h = options_.patch > 1 ? torch::pixel_unshuffle(x, options_.patch) : x;
  h = first_(h.contiguous(at::MemoryFormat::ChannelsLast));
  // Outputs of the way down, which the way up takes in reverse order.
  std::vector<at::Tensor> seen{h};
  for (auto& block : down_) {
    h = block(h, e);
    seen.push_back(h);
  }
  for (auto& block : up_) {
    // A resampling block has no skip input; every other block also gets an output of the way down.
    if (!block->resamples()) {
      h = torch::cat({h, seen.back()}, 1);
      seen.pop_back();
    }
    h = block(h, e);
  }
  h = last_(norm_silu(last_norm_, h));
  return options_.patch > 1 ? torch::pixel_shuffle(h, options_.patch).contiguous() : h.contiguous();
}

}  // namespace reprise::models
