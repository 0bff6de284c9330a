// The mean standardised change of several quantities. All metrics of a cell, or all cells of a
// table, show together what one noisy quantity does not.
//
// The change of quantity q and seed s, in standard deviations, positive where it is better than the
// reference's value of that seed:
//     z_qs = ± (x_qs - stored_qs) / s_q     s_q: the moderated spread of the quantity's changes over seeds (statistics/spread.h)
//     S_s  = mean over q of z_qs            the score of seed s
// The score of the run is the mean of S over its n seeds. It is 0 on average where nothing changed,
// and falls below
//     band = t_{1-α, n-1} sd(S) / sqrt(n)
// with probability α. sd(S) knows how far the quantities move together.
#pragma once
#include <optional>
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

}  // namespace reprise::records
