// Matrices of all pairs of two sets, computed some rows at a time, so that memory does not grow
// with N x M.
#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>

namespace reprise::metrics {

/// Values of a matrix that are held at a time: 32 MB of float64. The whole matrix of 26000 x 26000
/// items would be 5.4 GB.
inline constexpr std::int64_t most_pairs = std::int64_t{1} << 22;

/// Calls work(part, first) for consecutive parts of the rows of `items`, the first of which is row
/// `first`: as many at a time as give, with `others` rows against each, at most `most_pairs` pairs.
/// One part where all of them do.
template <typename Work>
void for_row_blocks(const at::Tensor& items, std::int64_t others, const Work& work) {
  const auto rows = std::max<std::int64_t>(1, most_pairs / std::max<std::int64_t>(others, 1));
  for (std::int64_t first = 0; first < items.size(0); first += rows)
    work(items.slice(0, first, first + rows), first);
}

}  // namespace reprise::metrics
