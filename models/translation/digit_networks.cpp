#include "models/translation/digit_networks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <bit>
#include <cmath>

#include "core/error.h"
#include "models/layers/layout.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

namespace nn = torch::nn;
using training::Domain;

std::size_t index_of(Domain domain) { return domain == Domain::A ? 0 : 1; }

/// Number of halvings, L of the header.
std::int64_t digit_halvings(const DigitNetworkOptions& o) {
  if (o.side < 8 || !std::has_single_bit(static_cast<std::uint64_t>(o.side)))
    throw UsageError(fmt::format("digits of {} pixels do not halve down to 2", o.side),
                     "use pictures of 8, 16, 32, ... pixels");
  if (o.channels_1 < 1 || o.channels_2 < 1 || o.classes < 2 || o.width_G < 1 || o.width_D < 1)
    throw UsageError(fmt::format("digit networks: {} and {} channels, {} classes, widths {} and {}",
                                 o.channels_1, o.channels_2, o.classes, o.width_G, o.width_D),
                     "use counts of at least 1, and two classes");
  return std::bit_width(static_cast<std::uint64_t>(o.side)) - 2;
}

/// The release's "Bias2d".
class ChannelBiasImpl : public nn::Module {
 public:
  explicit ChannelBiasImpl(std::int64_t channels) {
    bias_ = register_parameter("bias", torch::zeros({channels}));
  }
  at::Tensor forward(const at::Tensor& x) { return x + bias_.view({1, -1, 1, 1}); }

 private:
  at::Tensor bias_;
};
TORCH_MODULE(ChannelBias);

/// A convolution, batch norm without weights, a bias, LeakyReLU: the release's blocks, named
/// "model".
class NormedImpl : public nn::Module {
 public:
  template <typename Conv>
  NormedImpl(const Conv& conv, std::int64_t channels) {
    model_->push_back(conv);
    model_->push_back(nn::BatchNorm2d(nn::BatchNorm2dOptions(channels).affine(false)));
    model_->push_back(ChannelBias(channels));
    model_->push_back(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.01)));
    register_module("model", model_);
  }
  at::Tensor forward(const at::Tensor& x) { return model_->forward(x); }

 private:
  nn::Sequential model_;
};
TORCH_MODULE(Normed);

Normed normed_conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                   std::int64_t padding) {
  return Normed(nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding)),
                out);
}

Normed normed_transposed(std::int64_t in, std::int64_t out, std::int64_t padding) {
  return Normed(
      nn::ConvTranspose2d(nn::ConvTranspose2dOptions(in, out, 4).stride(2).padding(padding)), out);
}

at::Tensor run(std::vector<nn::AnyModule>& layers, at::Tensor x) {
  for (auto& layer : layers) x = layer.forward(x);
  return x;
}

constexpr const char* suffix[] = {"_a", "_b"};
constexpr double digit_dropout[] = {0.1, 0.3, 0.5};  // rates of the release's CoDis32x32

void require_digits(const DigitNetworkOptions& o, const at::Tensor& x, Domain of) {
  const auto channels = of == Domain::A ? o.channels_1 : o.channels_2;
  if (x.dim() != 4 || x.size(1) != channels || x.size(2) != o.side || x.size(3) != o.side)
    throw UsageError(fmt::format("digit networks of [N, {}, {}, {}] were given [{}]", channels,
                                 o.side, o.side, fmt::join(x.sizes(), ", ")),
                     "give pictures like those of fit(), brought to the side of the networks");
}

}  // namespace

DigitDecoderImpl::DigitDecoderImpl(const DigitNetworkOptions& options) : options_(options) {
  const auto L = digit_halvings(options);
  auto width = code_size();
  shared_.emplace_back(register_module("g_de_conv0", normed_transposed(width, width, 0)));
  for (std::int64_t i = 1; i < L - 1; ++i, width /= 2)
    shared_.emplace_back(
        register_module(fmt::format("g_de_conv{}", i), normed_transposed(width, width / 2, 1)));
  for (std::size_t k = 0; k < 2; ++k) {
    own_[k].emplace_back(register_module(fmt::format("g_de_conv{}{}", L - 1, suffix[k]),
                                         normed_transposed(width, width / 2, 1)));
    const auto channels = k == 0 ? options.channels_1 : options.channels_2;
    own_[k].emplace_back(
        register_module(fmt::format("de_conv{}{}", L, suffix[k]),
                        nn::ConvTranspose2d(nn::ConvTranspose2dOptions(width / 2, channels, 1))));
  }
}

