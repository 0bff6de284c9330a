#include "training/draw_indices.h"

#include <ATen/ATen.h>

namespace reprise::training {

at::Tensor draw_indices(std::int64_t n, std::int64_t of, Random& random, at::Device device) {
  auto places = at::empty({n}, at::kLong);
  for (std::int64_t i = 0; i < n; ++i) places.data_ptr<std::int64_t>()[i] = random.below(of);
  return places.to(device);
}

}  // namespace reprise::training
