#include "models/translation/unit_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/printable.h"
#include "models/layers/layout.h"
#include "models/layers/norm_silu.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

namespace nn = torch::nn;
using training::Domain;

/// The release's instance norm, with its ReLU if one follows, as one operation.
class NormedImpl : public nn::Module {
 public:
  explicit NormedImpl(bool relu) : relu_(relu) {}
  at::Tensor forward(const at::Tensor& x) {
    if (statistics_ == NormStatistics::Own) return relu_ ? instance_norm_relu(x) : instance_norm(x);
    if (statistics_ == NormStatistics::Record) record(x);
    if (!slope_.defined())
      throw Error("no statistics of an instance norm were recorded for this direction",
                  "pass the whole picture with NormStatistics::Record first");
    auto y = at::addcmul(offset_, x, slope_);
    return relu_ ? y.relu_() : y;
  }
  void set_statistics(NormStatistics statistics) {
    statistics_ = statistics;
    if (statistics != NormStatistics::Kept) slope_ = offset_ = at::Tensor();
  }

 private:
  /// Keeps (x - mean) / sqrt(variance + eps) of each channel as slope and offset: [1, C, 1, 1].
  void record(const at::Tensor& x) {
    constexpr double eps = 1e-5;  // that of instance_norm()
    const auto [variance, mean] =
        at::var_mean(x, /*dim=*/at::IntArrayRef{0, 2, 3}, /*correction=*/0, /*keepdim=*/true);
    slope_ = (variance + eps).rsqrt();
    offset_ = -mean * slope_;
  }

  bool relu_;
  NormStatistics statistics_ = NormStatistics::Own;
  at::Tensor slope_, offset_;  // no part of the module's state: they belong to one picture
};
TORCH_MODULE(Normed);

nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2));
}

enum class BlockKind { Plain, Residual, Doubled };

/// A block of the release, which names its layers "model.N". A doubled block repeats each pixel of
/// its input before the layers.
class BlockImpl : public nn::Module {
 public:
  explicit BlockImpl(BlockKind kind) : kind_(kind) { register_module("model", model); }
  at::Tensor forward(const at::Tensor& x) {
    if (kind_ == BlockKind::Residual) return x + model->forward(x);
    if (kind_ == BlockKind::Doubled)
      return model->forward(at::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)}));
    return model->forward(x);
  }
  nn::Sequential model;

 private:
  BlockKind kind_;
};
TORCH_MODULE(Block);

/// Appends the activation after a convolution that halves or doubles.
void activate(Block& block, bool norm) {
  if (norm) {
    block->model->push_back(Normed(true));
  } else {
    block->model->push_back(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.01)));
  }
}

/// A convolution with its activation.
Block leaky(const nn::Conv2d& conv, bool norm = false) {
  Block block(BlockKind::Plain);
  block->model->push_back(conv);
  activate(block, norm);
  return block;
}

/// The layer that doubles the side, with its activation.
Block doubling(std::int64_t in, std::int64_t out, const UnitNetworkOptions& o) {
  const bool nearest = o.upsampling == Upsampling::Nearest;
  Block block(nearest ? BlockKind::Doubled : BlockKind::Plain);
  if (nearest)
    block->model->push_back(convolution(in, out, 3, 1));
  else
    block->model->push_back(nn::ConvTranspose2d(
        nn::ConvTranspose2dOptions(in, out, 3).stride(2).padding(1).output_padding(1)));
  activate(block, o.norm_in_halves);
  return block;
}

/// A residual block: x + norm(conv(ReLU(norm(conv(x))))).
Block residual(std::int64_t channels) {
  Block block(BlockKind::Residual);
  block->model->push_back(convolution(channels, channels, 3, 1));
  block->model->push_back(Normed(true));
  // The release has a ReLU here, which Normed(true) includes. Identity keeps the module numbers.
  block->model->push_back(nn::Identity());
  block->model->push_back(convolution(channels, channels, 3, 1));
  block->model->push_back(Normed(false));
  return block;
}

void push_blocks(nn::Sequential& network, std::int64_t n, std::int64_t channels) {
  for (std::int64_t i = 0; i < n; ++i) network->push_back(residual(channels));
}