// Channels last from the first layer with neighbours on: faster convolutions, batch norm and
// pooling.
at::Tensor DigitDecoderImpl::decode(const at::Tensor& z, Domain into) {
  auto h = shared_.front().forward(z).contiguous(at::MemoryFormat::ChannelsLast);
  for (std::size_t i = 1; i < shared_.size(); ++i) h = shared_[i].forward(h);
  return run(own_[index_of(into)], h).tanh();
}

DigitCodersImpl::DigitCodersImpl(const DigitNetworkOptions& options) : DigitDecoderImpl(options) {
  const auto f = options.width_G;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto channels =
        (k == 0 ? options.channels_1 : options.channels_2) + (options.coordinates ? 2 : 0);
    front_.emplace_back(
        register_module(std::string("g_en_conv0") + suffix[k], normed_conv(channels, f, 5, 2, 2)));
  }
  shared_E_.emplace_back(register_module("g_en_conv1", normed_conv(f, 2 * f, 5, 2, 2)));
  shared_E_.emplace_back(
      register_module("g_en_conv2", normed_conv(2 * f, 4 * f, options.side / 4, 1, 0)));
  shared_E_.emplace_back(register_module("g_en_conv3", normed_conv(4 * f, 8 * f, 1, 1, 0)));
  // An empty module between, because the release names the layer "g_vae.en_mu".
  class Mean : public nn::Module {};
  const auto vae = register_module("g_vae", std::make_shared<Mean>());
  mean_ = vae->register_module("en_mu", nn::Conv2d(nn::Conv2dOptions(8 * f, 8 * f, 1)));
  if (options.learned_deviation)
    deviation_ = vae->register_module("en_sigma", nn::Conv2d(nn::Conv2dOptions(8 * f, 8 * f, 1)));
  if (!options.coordinates) return;
  // Coordinates from -1 in steps of 2 / S, as in the release.
  const auto axis = (at::arange(options.side, at::kFloat) - static_cast<double>(options.side) / 2) /
                    (static_cast<double>(options.side) / 2);
  coordinates_ = at::stack(at::meshgrid({axis, axis}, "ij")).unsqueeze(0);
}

at::Tensor DigitCodersImpl::front(const at::Tensor& x, Domain of) {
  require_digits(options_, x, of);
  auto input = x;
  if (coordinates_.defined())
    input = at::cat(
        {x, coordinates_.to(x.device()).expand({x.size(0), 2, options_.side, options_.side})}, 1);
  return front_[index_of(of)].forward(input.contiguous(at::MemoryFormat::ChannelsLast));
}

at::Tensor DigitCodersImpl::encode(const at::Tensor& x, Domain of) {
  return mean_->forward(run(shared_E_, front(x, of)));
}

DigitStreams DigitCodersImpl::streams(const at::Tensor& x_1, const at::Tensor& x_2) {
  const auto n = x_1.size(0);
  const auto h = run(shared_E_, at::cat({front(x_1, Domain::A), front(x_2, Domain::B)}));
  const auto mu = mean_->forward(h);
  auto z = mu;
  at::Tensor sd;
  if (deviation_) sd = at::softplus(deviation_->forward(h));
  if (is_training()) {
    const auto noise = training::normals_like(mu);
    z = mu + (sd.defined() ? sd * noise : noise);
  }
  const auto first = decode(z, Domain::A), second = decode(z, Domain::B);
  return {.mu_1 = mu.slice(0, 0, n).flatten(1),
          .mu_2 = mu.slice(0, n).flatten(1),
          .sd_1 = sd.defined() ? sd.slice(0, 0, n).flatten(1) : sd,
          .sd_2 = sd.defined() ? sd.slice(0, n).flatten(1) : sd,
          .x11 = first.slice(0, 0, n),
          .x12 = second.slice(0, 0, n),
          .x22 = second.slice(0, n),
          .x21 = first.slice(0, n)};
}

