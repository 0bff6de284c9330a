#include <cmath>
#include <numbers>

#include "statistics/normal_distribution.h"
#include "statistics/spread.h"
#include "statistics/statistics.h"
#include "tests/support.h"

namespace reprise::statistics {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

using Values = std::vector<double>;

// Protects the page from a deviation that is only rounding: five seeds that all chose 0.0003 differ
// by nothing.
TEST(Deviation, OfEqualValuesIsExactlyZero) {
  for (const double value : {0.1, 0.0003, 0.7, -1e9 / 3}) {
    const std::vector<double> values(7, value);
    EXPECT_EQ(mean(values), value);
    EXPECT_EQ(std_dev(values), 0);
  }
}

TEST(Statistics, AgreeWithScipyOnEveryGoldenPair) {
  const auto golden = fixture_json("statistics.json")["cases"]["paired"];
  ASSERT_GE(golden.size(), 7u);
  for (const auto& c : golden) {
    const Values a = c["a"], b = c["b"];
    SCOPED_TRACE(a.size());
    EXPECT_NEAR(mean(a), c["mean_a"], 1e-12);
    EXPECT_NEAR(std_dev(a), c["sd_a"], 1e-12);
    EXPECT_NEAR(mean_interval(a).low, c["interval95_a"][0], 1e-12);
    EXPECT_NEAR(mean_interval(a).high, c["interval95_a"][1], 1e-12);
    const PairedTest paired = paired_t(a, b);
    EXPECT_NEAR(paired.difference, c["mean_difference"], 1e-12);
    EXPECT_NEAR(paired.interval->low, c["interval95_difference"][0], 1e-12);
    EXPECT_NEAR(paired.interval->high, c["interval95_difference"][1], 1e-12);
    EXPECT_NEAR(paired.t, c["t"], 1e-9);
    EXPECT_NEAR(paired.p_two_sided, c["p_two_sided"], 1e-12);
    EXPECT_NEAR(paired.p_greater, c["p_greater"], 1e-12);
    const RankTest ranks = wilcoxon_signed_rank(a, b);
    EXPECT_TRUE(ranks.exact);
    EXPECT_NEAR(ranks.p_two_sided, c["wilcoxon_p_two_sided"], 1e-12);
    EXPECT_NEAR(ranks.p_greater, c["wilcoxon_p_greater"], 1e-12);
  }
}

TEST(Holm, AgreesWithTheGoldenFamilyInTheInputsOrder) {
  const auto golden = fixture_json("statistics.json")["cases"]["holm"];
  EXPECT_THAT(adjust_by_holm(golden["p"].get<Values>()),
              Pointwise(DoubleNear(1e-14), golden["adjusted"].get<Values>()));
}

TEST(Holm, HandCases) {
  EXPECT_THAT(adjust_by_holm(Values{0.04}), ElementsAre(0.04));
  // 3 x 0.01; 2 x 0.02 = 0.04; 1 x 0.03 may not be below the one before it.
  EXPECT_THAT(
      adjust_by_holm(Values{0.03, 0.01, 0.02}),
      ElementsAre(DoubleNear(0.04, 1e-15), DoubleNear(0.03, 1e-15), DoubleNear(0.04, 1e-15)));
  EXPECT_THAT(adjust_by_holm(Values{0.6, 0.9}), ElementsAre(1, 1));
  EXPECT_THAT(adjust_by_holm(Values{}), ElementsAre());
  EXPECT_THAT([] { adjust_by_holm(Values{0.1, std::nan("")}); }, ThrowsError(HasSubstr("p-value")));
}

TEST(Student, HasTheClosedFormsOfOneAndTwoDegreesOfFreedom) {
  for (const double t : {0.0, 1e-9, 0.3, 1.0, 12.7, 1e4}) {
    EXPECT_NEAR(student_tail(t, 1), 0.5 - std::atan(t) / std::numbers::pi, 1e-15);
    EXPECT_NEAR(student_tail(t, 2), 0.5 - t / (2 * std::sqrt(2 + t * t)), 1e-15);
    EXPECT_NEAR(student_tail(-t, 2) + student_tail(t, 2), 1, 1e-15);
  }
  EXPECT_EQ(student_tail(INFINITY, 3), 0);
  EXPECT_EQ(student_tail(-INFINITY, 3), 1);
}

TEST(Student, QuantileInvertsTheTail) {
  EXPECT_NEAR(student_quantile(0.975, 1), std::tan(0.475 * std::numbers::pi), 1e-11);
  EXPECT_NEAR(student_quantile(0.975, 1e7), 1.9599641, 1e-6);
  EXPECT_EQ(student_quantile(0.5, 7), 0);
  for (const double freedom : {1.0, 2.0, 3.7, 10.0, 250.0})
    for (const double p : {1e-6, 0.025, 0.4, 0.5001, 0.95, 0.9999})
      EXPECT_NEAR(1 - student_tail(student_quantile(p, freedom), freedom), p, 1e-13);
  EXPECT_THAT([] { student_quantile(1, 3); }, ThrowsError(HasSubstr("quantile")));
}

// Exact values by mpmath.
TEST(Student, ReachesTheEndsOfFloat64) {
  EXPECT_NEAR(student_quantile(1e-300, 1) / -3.1830988618379067e299, 1, 1e-14);
  EXPECT_EQ(student_quantile(1e-300, 0.5), -INFINITY) << "beyond float64";
  EXPECT_EQ(student_tail(1e200, 3), 0);
  EXPECT_EQ(student_tail(-1e200, 3), 1);
  EXPECT_NEAR(student_tail(1e4, 1) / 3.1830988512275772e-5, 1, 1e-14);
}

TEST(Normal, QuantileReachesTheEndsOfFloat64) {
  EXPECT_NEAR(normal_quantile(1e-20), -9.262340089798408, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-300), -37.047096299361199, 1e-13);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_EQ(normal_quantile(0.5), 0);
  for (const double p : {0.0, 1.0, std::nan("")})
    EXPECT_THAT([&] { normal_quantile(p); }, ThrowsError(HasSubstr("normal quantile")));
}

