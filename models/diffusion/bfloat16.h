// A denoiser that computes convolutions and matrix products in bfloat16 (8 bits of mantissa,
// float32's range), the fastest type on GPUs. Weights, norms and preconditioning stay in float32.
// It serves sampling and churning, which need no gradient. Inversion minimises an error below the
// resolution of bfloat16 and stays in float32.
#pragma once
#include <memory>

#include "models/diffusion/denoiser.h"

namespace reprise::models {

class BFloat16Denoiser : public Denoiser {
 public:
  explicit BFloat16Denoiser(std::shared_ptr<Denoiser> D);
  /// Computes without gradient. Other torch code keeps its precision meanwhile and after an error.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;

 private:
  std::shared_ptr<Denoiser> D_;
};

}  // namespace reprise::models
