// Matrix products by the fastest available library, and a linear layer that uses them.
//
// In float32 on a CPU they use oneDNN, which LibTorch contains but does not use for plain products.
// Other devices use at::mm.
//
// On one AMD core with AVX-512 oneDNN is two to three times as fast as at::mm, in large products
// and in those bound by memory. On an Intel Xeon MKL is faster for some shapes. But MKL's numbers
// differ between machines, so oneDNN is the fixed choice. It is deterministic for one thread count.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::models {

/// a b^T for a: [m, k], b: [n, k]. Either may be a transposed view; nothing is copied. No gradient
/// is recorded. If either is bfloat16, both are used in bfloat16; the result, rounded to it, is
/// float32.
at::Tensor multiply_transposed(const at::Tensor& a, const at::Tensor& b);

/// max(x w^T + b, 0). x: [m, in], w: [out, in] or a transposed view, b: [out] -> [m, out]. No
/// gradient is recorded.
at::Tensor linear_relu(const at::Tensor& x, const at::Tensor& w, const at::Tensor& b);

/// x w^T + b over the last dimension, differentiable, like torch::nn::functional::linear.
/// x: [..., in], w: [out, in], b: [out] -> [..., out]. Gradients are formed only where required.
/// With passes in bfloat16 (training/precision.h) the product is in bfloat16 and the result in
/// float32.
at::Tensor linear(const at::Tensor& x, const at::Tensor& w, const at::Tensor& b);

/// Casts x to the precision of passes on its device. Values that are multiplied often are cast
/// once.
at::Tensor cast_to_pass_precision(const at::Tensor& x);

}  // namespace reprise::models
