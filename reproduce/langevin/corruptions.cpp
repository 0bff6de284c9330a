// Corruptions of items in [-1, 1], [N, C, H, W].
#include "reproduce/langevin/corruptions.h"

#include <torch/torch.h>

#include <cmath>

namespace reprise::reproduce::langevin_study {
namespace {

/// Covers a grey rectangle of 2/5 of each side, at a random place.
at::Tensor occlude(const at::Tensor& items, Random& random) {
  auto x = items.clone();
  const auto height = x.size(2);
  const auto width = x.size(3);
  const auto h = height * 2 / 5;
  const auto w = width * 2 / 5;
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    const auto top = random.below(height - h + 1);
    const auto left = random.below(width - w + 1);
    // 0 is mid-grey.
    x[i].slice(1, top, top + h).slice(2, left, left + w).fill_(0);
  }
  return x;
}

/// Inverts the colours.
at::Tensor invert_colours(const at::Tensor& items, Random& /*random*/) { return -items; }

/// Blurs with a Gaussian. Its standard deviation is 1/16 of the width; borders are replicated.
at::Tensor blur(const at::Tensor& x, Random& /*random*/) {
  const double std_dev = static_cast<double>(x.size(3)) / 16;
  // The kernel ends at three standard deviations.
  const auto reach = static_cast<std::int64_t>(std::ceil(3 * std_dev));
  const auto at = torch::arange(-reach, reach + 1, at::kFloat) / std_dev;
  auto kernel = (at.square() / -2).exp();
  kernel = (kernel / kernel.sum()).to(x.device());
  const auto c = x.size(1);
  const auto k = kernel.numel();
  const auto wide = torch::replication_pad2d(x, {reach, reach, reach, reach});
  // A Gaussian is separable: rows first, then columns, each channel by itself.
  const auto rows =
      torch::conv2d(wide, kernel.view({1, 1, 1, k}).expand({c, 1, 1, k}), at::Tensor(),
                    at::IntArrayRef{1}, at::IntArrayRef{0}, at::IntArrayRef{1}, c);
  return torch::conv2d(rows, kernel.view({1, 1, k, 1}).expand({c, 1, k, 1}), at::Tensor(),
                       at::IntArrayRef{1}, at::IntArrayRef{0}, at::IntArrayRef{1}, c);
}

/// Adds stripes with half the contrast of ink, of random direction, phase and period (3 to 6
/// pixels).
at::Tensor add_texture(const at::Tensor& items, Random& random) {
  auto x = items.clone();
  const auto height = x.size(2);
  const auto width = x.size(3);
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    const double angle = random.uniform(0, M_PI);
    const double period = random.uniform(3, 6);
    const double phase = random.uniform(0, 2 * M_PI);
    const auto v = torch::arange(height, at::kFloat).unsqueeze(1);
    const auto u = torch::arange(width, at::kFloat).unsqueeze(0);
    const auto stripes = ((u * std::cos(angle) + v * std::sin(angle)) * (2 * M_PI / period) + phase)
                             .sin()
                             .to(x.device());
    x[i] = (x[i] + 0.5 * stripes).clamp(-1, 1);
  }
  return x;
}

}  // namespace

const std::vector<Corruption>& corruptions() {
  static const std::vector<Corruption> all{{"occluded", occlude},
                                           {"inverted", invert_colours},
                                           {"blurred", blur},
                                           {"texture", add_texture}};
  return all;
}

std::vector<at::Tensor> split_by_corruption(const at::Tensor& items) {
  return items.chunk(static_cast<std::int64_t>(corruptions().size()));
}

at::Tensor corrupt_items(const at::Tensor& clean, std::uint64_t seed) {
  // One stream over all corruptions, in their order.
  Random random(seed);
  auto parts = split_by_corruption(clean);
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = corruptions()[i].apply(parts[i], random);
  return torch::cat(parts);
}

}  // namespace reprise::reproduce::langevin_study
