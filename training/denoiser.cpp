#include "training/denoiser.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace reprise::training {

at::Tensor Denoiser::operator()(const at::Tensor& x, double sigma, const at::Tensor& labels) {
  check_sigma(sigma, "the input of a denoiser");
  return forward(x, at::full({}, sigma, x.options().requires_grad(false)), labels);
}

void check_sigma(double sigma, const char* what) {
  if (!(std::isfinite(sigma) && sigma > 0))
    throw UsageError(fmt::format("the noise level of {} is sigma = {}", what, sigma),
                     "give a number above 0, in units of the data");
}

}  // namespace reprise::training
