// Volume rendering: pixels of rays through a field of density and colour, with the MLP of the field
// in the same operation, forward and backward.
//
//  raw     = W_L relu(... relu(W_1 sin(p waves + phases) + b_1) ...) + b_L    at S points p per ray
//     density = density_scale softplus(raw_0)             colour = tanh(raw_1..3 / 2)
//     A_i     = exp(-sum_{j <= i} density_j delta)        light left behind piece i; A_0 = 1
//     pixel   = sum_i (A_{i-1} - A_i) colour_i + A_S background              the weights sum to 1
//
// This equals the usual sum of T_i (1 - exp(-density_i delta)) colour_i with half the exponentials.
// Few rays are processed at a time, from points to pixels and back, so that intermediate values
// stay in the processor's cache. Narrow layers cost more memory traffic than arithmetic. The few
// rays of a fit keep their layers for the backward pass. Full views compute them twice, so that
// memory does not grow with the views. Source: Mildenhall et al., NeRF, 2020, eq 3.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::models {

struct RaySamples {
  at::Tensor origin;     ///< [n, 3]
  at::Tensor direction;  ///< [n, 3]
  at::Tensor distance;   ///< [n, S]: samples from the origin, in lengths of the direction
  at::Tensor delta;      ///< [n]: length of a piece
};

struct FieldForm {
  at::Tensor waves;   ///< [3, k]
  at::Tensor phases;  ///< [k]
  double density_scale = 1;
  double background = 1;
};

/// Renders pixels [3, n]. layers: W_1 [k, width], b_1 [width], ..., W_L [width, 4], b_L [4].
/// Differentiable in the layers.
at::Tensor render_rays(const RaySamples& rays, const FieldForm& form, at::TensorList layers);

/// The last two equations. density: [n, S], colour: [3, n, S], delta: [n] -> [3, n].
at::Tensor composite(const at::Tensor& density, const at::Tensor& colour, const at::Tensor& delta,
                     double background);

}  // namespace reprise::models
