// Smooth random paths, sums of three sinusoids:
//
//     p(t) = sum_k a_k sin(2 pi t / period_k + phase_k),   a_k > 0,  sum a_k = 1
//
// so that |p| <= 1 and |p'| <= 2 pi / shortest period.
#pragma once
#include <array>
#include <cmath>
#include <numbers>

#include "core/random.h"

namespace reprise::datasets {

/// Returns a smooth ramp from 0 to 1 for t in [0, 1], with zero slope at both ends.
inline double ease(double t) { return t * t * (3 - 2 * t); }

class SmoothPath {
 public:
  /// Draws periods between `shortest` and `longest`, frames.
  SmoothPath(Random& random, double shortest, double longest) {
    double total = 0;
    for (auto& wave : waves_) {
      wave.size = random.uniform(0.3, 1);
      wave.speed = 2 * std::numbers::pi / random.uniform(shortest, longest);
      wave.phase = random.uniform(0, 2 * std::numbers::pi);
      total += wave.size;
    }
    for (auto& wave : waves_) wave.size /= total;
  }
  double at(double t) const {
    double sum = 0;
    for (const auto& wave : waves_) sum += wave.size * std::sin(wave.speed * t + wave.phase);
    return sum;
  }

 private:
  struct Wave {
    double size = 0;
    double speed = 0;
    double phase = 0;
  };
  std::array<Wave, 3> waves_{};
};

}  // namespace reprise::datasets
