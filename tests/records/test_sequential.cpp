// Looks at a claim while its seeds grow: what each spends, false alarms over all of them, and what they save.
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "records/asked.h"
#include "records/sequential.h"
#include "records/statistics.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double level = 0.05;

/// How a claim of `comparisons` alike comparisons fared whose seeds were added until all, or one against it, were significant.
struct Course {
  bool shown = false, contradicted = false;
  int seeds = 0;
};

struct Design {
  std::vector<int> looks{5, 10, 15, 20};
  int comparisons = 1;
  double effect = 0;  ///< δ/σ of all, or of none but the first where `first_alone`
  bool first_alone = false;
  double alike = 0;  ///< correlation of the comparisons' differences
  bool any = false;  ///< stop at the first that is significant, whichever way: every false alarm counts

  Course run(Random& random) const {
    std::vector<std::vector<double>> gains(static_cast<std::size_t>(comparisons));
    Course course;
    for (int before = 0; const int now : looks) {
      for (int seed = before; seed < now; ++seed) {
        const double common = random.normal();
        for (std::size_t c = 0; c < gains.size(); ++c)
          gains[c].push_back((first_alone && c > 0 ? 0 : effect) + std::sqrt(alike) * common + std::sqrt(1 - alike) * random.normal());
      }
      std::vector<double> p, against;
      for (const auto& of_one : gains) {
        const auto test = paired_t(of_one, std::vector<double>(of_one.size(), 0));
        p.push_back(test.p_greater);
        against.push_back(test.p_below(0));
      }
      const double spent = spent_level(level, before, now, looks.back());
      const auto below = [&](double value) { return value < spent; };
      p = holm(p);
      against = holm(against);
      course.seeds = now;
      course.shown = any ? std::any_of(p.begin(), p.end(), below) : std::all_of(p.begin(), p.end(), below);
      course.contradicted = std::any_of(against.begin(), against.end(), below);
      if (course.shown || course.contradicted) return course;
      before = now;
    }
    return course;
  }
};

struct Rates {
  double shown = 0, contradicted = 0, seeds = 0;
};

Rates simulate(const Design& design, int runs, const std::string& name) {
  Rates rates;
  Random random(seed_of({"sequential", name}));
  for (int i = 0; i < runs; ++i) {
    const auto course = design.run(random);
    rates.shown += course.shown;
    rates.contradicted += course.contradicted;
    rates.seeds += course.seeds;
  }
  return {rates.shown / runs, rates.contradicted / runs, rates.seeds / runs};
}

TEST(Sequential, LooksSpendTheLevelAndNeverMore) {
  EXPECT_DOUBLE_EQ(spent_level(level, 0, 5, 20), 0.003125);
  EXPECT_DOUBLE_EQ(spent_level(level, 5, 10, 20), 0.009375);
  EXPECT_DOUBLE_EQ(spent_level(level, 15, 20, 20), 0.021875);
  EXPECT_DOUBLE_EQ(spent_level(level, 0, 20, 20), level) << "one look has it all";
  for (const int most : {3, 7, 12, 20, 50, 333}) {
    LookPlan plan{.most = most};
    double sum = 0;
    int seeds = 0;
    for (int next = plan.next(); next > 0; next = plan.next()) {
      const int before = seeds;
      plan.looks.push_back({std::vector<std::int64_t>(static_cast<std::size_t>(next)), true});
      seeds += next;
      sum += spent_level(level, before, seeds, most);
      EXPECT_DOUBLE_EQ(level_of(plan, level), spent_level(level, before, seeds, most));
    }
    EXPECT_EQ(seeds, most);
    EXPECT_LE(plan.looks.size(), 4U);
    EXPECT_LE(sum, level + 1e-12);
    EXPECT_NEAR(sum, level, 4e-6);
  }
  EXPECT_THROW(spent_level(level, 5, 5, 20), Error);
  EXPECT_THROW(spent_level(level, 5, 25, 20), Error);
}

TEST(Sequential, FalseAlarmsOverAllLooksStayBelowTheLevel) {
  constexpr int runs = 10000;
  const double bound = level + 3 * std::sqrt(level * (1 - level) / runs);
  const auto alone = simulate({}, runs, "alone");
  EXPECT_LE(alone.shown, bound);
  EXPECT_LE(alone.contradicted, bound);
  EXPECT_GE(alone.shown, level / 2) << "nor is it spent in vain";
  const auto few = simulate({.looks = {3, 6, 9, 12}}, runs, "few");
  EXPECT_LE(few.shown, bound);
  const auto eight = simulate({.looks = {3, 4, 5, 6, 7, 8, 9, 10}}, runs, "eight looks");
  EXPECT_LE(eight.shown, bound) << "as many as there are seeds";
}

TEST(Sequential, SoDoTheyOverAllComparisonsOfAFamily) {
  constexpr int runs = 4000;
  const double bound = level + 3 * std::sqrt(level * (1 - level) / runs);
  for (const double alike : {0.0, 0.7}) {
    const auto rates = simulate({.comparisons = 4, .alike = alike, .any = true}, runs, "family");
    EXPECT_LE(rates.shown, bound) << alike;
    EXPECT_LE(rates.contradicted, bound) << alike;
  }
  // One of four is true: the claim of all four is a false alarm of the other three.
  EXPECT_LE(simulate({.comparisons = 4, .effect = 2, .first_alone = true}, runs, "one true").shown, bound);
}