TEST(IncompleteBeta, HasItsClosedFormsAndSymmetry) {
  for (const double x : {0.0, 0.01, 0.3, 0.5, 0.99, 1.0}) {
    EXPECT_NEAR(incomplete_beta(1, 1, x), x, 1e-15);
    EXPECT_NEAR(incomplete_beta(3, 1, x), x * x * x, 1e-15);
    EXPECT_NEAR(incomplete_beta(2.5, 0.5, x) + incomplete_beta(0.5, 2.5, 1 - x), 1, 1e-14);
  }
  EXPECT_THAT([] { incomplete_beta(1, 1, 1.5); }, ThrowsError(HasSubstr("1.5")));
}

// Two seeds whose counts agree are no proof: without a spread the signs alone speak, and each is as
// likely as the other.
TEST(PairedT, OfEqualDifferencesIsDecidedByTheirSigns) {
  const PairedTest same = paired_t(Values{1, 2, 3}, Values{1, 2, 3});
  EXPECT_EQ(same.t, 0);
  EXPECT_EQ(same.p_two_sided, 1);
  EXPECT_EQ(same.p_greater, 0.5);
  const PairedTest always = paired_t(Values{1.5, 2.5, 3.5}, Values{1, 2, 3});
  EXPECT_EQ(always.p_greater, 0.125);
  EXPECT_EQ(always.p_two_sided, 0.25);
  const PairedTest rounded = paired_t(Values{0.3 + 0.1, 0.5 - 0.1}, Values{0.3, 0.3});
  EXPECT_EQ(rounded.p_greater, 0.25) << "differences that are equal but for rounding";
  EXPECT_EQ(equivalence_p(always, 1), 0.125);
  EXPECT_EQ(paired_t(Values{1, 2, 3}, Values{1.5, 2.5, 3.5}).p_greater, 1);
}

TEST(PairedT, RefusesUnpairedTooFewAndNonFiniteValues) {
  EXPECT_THAT([] { paired_t(Values{1, 2}, Values{1}); }, ThrowsError(HasSubstr("2 and 1")));
  EXPECT_THAT([] { paired_t(Values{1}, Values{1}); }, ThrowsError(HasSubstr("at least 2")));
  EXPECT_THAT(
      [] {
        paired_t(Values{1, NAN}, Values{1, 2});
      },
      ThrowsError(HasSubstr("value 2 of 2")));
  EXPECT_THAT([] { mean(Values{}); }, ThrowsError());
  EXPECT_THAT([] { mean_interval(Values{1}); }, ThrowsError(HasSubstr("at least 2")));
}

