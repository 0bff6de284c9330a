// Power analysis: the number of seeds needed to detect a real difference.
//
// A paired two-sided t test at level α over n seeds rejects with probability
//     power(n) = P(|T'| > t_{1-α/2, n-1})
// where the differences have mean δ and standard deviation σ. T' is noncentral t with n - 1 degrees
// of freedom and noncentrality sqrt(n) δ/σ:
//     T' = (Z + sqrt(n) δ/σ) / U,   Z standard normal,   U² = χ²_{n-1} / (n - 1)
// At δ = 0 the power is α. Seeds needed for power 0.8 at α = 0.05:
//     effect δ/σ   0.5   1
//     seeds        34    10
#pragma once
#include <optional>

namespace reprise::statistics {

/// P(T' > t), for freedom > 0. Noncentrality 0 gives the tail of Student's distribution.
double noncentral_t_tail(double t, double freedom, double noncentrality);

/// Power of the paired test over n >= 2 seeds, for effect = δ/σ and level α in (0, 1).
/// With `resampled` as in paired_t(), sqrt(n) above becomes 1 / sqrt(1/n + resampled), which has
/// an upper limit for n to infinity.
double paired_t_power(double effect, int n, double level, double resampled = 0);

/// Smallest number of seeds (at least two) with this power. Empty if more than 100000 are needed,
/// as for effect 0, or if the finite resampled set limits the power.
std::optional<int> seeds_needed(double effect, double level, double power = 0.8,
                                double resampled = 0);

}  // namespace reprise::statistics
