// Contract of a tracker. It takes measurements or frames one at a time and estimates their state.
//
//     y_t = f(x_1, ..., x_t)
//
// x_t: a measurement [K], float64, with NaN for missing values, or a frame [S, S, 3], uint8.
// y_t: float64, [K] or the shape that the method documents.
//
// Guarantees, tested for every registered tracker by tests/baselines/test_trackers.cpp:
//   - Causal trackers: track() of a sequence equals next() frame by frame, in constant memory, and
//     later measurements do not change earlier estimates. A smoother is not causal and has no
//     next().
//   - Estimates are NaN before the first measured value, and finite afterwards.
//   - restart() resets it completely.
//   - The same measurements and options give the same estimates.
#pragma once
#include <ATen/core/Tensor.h>

#include "core/error.h"

namespace reprise::training {

class Tracker {
 public:
  virtual ~Tracker() = default;
  /// Estimate after the next measurement. Error: this tracker is not causal.
  virtual at::Tensor next(const at::Tensor& /*x*/) {
    throw Error("this tracker needs whole sequences", "call track(), or use a causal tracker");
  }
  /// Starts a new sequence.
  virtual void restart() = 0;
  /// Estimates of a whole sequence, [T, ...] to [T, ...]. Forgets the current sequence.
  virtual at::Tensor track(const at::Tensor& x) = 0;
};

}  // namespace reprise::training