DigitDiscriminatorImpl::DigitDiscriminatorImpl(const DigitNetworkOptions& options)
    : options_(options) {
  const auto L = digit_halvings(options);
  if (!options.own_front_D && options.channels_1 != options.channels_2)
    throw UsageError(
        fmt::format("a shared first layer of D for pictures of {} and {} channels",
                    options.channels_1, options.channels_2),
        "bring both domains to one number of channels, or give each its own first layer");
  const auto pooled = [](std::int64_t in, std::int64_t out) {
    return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(in, out, 5).padding(2)), nn::ReLU(),
                          nn::MaxPool2d(2));
  };
  for (std::size_t k = 0; k < (options.own_front_D ? 2 : 1); ++k)
    front_.push_back(
        register_module(std::string("conv0") + suffix[k],
                        pooled(k == 0 ? options.channels_1 : options.channels_2, options.width_D)));
  auto width = options.width_D;
  for (std::int64_t i = 1; i < L; ++i, width *= 2)
    layers_.push_back(register_module(fmt::format("conv{}", i), pooled(width, 2 * width)));
  real_head_ =
      register_module(fmt::format("conv{}", L), nn::Conv2d(nn::Conv2dOptions(width, 2, 2)));
  classifier_ =
      register_module("conv_cl", nn::Conv2d(nn::Conv2dOptions(width, options.classes, 2)));
}

// Channels last: else max pooling takes as long as all convolutions of D.
at::Tensor DigitDiscriminatorImpl::front(const at::Tensor& x, Domain of) {
  require_digits(options_, x, of);
  return front_[std::min(index_of(of), front_.size() - 1)]->forward(
      x.contiguous(at::MemoryFormat::ChannelsLast));
}

at::Tensor DigitDiscriminatorImpl::top(const at::Tensor& front, bool dropped) {
  const auto drop = [&](const at::Tensor& h, std::size_t i) {
    return dropped ? at::dropout(h, digit_dropout[std::min<std::size_t>(i, 2)], is_training()) : h;
  };
  auto h = drop(front, 0);
  for (std::size_t i = 0; i < layers_.size(); ++i) h = drop(layers_[i]->forward(h), i + 1);
  return h;
}

// The release has two classes, fake and real; their difference is the logit.
at::Tensor DigitDiscriminatorImpl::real_logits(const at::Tensor& top) {
  const auto two = real_head_->forward(top).flatten(1);
  return two.select(1, 1) - two.select(1, 0);
}

at::Tensor DigitDiscriminatorImpl::class_logits(const at::Tensor& top) {
  return classifier_->forward(top).flatten(1);
}

namespace {

/// Copies own layers of the first domain (named with _a) to those of the second (_b).
void start_equal(nn::Module& network) {
  auto parameters = network.named_parameters();
  for (auto& [name, parameter] : parameters.pairs()) {
    const auto at = name.find("_b.");
    if (at == std::string::npos) continue;
    const auto* first = parameters.find(std::string(name).replace(at, 2, "_a"));
    if (first && first->sizes() == parameter.sizes()) parameter.copy_(*first);
  }
}

}  // namespace

void draw_digit_coders(nn::Module& network, bool equal, Random& random) {
  const torch::NoGradGuard no_grad;
  const auto generator =
      training::torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX)));
  for (auto& parameter : network.parameters())
    parameter.dim() > 1 ? parameter.copy_(0.02 * torch::randn(parameter.sizes(), generator))
                        : parameter.zero_();
  store_channels_last(network);
  if (equal) start_equal(network);
}

void draw_digit_discriminator(nn::Module& network, bool equal, Random& random) {
  const torch::NoGradGuard no_grad;
  const auto generator =
      training::torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX)));
  for (auto& parameter : network.parameters()) {
    if (parameter.dim() == 1) {
      parameter.fill_(0.1);
      continue;
    }
    // Xavier's uniform bound times sqrt(2), as in the release.
    const auto window = parameter[0][0].numel();
    const double bound =
        std::sqrt(12.0 / static_cast<double>((parameter.size(0) + parameter.size(1)) * window));
    parameter.copy_(torch::empty(parameter.sizes()).uniform_(-bound, bound, generator));
  }
  store_channels_last(network);
  if (equal) start_equal(network);
}

}  // namespace reprise::models
