#include "statistics/power.h"
#include "tests/support.h"

namespace reprise::statistics {
namespace {

// Integrals with 30 digits (mpmath), from the density in the header.
TEST(Power, AgreesWithExactValues) {
  struct Case {
    double effect;
    int n;
    double level, power;
  };
  for (const auto& [effect, n, level, power] :
       {Case{0.5, 34, 0.05, 0.80777750127927}, Case{0.5, 33, 0.05, 0.7953658414875},
        Case{1, 10, 0.05, 0.80309685663272}, Case{1, 9, 0.05, 0.74801709222948},
        Case{2, 3, 0.05, 0.47074943127843}, Case{2, 5, 0.0025, 0.2368013702774},
        Case{3, 2, 0.05, 0.26077071422911}, Case{0.2, 199, 0.05, 0.80169102403707}})
    EXPECT_NEAR(paired_t_power(effect, n, level), power, 1e-12) << effect << " over " << n;
  struct Tail {
    double t, freedom, noncentrality, chance;
  };
  for (const auto& [t, freedom, noncentrality, chance] :
       {Tail{1, 4, 2, 0.84212647532729941}, Tail{2.5, 1, 0.5, 0.20814129671498241},
        Tail{2, 9, 2, 0.52102907493935144}, Tail{-2, 4, -1, 0.76456745382432427},
        Tail{40, 33, 38, 0.37411158673049136}, Tail{12.7, 2, -3, 1.2584588043099767e-6},
        Tail{9000, 4, 900, 1.973546598945632e-4}})
    EXPECT_NEAR(noncentral_t_tail(t, freedom, noncentrality) / chance, 1, 1e-10)
        << t << " with " << freedom << " and " << noncentrality;
}

// The series that is summed has no end in reasonable time, and the distribution has: no step is
// where one takes over from the other.
TEST(Power, OfAnEffectBeyondAllSeriesJoinsTheOthers) {
  for (const double t : {5e3, 1.1e4})
    EXPECT_NEAR(noncentral_t_tail(t, 4, 9999.999), noncentral_t_tail(t, 4, 10000.001), 1e-5);
  EXPECT_EQ(noncentral_t_tail(-1, 4, 1e9), 1);
  EXPECT_EQ(noncentral_t_tail(1, 4, -1e9), 0);
  EXPECT_EQ(paired_t_power(150, 3, 0.011), 1);
  EXPECT_EQ(paired_t_power(1e9, 1000, 1e-12), 1);
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
}  // namespace reprise::statistics
