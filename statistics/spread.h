// How far a mean over new seeds may fall by chance: the band of the accuracy check.
//
// A cell has few seeds, so its own standard deviation is known badly: with 3 seeds and 50 cells a t
// band would be 18 standard deviations wide and guard nothing. Cells of one metric in one table
// inform each other (moderated variance, Smyth 2004, eq 3-10):
//     log s_g² of all cells g gives a prior: s0² with d0 degrees of freedom (from its mean and variance)
//     s~_g² = (d0 s0² + d_g s_g²) / (d0 + d_g),  with d0 + d_g degrees of freedom,  d_g = n_g - 1
// d0 is small where the cells' spreads truly differ (each keeps its own) and large where they look
// alike. To look alike by chance is easy with few seeds, so the estimated variance of the true log
// s² is taken one standard error above its value. d0 never exceeds Σ d_g, what a pooled variance
// would have; it is 0 for fewer than three cells with a spread.
#pragma once
#include <span>
#include <vector>

namespace reprise::records {

struct Spread {
  double deviation = 0;  ///< standard deviation over seeds; may be 0
  double freedom = 1;    ///< its degrees of freedom, n - 1 before moderation
};

/// The moderated spread of every cell, in the input's order.
std::vector<Spread> moderated(std::span<const Spread> spreads);

/// Standard error of the difference of a mean over `new_n` seeds and one over `old_n`: standard
/// deviation sqrt(1/old_n + 1/new_n). Times t_{1-alpha, freedom} it is the half-width of the
/// one-sided prediction band.
double difference_error(const Spread& spread, int old_n, int new_n);

/// ψ(x) and ψ'(x) for x > 0: ψ(1) = -0.5772..., ψ'(1) = π²/6.
double digamma(double x);
double trigamma(double x);
/// The x > 0 with ψ'(x) = y, for y > 0.
double trigamma_inverse(double y);

}  // namespace reprise::records
