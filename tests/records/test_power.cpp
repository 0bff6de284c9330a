#include "records/power.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

// Integrals with 30 digits (mpmath), from the density in the header.
TEST(Power, AgreesWithExactValues) {
  struct Case {
    double effect;
    int n;
    double level, power;
  };
  for (const auto& [effect, n, level, power] :
       {Case{0.5, 34, 0.05, 0.80777750127927}, Case{0.5, 33, 0.05, 0.7953658414875}, Case{1, 10, 0.05, 0.80309685663272},
        Case{1, 9, 0.05, 0.74801709222948}, Case{2, 3, 0.05, 0.47074943127843}, Case{2, 5, 0.0025, 0.2368013702774},
        Case{3, 2, 0.05, 0.26077071422911}, Case{0.2, 199, 0.05, 0.80169102403707}})
    EXPECT_NEAR(paired_t_power(effect, n, level), power, 1e-9) << effect << " over " << n;
  EXPECT_NEAR(noncentral_t_tail(1, 4, 2), 0.8421264753273, 1e-9);
  EXPECT_NEAR(noncentral_t_tail(2.5, 1, 0.5), 0.20814129671498, 1e-9);
}

TEST(Power, OfNoEffectIsTheLevelAndTheSignDoesNotMatter) {
  EXPECT_NEAR(paired_t_power(0, 7, 0.05), 0.05, 1e-9);
  EXPECT_DOUBLE_EQ(paired_t_power(-1, 10, 0.05), paired_t_power(1, 10, 0.05));
}

// 34 and 10 are what every table of sample sizes for paired tests says.
TEST(Power, SeedsNeededAreTheFewestThatReachIt) {
  EXPECT_EQ(seeds_needed(0.5, 0.05), 34);
  EXPECT_EQ(seeds_needed(1, 0.05), 10);
  EXPECT_EQ(seeds_needed(-1, 0.05), 10);
  EXPECT_EQ(seeds_needed(0.2, 0.05), 199);
  EXPECT_EQ(seeds_needed(1e9, 0.05), 2);
  EXPECT_EQ(seeds_needed(0, 0.05), std::nullopt);
  EXPECT_EQ(seeds_needed(1e-6, 0.05), std::nullopt);
  const int n = seeds_needed(0.7, 0.001).value();
  EXPECT_GE(paired_t_power(0.7, n, 0.001), 0.8);
  EXPECT_LT(paired_t_power(0.7, n - 1, 0.001), 0.8);
}

TEST(Power, RefusesWhatHasNoPower) {
  EXPECT_THAT([] { paired_t_power(1, 1, 0.05); }, ThrowsError(testing::HasSubstr("1 seeds")));
  EXPECT_THAT([] { paired_t_power(1, 5, 0); }, ThrowsError(testing::HasSubstr("level 0")));
  EXPECT_THAT([] { noncentral_t_tail(1, 0, 0); }, ThrowsError(testing::HasSubstr("0 degrees")));
}

}  // namespace
}  // namespace reprise::records
