// Poolings of images and clips, deterministic on every device. The CPU uses LibTorch's. On a GPU,
// LibTorch's backward passes add in no fixed order; there the poolings are composed of operations
// with deterministic backward passes.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::models {

/// Max pooling of x: [N, C, (frames,) height, width]; one number per dimension.
at::Tensor max_pool(const at::Tensor& x, at::IntArrayRef size, at::IntArrayRef stride,
                    at::IntArrayRef padding);
/// Average pooling to a result of `size`. Cell j of n covers floor(j in / n) to ceil((j + 1) in /
/// n).
at::Tensor average_pool(const at::Tensor& x, at::IntArrayRef size);

/// The implementations for a GPU. Among equal values the first counts as largest, as in LibTorch.
at::Tensor max_pool3d_deterministic(const at::Tensor& x, at::IntArrayRef size,
                                    at::IntArrayRef stride, at::IntArrayRef padding);
at::Tensor average_pool_deterministic(at::Tensor x, at::IntArrayRef size);

}  // namespace reprise::models
