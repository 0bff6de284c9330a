// Saturation of gates (document prernn, fig. 2).
//
// A gate activation a in [0, 1] is left saturated when a < 0.1 and right saturated when a > 0.9;
// 0.1 and 0.9 themselves are active. A unit's left (right) share is taken over all sequences and
// time steps; left + right <= 1. Shares are computed in float64.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

/// One value a unit: [units], float64.
struct Saturation {
  at::Tensor left, right;
};

/// activations: [..., units]; all dimensions but the last are samples. UsageError (all functions
/// here): no activation; one outside [0, 1] or not finite.
Saturation saturation(const at::Tensor& activations);

/// Counts of all activations in equal bins on [0, 1]: [bins], int64. Bin i is [i/bins, (i+1)/bins);
/// the last one holds 1 too.
at::Tensor gate_histogram(const at::Tensor& activations, std::int64_t bins = 10);

/// Share of activations within [0.1, 0.9].
double active_share(const at::Tensor& activations);

/// The document's rule: a transformed layer is kept when fewer of its activations lie in [0.1, 0.9]
/// than outside; otherwise it goes back to the feedforward layer. Half and half is reverted.
bool keeps_layer(const at::Tensor& activations);

}  // namespace reprise::metrics
