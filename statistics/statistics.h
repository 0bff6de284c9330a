// The statistics of the project: seeds are the replicates, methods are paired on seed.
//
// Distribution functions are those of Boost.Math. Sources: Student 1908; Wilcoxon 1945; Holm 1979;
// Schuirmann 1987 (TOST); Nadeau and Bengio 2003 (pairs that divide one finite set anew).
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace reprise::records {

/// Error: no value, or one that is not finite (also for every function below that takes values).
double mean(std::span<const double> values);
/// Sample standard deviation, with n - 1. Error: fewer than two values.
double deviation(std::span<const double> values);

/// Regularised incomplete beta function I_x(a, b); a, b > 0, x in [0, 1].
double incomplete_beta(double a, double b, double x);
/// P(T > t) for Student's T with `freedom` > 0 degrees of freedom. 0.5 at t = 0, 0 at infinity.
double student_tail(double t, double freedom);
/// The t with P(T <= t) = p, for p in (0, 1): 0 at p = 0.5, 12.706 at p = 0.975 and one degree of
/// freedom.
double student_quantile(double p, double freedom);

struct Interval {
  double low = 0, high = 0;
};

/// Of the intervals in tables, figures and pages.
inline constexpr double confidence_level = 0.95;
/// "95 %"
std::string confidence_text();

/// Student t interval of the mean: mean ± t_{n-1} sd / sqrt(n). Error: fewer than two values.
Interval mean_interval(std::span<const double> values, double confidence = confidence_level);

/// Paired t test of a against b: d_i = a_i - b_i.
struct PairedTest {
  int n = 0;
  double difference = 0;  ///< mean of d
  double deviation = 0;   ///< standard deviation of d, n - 1
  double error = 0;       ///< standard error of the mean of d: deviation sqrt(1/n + resampled)
  /// Of the mean of d. Nothing where the deviation is 0: differences without a spread do not say
  /// how far their mean may be off.
  std::optional<Interval> interval{};
  double t = 0;  ///< difference / error
  double p_two_sided = 1;
  double p_greater = 0.5;  ///< one-sided, alternative: mean of d > 0
  /// One-sided p for the alternative "mean of d > bound" (or "< bound").
  double p_above(double bound) const;
  double p_below(double bound) const;
};

/// `resampled`: 0 where pairs are independent. Where each pair divides one finite set anew into
/// training and test items, the ratio of test to training items: such pairs share items, so that
/// their spread alone says too little (Nadeau and Bengio 2003, the corrected resampled t). A
/// difference of no more than 1e-12 of the two values is rounding, and counts as 0; so does a
/// deviation of d of no more than that of the largest value. When all d are equal there is no
/// spread to judge by: t = ± infinity, and p is that of the signs, 2^-n one-sided (with two seeds,
/// counts agree by chance); when all are 0, t = 0, p_two_sided = 1, p_greater = 0.5. Error:
/// different lengths; fewer than two pairs; resampled below 0.
PairedTest paired_t(std::span<const double> a, std::span<const double> b,
                    double confidence = confidence_level, double resampled = 0);

/// Two one-sided tests (TOST): p for the alternative "|mean of d| < margin". 1 when all d are 0: a
/// quantity that neither method nor seed moves says nothing of either. Error: margin is not above
/// 0.
double equivalence_p(const PairedTest& test, double margin);

struct RankTest {
  int n = 0;          ///< pairs that differ; equal pairs are left out (Wilcoxon's rule)
  double w_plus = 0;  ///< sum of the ranks of |d| where d > 0; ties share their mean rank
  bool exact =
      true;  ///< exact for n <= 50, with ties too; else normal with the variance corrected for ties
  double p_two_sided = 1;
  double p_greater = 1;  ///< alternative: a tends to be above b
};

/// Wilcoxon's signed-rank test. With no pair that differs both p are 1. Error: different lengths;
/// no pair.
RankTest wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b);

/// Holm's step-down adjustment: p-values that keep the chance of any false rejection in the family
/// below the level; in the input's order. Error: a value outside [0, 1].
std::vector<double> holm(std::span<const double> p);

}  // namespace reprise::records
