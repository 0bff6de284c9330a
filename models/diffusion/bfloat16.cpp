#include "models/diffusion/bfloat16.h"

#include <ATen/ATen.h>

#include <utility>

#include "training/precision.h"

namespace reprise::models {
BFloat16Denoiser::BFloat16Denoiser(std::shared_ptr<Denoiser> D)
    : D_(register_module("D", std::move(D))) {}

at::Tensor BFloat16Denoiser::forward(const at::Tensor& x, const at::Tensor& sigma,
                                     const at::Tensor& labels) {
  const at::NoGradGuard no_gradient;
  const training::PrecisionGuard passes(training::Precision::BFloat16, x.device().type());
  // The caller's type: the steps around D stay in float32.
  return (*D_)(x, sigma, labels).to(x.scalar_type());
}

}  // namespace reprise::models
