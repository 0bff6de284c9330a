#include "baselines/adversarial/clip_networks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "models/adversarial/decoder.h"
#include "models/adversarial/discriminator.h"
#include "training/torch_generator.h"

namespace reprise::baselines {
namespace {

namespace nn = torch::nn;
using models::Convolution;
using models::ConvolutionOptions;

nn::ReLU relu() { return nn::ReLU(nn::ReLUOptions().inplace(true)); }

/// Returns the options of a decoder of single pictures.
models::DecoderOptions picture(const ClipNetworkOptions& o, std::int64_t inputs) {
  return {.inputs = inputs,
          .side = o.side,
          .channels = o.channels,
          .width = o.width,
          .depth = o.depth,
          .grid = o.grid};
}

/// VGAN: one stream of clips, or a foreground, a mask and a background.
class VganNetwork : public ClipNetwork {
 public:
  explicit VganNetwork(const ClipNetworkOptions& o)
      : two_streams_(o.kind == ClipNetworkKind::Vgan), channels_(o.channels) {
    foreground_ = register_module(
        "foreground", models::make_decoder({.inputs = o.d_z,
                                            .side = o.side,
                                            .frames = o.frames,
                                            .channels = o.channels + (two_streams_ ? 1 : 0),
                                            .width = o.width,
                                            .depth = o.depth,
                                            .grid = o.grid}));
    if (two_streams_)
      background_ = register_module("background", models::make_decoder(picture(o, o.d_z)));
  }
  GeneratedClips forward(const at::Tensor& z) override {
    const auto f = foreground_->forward(z.view({z.size(0), z.size(1), 1, 1, 1}));
    if (!two_streams_) return {.clips = f.tanh(), .mask = {}};
    // The foreground stream has one more channel, the mask.
    const auto m = f.slice(1, channels_).sigmoid();
    const auto b = background_->forward(z.view({z.size(0), z.size(1), 1, 1})).tanh().unsqueeze(2);
    // x = m f + (1 - m) b with a still background b.
    return {.clips = m * f.slice(1, 0, channels_).tanh() + (1 - m) * b, .mask = m};
  }

 private:
  bool two_streams_;
  std::int64_t channels_;
  nn::Sequential foreground_{nullptr}, background_{nullptr};
};

/// TGAN: a temporal generator of codes and an image generator.
class TganNetwork : public ClipNetwork {
 public:
  explicit TganNetwork(const ClipNetworkOptions& o)
      : width_(o.width << (models::count_halvings(o.side) - 1)) {
    temporal_ = register_module("temporal", nn::Sequential());
    // 16 f by default, as in the paper's sizes (see the header).
    const auto F = o.temporal_width > 0 ? o.temporal_width : 16 * o.width;
    temporal_->push_back(Convolution(ConvolutionOptions{
        .in = o.d_z, .out = F, .kernel = {1}, .stride = {1}, .padding = {0}, .transposed = true}));
    auto in = F;
    // Each step doubles the number of codes; the last one has d_z values.
    for (std::int64_t steps = 1; steps < o.frames; steps *= 2) {
      const auto out = 2 * steps == o.frames ? o.d_z : std::max(in / 2, F / 4);
      temporal_->push_back(nn::BatchNorm1d(in));
      temporal_->push_back(relu());
      temporal_->push_back(Convolution(ConvolutionOptions{
          .in = in, .out = out, .kernel = {4}, .stride = {2}, .padding = {1}, .transposed = true}));
      in = out;
    }
    if (o.depth > 0 || o.grid) {
      image_ = register_module("image", models::make_decoder(picture(o, 2 * o.d_z)));
      return;
    }
    // As in the paper: each code becomes its own 4 x 4 start of the picture.
    from_z_0_ =
        register_module("from_z_0", nn::Linear(nn::LinearOptions(o.d_z, 16 * width_).bias(false)));
    from_z_1_ =
        register_module("from_z_1", nn::Linear(nn::LinearOptions(o.d_z, 16 * width_).bias(false)));
    image_ = register_module("image", nn::Sequential());
    image_->push_back(nn::BatchNorm2d(2 * width_));
    image_->push_back(relu());
    in = 2 * width_;
    for (auto out = width_; out >= o.width; in = out, out /= 2) {
      image_->push_back(Convolution(ConvolutionOptions{.in = in, .out = out, .transposed = true}));
      image_->push_back(nn::BatchNorm2d(out));
      image_->push_back(relu());
    }
    image_->push_back(Convolution(
        ConvolutionOptions{.in = in, .out = o.channels, .kernel = {3, 3}, .stride = {1, 1}}));
  }
  GeneratedClips forward(const at::Tensor& z) override {
    const auto z_1 = temporal_->forward(z.unsqueeze(2)).tanh().transpose(1, 2);  // [B, T, d_z]
    const auto B = z_1.size(0);
    const auto T = z_1.size(1);
    // The decoder makes single pictures, [B T, C, S, S]; clips are [B, C, T, S, S].
    const auto as_clips = [&](const at::Tensor& frames) {
      return GeneratedClips{
          frames.tanh().unflatten(0, std::vector<std::int64_t>{B, T}).transpose(1, 2), {}};
    };
    // With a decoder, both codes enter as one: z_0 in every frame, and z_1 of the frame.
    if (!from_z_0_)
      return as_clips(image_->forward(at::cat({z.unsqueeze(1).expand_as(z_1), z_1}, 2)
                                          .flatten(0, 1)
                                          .unsqueeze(-1)
                                          .unsqueeze(-1)));
    const auto of_z_0 =
        from_z_0_->forward(z).view({B, 1, width_, 4, 4}).expand({B, T, width_, 4, 4});
    const auto of_z_1 = from_z_1_->forward(z_1).view({B, T, width_, 4, 4});
    return as_clips(image_->forward(at::cat({of_z_0, of_z_1}, 2).flatten(0, 1)));
  }

