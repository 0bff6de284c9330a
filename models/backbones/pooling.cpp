#include "models/backbones/pooling.h"

#include <ATen/ATen.h>

#include <vector>

namespace reprise::models {
namespace {

/// Returns the matrix [in, out] whose column j averages the inputs of cell j.
at::Tensor make_cell_means(std::int64_t in, std::int64_t out) {
  auto means = at::zeros({in, out});
  for (std::int64_t j = 0; j < out; ++j) {
    // floor and ceiling of the cell's bounds, as in the header
    const auto first = j * in / out;
    const auto end = ((j + 1) * in + out - 1) / out;
    means.slice(0, first, end).select(1, j).fill_(1.0 / static_cast<double>(end - first));
  }
  return means;
}

}  // namespace

at::Tensor max_pool3d_deterministic(const at::Tensor& x, at::IntArrayRef size,
                                    at::IntArrayRef stride, at::IntArrayRef padding) {
  // The maximum over a box is the maximum over frames of the maxima over each frame.
  const auto of_frames = at::max_pool2d(x.transpose(1, 2).flatten(0, 1), size.slice(1),
                                        stride.slice(1), padding.slice(1))
                             .unflatten(0, std::vector<std::int64_t>{x.size(0), x.size(2)})
                             .transpose(1, 2);
  return at::max_pool2d(of_frames.flatten(3), {size[0], 1}, {stride[0], 1}, {padding[0], 0})
      .unflatten(3, of_frames.sizes().slice(3));
}

at::Tensor average_pool_deterministic(at::Tensor x, at::IntArrayRef size) {
  for (std::size_t d = 0; d < size.size(); ++d) {
    const auto dimension = static_cast<std::int64_t>(d) + 2;
    if (x.size(dimension) == size[d]) continue;
    // An average over a box is a product with one matrix per dimension.
    x = at::matmul(x.transpose(dimension, -1),
                   make_cell_means(x.size(dimension), size[d]).to(x.options()))
            .transpose(dimension, -1);
  }
  return x;
}

at::Tensor max_pool(const at::Tensor& x, at::IntArrayRef size, at::IntArrayRef stride,
                    at::IntArrayRef padding) {
  if (size.size() == 2) return at::max_pool2d(x, size, stride, padding);
  return x.is_cpu() ? at::max_pool3d(x, size, stride, padding)
                    : max_pool3d_deterministic(x, size, stride, padding);
}

at::Tensor average_pool(const at::Tensor& x, at::IntArrayRef size) {
  if (!x.is_cpu()) return average_pool_deterministic(x, size);
  return size.size() == 3 ? at::adaptive_avg_pool3d(x, size) : at::adaptive_avg_pool2d(x, size);
}

}  // namespace reprise::models
