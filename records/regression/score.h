// The mean standardised change of several quantities: what one quantity alone is too noisy to show,
// all metrics of a cell, or all cells of a table, show together.
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
  double change = 0;  ///< in standard deviations; > 0 is better
  Spread spread{};    ///< of S over the shared seeds
  int seeds = 0;      ///< that all its quantities share
  int quantities = 0;
  /// Mean change in percent of the stored means, each weighted by |mean| / s_q, how precisely it is
  /// known: of the sign of `change`.
  double percent = 0;
};

/// Quantities without direction, and those that are 0 for every seed, have no part. Nothing where
/// fewer than two quantities are left, or where these have fewer than two seeds in common.
std::optional<Score> score(const std::vector<const Paired*>& group);

}  // namespace reprise::records