/// The layers of one encoder that are not shared.
nn::Sequential own_encoder(const UnitNetworkOptions& o, std::int64_t channels) {
  nn::Sequential network(leaky(convolution(channels, o.width, 7, 1)));
  for (std::int64_t i = 0; i < o.halvings; ++i)
    network->push_back(
        leaky(convolution(o.width << i, o.width << (i + 1), 3, 2), o.norm_in_halves));
  push_blocks(network, o.blocks_E - o.shared_E, o.width << o.halvings);
  return network;
}

/// The layers of one generator that are not shared.
nn::Sequential own_generator(const UnitNetworkOptions& o, std::int64_t channels) {
  nn::Sequential network;
  push_blocks(network, o.blocks_G - o.shared_G, o.width << o.halvings);
  for (auto i = o.halvings; i > 0; --i)
    network->push_back(doubling(o.width << i, o.width << (i - 1), o));
  network->push_back(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(o.width, channels, 1)));
  network->push_back(nn::Tanh());
  return network;
}

/// Convolutions `from` to `to` of a discriminator; the head follows its last.
nn::Sequential discriminator_layers(const UnitNetworkOptions& o, std::int64_t channels,
                                    std::int64_t from, std::int64_t to) {
  nn::Sequential network;
  for (auto i = from; i < to; ++i)
    network->push_back(leaky(i == 0 ? convolution(channels, o.width_D, o.kernel_D, 2)
                                    : convolution(o.width_D << (i - 1), o.width_D << i, 3, 2)));
  if (to == o.layers_D && to > from)
    network->push_back(nn::Conv2d(nn::Conv2dOptions(o.width_D << (to - 1), 1, 1)));
  return network;
}

/// Refuses counts out of range.
void check_unit(const UnitNetworkOptions& o) {
  const auto require = [](bool right, const std::string& problem, const std::string& fix) {
    if (!right) throw UsageError("UNIT's networks: " + problem, fix);
  };
  require(o.channels_1 >= 1 && o.channels_2 >= 1 && o.width >= 1 && o.width_D >= 1 &&
              o.halvings >= 0 && o.layers_D >= 1,
          fmt::format("{} and {} channels, widths {} and {}, {} halvings, {} layers of D",
                      o.channels_1, o.channels_2, o.width, o.width_D, o.halvings, o.layers_D),
          "use counts of at least 1, and 0 or more halvings");
  const auto shared = [&](const char* whose, std::int64_t n, std::int64_t of) {
    require(n >= 0 && n <= of, fmt::format("{} of {} layers of {} shared", n, of, whose),
            "share at most as many as there are");
  };
  shared("E", o.shared_E, o.blocks_E);
  shared("G", o.shared_G, o.blocks_G);
  require(o.shared_D >= 0 && o.shared_D < o.layers_D,
          fmt::format("{} of {} layers of D shared", o.shared_D, o.layers_D),
          "keep at least one separate layer per discriminator");
  require(o.scales_D >= 1 && (o.scales_D == 1 || o.shared_D == 0),
          fmt::format("discriminators of {} scales with {} shared layers", o.scales_D, o.shared_D),
          "use one scale, or share no layers of D");
  require(o.kernel_D >= 1 && o.kernel_D % 2 == 1, fmt::format("D's first kernel is {}", o.kernel_D),
          "use an odd one");
}

/// Refuses pictures that the encoder of a domain does not take.
void check_pictures(const UnitNetworkOptions& o, const at::Tensor& x, Domain of) {
  const auto channels = of == Domain::A ? o.channels_1 : o.channels_2;
  const auto step = std::int64_t{1} << o.halvings;
  if (x.dim() != 4 || x.size(1) != channels)
    throw UsageError(
        fmt::format("UNIT was given pictures [{}], and those of domain {} have {} channels",
                    fmt::join(x.sizes(), ", "), of == Domain::A ? "1" : "2", channels),
        "give [N, C, H, W] as in fit()");
  if (x.size(2) % step != 0 || x.size(3) % step != 0 || x.size(2) < 2 * step ||
      x.size(3) < 2 * step)
    throw UsageError(fmt::format("pictures of {} x {} do not halve {} times to 2 or more",
                                 x.size(3), x.size(2), o.halvings),
                     fmt::format("use sides that are multiples of {} from {}", step, 2 * step));
}

