// What networks do between two convolutions, as one operation, forward and backward. A U-Net:
//
//     y = SiLU(xhat gamma (1 + scale) + beta (1 + scale) + shift),    xhat = (x - mean) / sqrt(variance + eps) over the channels of a group
//
// With z = SiLU's argument, s its sigmoid and dz = dy s (1 + z (1 - s)), summed over places, a
// channel's gradients are
//     shift: sum dz      scale: sum dz (gamma xhat + beta)      gamma: (1 + scale) sum dz xhat      beta: (1 + scale) sum dz
// and x gets gamma (1 + scale) dz, less its mean over the group and less xhat times its mean
// product with xhat, over the deviation.
//
// On the CPU, an item's channels-last values go through in two passes that stay in the processor's
// cache: one to sum, one for values; only x and the group's statistics are kept for the way back.
// Elsewhere torch's own operations do the same. An instance norm is one of groups of one channel
// without weights (gamma 1, beta 0), alone or with ReLU in place of SiLU. Source: Wu, He, Group
// Normalization, 2018; Karras et al. 2022, appendix F.1 (scale and shift); Ulyanov et al., Instance
// normalization, 2016.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/nn/modules/normalization.h>

namespace reprise::models {

/// x: [N, C, H, W]; scale_shift: [N, 2 C], scale first, or not defined: 0 -> [N, C, H, W].
/// Differentiable, once on the CPU, in x, scale_shift and the norm's weights. Error: a second
/// derivative on the CPU.
at::Tensor norm_silu(const torch::nn::GroupNorm& norm, const at::Tensor& x,
                     const at::Tensor& scale_shift = {});
/// xhat gamma + beta.
at::Tensor norm_alone(const torch::nn::GroupNorm& norm, const at::Tensor& x);

/// xhat of each channel of each item, and max(0, xhat); eps 1e-5.
at::Tensor instance_norm(const at::Tensor& x);
at::Tensor instance_norm_relu(const at::Tensor& x);

}  // namespace reprise::models
