#include "statistics/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/error.h"
#include "statistics/normal_distribution.h"

namespace reprise::statistics {
namespace policies = boost::math::policies;
namespace {

constexpr int most_exact = 50;  // pairs with the exact distribution
constexpr double infinity = std::numeric_limits<double>::infinity();
// Relative difference below which values count as equal. float64 has 16 digits, and sums of
// thousands of values lose some.
constexpr double rounding = 1e-12;

double larger_magnitude(double a, double b) { return std::max(std::abs(a), std::abs(b)); }

void need(bool right, const std::string& problem, const std::string& fix) {
  if (!right) throw Error(problem, fix);
}

/// Error: fewer than `least` values, or one that is not finite.
void check(std::span<const double> values, std::size_t least) {
  need(values.size() >= least,
       fmt::format("{} values were given where at least {} are needed", values.size(), least),
       "run more seeds");
  for (std::size_t i = 0; i < values.size(); ++i)
    need(std::isfinite(values[i]),
         fmt::format("value {} of {} is {}", i + 1, values.size(), values[i]),
         "only finite values can be tested; find the record that holds this one");
}

/// Differences a_i - b_i, without those that are rounding errors.
std::vector<double> differences(std::span<const double> a, std::span<const double> b,
                                std::size_t least) {
  need(a.size() == b.size(), fmt::format("a paired test got {} and {} values", a.size(), b.size()),
       "give both methods the same seeds");
  check(a, least);
  check(b, least);
  std::vector<double> d(a.size());
  std::transform(a.begin(), a.end(), b.begin(), d.begin(), [](double x, double y) {
    return std::abs(x - y) <= rounding * larger_magnitude(x, y) ? 0 : x - y;
  });
  return d;
}

/// Ranks of |d|, where ties share their mean rank, and Σ (t³ - t) over the groups of t ties.
std::pair<std::vector<double>, double> rank_magnitudes(const std::vector<double>& d) {
  std::vector<std::size_t> order(d.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return std::abs(d[i]) < std::abs(d[j]); });
  std::vector<double> ranks(d.size());
  double ties = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && std::abs(d[order[end]]) == std::abs(d[order[first]])) ++end;
    const auto equal = static_cast<double>(end - first);
    for (std::size_t i = first; i < end; ++i)
      // Positions first to end - 1 have the ranks first + 1 to end, whose mean this is.
      ranks[order[i]] = static_cast<double>(first + end + 1) / 2;
    ties += equal * equal * equal - equal;
    first = end;
  }
  return {ranks, ties};
}

/// {P(W >= w), P(W <= w)} if each rank has either sign with probability 1/2. Ranks are counted in
/// halves, so that shared ranks are integers.
std::pair<double, double> exact_tails(const std::vector<double>& ranks, double w) {
  // Distribution of the sum of positive ranks, by convolution over the ranks.
  std::vector<double> chance{1};
  for (const double rank : ranks) {
    const auto step = static_cast<std::size_t>(std::lround(2 * rank));
    std::vector<double> next(chance.size() + step, 0);
    for (std::size_t sum = 0; sum < chance.size(); ++sum) {
      next[sum] += chance[sum] / 2;
      next[sum + step] += chance[sum] / 2;
    }
    chance = std::move(next);
  }
  const auto observed = static_cast<std::ptrdiff_t>(std::lround(2 * w));
  return {std::accumulate(chance.begin() + observed, chance.end(), 0.0),
          std::accumulate(chance.begin(), chance.begin() + observed + 1, 0.0)};
}

/// One-sided p of the sign test for n equal differences against a bound.
double sign_test_p(double difference, double bound, int n) {
  if (difference == bound) return 0.5;
  return difference > bound ? std::ldexp(1.0, -n) : 1;
}

}  // namespace

std::string confidence_text() { return fmt::format("{:.3g} %", 100 * confidence_level); }

double mean(std::span<const double> values) {
  check(values, 1);
  // Summed as distances from the first value: equal values then have exactly their mean, and a
  // standard deviation of exactly 0.
  const double first = values.front();
  double sum = 0;
  for (const double value : values) sum += value - first;
  return first + sum / static_cast<double>(values.size());
}

double std_dev(std::span<const double> values) {
  check(values, 2);
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double incomplete_beta(double a, double b, double x) {
  need(a > 0 && b > 0 && x >= 0 && x <= 1,
       fmt::format("I_x(a, b) is undefined at x = {}, a = {}, b = {}", x, a, b),
       "a and b must be above 0, x in [0, 1]");
  // Without promotion to long double: five times faster, and equal digits on all platforms.
  return boost::math::ibeta(a, b, x, policies::policy<policies::promote_double<false>>());
}

double student_tail(double t, double freedom) {
  need(freedom > 0 && !std::isnan(t),
       fmt::format("Student's distribution is undefined at t = {}, {} degrees of freedom", t,
                   freedom),
       "the degrees of freedom must be above 0");
  // Near t = 0 the probability is measured from the middle: Boost's tail has an error of 3e-9 there
  // for one degree of freedom.
  const double square = t * t;
  const double half = square < 1
                          ? 0.5 - incomplete_beta(0.5, freedom / 2, square / (freedom + square)) / 2
                          : incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square)) / 2;
  return t > 0 ? half : 1 - half;
}

