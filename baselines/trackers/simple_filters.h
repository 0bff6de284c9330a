// Filters that know no model: what a tracker must beat before its model is worth anything.
//
//     moving average    y_t = mean of the last k measurements                                            lags by (k - 1) / 2 frames
//     one-euro filter   y_t = a x_t + (1 - a) y_{t-1},   a = alpha(cutoff + beta |v_t|)
//                       v_t = b (x_t - y_{t-1}) + (1 - b) v_{t-1},   b = alpha(1 / 6)
//                       alpha(f) = 1 / (1 + 1 / (2 pi f)),   f in cycles per frame
// The faster the angle moves, the less the one-euro filter smooths. With beta = 0 it is an
// exponential mean. The paper's rates are per second and its speed has a cutoff of 1 Hz; here all
// are per frame, and the speed's is a sixth of a cycle. A frame that was not measured (NaN) changes
// nothing. Source: Casiez, Roussel, Vogel: 1 euro filter, CHI 2012, listing 1.
#pragma once
#include <cstdint>

#include "baselines/trackers/angle_track.h"

namespace reprise::baselines {

/// UsageError: frames < 1.
AngleStep moving_average_step(std::int64_t frames);

/// cutoff: cycles per frame at rest; beta: cycles per degree. UsageError: cutoff <= 0, beta < 0.
AngleStep one_euro_step(double cutoff, double beta);

/// The step over a whole track. Neither believes anything of its own error: deviations are NaN.
AngleTrack stepped(const AngleStep& step, const std::vector<double>& x);

}  // namespace reprise::baselines