/// The picture at half its side, blurred with the kernel (1, 2, 1) / 4 in both directions.
at::Tensor halve_picture(const at::Tensor& x) {
  const auto line = at::tensor({0.25, 0.5, 0.25}, x.options());
  const auto channels = x.size(1);
  const auto kernel = at::outer(line, line).expand({channels, 1, 3, 3});
  const std::vector<std::int64_t> stride{2, 2}, no_padding{0, 0}, no_dilation{1, 1};
  return at::conv2d(at::replication_pad2d(x, {1, 1, 1, 1}), kernel, /*bias=*/at::Tensor(), stride,
                    no_padding, no_dilation, /*groups=*/channels);
}

}  // namespace

std::string upsampling_name(Upsampling upsampling) {
  return upsampling == Upsampling::Nearest ? "nearest" : "transposed";
}

Upsampling find_upsampling(const std::string& name) {
  for (const auto upsampling : {Upsampling::Transposed, Upsampling::Nearest})
    if (name == upsampling_name(upsampling)) return upsampling;
  throw UsageError(
      fmt::format("UNIT's networks: the upsampling \"{}\" is unknown", printable(name)),
      "use \"transposed\" or \"nearest\"");
}

UnitNetworkImpl::UnitNetworkImpl(const UnitNetworkOptions& options) : options_(options) {
  check_unit(options);
  const auto& o = options;
  encode_A_ = register_module("encode_A", own_encoder(o, o.channels_1));
  encode_B_ = register_module("encode_B", own_encoder(o, o.channels_2));
  push_blocks(enc_shared_, o.shared_E, o.width << o.halvings);
  register_module("enc_shared", enc_shared_);
  push_blocks(dec_shared_, o.shared_G, o.width << o.halvings);
  register_module("dec_shared", dec_shared_);
  if (!o.one_way) decode_A_ = register_module("decode_A", own_generator(o, o.channels_1));
  decode_B_ = register_module("decode_B", own_generator(o, o.channels_2));
}

namespace {
/// Runs a Sequential, which torch refuses to do with an empty one.
at::Tensor through(nn::Sequential& network, const at::Tensor& x) {
  return network->is_empty() ? x : network->forward(x);
}
}  // namespace

at::Tensor UnitNetworkImpl::front(const at::Tensor& x, Domain of) {
  check_pictures(options_, x, of);
  return (of == Domain::A ? encode_A_ : encode_B_)
      ->forward(x.contiguous(at::MemoryFormat::ChannelsLast));
}

at::Tensor UnitNetworkImpl::add_code_noise(const at::Tensor& mu) const {
  return is_training() ? mu + training::normals_like(mu) : mu;
}

at::Tensor UnitNetworkImpl::encode(const at::Tensor& x, Domain of) {
  return through(enc_shared_, front(x, of));
}

at::Tensor UnitNetworkImpl::decode(const at::Tensor& z, Domain into) {
  if (into == Domain::A && !decode_A_)
    throw UsageError("this system (fig. 1E) has no G_1: it translates from A to B only",
                     "translate pictures of A, or use a two-way system");
  return (into == Domain::A ? decode_A_ : decode_B_)->forward(through(dec_shared_, z));
}

void UnitNetworkImpl::set_norm_statistics(NormStatistics statistics) {
  for (const auto& module : modules(/*include_self=*/false))
    if (auto* norm = module->as<NormedImpl>()) norm->set_statistics(statistics);
}

// The shared layers run once for both domains.
UnitStreams UnitNetworkImpl::streams(const at::Tensor& x_1, const at::Tensor& x_2) {
  const auto n = x_1.size(0);
  const auto mu = through(enc_shared_, at::cat({front(x_1, Domain::A), front(x_2, Domain::B)}));
  const auto h = through(dec_shared_, add_code_noise(mu));
  const auto second = decode_B_->forward(h);
  UnitStreams s{.mu_1 = mu.slice(0, 0, n),
                .mu_2 = mu.slice(0, n),
                .x11 = {},
                .x12 = second.slice(0, 0, n),
                .x22 = second.slice(0, n),
                .x21 = {}};
  if (!decode_A_) return s;
  const auto first = decode_A_->forward(h);
  s.x11 = first.slice(0, 0, n);
  s.x21 = first.slice(0, n);
  return s;
}

