// Runs whose seeds are not used, or exchanged: their means are right, and their values are not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "tests/records/regression/checked.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A reference of five seeds and three metrics.
struct SeedsOfARun : testing::Test {
  static constexpr const char* here = "AVX512, float32";
  static constexpr int seeds = 5;
  static const std::vector<std::string>& names() {
    static const std::vector<std::string> list{"auc", "error", "jitter"};
    return list;
  }

  static double stored(int metric, int seed) {
    return 0.4 + 0.1 * metric + 0.003 * std::sin(1 + seed + 10 * metric);
  }

  /// Five cells of one method; `value` of a metric and a seed.
  template <typename Value>
  static std::vector<Record> run(const Value& value, const std::string& platform = here) {
    std::vector<Record> records;
    for (int seed = 0; seed < seeds; ++seed) {
      auto record = make({.method = "gru", .seed = seed});
      record.environment.edit().arithmetic = platform;
      record.metrics.clear();
      for (int metric = 0; metric < static_cast<int>(names().size()); ++metric)
        record.metrics.push_back(
            {.name = names()[metric],
             .value = value(metric, seed),
             .unit = "",
             .direction = metric == 0 ? Direction::HigherIsBetter : Direction::LowerIsBetter,
             .protocol = "p"});
      records.push_back(record);
    }
    return records;
  }

  static std::vector<Record> perturbed(int pattern) {
    Random random = Random(5).split("pattern", pattern);
    return run(
        [&](int metric, int seed) { return stored(metric, seed) * (1 + 0.001 * random.normal()); });
  }

  static Reference reference() { return make_reference(run(stored), "first"); }

  CheckResult checked(const std::vector<Record>& records) const {
    return check(reference(), records);
  }

  static int failures(const CheckResult& result) {
    return result.count(Outcome::Differs) + result.count(Outcome::Fell);
  }
};

TEST_F(SeedsOfARun, AsStoredPassValueByValue) {
  const auto result = checked(run(stored));
  EXPECT_TRUE(result.passes());
  EXPECT_THAT(report_lines(result), ElementsAre());
  EXPECT_EQ(
      counts_text(count_outcomes(result)),
      "3 guarded, 0 unknown to the reference; 15 of 15 values are those of this platform's reference");
  EXPECT_THAT(basis_text(result), StartsWith("value by value: the reference knows this platform"));
}

TEST_F(SeedsOfARun, FailWhereTheyAreRotatedOrTwoAreExchanged) {
  const auto rotated =
      checked(run([](int metric, int seed) { return stored(metric, (seed + 1) % seeds); }));
  EXPECT_EQ(rotated.count(Outcome::Differs), 3);
  EXPECT_THAT(rotated.judged.at(0).message,
              AllOf(HasSubstr("seeds 0, 1, 2, 3, 4 have the values"), HasSubstr("other seeds"),
                    HasSubstr("exchanged")));
  const auto swapped = checked(run([](int metric, int seed) {
    return stored(metric, seed == 1 ? 3 : seed == 3 ? 1 : seed);
  }));
  EXPECT_EQ(swapped.count(Outcome::Differs), 3);
  EXPECT_THAT(swapped.judged.at(0).message, HasSubstr("seeds 1, 3 have"));
  const auto shifted = checked(run([](int metric, int seed) { return stored(metric, seed + 1); }));
  EXPECT_EQ(shifted.count(Outcome::Differs), 3) << "seed 5 is not in the reference, the others are";
}

TEST_F(SeedsOfARun, FailWhereTheyDifferedAndAreNowEqual) {
  const auto first = checked(run([](int metric, int) { return stored(metric, 0); }));
  EXPECT_EQ(first.count(Outcome::Differs), 3);
  EXPECT_THAT(first.judged.at(0).message,
              AllOf(HasSubstr("all 5 seeds have the value"), HasSubstr("no effect")));
  const auto mean_of = [](int metric, int) {
    double sum = 0;
    for (int seed = 0; seed < seeds; ++seed) sum += stored(metric, seed) / seeds;
    return sum;
  };
  EXPECT_EQ(checked(run(mean_of)).count(Outcome::Differs), 3) << "the mean is the reference's";
  EXPECT_EQ(checked(run(mean_of, "another platform")).count(Outcome::Differs), 3);
  const auto two =
      checked(run([](int metric, int seed) { return stored(metric, seed == 4 ? 2 : seed); }));
  EXPECT_EQ(two.count(Outcome::Differs), 3);
  EXPECT_THAT(two.judged.at(0).message, HasSubstr("seeds 2, 4 have values in common"));
}

TEST_F(SeedsOfARun, FailWhereAllAreWorseByHalfAPercentAndPassWhereTheyAreBetter) {
  const auto times = [](double factor) {
    return run([=](int metric, int seed) { return stored(metric, seed) * factor; });
  };
  const auto worse = checked(times(0.995));
  EXPECT_EQ(worse.count(Outcome::Fell), 1) << "of the three, one is better where it is higher";
  EXPECT_EQ(checked(times(1.005)).count(Outcome::Fell), 2);
}

