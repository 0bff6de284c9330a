// How often the check fails where nothing fell, and how often it finds what did: on drawn tables
// with true spreads.
#include <cmath>
#include <functional>

#include "core/random.h"
#include "tests/records/regression/checked.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

/// A table of `cells` methods with true spread sd_of(cell); a reference and one re-run of it, with
/// `fall` true deviations lost in cell 0 (or everywhere).
struct Simulation {
  int cells, seeds;
  std::function<double(int)> deviation_of;
  double fall = 0;
  bool everywhere = false;

  std::vector<Record> run(Random& random, double lost) const {
    std::vector<Record> records;
    for (int cell = 0; cell < cells; ++cell) {
      const double sd = deviation_of(cell),
                   centre = 0.5 + 0.01 * cell - (cell == 0 || everywhere ? lost * sd : 0);
      std::vector<double> values;
      for (int seed = 0; seed < seeds; ++seed) values.push_back(centre + sd * random.normal());
      for (auto& record : make_seeds({.method = "method" + std::to_string(cell)}, values))
        records.push_back(std::move(record));
    }
    return records;
  }
  /// Share of re-runs in which the check fails; with a fall in cell 0 alone: in which that cell is
  /// found.
  double alarms(int rounds) const {
    Random random(20240611);
    int found = 0;
    for (int round = 0; round < rounds; ++round) {
      const auto reference = make_reference(run(random, 0), "first");
      const auto result = check(reference, run(random, fall));
      found += fall == 0 || everywhere ? !result.passes() : fails(find(result, "method0").outcome);
    }
    return static_cast<double>(found) / rounds;
  }
};

// 200 rounds of a true rate of 0.05 have a standard deviation of 0.0154; the limit is three of them
// above it.
constexpr double limit = 0.05 + 3 * 0.0154;

TEST(Check, FalseAlarmsAreAtMostOneInTwentyForAlikeSpreadsSlow) {
  for (const int cells : {1, 3, 22})
    for (const int seeds : {3, 5}) {
      const double rate = Simulation{
          .cells = cells, .seeds = seeds, .deviation_of = [](int) {
            return 0.01;
          }}.alarms(200);
      EXPECT_LE(rate, limit) << cells << " cells, " << seeds << " seeds";
    }
}

TEST(Check, FalseAlarmsAreAtMostOneInTwentyForSpreadsThatDifferSlow) {
  // Between 0.005 and 0.02, and one cell in five ten times as wide.
  const auto smooth = [](int cell) { return 0.005 * std::pow(4.0, (cell % 7) / 6.0); };
  const auto mixed = [](int cell) { return cell % 5 ? 0.005 : 0.05; };
  for (const int seeds : {3, 5}) {
    EXPECT_LE((Simulation{.cells = 22, .seeds = seeds, .deviation_of = smooth}.alarms(200)), limit)
        << seeds;
    EXPECT_LE((Simulation{.cells = 22, .seeds = seeds, .deviation_of = mixed}.alarms(200)), limit)
        << seeds;
  }
}

TEST(Check, AFallOfThreeDeviationsInOneOfTwentyTwoCellsIsFoundWithFiveSeedsSlow) {
  EXPECT_GE(
      (Simulation{.cells = 22, .seeds = 5, .deviation_of = [](int) { return 0.01; }, .fall = 3}
           .alarms(200)),
      0.7);
}

TEST(Check, AFallOfThreeDeviationsInTheWholeTableIsFoundWithThreeSeedsSlow) {
  const Simulation table{.cells = 22,
                         .seeds = 3,
                         .deviation_of = [](int) { return 0.01; },
                         .fall = 3,
                         .everywhere = true};
  EXPECT_GE(table.alarms(100), 0.9);
}

}  // namespace
}  // namespace reprise::records
