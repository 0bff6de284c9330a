#include <cmath>
#include <set>

#include "core/random.h"
#include "tests/support.h"

namespace reprise {
namespace {

using testing::HasSubstr;

TEST(Seed, IsTheSameForeverSoThatOldRecordsCanBeRunAgain) {
  EXPECT_EQ(seed_of({"prernn", "table1", "faces", "cnn", "0"}),
            seed_of({"prernn", "table1", "faces", "cnn", "0"}));
  // SHA-256 of no bytes begins e3b0c44298fc1c14; its first 63 bits are that shifted by one.
  EXPECT_EQ(seed_of({}), 0xe3b0c44298fc1c14u >> 1);
}

TEST(Seed, DependsOnEveryAxisItsPlaceAndItsLimits) {
  const std::set<std::uint64_t> seeds{seed_of({"ab", "c"}), seed_of({"a", "bc"}),
                                      seed_of({"c", "ab"}), seed_of({"abc"}), seed_of({"abc", ""})};
  EXPECT_EQ(seeds.size(), 5u);
}

TEST(Random, SameSeedSameNumbersOnEveryMachine) {
  // The 10,000th number of a default mt19937_64 is fixed by the C++ standard: 9981545732273789042.
  Random random(5489);
  for (int i = 0; i < 9999; ++i) random.uniform();
  EXPECT_EQ(random.uniform(), static_cast<double>(9981545732273789042u >> 11) * 0x1p-53);
}

TEST(Random, SplitStreamsDifferAndDoNotDependOnWhatWasDrawn) {
  Random random(7);
  const double before = random.split("frames", 3).uniform();
  random.normal();
  EXPECT_EQ(random.split("frames", 3).uniform(), before);
  EXPECT_NE(random.split("frames", 4).uniform(), before);
  EXPECT_NE(random.split("noise", 3).uniform(), before);
  EXPECT_NE(Random(8).split("frames", 3).uniform(), before);
}

TEST(Random, MomentsAreThoseOfTheDistributions) {
  Random random(1);
  const int n = 200000;
  double uniform = 0, normal = 0, squares = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    uniform += random.uniform(-1, 3);
    const double z = random.normal();
    normal += z;
    squares += z * z;
    fourth += z * z * z * z;
  }
  EXPECT_NEAR(uniform / n, 1, 0.015);  // sd 4 / sqrt(12 n): five of them
  EXPECT_NEAR(normal / n, 0, 0.012);
  EXPECT_NEAR(squares / n, 1, 0.016);
  EXPECT_NEAR(fourth / n, 3, 0.11);
}

TEST(Random, BelowReachesEveryValueAlikeAndStaysBelow) {
  Random random(2);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts.at(static_cast<std::size_t>(random.below(7)));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(random.below(1), 0);
  EXPECT_THAT([&] { random.below(0); }, ThrowsError(HasSubstr("below 0")));
}

TEST(Random, UniformStaysInsideItsHalfOpenRange) {
  Random random(3);
  const double high = std::nextafter(1.0, 2.0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(random.uniform(1.0, high), 1.0);
}

}  // namespace
}  // namespace reprise
