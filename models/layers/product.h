// Matrix products by the fastest library at hand, and a linear layer made of them.
//
// On a CPU in float32 they go through oneDNN, which LibTorch carries but does not use for plain
// products; elsewhere through at::mm. Measured on one AMD core with AVX-512: 226 against 110
// GFLOP/s at 512 x 512 x 1536, 31 against 12 at 2 x 4096 x 12288 (bound by memory). On an Intel
// Xeon MKL is the faster one for some shapes (495 against 718 us at 32 x 512 x 2048), but its
// numbers are not those of other machines, so oneDNN is the fixed choice. It is deterministic for
// one number of threads.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::models {

/// a b^T for a: [m, k], b: [n, k]. Either may be a transposed view; nothing is copied. No gradient
/// is recorded. Where either is bfloat16 both are taken in it, and the result, rounded to it, is
/// float32.
at::Tensor product_transposed(const at::Tensor& a, const at::Tensor& b);

/// max(x w^T + b, 0). x: [m, in], w: [out, in], a transposed view like any other, b: [out] -> [m,
/// out]. No gradient is recorded.
at::Tensor linear_relu(const at::Tensor& x, const at::Tensor& w, const at::Tensor& b);

/// x w^T + b over the last dimension, as torch::nn::functional::linear, differentiable. x: [...,
/// in], w: [out, in], b: [out] -> [..., out]. A gradient is only formed where it is asked for.
/// Where passes are in bfloat16 (training/precision.h) the product is, and the result float32 all
/// the same.
at::Tensor linear(const at::Tensor& x, const at::Tensor& w, const at::Tensor& b);

/// x, in bfloat16 where passes on its device are: what is multiplied by many times is rounded once.
at::Tensor in_precision_of_passes(const at::Tensor& x);

}  // namespace reprise::models