UnitCycles UnitNetworkImpl::cycles(const UnitStreams& s) {
  const auto n = s.x12.size(0);
  const auto mu = through(enc_shared_, at::cat({front(s.x12, Domain::B), front(s.x21, Domain::A)}));
  const auto h = through(dec_shared_, add_code_noise(mu));
  return {.mu_12 = mu.slice(0, 0, n),
          .mu_21 = mu.slice(0, n),
          .x121 = decode_A_->forward(h.slice(0, 0, n)),
          .x212 = decode_B_->forward(h.slice(0, n))};
}

UnitDiscriminatorsImpl::UnitDiscriminatorsImpl(const UnitNetworkOptions& o) {
  check_unit(o);
  const auto own = o.layers_D - o.shared_D;
  for (std::int64_t scale = 0; scale < o.scales_D; ++scale) {
    // The release names one scale "model_A", and several by the factor that shrinks the picture.
    const auto factor = o.scales_D == 1 ? "" : fmt::format("{}_", std::int64_t{1} << scale);
    if (!o.one_way)
      models_A_.push_back(register_module(fmt::format("model_{}A", factor),
                                          discriminator_layers(o, o.channels_1, 0, own)));
    models_B_.push_back(register_module(fmt::format("model_{}B", factor),
                                        discriminator_layers(o, o.channels_2, 0, own)));
  }
  model_S_ = register_module("model_S", discriminator_layers(o, 0, own, o.layers_D));
}

std::vector<at::Tensor> UnitDiscriminatorsImpl::compute_logits(const at::Tensor& x, Domain of) {
  std::vector<at::Tensor> logits;
  auto scaled = x.contiguous(at::MemoryFormat::ChannelsLast);
  for (auto& model : of == Domain::A ? models_A_ : models_B_) {
    if (!logits.empty()) scaled = halve_picture(scaled);
    logits.push_back(through(model_S_, model->forward(scaled)).flatten(1));
  }
  return logits;
}

at::Tensor UnitDiscriminatorsImpl::forward(const at::Tensor& x, Domain of) {
  const auto logits = compute_logits(x, of);
  return logits.size() == 1 ? logits.front() : at::cat(logits, 1);
}

void draw_unit(nn::Module& network, UnitStart start, bool equal, Random& random) {
  const torch::NoGradGuard no_grad;
  const auto generator =
      training::torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX)));
  auto parameters = network.named_parameters();
  const auto* unit = network.as<UnitNetworkImpl>();
  const bool nearest = unit && unit->options().upsampling == Upsampling::Nearest;
  for (auto& [name, parameter] : parameters.pairs()) {
    if (parameter.dim() == 1) {
      parameter.zero_();
      continue;
    }
    // In a transposed convolution with stride 2, about a quarter of the kernel meets each value.
    // Rows of its kernel are inputs. With nearest upsampling, only the last layer is transposed,
    // and no block holds it.
    const bool transposed =
        name.starts_with("decode_") && (!nearest || name.find(".model.") == std::string::npos);
    const auto fan_in = static_cast<double>(
        transposed ? parameter.size(0) * std::max<std::int64_t>(1, parameter[0][0].numel() / 4)
                   : parameter[0].numel());
    const double std_dev = start == UnitStart::Gaussian ? 0.02 : std::sqrt(2 / fan_in);
    parameter.copy_(std_dev * torch::randn(parameter.sizes(), generator));
  }
  store_channels_last(network);
  if (!equal) return;
  // Names of domain 2 contain "_B", those of domain 1 "_A".
  for (auto& [name, parameter] : parameters.pairs()) {
    const auto at = name.find("_B");
    if (at == std::string::npos) continue;
    const auto* first = parameters.find(std::string(name).replace(at, 2, "_A"));
    if (first && first->sizes() == parameter.sizes()) parameter.copy_(*first);
  }
}

}  // namespace reprise::models
