#include "records/claims/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "records/claims/claim_pairs.h"
#include "records/claims/claim_rows.h"
#include "records/claims/registry.h"
#include "statistics/statistics.h"

namespace reprise::records {
namespace {

std::string seeds_text(int count) { return count == 1 ? "1 seed" : fmt::format("{} seeds", count); }

/// "pre_gru_fc6 against trad_gru_1 on faces"; the table of the comparisons has the numbers.
std::string comparison_text(const Comparison& comparison) {
  return fmt::format("{} against {} on {}", comparison.method, comparison.than, comparison.dataset);
}

/// Appends a sentence to the reason of a verdict.
void add_sentence(std::string& reason, const std::string& sentence) {
  if (!reason.empty()) reason += reason.ends_with('.') ? " " : ". ";
  reason += sentence;
}

/// ComparisonCounts of a row's comparisons.
struct ComparisonCounts {
  int all = 0;
  int won = 0;       ///< significant for the claim
  int lost = 0;      ///< significant against it
  int none = 0;      ///< significantly within the margin: no effect
  int thin = 0;      ///< fewer than two seeds in common
  int at_bound = 0;  ///< seeds in which both methods are at the bound of the metric
  int seeds = 0;
};

ComparisonCounts count_comparisons(const RowOutcome& outcome) {
  ComparisonCounts counts;
  for (const auto& comparison : outcome.comparisons) {
    const bool tested = comparison.n >= 2;
    // No effect precedes a gain: a difference can be significant and still lie within the margin.
    const bool is_none = tested && comparison.p_none < claim_level;
    ++counts.all;
    counts.thin += !tested;
    counts.won += tested && !is_none && comparison.p < claim_level;
    counts.lost += tested && comparison.p_against_holm < claim_level;
    counts.none += is_none;
    counts.at_bound += comparison.at_bound;
    counts.seeds += comparison.n;
  }
  return counts;
}

std::string goal_text(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::Similar:
      return "stay within the margin";
    case ClaimKind::NoWorse:
      return "are no worse within the margin";
    case ClaimKind::Sooner:
      return "are sooner";
    default:
      return "show the claimed gain";
  }
}

std::string reason_text(const ComparisonCounts& counts, const RowOutcome& outcome) {
  std::string text = fmt::format("{} of {} comparisons {}.", counts.won, counts.all,
                                 goal_text(outcome.tests.front()->kind));
  if (counts.lost == 0) text += " None significantly contradicts it.";
  if (counts.lost == 1) text += " 1 significantly contradicts it.";
  if (counts.lost > 1) text += fmt::format(" {} significantly contradict it.", counts.lost);
  if (const auto& margin = outcome.tests.front()->margin; counts.none > 0 && margin)
    text += fmt::format(" {} lie within \u00b1 {}: no effect.", counts.none, number_text(*margin));
  if (counts.thin > 0) text += fmt::format(" {} have fewer than two seeds in common.", counts.thin);
  if (counts.at_bound > 0)
    text += fmt::format(" In {} of {} runs both are at the bound of the metric.", counts.at_bound,
                        counts.seeds);
  if (outcome.unfinished > 0)
    text += fmt::format(" {} cells failed or did not finish.", outcome.unfinished);
  if (!outcome.missing_quantities.empty())
    text += " No finished cell has " +
            join({outcome.missing_quantities.begin(), outcome.missing_quantities.end()}, ", ") +
            ".";
  // Equal p-values are common where all seeds agree; the effect then decides the order.
  const auto by_p = [](const Comparison& a, const Comparison& b) {
    return std::tuple(a.p, -a.effect) < std::tuple(b.p, -b.effect);
  };
  const auto [best, worst] =
      std::minmax_element(outcome.comparisons.begin(), outcome.comparisons.end(), by_p);
  if (counts.all == 1) return text + " Comparison: " + comparison_text(*best) + ".";
  return text + " Strongest: " + comparison_text(*best) + ". Weakest: " + comparison_text(*worst) +
         ".";
}

struct RowVerdict {
  Verdict verdict = Verdict::NotRun;
  std::string reason{};
};

RowVerdict judge_ratio(const ClaimTest& test, const RowOutcome& outcome) {
  if (outcome.ratios == 0)
    return {Verdict::NotRun, fmt::format("no finished cells have {} to be divided", test.metric)};
  std::string bounds;
  if (test.at_least) bounds += " at least " + number_text(*test.at_least);
  if (test.at_least && test.at_most) bounds += " and";
  if (test.at_most) bounds += " at most " + number_text(*test.at_most);
  const auto& outside = outcome.ratios_outside;
  const auto text =
      fmt::format("Required ratio of {}:{}. {} of {} ratios meet it.", test.metric, bounds,
                  outcome.ratios - static_cast<int>(outside.size()), outcome.ratios);
  if (outside.empty())
    return {Verdict::Reproduced,
            fmt::format("{} Closest to the bound: {:.4g}.", text, *outcome.ratio)};
  return {Verdict::Contradicted, text + " Outside: " + join(outside, "; ") + "."};
}

RowVerdict judge_comparisons(const ClaimRow& row, const RowOutcome& outcome) {
  // A claim that is not tested states why in `because`.
  if (row.tests.empty()) return {Verdict::NotRun, row.because};
  if (!outcome.not_comparable.empty()) return {Verdict::NotComparable, outcome.not_comparable};
  const auto& test = row.tests.front();
  if (test.kind == ClaimKind::Ratio) return judge_ratio(test, outcome);
  if (std::ranges::none_of(outcome.comparisons,
                           [](const auto& comparison) { return comparison.n > 0; })) {
    if (!outcome.missing_file.empty()) return {Verdict::NotTestable, outcome.missing_file};
    const auto& missing = outcome.missing_quantities;
    if (!missing.empty())
      return {Verdict::NotRun,
              fmt::format("no finished cell of the methods in table '{}' has {}", test.table,
                          join({missing.begin(), missing.end()}, ", "))};
    return {Verdict::NotRun,
            fmt::format("no finished cells of table '{}' can be compared", test.table)};
  }
  const auto counts = count_comparisons(outcome);
  const std::string reason = reason_text(counts, outcome);
  // One comparison against the claim suffices; its p is corrected for the number of comparisons.
  if (counts.lost > 0) return {Verdict::Contradicted, reason};
  // A row is decided only if no comparison is missing.
  const bool whole =
      counts.thin == 0 && outcome.unfinished == 0 && outcome.missing_quantities.empty();
  if (!whole || counts.won + counts.none < counts.all) return {Verdict::Undecided, reason};
  return {counts.none > 0 ? Verdict::NoEffect : Verdict::Reproduced, reason};
}

/// Whether the effect lies on the claimed side: above 0, or above the amount that the sentence
/// names.
bool points_towards(const Comparison& comparison) {
  return comparison.effect > comparison.at_least.value_or(0);
}

/// Whether it is decided that the difference lies within the margin.
bool is_none(const Comparison& comparison) {
  return comparison.n >= 2 && comparison.p_none < claim_level;
}

/// Plans the seeds that would decide an undecided row: for all comparisons that do not show the
/// claimed gain yet. If some point the other way, for the first of those.
void plan_seeds(Judgement& judgement) {
  double seconds = 0;
  bool all_known = true, any_against = false;
  for (const auto& comparison : judgement.comparisons)
    // More seeds are not expected to turn an effect that points the other way. Then the plan is for
    // the contradiction, which needs only one comparison.
    any_against |= comparison.n >= 2 && !is_none(comparison) && !points_towards(comparison);
  for (const auto& comparison : judgement.comparisons) {
    seconds += comparison.seconds;
    if (is_none(comparison)) continue;
    if (any_against ? points_towards(comparison) : comparison.p < claim_level) continue;
    all_known &= comparison.needed.has_value();
    if (!comparison.needed) continue;
    if (!judgement.needed)
      judgement.needed = comparison.needed;
    else
      judgement.needed = any_against ? std::min(judgement.needed, comparison.needed)
                                     : std::max(judgement.needed, comparison.needed);
  }
  // All comparisons must become significant, so each needs a known number of seeds.
  if (!any_against && !all_known) judgement.needed = std::nullopt;
  if (judgement.needed)
    judgement.hours = std::max(0, *judgement.needed - judgement.n) * seconds / 3600;
}

std::string plan_text(const Judgement& judgement) {
  const auto favour =
      fmt::format("{} of {} favour the claim.", judgement.towards, judgement.comparisons.size());
  if (!judgement.needed) return favour;
  return fmt::format(
      "{} With effects of this size {} would decide it (power 0.8). That takes {} h more of one core.",
      favour, seeds_text(*judgement.needed),
      judgement.hours < 0.095 ? "less than 0.1" : fmt::format("{:.1f}", judgement.hours));
}

void summarise(Judgement& judgement, const RowOutcome& outcome) {
  judgement.comparisons = outcome.comparisons;
  judgement.effects = pooled_effects(judgement.comparisons);
  judgement.ratio = outcome.ratio;
  judgement.n = outcome.ratio_seeds;
  if (judgement.comparisons.empty()) return;
  judgement.n = judgement.comparisons.front().n;
  judgement.p = 0;
  for (const auto& comparison : judgement.comparisons) {
    judgement.n = std::min(judgement.n, comparison.n);
    // For the claim all comparisons must be significant, so the largest p decides; against it the
    // smallest.
    judgement.p = std::max(judgement.p, comparison.p);
    judgement.p_against = std::min(judgement.p_against, comparison.p_against_holm);
    judgement.towards += points_towards(comparison);
  }
  if (judgement.verdict != Verdict::Undecided) return;
  plan_seeds(judgement);
  add_sentence(judgement.reason, plan_text(judgement));
}

/// Makes a row NotTestable if one of its requirements fails on the seeds of the verdict. For a row
/// that did not run, only measured requirements count. A requirement that was added when the seeds
/// had been seen changes no verdict.
void apply_requirements(const ClaimRow& row, const ClaimRecords& records, const UsedSeeds& used,
                        Judgement& judgement) {
  if (judgement.verdict == Verdict::NotComparable) return;
  const ClaimRecords judged(records, used.left_out);
  std::vector<std::string> failed, failed_later;
  for (const auto& test : row.requirements) {
    auto requirement = check_requirement(test, row, judged, records);
    if (judgement.verdict == Verdict::NotRun && !requirement.was_measured) continue;
    judgement.requirements.push_back(requirement);
    auto& list = requirement.post_hoc ? failed_later : failed;
    if (!requirement.holds)
      list.push_back(fmt::format("{}. {}", requirement.statement, requirement.measured));
  }
  // A requirement that is chosen after the seeds were seen could remove any verdict. So the verdict
  // stays, and the reason names the requirement.
  if (!failed_later.empty() && failed.empty())
    add_sentence(judgement.reason, "A requirement added later fails: " + join(failed_later, " "));
  if (failed.empty()) return;
  judgement.verdict = Verdict::NotTestable;
  judgement.reason = "A requirement fails: " + join(failed, " ");
}

void note_registration(const UsedSeeds& used, Judgement& judgement) {
  judgement.preregistration = used.preregistration;
  judgement.commit = used.commit;
  judgement.excluded_seeds = used.excluded;
  if (const auto text = exclusion_text(used); !text.empty()) add_sentence(judgement.reason, text);
}

Judgement judge_row(const ClaimRow& row, const ClaimRecords& records, const UsedSeeds& used) {
  // Comparisons use only the seeds that the registry leaves.
  auto outcome = compare_row(row, ClaimRecords(records, used.left_out));
  for (std::size_t i = 0; i < outcome.comparisons.size(); ++i) {
    auto& comparison = outcome.comparisons[i];
    // A comparison against the claim must pass Holm's strictest step; one for it is tested at the
    // level itself.
    comparison.needed = seeds_to_decide(
        *outcome.tests[i], points_towards(comparison) ? 1 : outcome.comparisons.size(), comparison);
  }
  Judgement judgement{.claim_id = row.claim_id,
                      .row = row.row,
                      .id = row.id,
                      .statement = row.statement,
                      .source = row.source,
                      .own = row.own,
                      .further = row.further};
  auto verdict = judge_comparisons(row, outcome);
  judgement.verdict = verdict.verdict;
  judgement.reason = std::move(verdict.reason);
  summarise(judgement, outcome);
  apply_requirements(row, records, used, judgement);
  note_registration(used, judgement);
  return judgement;
}

}  // namespace

std::vector<Judgement> judge(std::string_view claims_toml, const std::string& name,
                             const Store& store, const std::set<std::string>& own_methods) {
  const auto rows = read_claims(claims_toml, name);
  const ClaimRecords records(store, own_methods, read_resampling_rules(claims_toml, name));
  const auto registry = read_registry(store.results());
  std::vector<Judgement> judgements;
  for (const auto& row : rows) try {
      judgements.push_back(judge_row(row, records, used_seeds(row, registry, records)));
    } catch (const UsageError& reason) {
      throw UsageError(fmt::format("{}: claim \"{}\": {}", name, row.id, reason.problem()),
                       reason.fix());
    }
  return judgements;
}

}  // namespace reprise::records
