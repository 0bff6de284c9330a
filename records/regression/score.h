// The mean standardised change of several quantities: what one quantity alone is too noisy to show, all metrics of a cell, or all cells of
// a table, show together.
//
// A value of quantity q and seed s, in standard deviations of the seed spread, positive where it is better than the reference's mean:
//     z_qs = ± (x_qs - mean_q) / s_q        s_q: the quantity's moderated spread (statistics/spread.h)
//     S_s  = mean over q of z_qs            the score of seed s of the reference
// Its standard deviation over the m seeds of the reference knows how far the quantities move together: about 1 / sqrt(quantities) where
// they are independent, 1 where they are one and the same. The score of a new run, the mean of ± (new mean_q - mean_q) / s_q, is 0 on
// average where nothing changed, and falls below
//     band = t_{1-α, m-1} sd(S) sqrt(1/m + 1/n)
// with probability α.
#pragma once
#include <optional>
#include <vector>

#include "records/aggregate.h"
#include "statistics/spread.h"

namespace reprise::records {

/// The mean that the seeds of `now` had in the reference; a seed that the reference lacks counts with the reference's mean.
double mean_before(const Sample& old, const Sample& now);

/// The band of a change of `change` where the same seeds were off the mean by `before` already. A re-run repeats an unknown share r of what
/// its seeds did before, so that its change is r before + a standard deviation of sd sqrt(1 - r²); for every r in [0, 1] it stays above
///     -sqrt(band² + before²)     (Cauchy-Schwarz)        before < 0; on the other side, and where seeds are new, -band
/// with the probability that `band` has for new seeds. A run that repeats its values bit for bit (r = 1) is never beyond it.
double band_of_same_seeds(double band, double change, double before);

/// One quantity of a group; the samples must outlive it.
struct Scored {
  const Sample* old = nullptr;
  const Sample* now = nullptr;
  double deviation = 0;  ///< s_q
  bool draws = false;    ///< its values are means of the same seeds by runs that round differently, not seeds
};

struct Score {
  double change = 0;         ///< of the new run, in standard deviations; > 0 is better
  double before = 0;         ///< what it was for the same seeds in the reference (mean_before)
  Spread spread{};           ///< of S over the reference's seeds; m - 1 degrees of freedom
  int old_n = 0, new_n = 0;  ///< the fewest seeds of a quantity
  int quantities = 0;
  bool draws = false;  ///< all its quantities are
  /// Mean change in percent of the old means, each weighted by |mean| / s_q, how precisely it is known: of the sign of `change`.
  double percent = 0;
};

/// Quantities without direction, and those that no seed moves, have no part. Nothing where fewer than two are left, where the reference has
/// fewer than two seeds in common, or where their z cancel exactly.
std::optional<Score> score(const std::vector<Scored>& group);

}  // namespace reprise::records
