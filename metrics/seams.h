// Seams of a canvas that was put together from windows: how much rougher it is where two windows
// meet.
//
//     seam energy = mean |x_s - x_{s-1}| over the seams s  /  mean |x_i - x_{i-1}| over all other i       along one axis
//
// 1: no seam is seen; 2: the canvas jumps twice as far at a seam as elsewhere; below 1: it is
// smoother there, as overlapping windows that are averaged can make it. Seam s lies between s - 1
// and s; seam 0 between the last and the first, for a canvas that closes on itself. Where 0 is no
// seam, the step from the last to the first is not looked at.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace reprise::metrics {

/// canvas: of any shape; means are over all the other axes, too. 1 when nothing changes along the
/// axis at all, infinite when it changes at seams alone. UsageError: no such axis, or no value; no
/// seam; a seam outside [0, length of the axis) or given twice; no step that is not a seam; a value
/// that is not finite.
double seam_energy(const at::Tensor& canvas, std::int64_t axis,
                   const std::vector<std::int64_t>& seams);

}  // namespace reprise::metrics
