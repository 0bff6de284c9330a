// What diffusion models have in common beside D itself (training/denoiser.h):
//
//     score       = grad_x ln p(x; sigma) = (D(x; sigma) - x) / sigma^2              p(x; sigma): the density of x_0 + sigma eps
//
// Source: Karras et al. 2022, eq 3.
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/ops/cat.h>

#include <algorithm>
#include <vector>

#include "training/denoiser.h"

namespace reprise::models {

using training::check_sigma;
using training::Denoiser;

/// (D(x; sigma) - x) / sigma^2.
at::Tensor score(Denoiser& D, const at::Tensor& x, const at::Tensor& sigma,
                 const at::Tensor& labels = {});

/// |D(x + sigma eps; sigma) - x|^2 / sigma^2 / d, item by item: [N]. A term of EDM's bound of -ln p.
at::Tensor denoising_error(Denoiser& D, const at::Tensor& x, const at::Tensor& epsilon,
                           double sigma, const at::Tensor& labels = {});

/// sigma so that it multiplies x: without dimension, or [N, 1, ..., 1]. UsageError: sigma is
/// neither one number nor one an item of x.
at::Tensor sigma_beside(const at::Tensor& sigma, const at::Tensor& x);

/// What use(part) gives for `batch` of n items at a time, put together: memory, not result.
/// part(all) is these items of a tensor, and not defined where `all` is not.
template <typename Use>
at::Tensor in_batches(std::int64_t n, std::int64_t batch, const Use& use) {
  std::vector<at::Tensor> all;
  for (std::int64_t i = 0; i < n; i += batch)
    all.push_back(use([=](const at::Tensor& whole) {
      return whole.defined() ? whole.slice(0, i, std::min(i + batch, n)) : whole;
    }));
  return at::cat(all);
}

/// eps ~ N(0, I), in the shape, type and place of x. Drawn on the CPU, so that a seed means the
/// same noise wherever x is.
at::Tensor unit_noise(const at::Tensor& x, const at::Generator& generator);

}  // namespace reprise::models
