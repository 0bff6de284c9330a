// A denoiser whose convolutions and matrix products are computed in bfloat16 (8 bits of mantissa,
// float32's range), as GPUs do fastest; weights, norms and the preconditioning about them stay in
// float32. For what needs no gradient: sampling and churning. An inversion minimises an error below
// what these bits resolve, and stays in float32.
#pragma once
#include <memory>

#include "models/diffusion/denoiser.h"

namespace reprise::models {

class BFloat16Denoiser : public Denoiser {
 public:
  explicit BFloat16Denoiser(std::shared_ptr<Denoiser> D);
  /// No gradient. What torch computes elsewhere in the meantime, and after an error, is as before.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;

 private:
  std::shared_ptr<Denoiser> D_;
};

}  // namespace reprise::models
