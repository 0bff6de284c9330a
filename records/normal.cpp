#include "records/normal.h"

#include <cmath>
#include <numbers>

namespace reprise::records {

double normal_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double normal_quantile(double p) {
  if (p > 0.5) return -normal_quantile(1 - p);
  // Below the middle the curve bends one way, so that Newton's steps from it come from one side.
  double z = 0;
  for (int i = 0; i < 200; ++i) {
    const double step = (normal_below(z) - p) / (std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi));
    z -= std::fmin(step, 1);
    if (std::fabs(step) < 1e-14) break;
  }
  return z;
}

}  // namespace reprise::records
