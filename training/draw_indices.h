// Random indices of the items of a batch.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/random.h"

namespace reprise::training {

/// Draws n indices in [0, of) with replacement: [n], int64, on `device`.
at::Tensor draw_indices(std::int64_t n, std::int64_t of, Random& random, at::Device device);

}  // namespace reprise::training
