// Filters without a model: trivial baselines of trackers.
//
//     moving average    y_t = mean of the last k measurements          lags by (k - 1) / 2 frames
//     one-euro filter   y_t = a x_t + (1 - a) y_{t-1},   a = alpha(cutoff + beta |v_t|)
//                       v_t = b (x_t - y_{t-1}) + (1 - b) v_{t-1},   b = alpha(1 / 6)
//                       alpha(f) = 1 / (1 + 1 / (2 pi f)),   f in cycles per frame
// The faster the angle moves, the less the one-euro filter smooths. With beta = 0 it is an
// exponential mean. The paper's rates are per second and its speed has a cutoff of 1 Hz; here all
// rates are per frame, and the cutoff of the speed is 1/6 cycle. A missing measurement (NaN)
// changes nothing.
// Source: Casiez, Roussel, Vogel: 1 euro filter, CHI 2012, listing 1.
#pragma once
#include <cstdint>

#include "baselines/trackers/angle_track.h"

namespace reprise::baselines {

/// UsageError: frames < 1.
AngleStep moving_average_step(std::int64_t frames);

/// cutoff: cycles per frame at rest; beta: cycles per degree. UsageError: cutoff <= 0, beta < 0.
AngleStep one_euro_step(double cutoff, double beta);

/// Runs a step over a full track. Standard deviations are NaN, because these filters have none.
AngleTrack run_over_track(const AngleStep& step, const std::vector<double>& x);

}  // namespace reprise::baselines