 private:
  std::int64_t width_;  ///< channels of z_0's part, and of z_1's
  nn::Sequential temporal_{nullptr}, image_{nullptr};
  nn::Linear from_z_0_{nullptr}, from_z_1_{nullptr};
};

}  // namespace

std::shared_ptr<ClipNetwork> make_clip_network(const ClipNetworkOptions& o) {
  if (o.d_z < 1 || o.channels < 1 || o.width < 1 || o.frames < 1 || o.temporal_width < 0 ||
      o.temporal_width % 4 != 0)
    throw UsageError(
        fmt::format(
            "a clip network of {} values of z, {} channels, width {}, temporal width {}, {} frames",
            o.d_z, o.channels, o.width, o.temporal_width, o.frames),
        "use counts of at least 1, and a temporal width of a multiple of 4, or 0");
  if (o.kind != ClipNetworkKind::Tgan) return std::make_shared<VganNetwork>(o);
  if (o.frames < 2 || !std::has_single_bit(static_cast<std::uint64_t>(o.frames)))
    throw UsageError(fmt::format("TGAN cannot make clips of {} frames", o.frames),
                     "use 2, 4, 8, 16, ... frames");
  return std::make_shared<TganNetwork>(o);
}

at::Tensor draw_z(const ClipNetworkOptions& o, std::int64_t count, std::uint64_t seed) {
  const auto generator = training::torch_generator(seed);
  // TGAN draws from [-1, 1], VGAN from a normal distribution.
  if (o.kind == ClipNetworkKind::Tgan) return 2 * torch::rand({count, o.d_z}, generator) - 1;
  return torch::randn({count, o.d_z}, generator);
}

void clip_singular_values(torch::nn::Module& network) {
  const torch::NoGradGuard no_grad;
  const auto clip_norm = [](const auto& norm) {
    // In use, batch norm multiplies by weight / std_dev, which is between 0.01 and 1 then.
    const auto std_dev = (norm.running_var + norm.options.eps()).sqrt();
    auto weight = norm.weight;
    weight.copy_(at::min(at::max(weight, 0.01 * std_dev), std_dev));
  };
  for (const auto& module : network.modules()) {
    if (const auto* norm = module->as<nn::BatchNorm3d>()) clip_norm(*norm);
    if (const auto* norm = module->as<nn::BatchNorm2d>()) clip_norm(*norm);
    if (const auto* convolution = module->as<Convolution>()) {
      auto weight = convolution->weight;
      // The kernel as a matrix with one row per output channel.
      const auto [u, s, v] = at::linalg_svd(weight.flatten(1), /*full_matrices=*/false);
      weight.copy_((u * s.clamp_max(1)).matmul(v).view(weight.sizes()));
    }
  }
}

}  // namespace reprise::baselines
