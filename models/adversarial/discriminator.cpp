#include "models/adversarial/discriminator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <bit>

#include "core/error.h"

namespace reprise::models {
namespace {

namespace nn = torch::nn;

std::int64_t depth_of(const DiscriminatorOptions& o) { return o.depth == 0 ? halvings(o.side) : o.depth; }

void check_discriminator(const DiscriminatorOptions& o) {
  const auto require = [](bool right, const std::string& problem, const std::string& fix) {
    if (!right) throw UsageError("a discriminator: " + problem, fix);
  };
  const auto n = halvings(o.side);
  require(o.channels >= 1 && o.width >= 1 && o.outputs >= 1,
          fmt::format("{} channels, width {}, {} outputs", o.channels, o.width, o.outputs), "use counts of at least 1");
  require(!o.patch || o.outputs == 1, fmt::format("patches with {} outputs", o.outputs), "classes need the whole item: leave patch out");
  require(o.depth == 0 || o.depth >= n, fmt::format("a depth of {}, and {} halvings", o.depth, n), "use 0, or at least as many as halve");
  require(!o.patch || o.depth == 0, "patches with a depth", "patches see a part by their halvings alone: leave the depth at 0");
  if (o.frames == 0) return;
  if (o.time == ClipTime::Valid)
    require(o.frames > 3 * depth_of(o), fmt::format("clips of {} frames, each of {} convolutions takes 3 away", o.frames, depth_of(o)),
            fmt::format("give clips of at least {} frames", 3 * depth_of(o) + 1));
  else
    require(o.frames % (1 << n) == 0, fmt::format("clips of {} frames do not halve {} times", o.frames, n),
            fmt::format("give clips of a multiple of {} frames", 1 << n));
}

/// A convolution that halves the side.
ConvolutionOptions halving(const DiscriminatorOptions& o, std::int64_t in, std::int64_t out) {
  ConvolutionOptions convolution{.in = in, .out = out, .spectral = o.normalisation == Normalisation::Spectral};
  if (o.frames == 0) return convolution;
  const bool valid = o.time == ClipTime::Valid;
  convolution.kernel = {4, 4, 4};
  convolution.stride = {valid ? 1 : 2, 2, 2};
  convolution.padding = {valid ? 0 : 1, 1, 1};
  return convolution;
}

/// Convolution i, counted from 0, after those that halve.
ConvolutionOptions beyond(const DiscriminatorOptions& o, std::int64_t i, std::int64_t in, std::int64_t out) {
  const auto n = halvings(o.side), space = i == n ? 4 : std::int64_t{1};
  ConvolutionOptions convolution{.in = in, .out = out, .kernel = {space, space}, .spectral = o.normalisation == Normalisation::Spectral};
  if (o.frames > 0) {
    const auto left = o.frames >> n;
    convolution.kernel.insert(convolution.kernel.begin(), o.time == ClipTime::Valid ? 4 : i == n ? left : 1);
  }
  convolution.stride.assign(convolution.kernel.size(), 1);
  convolution.padding.assign(convolution.kernel.size(), 0);
  return convolution;
}

}  // namespace

std::int64_t halvings(std::int64_t side) {
  if (side < 8 || !std::has_single_bit(static_cast<std::uint64_t>(side)))
    throw UsageError(fmt::format("a side of {} pixels does not halve down to 4", side), "use frames of 8, 16, 32, 64, ... pixels");
  return std::bit_width(static_cast<std::uint64_t>(side)) - 3;
}

DiscriminatorImpl::DiscriminatorImpl(const DiscriminatorOptions& options) : options_(options) {
  check_discriminator(options);
  const auto n = halvings(options.side), depth = depth_of(options);
  const auto with_noise = [&] {
    noises_.emplace_back();
    main_->push_back(noises_.back());
  };
  auto in = options.channels;
  for (std::int64_t i = 0; i < (options.patch ? n - 1 : depth); ++i) {
    const auto out = options.width << (i < n ? i : std::min<std::int64_t>(i, 3));
    with_noise();
    main_->push_back(Convolution(i < n ? halving(options, in, out) : beyond(options, i, in, out)));
    if (i > 0 && options.normalisation == Normalisation::Batch) {
      if (options.frames == 0)
        main_->push_back(nn::BatchNorm2d(out));
      else
        main_->push_back(nn::BatchNorm3d(out));
    }
    main_->push_back(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2).inplace(true)));
    in = out;
  }
  if (options.patch) {
    if (options.frames == 0) with_noise();
    main_->push_back(Convolution(halving(options, in, 1)));
  } else {
    auto last = beyond(options, depth, in, options.outputs);
    if (options.frames > 0 && options.time == ClipTime::Valid) last.kernel[0] = options.frames - 3 * depth;
    main_->push_back(Convolution(last));
  }
  register_module("main", main_);
}

at::Tensor DiscriminatorImpl::forward(const at::Tensor& x, const at::Tensor& noise) {
  std::vector<std::int64_t> wanted{options_.channels};
  if (options_.frames > 0) wanted.push_back(options_.frames);
  wanted.insert(wanted.end(), {options_.side, options_.side});
  if (x.sizes().size() != wanted.size() + 1 || x.sizes().slice(1) != at::IntArrayRef(wanted))
    throw UsageError(fmt::format("a discriminator of [N, {}] was given [{}]", fmt::join(wanted, ", "), fmt::join(x.sizes(), ", ")),
                     "give items of the shape that it was made for");
  for (auto& each : noises_) each->sigma = noise;
  return main_->forward(x).flatten(1);
}

}  // namespace reprise::models
