// Seam energy: how much rougher a canvas made of windows is where two windows meet.
//
//     seam energy = mean |x_s - x_{s-1}| over the seams s, divided by
//                   mean |x_i - x_{i-1}| over all other i, along one axis
//
// 1: no visible seam. 2: steps at seams are twice as large as elsewhere. Below 1: the canvas is
// smoother at seams, as averaged overlapping windows can be.
//
// Seam s lies between s - 1 and s. Seam 0 lies between the last and the first item of a periodic
// canvas; without it the step from the last to the first item is ignored.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace reprise::metrics {

/// Seam energy of a canvas of any shape; means include all other axes. 1 if nothing changes along
/// the axis, infinite if only the seams change.
/// UsageError: no such axis; no value, or one that is not finite; no seam, or no other step; a seam
/// given twice or outside [0, length of the axis).
double seam_energy(const at::Tensor& canvas, std::int64_t axis,
                   const std::vector<std::int64_t>& seams);

}  // namespace reprise::metrics