TEST(Sequential, LooksAtTheFullLevelEachWouldCryWolf) {
  constexpr int runs = 4000;
  Random random(seed_of({"sequential", "naive"}));
  int alarms = 0;
  for (int i = 0; i < runs; ++i) {
    std::vector<double> gains;
    for (const int now : {5, 10, 15, 20}) {
      while (static_cast<int>(gains.size()) < now) gains.push_back(random.normal());
      if (paired_t(gains, std::vector<double>(gains.size(), 0)).p_greater >= level) continue;
      ++alarms;
      break;
    }
  }
  EXPECT_GT(alarms, 0.1 * runs) << "what the simulation must be able to see";
}

TEST(Sequential, ATrueEffectIsSeenWithFewerSeedsThanAFixedDesignOfTheSameMost) {
  constexpr int runs = 4000;
  const auto large = simulate({.effect = 1.2}, runs, "large"), middle = simulate({.effect = 0.8}, runs, "middle");
  EXPECT_GE(large.shown, 0.99);
  EXPECT_LE(large.seeds, 11) << "of 20";
  EXPECT_GE(middle.shown, 0.9);
  EXPECT_LE(middle.seeds, 15);
}

const std::string sequential_gain = R"toml(
[[claim]]
id = "1"
says = "mine is better"
source = "document, table 1"
kind = "better"
methods = "mine"
than = "base"
metric = "auc"
table = "table1"
)toml";

class Looks : public testing::Test {
 protected:
  /// Gains of seeds 0, 1, ...
  void gains(const std::vector<double>& values) {
    for (const auto& record : make_seeds({.method = "base"}, std::vector<double>(values.size(), 0.5))) store_.write(record);
    std::vector<double> mine;
    for (const double value : values) mine.push_back(0.5 + value);
    for (const auto& record : make_seeds({.method = "mine"}, mine)) store_.write(record);
  }
  void looks(const std::vector<Look>& taken, int most = 8) {
    const auto claim = read_claims(sequential_gain, "claims.toml").at(0);
    Registration registration;
    registration.ask(claim, {.settings = "s"}, {});
    registration.looks = {{.claim = claim.id, .definition = claim.definition, .most = most, .looks = taken}};
    write_registration(folder_.path(), registration);
  }
  Judgement judged() const { return judge(sequential_gain, "claims.toml", store_).at(0); }

  TemporaryFolder folder_;
  Store store_{folder_.path()};
};

TEST_F(Looks, AVerdictIsOnTheSeedsOfItsLooksAtTheLevelOfTheLast) {
  gains({0.02, 0.05, 0.03, 0.06, 0.04, 0.03, 0.05, 0.9});
  looks({{{0, 1}, true}, {{2, 3}, true}, {{4, 5}, false}});
  const auto judgement = judged();
  EXPECT_EQ(judgement.n, 4) << "neither those of a look that is not done, nor what somebody added";
  EXPECT_DOUBLE_EQ(judgement.level, spent_level(level, 2, 4, 8));
  ASSERT_TRUE(judgement.looks.has_value());
  EXPECT_THAT(judgement.looks->seeds, ElementsAre(2, 4));
  EXPECT_EQ(judgement.looks->most, 8);
  EXPECT_DOUBLE_EQ(judgement.looks->level, level);
  EXPECT_THAT(judgement.reason, HasSubstr("look 2 of its seeds, of at most 8: level 0.009375 of 0.05 over all looks"));
  const auto test = paired_t(std::vector{0.02, 0.05, 0.03, 0.06}, std::vector<double>(4, 0), 1 - 2 * judgement.level);
  EXPECT_NEAR(judgement.effects.at(0).low, test.interval->low, 1e-12) << "the interval is of that level, too";
}

TEST_F(Looks, BeforeTheFirstIsDoneItsLevelHolds) {
  gains({0.02, 0.05});
  looks({});
  EXPECT_DOUBLE_EQ(judged().level, spent_level(level, 0, 2, 8));
}

TEST_F(Looks, WhatIsExpectedIsTheFirstLookWithPowerEnough) {
  gains({0.02, 0.05, -0.01, 0.06});
  looks({{{0, 1}, true}, {{2, 3}, true}}, 16);
  const auto plan = read_registration(folder_.path())->looks.at(0);
  const auto judgement = judged();
  EXPECT_EQ(judgement.verdict, Verdict::Undecided);
  const auto expected = expected_seeds(judgement, plan);
  ASSERT_TRUE(expected.has_value());
  EXPECT_EQ(*expected % 4, 0) << "a look";
  EXPECT_GT(*expected, 4);
  gains({0.06, -0.05, -0.06, 0.051});
  EXPECT_EQ(expected_seeds(judged(), plan), std::nullopt) << "no effect, and sixteen seeds";
}

}  // namespace
}  // namespace reprise::records
