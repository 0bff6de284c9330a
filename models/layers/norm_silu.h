// Group norm, scale, shift and SiLU as one operation, forward and backward. In a U-Net it runs
// between two convolutions:
//
//     y = SiLU(xhat gamma (1 + scale) + beta (1 + scale) + shift)
//
//     xhat = (x - mean) / sqrt(variance + eps)   over the channels of a group
//
// Let z be SiLU's argument, s its sigmoid and dz = dy s (1 + z (1 - s)). A channel's gradients, as
// sums over positions:
// - shift: sum dz.
// - scale: sum dz (gamma xhat + beta).
// - gamma: (1 + scale) sum dz xhat.
// - beta: (1 + scale) sum dz.
//
// For the gradient at x, let g = gamma (1 + scale) dz. It is g minus mean(g) minus xhat mean(g
// xhat), over the group, divided by the standard deviation.
//
// On the CPU, an item's channels-last values are read in two passes within the processor's cache:
// one for sums, one for values. Only x and the group's statistics are stored for the backward pass.
// Other devices use torch's operations. An instance norm is a group norm of one channel per group
// without weights (gamma 1, beta 0), alone or with ReLU for SiLU. Sources: Wu, He, Group
// Normalization, 2018; Karras et al. 2022, appendix F.1 (scale and shift); Ulyanov et al., Instance
// normalization, 2016.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/nn/modules/normalization.h>

namespace reprise::models {

/// x: [N, C, H, W]; scale_shift: [N, 2 C], scale first; undefined: 0. Returns [N, C, H, W].
/// Differentiable in x, scale_shift and the norm's weights. Error: a second derivative on the CPU.
at::Tensor norm_silu(const torch::nn::GroupNorm& norm, const at::Tensor& x,
                     const at::Tensor& scale_shift = {});
/// The group norm without SiLU: xhat gamma + beta.
at::Tensor apply_group_norm(const torch::nn::GroupNorm& norm, const at::Tensor& x);

/// xhat of each channel of each item, and max(0, xhat). eps is 1e-5.
at::Tensor instance_norm(const at::Tensor& x);
at::Tensor instance_norm_relu(const at::Tensor& x);

}  // namespace reprise::models
