// What another machine's arithmetic would do to a training run: its sums round otherwise, and from there on weights drift apart.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace reprise::training {

/// k > 0: moves every value by one unit in the last place, up or down, in the k-th random pattern of this seed; 0: leaves them. In place;
/// call it without gradients, before anything is learned.
void round_otherwise(const std::vector<at::Tensor>& parameters, std::uint64_t seed, std::int64_t k);

}  // namespace reprise::training
