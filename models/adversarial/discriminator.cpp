#include "models/adversarial/discriminator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <bit>

#include "core/error.h"

namespace reprise::models {
namespace {

namespace nn = torch::nn;

void check_discriminator(const DiscriminatorOptions& o) {
  const auto require = [](bool right, const std::string& problem, const std::string& fix) {
    if (!right) throw UsageError("a discriminator: " + problem, fix);
  };
  const auto n = count_halvings(o.side);
  require(o.channels >= 1 && o.width >= 1 && o.outputs >= 1,
          fmt::format("{} channels, width {}, {} outputs", o.channels, o.width, o.outputs),
          "use counts of at least 1");
  require(!o.patch || o.outputs == 1, fmt::format("patches with {} outputs", o.outputs),
          "classes need the complete item: leave patch out");
  if (o.frames == 0) return;
  if (o.time == ClipTime::Valid)
    require(o.frames > 3 * n,
            fmt::format("clips of {} frames are too short for {} convolutions that remove 3 each",
                        o.frames, n),
            fmt::format("give clips of at least {} frames", 3 * n + 1));
  else
    require(o.frames % (1 << n) == 0,
            fmt::format("clips of {} frames do not halve {} times", o.frames, n),
            fmt::format("give clips of a multiple of {} frames", 1 << n));
}

/// A convolution that halves the side.
ConvolutionOptions halving(const DiscriminatorOptions& o, std::int64_t in, std::int64_t out) {
  ConvolutionOptions convolution{
      .in = in, .out = out, .spectral = o.normalisation == Normalisation::Spectral};
  if (o.frames == 0) return convolution;
  const bool valid = o.time == ClipTime::Valid;
  convolution.kernel = {4, 4, 4};
  convolution.stride = {valid ? 1 : 2, 2, 2};
  convolution.padding = {valid ? 0 : 1, 1, 1};
  return convolution;
}

}  // namespace

std::int64_t count_halvings(std::int64_t side) {
  if (side < 8 || !std::has_single_bit(static_cast<std::uint64_t>(side)))
    throw UsageError(fmt::format("a side of {} pixels does not halve down to 4", side),
                     "use frames of 8, 16, 32, 64, ... pixels");
  return std::bit_width(static_cast<std::uint64_t>(side)) - 3;
}

DiscriminatorImpl::DiscriminatorImpl(const DiscriminatorOptions& options) : options_(options) {
  check_discriminator(options);
  const auto n = count_halvings(options.side);
  const auto with_noise = [&] {
    noises_.emplace_back();
    main_->push_back(noises_.back());
  };
  auto in = options.channels;
  for (std::int64_t i = 0; i < (options.patch ? n - 1 : n); ++i) {
    const auto out = options.width << i;
    // Widths double with each halving: f, 2f, 4f, ...
    with_noise();
    main_->push_back(Convolution(halving(options, in, out)));
    if (i > 0 && options.normalisation == Normalisation::Batch) {
      if (options.frames == 0)
        main_->push_back(nn::BatchNorm2d(out));
      else
        main_->push_back(nn::BatchNorm3d(out));
    }
    main_->push_back(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2).inplace(true)));
    in = out;
  }
  // Patches: the last halving gives the logits. Else one convolution covers what is left.
  if (options.patch) {
    if (options.frames == 0) with_noise();
    main_->push_back(Convolution(halving(options, in, 1)));
  } else {
    auto last = halving(options, in, options.outputs);
    const auto left =
        options.time == ClipTime::Valid ? options.frames - 3 * n : options.frames >> n;
    last.kernel = options.frames == 0 ? std::vector<std::int64_t>{4, 4}
                                      : std::vector<std::int64_t>{left, 4, 4};
    last.stride.assign(last.kernel.size(), 1);
    last.padding.assign(last.kernel.size(), 0);
    main_->push_back(Convolution(last));
  }
  register_module("main", main_);
}

at::Tensor DiscriminatorImpl::forward(const at::Tensor& x, const at::Tensor& noise) {
  std::vector<std::int64_t> wanted{options_.channels};
  if (options_.frames > 0) wanted.push_back(options_.frames);
  wanted.insert(wanted.end(), {options_.side, options_.side});
  if (x.sizes().size() != wanted.size() + 1 || x.sizes().slice(1) != at::IntArrayRef(wanted))
    throw UsageError(fmt::format("a discriminator of [N, {}] was given [{}]",
                                 fmt::join(wanted, ", "), fmt::join(x.sizes(), ", ")),
                     "give items of the shape that it was made for");
  for (auto& each : noises_) each->sigma = noise;
  return main_->forward(x).flatten(1);
}

}  // namespace reprise::models
