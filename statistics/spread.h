// Prediction band of a mean over new seeds, as used by the regression check.
//
// A cell has few seeds, so its standard deviation is poorly known. With three seeds and 50 cells, a
// band from t quantiles would be 18 standard deviations wide. The cells of one metric in one table
// therefore share information (moderated variance; Smyth 2004, eq 3-10):
//
//     s~_g² = (d0 s0² + d_g s_g²) / (d0 + d_g),   with d0 + d_g degrees of freedom
//
// s_g² is the variance of cell g, with d_g = n_g - 1 degrees of freedom. The mean and the variance
// of log s_g² over all cells give the prior: variance s0² with d0 degrees of freedom.
//
// d0 is small if the spreads of the cells differ, and large if they agree. Few seeds can agree by
// chance, so the estimated variance of the true log s² is increased by one standard error. d0 is at
// most Σ d_g, that of a pooled variance, and 0 for fewer than three cells with a spread.
#pragma once
#include <span>
#include <vector>

namespace reprise::statistics {

struct Spread {
  double std_dev = 0;  ///< standard deviation over seeds; can be 0
  double freedom = 1;  ///< degrees of freedom, n - 1 before moderation
};

/// Returns the moderated spread of each cell, in the input's order.
std::vector<Spread> moderate_spreads(std::span<const Spread> spreads);

/// Standard error of the difference between means over new_n and old_n seeds:
///     std_dev sqrt(1/old_n + 1/new_n)
/// Times t_{1-alpha, freedom} it is the half-width of the one-sided prediction band.
double difference_error(const Spread& spread, int old_n, int new_n);

/// ψ(x) and ψ'(x) for x > 0.
double digamma(double x);
double trigamma(double x);
/// The x > 0 with ψ'(x) = y, for y > 0.
double trigamma_inverse(double y);

}  // namespace reprise::statistics
