// Pair matrices of two sets in blocks of rows, so that memory does not grow with N x M.
#pragma once
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>

namespace reprise::metrics {

/// Largest number of values of one block: 32 MB of float64. A whole matrix of 26000 x 26000 pairs
/// would take 5.4 GB.
inline constexpr std::int64_t max_pairs = std::int64_t{1} << 22;

/// Calls work(block, first) for consecutive blocks of the rows of `items`; `first` is the index of
/// a block's first row. A block has at most `max_pairs` pairs with `others` rows.
template <typename Work>
void for_row_blocks(const at::Tensor& items, std::int64_t others, const Work& work) {
  const auto rows = std::max<std::int64_t>(1, max_pairs / std::max<std::int64_t>(others, 1));
  for (std::int64_t first = 0; first < items.size(0); first += rows)
    work(items.slice(0, first, first + rows), first);
}

}  // namespace reprise::metrics
