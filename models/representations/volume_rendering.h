// The pixels of rays through a field of density and colour that an MLP holds: forward and backward
// as one operation.
//
//     raw     = W_L relu(... relu(W_1 sin(p waves + phases) + b_1) ...) + b_L              at S places p along a ray
//     density = density_scale softplus(raw_0)             colour = tanh(raw_1..3 / 2)
//     A_i     = exp(-sum_{j <= i} density_j delta)                                         what of a ray is left behind piece i; A_0 = 1
//     pixel   = sum_i (A_{i-1} - A_i) colour_i + A_S background                            weights: they sum to 1
//
// This is the usual sum of T_i (1 - exp(-density_i delta)) colour_i, with one exponential instead
// of two. All is done for a few rays at a time, from the places to the pixel and back, so that what
// is between stays in the processor's cache; the narrow layers of such fields cost more in memory
// than in arithmetic. A fit's few rays keep their layers for the way back; those of whole views
// compute them once more, so that memory does not grow with the views. Source: Mildenhall et al.,
// NeRF, 2020, eq 3.
#pragma once
#include <ATen/core/Tensor.h>

namespace reprise::models {

struct RaySamples {
  at::Tensor origin, direction;  ///< [n, 3]
  at::Tensor distance;  ///< [n, S]: of the samples from the origin, in lengths of the direction
  at::Tensor delta;     ///< [n]: the length of a piece
};

struct FieldForm {
  at::Tensor waves, phases;  ///< [3, k], [k]
  double density_scale = 1, background = 1;
};

/// [3, n]. layers: W_1 [k, width], b_1 [width], ..., W_L [width, 4], b_L [4]. Differentiable in the
/// layers.
at::Tensor render_rays(const RaySamples& rays, const FieldForm& form, at::TensorList layers);

/// The last two lines. density: [n, S], colour: [3, n, S], delta: [n] -> [3, n].
at::Tensor composite(const at::Tensor& density, const at::Tensor& colour, const at::Tensor& delta,
                     double background);

}  // namespace reprise::models
