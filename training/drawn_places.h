// Which items of a set a batch has.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/random.h"

namespace reprise::training {

/// [n], int64 on `device`: each in [0, of), drawn with repetition.
at::Tensor drawn_places(std::int64_t n, std::int64_t of, Random& random, at::Device device);

}  // namespace reprise::training
