// The contract of a tracker: measurements or frames in, one at a time, the state that they are of
// out.
//
//     y_t = f(x_1, ..., x_t)
//
// x_t: a measurement, [K], float64, where NaN was not measured; or a frame, uint8 [S, S, 3]. y_t:
// float64, [K] or what the method says.
//
// What it promises, and tests/baselines/test_trackers.cpp asks of every registered one:
//   - causal trackers: track() of a whole sequence is what next() gives frame by frame, in constant memory, and no later measurement
//     changes an earlier estimate; one that is not causal (a smoother) has no next();
//   - before the first number an estimate is NaN, from then on it is finite, whatever is missing;
//   - after restart() it is as new;
//   - the same measurements and options give the same estimates.
#pragma once
#include <ATen/core/Tensor.h>

#include "core/error.h"

namespace reprise::training {

class Tracker {
 public:
  virtual ~Tracker() = default;
  /// The estimate with the measurement that follows those before. Error: this tracker is not
  /// causal.
  virtual at::Tensor next(const at::Tensor& /*x*/) {
    throw Error("this tracker sees whole sequences alone",
                "give it one: track(); or use a causal tracker");
  }
  /// The next measurement is of another sequence.
  virtual void restart() = 0;
  /// [T, ...] -> [T, ...], from a fresh start. A running sequence is forgotten.
  virtual at::Tensor track(const at::Tensor& x) = 0;
};

}  // namespace reprise::training
