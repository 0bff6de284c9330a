// Poolings of images and clips. On the CPU they are LibTorch's; on a GPU LibTorch's way back from
// most of them adds in no fixed order, and is refused where numbers are to repeat. There they are
// put together from operations whose way back has one.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::models {

/// x: [N, C, (frames,) height, width]; a number a dimension.
at::Tensor max_pool(const at::Tensor& x, at::IntArrayRef size, at::IntArrayRef stride,
                    at::IntArrayRef padding);
/// size: of the result. Cell j of n covers floor(j in / n) up to ceil((j + 1) in / n).
at::Tensor average_pool(const at::Tensor& x, at::IntArrayRef size);

/// What the two do on a GPU. Of equal values the first is the largest, as it is for LibTorch.
at::Tensor max_pool3d_in_order(const at::Tensor& x, at::IntArrayRef size, at::IntArrayRef stride,
                               at::IntArrayRef padding);
at::Tensor average_pool_in_order(at::Tensor x, at::IntArrayRef size);

}  // namespace reprise::models
