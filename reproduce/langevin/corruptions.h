// Corruptions that move items off the data manifold.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/random.h"

namespace reprise::reproduce::langevin_study {

struct Corruption {
  std::string name;  ///< suffix of metrics: "psnr_blurred_2"
  at::Tensor (*apply)(const at::Tensor& items, Random& random);
};
/// Lists the corruptions: "occluded" (a grey rectangle), "inverted", "blurred", and "texture"
/// (added stripes).
const std::vector<Corruption>& corruptions();
/// Splits items evenly over the corruptions, in order. The last corruptions get none if there are
/// too few items.
std::vector<at::Tensor> split_by_corruption(const at::Tensor& items);
/// Applies each corruption to its part of the items.
at::Tensor corrupt_items(const at::Tensor& clean, std::uint64_t seed);

}  // namespace reprise::reproduce::langevin_study