TEST(Equivalence, NeedsBothSidesInsideTheMargin) {
  const Values a{0.01, -0.01, 0.02, -0.02, 0.0}, zero(5, 0.0);
  const PairedTest near = paired_t(a, zero);
  // t = 0.1 / (0.0158 / sqrt 5) = 14.1 on either side.
  EXPECT_NEAR(equivalence_p(near, 0.1), student_tail(std::sqrt(200.0), 4), 1e-12);
  EXPECT_GT(equivalence_p(near, 0.005), 0.05);
  const PairedTest far = paired_t(Values{0.51, 0.49, 0.5, 0.52, 0.48}, zero);
  EXPECT_GT(equivalence_p(far, 0.1), 0.99);
  EXPECT_EQ(equivalence_p(paired_t(Values{1, 2, 3}, Values{1, 2, 3}), 0.1), 1)
      << "equal in every seed decides nothing";
  EXPECT_THAT([&] { equivalence_p(near, 0); }, ThrowsError(HasSubstr("margin")));
}

TEST(Wilcoxon, SharesRanksAndLeavesEqualPairsOut) {
  // d = 1, 1, -1, 0: ranks 2, 2, 2; of the 8 sign patterns W+ >= 4 has 4, W+ <= 4 has 7.
  const RankTest test = wilcoxon_signed_rank(Values{1, 2, 0, 5}, Values{0, 1, 1, 5});
  EXPECT_EQ(test.n, 3);
  EXPECT_EQ(test.w_plus, 4);
  EXPECT_DOUBLE_EQ(test.p_greater, 0.5);
  EXPECT_DOUBLE_EQ(test.p_two_sided, 1);
  const RankTest none = wilcoxon_signed_rank(Values{1, 2}, Values{1, 2});
  EXPECT_EQ(none.n, 0);
  EXPECT_EQ(none.p_two_sided, 1);
}

TEST(Wilcoxon, NormalApproximationJoinsTheExactDistribution) {
  // The same pattern of signs at n = 50 (exact) and 51 (normal) gives nearly the same p, with many
  // ties.
  const auto at = [](int n) {
    Values a, b(static_cast<std::size_t>(n), 0.0);
    for (int i = 0; i < n; ++i) a.push_back((i % 3 ? 1 : -1) * (1 + i % 7));
    return wilcoxon_signed_rank(a, b);
  };
  EXPECT_TRUE(at(50).exact);
  EXPECT_FALSE(at(51).exact);
  EXPECT_NEAR(at(51).p_greater, at(50).p_greater, 0.005);
  EXPECT_NEAR(at(51).p_two_sided, 2 * at(51).p_greater, 1e-12);
}

TEST(Spread, PolygammaFunctionsHaveTheirKnownValues) {
  EXPECT_NEAR(digamma(1), -std::numbers::egamma, 1e-13);
  EXPECT_NEAR(digamma(0.5), -std::numbers::egamma - 2 * std::numbers::ln2, 1e-13);
  EXPECT_NEAR(trigamma(1), std::numbers::pi * std::numbers::pi / 6, 1e-13);
  EXPECT_NEAR(trigamma(0.5), std::numbers::pi * std::numbers::pi / 2, 1e-12);
  for (const double y : {0.01, 0.7, 30.0}) EXPECT_NEAR(trigamma(trigamma_inverse(y)), y, 1e-9 * y);
}

TEST(Spread, AlikeCellsShareTheirSpreadAndOneAloneKeepsItsOwn) {
  const std::vector<Spread> alike(10, {.std_dev = 0.02, .freedom = 2});
  for (const auto& spread : moderate_spreads(alike)) {
    EXPECT_GT(spread.freedom, 4);
    EXPECT_LE(spread.freedom, 20);
  }
  const std::vector<Spread> alone{{.std_dev = 0.02, .freedom = 2}};
  EXPECT_EQ(moderate_spreads(alone)[0].std_dev, 0.02);
  EXPECT_EQ(moderate_spreads(alone)[0].freedom, 2);
}

TEST(Spread, ACellWithoutSpreadTakesFromTheOthers) {
  std::vector<Spread> spreads(10, {.std_dev = 0.02, .freedom = 4});
  spreads[3].std_dev = 0;
  const auto result = moderate_spreads(spreads);
  EXPECT_GT(result[3].std_dev, 0.01);
  EXPECT_LE(result[3].std_dev, result[0].std_dev);
}

TEST(Spread, CellsThatTrulyDifferKeepTheirOrder) {
  const std::vector<Spread> spreads{{0.001, 9}, {0.01, 9}, {0.1, 9}, {1, 9}};
  const auto result = moderate_spreads(spreads);
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    EXPECT_NEAR(std::log(result[i].std_dev / spreads[i].std_dev), 0, 0.5);
    EXPECT_LT(result[i].freedom, 12);
  }
}

}  // namespace
}  // namespace reprise::statistics
