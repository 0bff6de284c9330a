// Saturation of gates (document prernn, fig. 2).
//
// A gate activation in [0, 1] is left saturated below 0.1 and right saturated above 0.9. Values
// from 0.1 to 0.9, inclusive, are active. The left and right fractions of a unit are taken over all
// sequences and time steps, in float64; their sum is at most 1.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reprise::metrics {

/// Fractions of saturated activations, per unit: [units], float64.
struct Saturation {
  at::Tensor left, right;
};

/// Computes the saturation of each unit. activations: [..., units]; all other dimensions are
/// samples.
/// UsageError (all functions here): no activation, or one outside [0, 1] or not finite.
Saturation saturation(const at::Tensor& activations);

/// Histogram of all activations in equal bins on [0, 1]: [bins], int64. Bin i is the interval
/// [i/bins, (i+1)/bins); the last bin includes 1.
at::Tensor gate_histogram(const at::Tensor& activations, std::int64_t bins = 10);

/// Fraction of activations within [0.1, 0.9].
double active_fraction(const at::Tensor& activations);

/// Whether to keep a feedforward layer that was transformed into a recurrent one. By the document's
/// rule, it is kept if fewer activations are active than saturated, and otherwise it becomes
/// feedforward again.
bool keeps_layer(const at::Tensor& activations);

}  // namespace reprise::metrics
