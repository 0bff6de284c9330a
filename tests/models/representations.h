// What the tests of learned representations share.
#pragma once
#include <torch/torch.h>

#include <cmath>
#include <functional>

#include "models/representations/representation.h"
#include "tests/support.h"
#include "training/torch_generator.h"

namespace reprise::models {

/// One thread while it lives, so that a test takes as long beside other work as alone.
class OneThread {
 public:
  OneThread() { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }

 private:
  int before_ = at::get_num_threads();
};

/// Decibels, of images in [-1, 1].
inline double psnr(const torch::Tensor& x, const torch::Tensor& truth) {
  return -10 * std::log10((x - truth).square().mean().item<double>() / 4);
}

/// Copies a stored state into phi.
inline void restore(const Representation& phi, const weights::StateDict& stored) {
  const torch::NoGradGuard no_grad;
  const auto own = phi.state();
  ASSERT_EQ(own.size(), stored.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(own[i].first, stored[i].first);
    at::Tensor(own[i].second).copy_(stored[i].second);
  }
}

/// The gradient of a scalar at some values of every parameter, against central differences.
/// Parameters in float64; they are moved a little first: with a bias of 0, a sample that no unit of
/// the layer below responds to is at the kink of relu.
inline void expect_gradient(Representation& phi, const std::function<torch::Tensor()>& scalar,
                            double tolerance = 1e-6) {
  {
    const torch::NoGradGuard no_grad;
    auto generator = training::torch_generator(9);
    for (auto& parameter : phi.parameters())
      parameter.add_(0.1 * torch::randn(parameter.sizes(), generator,
                                        parameter.options().requires_grad(false)));
  }
  phi.zero_grad();
  scalar().backward();
  const torch::NoGradGuard no_grad;
  for (const auto& named : phi.named_parameters()) {
    const auto gradient = named.value().grad();
    ASSERT_TRUE(gradient.defined()) << named.key();
    auto flat = named.value().view(-1);
    const auto stride = std::max<std::int64_t>(1, flat.size(0) / 7);
    for (std::int64_t i = 0; i < flat.size(0); i += stride) {
      const double value = flat[i].item<double>(), step = 1e-7;
      flat[i] = value + step;
      const double above = scalar().item<double>();
      flat[i] = value - step;
      const double below = scalar().item<double>();
      flat[i] = value;
      const double expected = (above - below) / (2 * step),
                   found = gradient.view(-1)[i].item<double>();
      EXPECT_NEAR(found, expected, tolerance * (1 + std::abs(expected))) << named.key() << " " << i;
    }
  }
}

}  // namespace reprise::models
