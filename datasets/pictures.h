// Pictures with a class each, as readers and generators of digits and landscapes give them.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::datasets {

/// Digits: gray, 0 is paper and 255 is ink; classes 0 to 9. Landscapes: RGB; class 0 is day, 1 is night.
struct Pictures {
  at::Tensor images;  ///< [N, H, W] gray or [N, H, W, 3] RGB, uint8
  at::Tensor labels;  ///< [N], int64
  std::int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
};

}  // namespace reprise::datasets
