#include "reproduce/langevin/corruptions.h"

#include <torch/torch.h>

#include <cmath>

namespace reprise::reproduce::langevin_study {
namespace {

at::Tensor occluded(const at::Tensor& items, Random& random) {
  auto x = items.clone();
  const auto height = x.size(2), width = x.size(3), h = height * 2 / 5, w = width * 2 / 5;
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    const auto top = random.below(height - h + 1), left = random.below(width - w + 1);
    x[i].slice(1, top, top + h).slice(2, left, left + w).fill_(0);
  }
  return x;
}

at::Tensor inverted_colours(const at::Tensor& items, Random& /*random*/) { return -items; }

/// By a Gaussian of a sixteenth of the side; borders go on.
at::Tensor blurred(const at::Tensor& x, Random& /*random*/) {
  const double deviation = static_cast<double>(x.size(3)) / 16;
  const auto reach = static_cast<std::int64_t>(std::ceil(3 * deviation));
  const auto at = torch::arange(-reach, reach + 1, at::kFloat) / deviation;
  auto kernel = (at.square() / -2).exp();
  kernel = (kernel / kernel.sum()).to(x.device());
  const auto c = x.size(1), k = kernel.numel();
  const auto wide = torch::replication_pad2d(x, {reach, reach, reach, reach});
  const auto rows =
      torch::conv2d(wide, kernel.view({1, 1, 1, k}).expand({c, 1, 1, k}), at::Tensor(),
                    at::IntArrayRef{1}, at::IntArrayRef{0}, at::IntArrayRef{1}, c);
  return torch::conv2d(rows, kernel.view({1, 1, k, 1}).expand({c, 1, k, 1}), at::Tensor(),
                       at::IntArrayRef{1}, at::IntArrayRef{0}, at::IntArrayRef{1}, c);
}

/// Stripes of a drawn direction and period, half as strong as ink.
at::Tensor textured(const at::Tensor& items, Random& random) {
  auto x = items.clone();
  const auto height = x.size(2), width = x.size(3);
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    const double angle = random.uniform(0, M_PI), period = random.uniform(3, 6),
                 phase = random.uniform(0, 2 * M_PI);
    const auto v = torch::arange(height, at::kFloat).unsqueeze(1),
               u = torch::arange(width, at::kFloat).unsqueeze(0);
    const auto stripes = ((u * std::cos(angle) + v * std::sin(angle)) * (2 * M_PI / period) + phase)
                             .sin()
                             .to(x.device());
    x[i] = (x[i] + 0.5 * stripes).clamp(-1, 1);
  }
  return x;
}

}  // namespace

const std::vector<Corruption>& corruptions() {
  static const std::vector<Corruption> all{{"occluded", occluded},
                                           {"inverted", inverted_colours},
                                           {"blurred", blurred},
                                           {"texture", textured}};
  return all;
}

std::vector<at::Tensor> shares(const at::Tensor& items) {
  return items.chunk(static_cast<std::int64_t>(corruptions().size()));
}

at::Tensor off_manifold(const at::Tensor& clean, std::uint64_t seed) {
  Random random(seed);
  auto parts = shares(clean);
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = corruptions()[i].apply(parts[i], random);
  return torch::cat(parts);
}

}  // namespace reprise::reproduce::langevin_study
