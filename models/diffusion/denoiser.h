// Functions of a denoiser D (training/denoiser.h) that all diffusion methods use.
//
//     score       = grad_x ln p(x; sigma) = (D(x; sigma) - x) / sigma^2
// p(x; sigma) is the density of x_0 + sigma eps. Source: Karras et al. 2022, eq 3.
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

/// |D(x + sigma eps; sigma) - x|^2 / sigma^2 / d for each item: [N]. It is a term of EDM's bound of
/// -ln p.
at::Tensor denoising_error(Denoiser& D, const at::Tensor& x, const at::Tensor& epsilon,
                           double sigma, const at::Tensor& labels = {});

/// Reshapes sigma to broadcast over x: without dimension, or [N, 1, ..., 1]. UsageError: sigma is
/// neither one number nor one per item of x.
at::Tensor broadcast_sigma(const at::Tensor& sigma, const at::Tensor& x);

/// Concatenates use(part) over `batch` of n items at a time, which saves memory and keeps the
/// result.
/// part(all) selects these items of a tensor; it is undefined if `all` is.
template <typename Use>
at::Tensor map_batches(std::int64_t n, std::int64_t batch, const Use& use) {
  std::vector<at::Tensor> all;
  for (std::int64_t i = 0; i < n; i += batch)
    all.push_back(use([=](const at::Tensor& whole) {
      return whole.defined() ? whole.slice(0, i, std::min(i + batch, n)) : whole;
    }));
  return at::cat(all);
}

/// Draws eps ~ N(0, I) with the shape, type and device of x. It is drawn on the CPU, so that a seed
/// gives the same noise on every device.
at::Tensor draw_unit_noise(const at::Tensor& x, const at::Generator& generator);

}  // namespace reprise::models
