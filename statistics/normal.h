// The normal distribution.
#pragma once

namespace reprise::records {

/// P(Z < z).
double normal_below(double z);
/// The z with P(Z < z) = p: 1.95996 at 0.975. Error: p is not in (0, 1).
double normal_quantile(double p);

}  // namespace reprise::records
