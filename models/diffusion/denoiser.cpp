#include "models/diffusion/denoiser.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <vector>

#include "core/error.h"

namespace reprise::models {

at::Tensor score(Denoiser& D, const at::Tensor& x, const at::Tensor& sigma,
                 const at::Tensor& labels) {
  return (D(x, sigma, labels) - x) / broadcast_sigma(sigma, x).square();
}

at::Tensor broadcast_sigma(const at::Tensor& sigma, const at::Tensor& x) {
  if (sigma.dim() == 0) return sigma;
  if (x.dim() < 1 || sigma.dim() != 1 || sigma.size(0) != x.size(0))
    throw UsageError(fmt::format("levels of shape {} for items of shape {}",
                                 c10::str(sigma.sizes()), c10::str(x.sizes())),
                     "give one sigma for all, or one for each item: [N]");
  // [N] becomes [N, 1, ...], so that it multiplies whole items.
  std::vector<std::int64_t> shape(x.dim(), 1);
  shape[0] = x.size(0);
  return sigma.view(shape);
}

at::Tensor draw_unit_noise(const at::Tensor& x, const at::Generator& generator) {
  // Noise comes from the CPU's generator, so that a GPU gets the same numbers.
  return at::randn(x.sizes(), generator, x.options().device(at::kCPU).requires_grad(false))
      .to(x.device());
}

at::Tensor denoising_error(Denoiser& D, const at::Tensor& x, const at::Tensor& epsilon,
                           double sigma, const at::Tensor& labels) {
  return ((D(x + sigma * epsilon, sigma, labels) - x).square() / (sigma * sigma))
      .flatten(1)
      .mean(1);
}

}  // namespace reprise::models
