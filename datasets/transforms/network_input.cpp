#include "datasets/transforms/network_input.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"

namespace reprise::datasets {
namespace {

constexpr std::int64_t imagenet_shorter = 256;
constexpr std::int64_t imagenet_size = 224;
constexpr std::int64_t c3d_frames = 16;
constexpr std::int64_t clip_size = 112;

void require_rgb(const at::Tensor& image) {
  if (!image.defined() || image.dim() != 3 || image.size(2) != 3 || image.numel() == 0 ||
      image.scalar_type() != at::kByte)
    throw UsageError("this tensor is not a colour image",
                     "give a uint8 tensor of shape [H, W, 3] (RGB), with at least one pixel");
}

/// Source pixels first, first + 1, ... of one result pixel, with weights in units of 2^-22.
struct Taps {
  std::int64_t first = 0;
  std::vector<std::int32_t> weights = {};
};
/// Bits of a weight's fraction, as in PIL.
constexpr int weight_bits = 22;

/// Returns the taps of PIL's bilinear filter: a triangle whose reach is one source pixel, or one
/// result pixel when it shrinks.
std::vector<Taps> triangle_filter(std::int64_t from, std::int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(scale, 1.0);
  std::vector<Taps> all;
  for (std::int64_t k = 0; k < to; ++k) {
    const double centre = (static_cast<double>(k) + 0.5) * scale;
    // Rounding of both ends as in PIL (Resample.c), so that the pixels agree.
    const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(centre - reach + 0.5), 0);
    const auto end = std::min<std::int64_t>(static_cast<std::int64_t>(centre + reach + 0.5), from);
    std::vector<double> weights;
    double sum = 0;
    for (auto i = first; i < end; ++i) {
      weights.push_back(
          std::max(0.0, 1 - std::abs((static_cast<double>(i) - centre + 0.5) / reach)));
      sum += weights.back();
    }
    Taps taps{.first = first};
    for (const double w : weights)
      taps.weights.push_back(static_cast<std::int32_t>(w / sum * (1 << weight_bits) + 0.5));
    all.push_back(std::move(taps));
  }
  return all;
}

/// Resamples the middle dimension: [outer, from, inner] -> [outer, to, inner].
at::Tensor resample(const at::Tensor& source, std::int64_t to) {
  const auto outer = source.size(0);
  const auto from = source.size(1);
  const auto inner = source.size(2);
  const auto taps = triangle_filter(from, to);
  at::Tensor result = at::empty({outer, to, inner}, at::kByte);
  const auto* in = source.const_data_ptr<std::uint8_t>();
  auto* out = result.data_ptr<std::uint8_t>();
  for (std::int64_t o = 0; o < outer; ++o, in += from * inner)
    for (const auto& [first, weights] : taps)
      for (std::int64_t i = 0; i < inner; ++i) {
        // Half a unit, so that the shift rounds to nearest.
        std::int32_t sum = 1 << (weight_bits - 1);
        const auto* value = in + first * inner + i;
        for (const auto weight : weights) {
          sum += weight * *value;
          value += inner;
        }
        *out++ = static_cast<std::uint8_t>(std::clamp(sum >> weight_bits, 0, 255));
      }
  return result;
}

}  // namespace

at::Tensor resize_shorter(const at::Tensor& image, std::int64_t size) {
  require_rgb(image);
  const auto height = image.size(0);
  const auto width = image.size(1);
  const auto shorter = std::min(height, width);
  if (shorter == size) return image;
  const auto new_height = size * height / shorter;
  const auto new_width = size * width / shorter;
  // Rows first, rounded to bytes between the two, as PIL does.
  const auto narrow = resample(image.contiguous(), new_width);
  return resample(narrow.view({1, height, new_width * 3}), new_height)
      .view({new_height, new_width, 3});
}

at::Tensor centre_crop(const at::Tensor& image, std::int64_t size) {
  require_rgb(image);
  // Python's round(): halves to even, as nearbyint.
  const auto begin = [size](std::int64_t side) {
    return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(side - size) / 2));
  };
  return image.narrow(0, begin(image.size(0)), size).narrow(1, begin(image.size(1)), size);
}

at::Tensor normalise_imagenet(const at::Tensor& pixels) {
  const auto mean = at::tensor({0.485F, 0.456F, 0.406F}, pixels.options().dtype(at::kFloat));
  const auto deviation = at::tensor({0.229F, 0.224F, 0.225F}, pixels.options().dtype(at::kFloat));
  return pixels.to(at::kFloat).div(255).sub(mean).div(deviation);
}

at::Tensor make_imagenet_input(const at::Tensor& image) {
  return normalise_imagenet(centre_crop(resize_shorter(image, imagenet_shorter), imagenet_size))
      .permute({2, 0, 1})
      .contiguous();
}

at::Tensor make_c3d_input(const std::vector<at::Tensor>& frames) {
  if (static_cast<std::int64_t>(frames.size()) != c3d_frames)
    throw UsageError(fmt::format("a clip of {} frames", frames.size()),
                     fmt::format("C3D takes {}", c3d_frames));
  std::vector<at::Tensor> cut;
  for (const auto& frame : frames)
    cut.push_back(centre_crop(resize_shorter(frame, clip_size), clip_size));
  return at::stack(cut).to(at::kFloat).permute({3, 0, 1, 2}).contiguous();
}

}  // namespace reprise::datasets
