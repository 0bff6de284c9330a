// Pictures off the manifold, made of items that lie on it.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/random.h"

namespace reprise::reproduce::langevin_study {

struct Corruption {
  std::string name;  ///< in metrics: "psnr_blurred_2"
  at::Tensor (*apply)(const at::Tensor& items, Random& random);
};
/// "occluded" (a grey rectangle), "inverted", "blurred", "texture" (a foreign pattern laid over).
const std::vector<Corruption>& corruptions();
/// Splits the items evenly over the corruptions, in order; with fewer items than corruptions the
/// last ones get none.
std::vector<at::Tensor> shares(const at::Tensor& items);
/// Items with each share corrupted in its way.
at::Tensor off_manifold(const at::Tensor& clean, std::uint64_t seed);

}  // namespace reprise::reproduce::langevin_study