double student_quantile(double p, double freedom) {
  need(p > 0 && p < 1 && freedom > 0,
       fmt::format("Student's quantile is undefined at p = {}, {} degrees of freedom", p, freedom),
       "p must lie between 0 and 1, the degrees of freedom above 0");
  // Quantiles beyond float64 are infinite.
  using Student = boost::math::students_t_distribution<
      double, policies::policy<policies::overflow_error<policies::ignore_error>>>;
  return boost::math::quantile(Student(freedom), p);
}

Interval mean_interval(std::span<const double> values, double confidence) {
  const double spread = std_dev(values);
  const double centre = mean(values);
  const auto n = static_cast<double>(values.size());
  const double half = student_quantile((1 + confidence) / 2, n - 1) * spread / std::sqrt(n);
  return {centre - half, centre + half};
}

double PairedTest::p_above(double bound) const {
  if (std_dev == 0) return sign_test_p(difference, bound, n);
  return student_tail((difference - bound) / error, n - 1);
}

double PairedTest::p_below(double bound) const {
  if (std_dev == 0) return sign_test_p(bound, difference, n);
  return student_tail((bound - difference) / error, n - 1);
}

PairedTest paired_t(std::span<const double> a, std::span<const double> b, double confidence,
                    double resampled) {
  need(resampled >= 0, fmt::format("the ratio of test to training items is {}", resampled),
       "give 0 for independent pairs, else test / training");
  const auto d = differences(a, b, 2);
  PairedTest test{.n = static_cast<int>(d.size()), .difference = mean(d), .std_dev = std_dev(d)};
  // A spread below the rounding of the largest value is 0.
  double largest = std::abs(test.difference);
  for (std::size_t i = 0; i < d.size(); ++i)
    largest = std::max(largest, larger_magnitude(a[i], b[i]));
  if (test.std_dev <= rounding * largest) test.std_dev = 0;
  test.error = resampled == 0 ? test.std_dev / std::sqrt(test.n)
                              : test.std_dev * std::sqrt(1.0 / test.n + resampled);
  const double half = student_quantile((1 + confidence) / 2, test.n - 1) * test.error;
  if (test.std_dev > 0) test.interval = {test.difference - half, test.difference + half};
  if (test.std_dev > 0)
    test.t = test.difference / test.error;
  else
    test.t = test.difference == 0 ? 0 : std::copysign(infinity, test.difference);
  test.p_greater = test.p_above(0);
  test.p_two_sided = std::min(1.0, 2 * std::min(test.p_above(0), test.p_below(0)));
  return test;
}

double equivalence_p(const PairedTest& test, double margin) {
  need(margin > 0, fmt::format("the margin of an equivalence test is {}", margin),
       "give a margin above 0: the largest difference that counts as equivalent");
  // A quantity that never changes is no evidence of equivalence.
  if (test.std_dev == 0 && test.difference == 0) return 1;
  return std::max(test.p_above(-margin), test.p_below(margin));
}

RankTest wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b) {
  auto d = differences(a, b, 1);
  // Wilcoxon's rule: equal pairs are left out.
  std::erase(d, 0.0);
  RankTest test{.n = static_cast<int>(d.size())};
  if (d.empty()) return test;
  const auto [ranks, ties] = rank_magnitudes(d);
  for (std::size_t i = 0; i < d.size(); ++i)
    if (d[i] > 0) test.w_plus += ranks[i];
  test.exact = test.n <= most_exact;
  double greater = 0, less = 0;
  if (test.exact) {
    std::tie(greater, less) = exact_tails(ranks, test.w_plus);
  } else {
    // Normal approximation with the variance corrected for ties.
    const double n = test.n;
    const double centre = n * (n + 1) / 4;
    const double variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
    const double z = (test.w_plus - centre) / std::sqrt(variance);
    greater = normal_cdf(-z);
    less = normal_cdf(z);
  }
  test.p_greater = std::min(1.0, greater);
  test.p_two_sided = std::min(1.0, 2 * std::min(greater, less));
  return test;
}

std::vector<double> adjust_by_holm(std::span<const double> p) {
  for (const double value : p)
    need(value >= 0 && value <= 1, fmt::format("Holm's adjustment got {} as a p-value", value),
         "p-values lie in [0, 1]");
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return p[i] < p[j]; });
  // From the smallest p on, times the number of hypotheses left; never decreasing.
  std::vector<double> adjusted(p.size());
  double least = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    least = std::max(least, std::min(1.0, static_cast<double>(p.size() - rank) * p[order[rank]]));
    adjusted[order[rank]] = least;
  }
  return adjusted;
}

}  // namespace reprise::statistics
