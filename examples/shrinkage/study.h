// W. James and C. Stein, "Estimation with quadratic loss", 1961: the observation is not the best
// estimate of a mean.
//
// One observation x ~ N(theta, I) in p dimensions. An estimate is a factor times x:
//     observation      1
//     James-Stein      1 - (p - 2) / |x|^2
//     positive part    max(0, 1 - (p - 2) / |x|^2)
// The risk is the mean of |estimate - theta|^2. The observation has risk p. James-Stein has risk 2
// if theta is the origin.
//
// Cells: risk/SPACE/ESTIMATOR/seedN. Metric "risk" is that at the origin; curves "distance" and
// "risk" are those elsewhere.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of the computation, stored in every record. Raise it when a cell computes other numbers
/// from the same settings and data.
inline constexpr int shrinkage_version = 1;

Study shrinkage();

}  // namespace reprise::reproduce
