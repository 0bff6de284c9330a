// The standard normal distribution.
#pragma once

namespace reprise::statistics {

/// P(Z < z).
double normal_cdf(double z);
/// The z with P(Z < z) = p; 1.95996 at p = 0.975. Error: p outside (0, 1).
double normal_quantile(double p);

}  // namespace reprise::statistics
