// Statistics over seeds. Two methods are compared by pairing their runs on the seed.
//
// Distribution functions are those of Boost.Math.
// Sources:
//   - t test: Student 1908
//   - signed-rank test: Wilcoxon 1945
//   - several hypotheses: Holm 1979
//   - equivalence (TOST): Schuirmann 1987
//   - pairs that resample one finite set: Nadeau and Bengio 2003
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace reprise::statistics {

/// Arithmetic mean. Error (all functions that take values): no value, or one that is not finite.
double mean(std::span<const double> values);
/// Sample standard deviation, with n - 1. Error: fewer than two values.
double std_dev(std::span<const double> values);

/// Regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1].
double incomplete_beta(double a, double b, double x);
/// P(T > t) for Student's T with `freedom` > 0 degrees of freedom.
double student_tail(double t, double freedom);
/// The t with P(T <= t) = p, for p in (0, 1). Example: 12.706 at p = 0.975 and freedom 1.
double student_quantile(double p, double freedom);

struct Interval {
  double low = 0, high = 0;
};

/// Confidence level of all intervals in tables, figures and pages.
inline constexpr double confidence_level = 0.95;
/// The confidence level as text: "95 %".
std::string confidence_text();

/// Student t interval of the mean: mean ± t_{n-1} sd / sqrt(n). Error: fewer than two values.
Interval mean_interval(std::span<const double> values, double confidence = confidence_level);

/// Paired t test of a against b, with the differences d_i = a_i - b_i.
struct PairedTest {
  int n = 0;
  double difference = 0;  ///< mean of d
  double std_dev = 0;     ///< standard deviation of d, with n - 1
  double error = 0;       ///< standard error of the mean of d: std_dev sqrt(1/n + resampled)
  /// Confidence interval of the mean of d. Empty if std_dev is 0, since the error is then unknown.
  std::optional<Interval> interval{};
  double t = 0;  ///< difference / error
  double p_two_sided = 1;
  double p_greater = 0.5;  ///< one-sided; alternative: mean of d > 0
  /// One-sided p for the alternatives "mean of d > bound" and "mean of d < bound".
  double p_above(double bound) const;
  double p_below(double bound) const;
};

/// Paired t test. `resampled` is 0 for independent pairs.
///
/// If each pair splits one finite set into training and test items, `resampled` is the ratio of
/// test to training items. Such pairs share items, so their spread alone underestimates the error
/// (corrected resampled t; Nadeau and Bengio 2003).
///
/// Differences of at most 1e-12 of the two values are rounding errors and count as 0. So does a
/// standard deviation of d of at most that fraction of the largest value.
///
/// If all d are equal there is no spread. Then t is ± infinity, and p is 2^-n as in the sign test,
/// one-sided, because counts of two seeds can agree by chance. If all d are 0, then t is 0 and no
/// direction is favoured: p_two_sided is 1, p_greater 0.5.
/// Error: different lengths; fewer than two pairs; resampled below 0.
PairedTest paired_t(std::span<const double> a, std::span<const double> b,
                    double confidence = confidence_level, double resampled = 0);

/// Equivalence test (two one-sided tests, TOST): p for the alternative "|mean of d| < margin".
/// 1 if all d are 0, because a quantity that never changes is no evidence.
/// Error: margin not above 0.
double equivalence_p(const PairedTest& test, double margin);

struct RankTest {
  int n = 0;          ///< pairs that differ; Wilcoxon's rule leaves out equal pairs
  double w_plus = 0;  ///< sum of the ranks of |d| where d > 0; ties share their mean rank
  bool exact = true;  ///< exact distribution, for n <= 50; else normal, corrected for ties
  double p_two_sided = 1;
  double p_greater = 1;  ///< alternative: a tends to be above b
};

/// Wilcoxon's signed-rank test. Both p are 1 if no pair differs.
/// Error: different lengths; no pair.
RankTest wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b);

/// Holm's step-down adjustment of p-values, in the input's order. Rejecting adjusted values below a
/// level keeps the chance of any false rejection below that level.
/// Error: a value outside [0, 1].
std::vector<double> adjust_by_holm(std::span<const double> p);

}  // namespace reprise::statistics
