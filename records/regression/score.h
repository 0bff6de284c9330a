// The mean standardised change of several quantities. All metrics of a cell, or all cells of a
// table, show together what one noisy quantity does not.
//
// The change of quantity q and seed s, in standard deviations, positive where it is better than the
// reference's value of that seed:
//     z_qs = ± (x_qs - stored_qs) / s_q
//     S_s  = mean over q of z_qs
// s_q is the moderated spread of the quantity's changes over seeds (statistics/spread.h), and S_s
// the score of seed s. The score of the run is the mean of S over its n seeds. Without a change it
// is 0 on average, and falls below -band with probability α:
//     band = t_{1-α, n-1} sd(S) / sqrt(n)
// sd(S) includes how far the quantities move together.
#pragma once
#include <optional>
#include <set>
#include <vector>

#include "records/regression/bands.h"

namespace reprise::records {

struct Score {
  double change = 0;            ///< in standard deviations; > 0 is better
  statistics::Spread spread{};  ///< spread of S over the common seeds
  int seeds = 0;                ///< seeds common to all its quantities
  int quantities = 0;
  /// Mean change in percent of the stored means, weighted by precision |mean| / s_q; it has the
  /// sign of `change`.
  double percent = 0;
};

/// Computes the score of quantities that have a direction and are not 0 for every seed. Nothing if
/// fewer than two quantities or common seeds are left.
std::optional<Score> score(const std::vector<const PairedChanges*>& group);

struct ScoreCheck;

/// Appends the checks of all cells with several metrics and all tables with several cells. Leaves
/// out `lacking` quantities, which only some seeds have, and `failed` methods.
void check_scores(const Reference& reference, const Pairs& pairs, const std::set<Quantity>& lacking,
                  const std::set<MethodKey>& failed, std::vector<ScoreCheck>& scores);

}  // namespace reprise::records
