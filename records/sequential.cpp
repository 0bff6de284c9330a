#include "records/sequential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "records/power.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

int count(const Look& look) { return static_cast<int>(look.seeds.size()); }

/// Standardised distance from what a one-sided p rejects: mean over standard deviation of the differences, or of what a margin leaves.
double distance_of(double p, const Comparison& comparison) {
  constexpr double least = 1e-12;
  const double t = student_quantile(1 - std::clamp(p, least, 1 - least), comparison.n - 1);
  return t * std::sqrt(1.0 / comparison.n + comparison.resampled);
}

/// Whether so many seeds at this level decide the claim: against it one comparison, for it all that are not shown yet.
bool would_decide(const Judgement& judgement, int seeds, double level) {
  const double each = 2 * level / static_cast<double>(judgement.comparisons.size());
  const auto enough = [&](double distance, const Comparison& comparison) {
    return distance > 0 && paired_t_power(distance, seeds, each, comparison.resampled) >= 0.8;
  };
  bool any_against = false, all_for = true;
  for (const auto& comparison : judgement.comparisons) {
    any_against |= enough(distance_of(comparison.p_against, comparison), comparison);
    all_for &= enough(distance_of(comparison.p, comparison), comparison);
  }
  return any_against || all_for;
}

}  // namespace

std::set<std::int64_t> LookPlan::seeds() const {
  std::set<std::int64_t> all;
  for (const auto& look : looks)
    if (look.done) all.insert(look.seeds.begin(), look.seeds.end());
  return all;
}

int LookPlan::next() const {
  int planned = 0;
  for (const auto& look : looks) planned += count(look);
  return std::clamp((most + 3) / 4, 0, std::max(0, most - planned));
}

double spent_level(double level, int before, int now, int most) {
  if (before < 0 || before >= now || now > most)
    throw Error(fmt::format("a look at {} seeds after one at {}, of at most {}, spends no level", now, before, most),
                "each look needs more seeds than the one before it, and none more than the most");
  const auto square = [](double n) { return n * n; };
  return std::floor(1e6 * level * (square(now) - square(before)) / square(most) + 1e-6) / 1e6;
}

double level_of(const LookPlan& plan, double level) {
  int before = 0, now = 0;
  for (const auto& look : plan.looks) {
    if (!look.done) break;
    before = now;
    now += count(look);
  }
  if (now == 0) now = std::min(plan.most, plan.looks.empty() ? (plan.most + 3) / 4 : count(plan.looks.front()));
  return spent_level(level, before, now, plan.most);
}

LooksTaken looks_taken(const LookPlan& plan, double level) {
  LooksTaken taken{.most = plan.most, .level = level, .judged_before = plan.judged_before};
  int seeds = 0;
  for (const auto& look : plan.looks)
    if (look.done) taken.seeds.push_back(seeds += count(look));
  return taken;
}

std::optional<int> expected_seeds(const Judgement& judgement, const LookPlan& plan) {
  const auto tested = [](const Comparison& comparison) { return comparison.n >= 2; };
  const auto open = [&](const Comparison& comparison) { return comparison.p_holm >= judgement.level; };
  const auto& comparisons = judgement.comparisons;
  if (comparisons.empty() || !std::all_of(comparisons.begin(), comparisons.end(), tested)) return std::nullopt;
  if (std::none_of(comparisons.begin(), comparisons.end(), open)) return std::nullopt;
  const double level = judgement.looks ? judgement.looks->level : judgement.level;
  int now = static_cast<int>(plan.seeds().size());
  for (const int step = (plan.most + 3) / 4; now < plan.most;) {
    const int before = now;
    now = std::min(plan.most, now + step);
    if (now >= 2 && would_decide(judgement, now, spent_level(level, before, now, plan.most))) return now;
  }
  return std::nullopt;
}

}  // namespace reprise::records
