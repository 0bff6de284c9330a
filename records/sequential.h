// Looking more than once: seeds are added until a claim is decided, and the chance of a false alarm over all looks stays below its level.
//
// Numbers of seeds are fixed before the first look: n_1 < n_2 < ... < n_K = N. Look k is judged at the level that the power family spends
// (Kim and DeMets 1987, exponent 2), n_0 = 0:
//     α_k = α (n_k² - n_{k-1}²) / N²
// The α_k sum to α at most. So by Boole's inequality the chance that a true null hypothesis is rejected at any look is at most α, whatever
// the test and however the looks depend on each other: Student's t with few seeds, its correction for resampled sets, TOST, Holm's method and
// conjunctions alike. Which claims go on may depend on what the looks found: to stop early leaves chances out and adds none. With the looks
// below the rate is 0.037 for one comparison and 0.040 for a family of four. Boundaries that use how t statistics of successive looks are
// correlated would waste less; they hold for normal differences alone.
//
//     n, N = 20      5        10       15       20
//     α = 0.05       0.003125 0.009375 0.015625 0.021875
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "records/claims.h"

namespace reprise::records {

struct Look {
  std::vector<std::int64_t> seeds{};  ///< that it adds
  bool done = false;                  ///< their cells have run: the claim is judged on them
};

/// The looks at one claim, planned before the first.
struct LookPlan {
  std::string claim{}, definition{};  ///< id and Claim::definition
  int most = 0;                       ///< N, at least 1
  /// The claim had been judged at its full level before the looks began: one more chance of a false alarm, at most that level again.
  bool judged_before = false;
  std::vector<Look> looks{};

  /// Of looks that are done.
  std::set<std::int64_t> seeds() const;
  /// How many the next look adds: a quarter of N, or what is left of it; 0 after the last.
  int next() const;
};

/// α_k of look `now` = n_k after `before` = n_{k-1}, to six decimals, never more. Error: not 0 <= before < now <= most.
double spent_level(double level, int before, int now, int most);

/// The level of the last look that is done; before the first that of the first.
double level_of(const LookPlan& plan, double level);
LooksTaken looks_taken(const LookPlan& plan, double level);

/// Seeds of the look at which a claim that is undecided would be decided with probability 0.8, were its effects the true ones. Nothing where
/// the last look would not do it, and where it lacks something else than seeds: then nothing is left to show.
std::optional<int> expected_seeds(const Judgement& judgement, const LookPlan& plan);

}  // namespace reprise::records