TEST_F(SeedsOfARun, ThatRoundingMovedPassAndTheirCellHasANoteWithTheCounts) {
  for (int pattern = 20; pattern < 60; ++pattern) {
    const auto result = checked(perturbed(pattern));
    EXPECT_EQ(failures(result), 0) << pattern;
    const auto lines = report_lines(result);
    // By chance a value may stay within 1e-6.
    const int own = count_outcomes(result).own_values;
    EXPECT_LE(own, 2);
    const auto counted = fmt::format(
        "note table1/faces/gru: {} of 15 values are those of this platform's reference", own);
    EXPECT_THAT(lines, Contains(StartsWith(counted)));
    EXPECT_THAT(basis_text(result), Not(StartsWith("value by value")));
    EXPECT_THAT(basis_text(result), HasSubstr("by the changes of the same seeds (3 quantities)"));
  }
}

// Further seeds hide nothing: those that the reference holds are compared with it all the same.
TEST_F(SeedsOfARun, AreComparedAlsoWhereTheRunHasFurtherOnes) {
  const auto with_sixth = [](std::vector<Record> records) {
    records.push_back(records.front());
    records.back().cell.seed = seeds;
    for (auto& metric : records.back().metrics) metric.value *= 1.0001;
    return records;
  };
  const auto healthy = checked(with_sixth(run(stored)));
  EXPECT_TRUE(healthy.passes());
  EXPECT_EQ(count_outcomes(healthy).own_values, 15);
  EXPECT_EQ(count_outcomes(healthy).values, 18);
  EXPECT_EQ(checked(with_sixth(run([](int metric, int seed) {
              return stored(metric, (seed + 1) % seeds);
            }))).count(Outcome::Differs),
            3);
  EXPECT_EQ(checked(with_sixth(run([](int metric, int seed) {
              return stored(metric, seed) * 0.995;
            }))).count(Outcome::Fell),
            1);
}

// Fractions of few items agree by chance; a gate must not fail for that.
TEST(SeedFault, IsNotSeenInFractionsOfFewItemsThatMeetByChance) {
  const auto sample = [](std::vector<double> values) {
    Sample made{.direction = Direction::HigherIsBetter, .values = std::move(values)};
    for (int seed = 0; seed < made.n(); ++seed) made.seeds.push_back(seed);
    return made;
  };
  const auto fault = [&](const std::vector<double>& before, const std::vector<double>& now) {
    return seed_fault(before, /*own_platform=*/true, sample(now));
  };
  EXPECT_EQ(fault({0.80, 0.85, 0.90, 0.95, 1}, {0.85, 0.80, 0.90, 0.95, 1}), "")
      << "two neighbours";
  EXPECT_EQ(fault({0.80, 0.85, 0.90, 0.95, 1}, {0.85, 0.85, 0.90, 0.95, 1}), "");
  EXPECT_EQ(fault({0.99, 1, 1}, {1, 1, 1}), "");
  EXPECT_EQ(fault({0.75, 0.5, 0.75}, {0.5, 0.75, 0.75}), "");
  EXPECT_NE(fault({0.60, 0.61, 0.62}, {0.61, 0.62, 0.60}), "") << "all of them, rotated";
  EXPECT_NE(fault({0.60, 0.61, 0.62}, {0.61, 0.61, 0.61}), "");
}

// Other platforms are healthy: none of them, in the place of the stored run or of the new one,
// looks like a fault.
TEST(SeedFault, IsSeenInNoHealthyRunOfTheGatesReferences) {
  int moved = 0, faults = 0;
  for (const char* study : {"prernn", "dynamic_face", "langevin", "mocogan", "unit"}) {
    const auto reference = read_reference(fixture(fmt::format("../accuracy/{}_ci.json", study)));
    for (const auto& [quantity, entry] : reference.entries) {
      if (entry.sample.direction == Direction::Neither || reference.is_informational(quantity))
        continue;
      std::vector<std::vector<double>> runs{entry.sample.values};
      for (const auto& values : entry.others)
        if (!values.empty()) runs.push_back(values);
      for (const auto& before : runs)
        for (const auto& now : runs) {
          if (std::equal(before.begin(), before.end(), now.begin(),
                         [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(a); }))
            continue;
          Sample other = entry.sample;
          other.values = now;
          ++moved;
          const auto fault = seed_fault(before, /*own_platform=*/true, other);
          faults += !fault.empty();
          EXPECT_EQ(fault, "") << study << " " << quantity.text();
        }
    }
  }
  const auto sentence =
      fmt::format("{} of {} pairs of runs of a quantity whose values differ", faults, moved);
  auto document = read_file(fixture("../../docs/check.md"));
  std::replace(document.begin(), document.end(), '\n', ' ');
  EXPECT_NE(document.find(sentence), std::string::npos)
      << "docs/check.md does not show what is measured: " << sentence;
}

TEST(SeedFault, KnowsCountsAndFractionsFromContinuousValues) {
  for (const double value :
       {0.0, 1.0, 17.0, 0.5, 2.0 / 3, 77.0 / 640, 1234.0 / 99991, static_cast<double>(0.81F)})
    EXPECT_TRUE(may_repeat(value)) << value;
  for (const double value : {0.4349817263541, 3.14159265358979, 0.0031415926535})
    EXPECT_FALSE(may_repeat(value)) << value;
}

}  // namespace
}  // namespace reprise::records
