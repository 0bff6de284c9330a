// How many seeds it takes to see a difference that is real.
//
// A paired two-sided t test at level α over n seeds, whose differences have mean δ and standard
// deviation σ, rejects with
//     power(n) = P(|T'| > t_{1-α/2, n-1}),    T' noncentral t with n - 1 degrees of freedom and noncentrality sqrt(n) δ/σ
// T' = (Z + sqrt(n) δ/σ) / U with Z normal and U² = χ²_{n-1} / (n - 1). At δ = 0 the power is α. An
// effect δ/σ of 0.5 needs 34 seeds for power 0.8 at α = 0.05, one of 1 needs 10.
#pragma once
#include <optional>

namespace reprise::records {

/// P(T' > t), `freedom` > 0: with noncentrality 0 Student's tail.
double noncentral_t_tail(double t, double freedom, double noncentrality);

/// Power of the paired test over n >= 2 seeds for effect = δ/σ; `level` is α, in (0, 1).
/// `resampled` as in paired_t: sqrt(n) above becomes 1 / sqrt(1/n + resampled), which more seeds
/// bring no further than 1 / sqrt(resampled).
double paired_t_power(double effect, int n, double level, double resampled = 0);

/// The fewest seeds, from 2 on, whose power is at least `power`; nothing for more than 100000 (an
/// effect of 0 among them, and one that the finite set of resampled seeds is too small for).
std::optional<int> seeds_needed(double effect, double level, double power = 0.8,
                                double resampled = 0);

}  // namespace reprise::records
