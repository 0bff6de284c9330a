#include "records/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "records/asked.h"
#include "records/claim_pairs.h"
#include "records/item_pairs.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

/// What one test of a claim found, before the p-values of its family are adjusted.
struct TestOutcome {
  const ClaimTest* test = nullptr;
  std::vector<Comparison> comparisons{};
  std::string not_comparable{};      ///< which protocols clash; "" when none do
  std::string missing{};             ///< the file of curves that is not there; "" when none is missed
  int unfinished = 0;                ///< cells of the compared methods that failed or are still running
  bool any_quantity = false;         ///< some finished cell has the metric or curve
  std::optional<double> fraction{};  ///< of "parameters"
};

/// Seconds that one more seed of two cells takes.
double seconds_of(const ClaimRecords::Seeds& method, const ClaimRecords::Seeds& than) {
  double sum = 0;
  for (const auto* seeds : {&method, &than}) {
    std::vector<double> totals;
    for (const auto& [seed, record] : *seeds)
      if (const auto total = record->seconds.find("total"); total != record->seconds.end()) totals.push_back(total->second);
    if (!totals.empty()) sum += mean(totals);
  }
  return sum;
}

/// Whether a test of its own could be made of it.
bool tested(const Comparison& comparison) { return comparison.n >= 2 || comparison.items > 0; }

/// Its comparison of two methods.
Comparison compare(const ClaimTest& test, double level, const ClaimRecords& records, const ClaimRecords::Key& key,
                   const ClaimRecords::Key& other, TestOutcome& outcome) {
  const auto& [table, dataset, method] = key;
  const auto& than = std::get<2>(other);
  const auto &mine = records.seeds(key), &theirs = records.seeds(other);
  const bool directed = test.kind == ClaimKind::Better || test.kind == ClaimKind::NoWorse;
  ItemGains items;
  if (test.items) items = item_gains(test.metric, test.than_metric, directed, mine, theirs, records.store());
  auto gains = test.items ? Gains{.protocols = items.protocols, .has_quantity = items.has_metric, .missing = items.missing}
               : test.kind == ClaimKind::Sooner ? epoch_gains(test.metric, test.higher, mine, theirs, records.store())
                                                : metric_gains(test.metric, test.than_metric, directed, mine, theirs);
  outcome.any_quantity |= gains.has_quantity;
  if (!gains.missing.empty()) outcome.missing = gains.missing;
  if (gains.protocols.size() > 1 && outcome.not_comparable.empty())
    outcome.not_comparable = fmt::format("{} of {} and {} on {} have the protocols {}", test.metric, method, than, dataset,
                                         join({gains.protocols.begin(), gains.protocols.end()}, " and "));
  const auto quantity = test.kind == ClaimKind::Sooner    ? "epochs to the same " + test.metric
                        : test.than_metric != test.metric ? test.metric + " against " + test.than_metric
                                                          : test.metric;
  Comparison comparison{
      .table = table, .method = method, .than = than, .dataset = dataset, .metric = quantity, .gains = std::move(gains.by_seed)};
  comparison.at_bound = gains.at_bound;
  comparison.margin = test.margin;
  comparison.seconds = seconds_of(mine, theirs);
  if (const auto* replicates = records.replicates(table, dataset)) {
    comparison.renews = replicates->renews;
    comparison.resampled = replicates->test_over_train;
  }
  if (test.items)
    test_item_gains(test, level, items, comparison);
  else
    test_gains(test, level, comparison);
  return comparison;
}

TestOutcome compare_methods(const ClaimTest& test, double level, const ClaimRecords& records) {
  TestOutcome outcome{.test = &test};
  std::set<ClaimRecords::Key> concerned;
  bool any_finished = false;
  for (const auto& [key, other] : records.matching(test.table, test.dataset, test.methods, test.than_table, test.than)) {
    const auto& seeds = records.seeds(key);
    if (other == key && test.than_metric == test.metric) continue;
    concerned.insert({key, other});
    any_finished |= unfinished_cells(seeds) < static_cast<int>(seeds.size());
    outcome.comparisons.push_back(compare(test, level, records, key, other, outcome));
  }
  if (any_finished && !outcome.any_quantity && test.optional) {
    outcome.comparisons.clear();
    return outcome;
  }
  // Where something could not be read, that may be what holds it.
  if (any_finished && !outcome.any_quantity && records.store().passed_over().empty())
    throw UsageError(fmt::format("no finished cell of the claimed methods in table '{}' has the {} '{}'", test.table,
                                 test.kind == ClaimKind::Sooner ? "curve" : "metric", test.metric),
                     "correct the name in the claims file");
  for (const auto& key : concerned) outcome.unfinished += unfinished_cells(records.seeds(key));
  return outcome;
}

/// The count of a side; nothing when no finished cell has it. All seeds must agree.
std::optional<double> count_of(const ParameterCount& side, const ClaimRecords& records, TestOutcome& outcome) {
  if (side.given) return static_cast<double>(*side.given);
  std::optional<std::int64_t> count;
  for (const auto& [seed, record] : records.seeds({side.table, side.dataset, side.method})) {
    const auto found = record->parameters.find(side.count);
    if (record->status != Status::Done || found == record->parameters.end()) continue;
    if (count && *count != found->second)
      outcome.not_comparable = fmt::format("the {} parameters of {} differ between seeds", side.count, side.method);
    count = found->second;
  }
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

TestOutcome run_test(const ClaimTest& test, double level, const ClaimRecords& records) {
  if (test.kind == ClaimKind::Parameters) {
    TestOutcome outcome{.test = &test};
    const auto left = count_of(test.left, records, outcome), right = count_of(test.right, records, outcome);
    if (left && right && *right > 0) outcome.fraction = *left / *right;
    return outcome;
  }
  return test.kind == ClaimKind::None ? TestOutcome{.test = &test} : compare_methods(test, level, records);
}

std::string seeds_text(int count) { return count == 1 ? "1 seed" : fmt::format("{} seeds", count); }

/// With the p of the direction in which it points.
std::string text_of(const Comparison& comparison) {
  if (!tested(comparison))
    return fmt::format("{} against {} on {} ({})", comparison.method, comparison.than, comparison.dataset, seeds_text(comparison.n));
  const bool against = comparison.p_against_holm < comparison.p_holm;
  return fmt::format("{} against {} on {} ({} {:+.3g} [{:.3g}, {:.3g}], {}p = {:.2g}, {})", comparison.method, comparison.than,
                     comparison.dataset, comparison.metric, comparison.effect, comparison.low, comparison.high, against ? "against, " : "",
                     against ? comparison.p_against_holm : comparison.p_holm,
                     (comparison.items > 0 ? fmt::format("{} items of ", comparison.items) : "") + seeds_text(comparison.n));
}

struct Finding {
  Verdict verdict;
  std::string reason;
};

/// Counts of a test's comparisons.
struct Counts {
  int all = 0, won = 0, lost = 0, none = 0, thin = 0, at_bound = 0, seeds = 0;
};

Counts count(const TestOutcome& outcome, double level) {
  Counts counts;
  for (const auto& comparison : outcome.comparisons) {
    const bool any_test = tested(comparison);
    const bool is_none = any_test && comparison.p_none_holm < level;
    ++counts.all;
    counts.thin += !any_test;
    counts.won += any_test && !is_none && comparison.p_holm < level;
    counts.lost += any_test && comparison.p_against_holm < level;
    counts.none += is_none;
    counts.at_bound += comparison.at_bound;
    counts.seeds += comparison.n;
  }
  return counts;
}

std::string counts_text(const Claim& claim, const Counts& counts, const TestOutcome& outcome) {
  const ClaimTest& test = *outcome.test;
  const char* goal = test.kind == ClaimKind::Better    ? "show the claimed gain"
                     : test.kind == ClaimKind::Similar ? "stay within the margin"
                     : test.kind == ClaimKind::NoWorse ? "are no worse, but for the margin,"
                                                       : "are sooner";
  std::string text = fmt::format("{} of {} comparisons {} at level {} ({}) and {} significantly contradict it", counts.won, counts.all,
                                 goal, number_text(claim.level), claim.conjunction ? "each, for all must" : "Holm", counts.lost);
  if (test.items) text += "; item by item, of these trained networks: what training again would give is not asked";
  if (counts.none > 0 && test.margin) text += fmt::format("; {} lie within \u00b1 {}: no effect", counts.none, number_text(*test.margin));
  if (test.comparisons && counts.all < *test.comparisons)
    text += fmt::format("; {} of {} were not run", *test.comparisons - counts.all, *test.comparisons);
  if (counts.thin > 0) text += fmt::format("; {} have fewer than two seeds in common", counts.thin);
  if (counts.at_bound > 0) text += fmt::format("; in {} of {} runs both are at the bound of the metric", counts.at_bound, counts.seeds);
  if (outcome.unfinished > 0) text += fmt::format("; {} cells failed or did not finish", outcome.unfinished);
  const auto by_p = [](const Comparison& a, const Comparison& b) {
    return std::tuple(a.p_holm, -a.effect) < std::tuple(b.p_holm, -b.effect);
  };
  const auto [best, worst] = std::minmax_element(outcome.comparisons.begin(), outcome.comparisons.end(), by_p);
  if (counts.all == 1) return text + ": " + text_of(*best);
  return text + "; strongest: " + text_of(*best) + "; weakest: " + text_of(*worst);
}

Finding judge_comparisons(const Claim& claim, const TestOutcome& outcome) {
  const ClaimTest& test = *outcome.test;
  if (std::none_of(outcome.comparisons.begin(), outcome.comparisons.end(), [](const auto& comparison) { return comparison.n > 0; })) {
    if (!outcome.missing.empty()) return {Verdict::NotTestable, outcome.missing};
    return {Verdict::NotRun, fmt::format("no finished cells of table '{}' can be compared{}", test.table,
                                         test.items ? " item by item: run them again, for they keep no items" : "")};
  }
  const auto counts = count(outcome, claim.level);
  const std::string reason = counts_text(claim, counts, outcome);
  if (counts.lost > 0) return {Verdict::Contradicted, reason};
  const bool whole = counts.thin == 0 && outcome.unfinished == 0 && (!test.comparisons || counts.all >= *test.comparisons);
  if (!whole || counts.won + counts.none < counts.all) return {Verdict::Undecided, reason};
  return {counts.none > 0 ? Verdict::NoEffect : Verdict::Reproduced, reason};
}

Finding find(const Claim& claim, const TestOutcome& outcome) {
  const ClaimTest& test = *outcome.test;
  if (test.kind == ClaimKind::None) return {Verdict::NotRun, test.because};
  if (!outcome.not_comparable.empty()) return {Verdict::NotComparable, outcome.not_comparable};
  if (test.kind != ClaimKind::Parameters) return judge_comparisons(claim, outcome);
  if (!outcome.fraction) return {Verdict::NotRun, "no finished cell gives the parameter counts"};
  if (test.at_most) {
    const bool holds = *outcome.fraction <= *test.at_most;
    return {holds ? Verdict::Reproduced : Verdict::Contradicted,
            fmt::format("the fraction of parameters is {:.6g}, {} the claimed {}", *outcome.fraction, holds ? "at most" : "above",
                        number_text(*test.at_most))};
  }
  const bool within = std::abs(*outcome.fraction - test.fraction) <= test.tolerance;
  return {within ? Verdict::Reproduced : Verdict::Contradicted,
          fmt::format("the fraction of parameters is {:.6g}, {} {} of the claimed {}", *outcome.fraction, within ? "within" : "not within",
                      number_text(test.tolerance), number_text(test.fraction))};
}

Verdict combined(const std::vector<Finding>& findings) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.verdict == verdict; });
  };
  const auto all = [&](std::initializer_list<Verdict> verdicts) {
    return std::all_of(findings.begin(), findings.end(), [&](const Finding& finding) {
      return std::find(verdicts.begin(), verdicts.end(), finding.verdict) != verdicts.end();
    });
  };
  if (any(Verdict::Contradicted)) return Verdict::Contradicted;
  if (any(Verdict::NotComparable)) return Verdict::NotComparable;
  if (any(Verdict::NotTestable)) return Verdict::NotTestable;
  if (all({Verdict::NotRun})) return Verdict::NotRun;
  if (all({Verdict::Reproduced})) return Verdict::Reproduced;
  return all({Verdict::Reproduced, Verdict::NoEffect}) ? Verdict::NoEffect : Verdict::Undecided;
}

/// A comparison and whether its claim is a conjunction, whose comparisons need no correction: all of them must be significant.
using Family = std::vector<std::pair<Comparison*, const Claim*>>;

void adjust(Family& family) {
  std::vector<double> p, against, none;
  for (const auto& [comparison, claim] : family) {
    p.push_back(comparison->p);
    against.push_back(comparison->p_against);
    none.push_back(comparison->p_none);
  }
  p = holm(p);
  against = holm(against);
  none = holm(none);
  for (std::size_t i = 0; i < family.size(); ++i) {
    auto& [comparison, claim] = family[i];
    comparison->p_holm = claim->conjunction ? comparison->p : p[i];
    comparison->p_against_holm = against[i];
    comparison->p_none_holm = claim->conjunction ? comparison->p_none : none[i];
  }
}

/// What would decide it: all that do not show the claimed gain yet, or, where some point the other way, the first of those.
void plan_seeds(Judgement& judgement) {
  judgement.needed = std::nullopt;
  double seconds = 0;
  bool all_known = true, any_against = false;
  for (const auto& comparison : judgement.comparisons) any_against |= comparison.n >= 2 && comparison.effect < 0;
  for (const auto& comparison : judgement.comparisons) {
    seconds += comparison.seconds;
    if (any_against ? comparison.effect >= 0 : comparison.p_holm < judgement.level) continue;
    all_known &= comparison.needed.has_value();
    if (!comparison.needed) continue;
    judgement.needed = !judgement.needed ? comparison.needed
                       : any_against     ? std::min(judgement.needed, comparison.needed)
                                         : std::max(judgement.needed, comparison.needed);
  }
  if (!any_against && !all_known) judgement.needed = std::nullopt;
  if (judgement.needed) judgement.hours = std::max(0, *judgement.needed - judgement.n) * seconds / 3600;
}

std::string plan_text(const Judgement& judgement) {
  const auto all = judgement.comparisons.size();
  auto pointing = fmt::format("{} of {} point the claimed way", judgement.towards, all);
  if (!judgement.needed) return pointing;
  return fmt::format("{}; were the effects as they are, {} would decide it (power 0.8), {} h more of one core", pointing,
                     seeds_text(*judgement.needed), judgement.hours < 0.095 ? "less than 0.1" : fmt::format("{:.1f}", judgement.hours));
}

void summarise(Judgement& judgement, const std::vector<TestOutcome>& outcomes) {
  for (const auto& outcome : outcomes) {
    for (const auto& comparison : outcome.comparisons) judgement.comparisons.push_back(comparison);
    if (outcome.fraction && outcomes.size() == 1) judgement.fraction = outcome.fraction;
  }
  judgement.effects = pooled_effects(judgement.comparisons, judgement.level);
  if (judgement.comparisons.empty()) return;
  judgement.n = judgement.comparisons.front().n;
  judgement.p = 0;
  for (const auto& comparison : judgement.comparisons) {
    judgement.n = std::min(judgement.n, comparison.n);
    judgement.p = std::max(judgement.p, comparison.p_holm);
    judgement.p_against = std::min(judgement.p_against, comparison.p_against_holm);
    judgement.towards += comparison.effect > 0;
  }
  if (judgement.verdict != Verdict::Undecided) return;
  plan_seeds(judgement);
  judgement.reason += "; " + plan_text(judgement);
}

/// Holm's correction over the verdicts of a file: each claim by the p that decided it.
void correct_page(std::vector<Judgement>& judgements) {
  for (const auto verdict : {Verdict::Reproduced, Verdict::Contradicted}) {
    std::vector<Judgement*> decided;
    std::vector<double> p;
    for (auto& judgement : judgements) {
      if (judgement.comparisons.empty() || judgement.n == 0) continue;
      decided.push_back(&judgement);
      p.push_back(verdict == Verdict::Reproduced ? judgement.p : judgement.p_against);
    }
    const auto adjusted = holm(p);
    for (std::size_t i = 0; i < decided.size(); ++i)
      if (decided[i]->verdict == verdict) decided[i]->survives_page = adjusted[i] < decided[i]->level;
  }
}

/// A claim whose requirements fail says nothing. They are over the seeds that it is judged on. What did not run had no need to where one was
/// measured and fails. A requirement that was added when the seeds had been seen takes no verdict away.
void require(const Claim& claim, const ClaimRecords& records, const UsedSeeds& used, Judgement& judgement) {
  if (judgement.verdict == Verdict::NotComparable) return;
  const ClaimRecords judged(records, used.left_out);
  std::vector<std::string> failed, failed_later;
  for (const auto& test : claim.requirements) {
    auto requirement = required(test, claim, judged, records);
    if (judgement.verdict == Verdict::NotRun && !requirement.was_measured) continue;
    judgement.requirements.push_back(requirement);
    auto& list = requirement.post_hoc ? failed_later : failed;
    if (!requirement.holds) list.push_back(fmt::format("{} ({})", requirement.says, requirement.measured));
  }
  // A requirement that is chosen after the seeds were seen could remove any verdict. So the verdict stays, and the reason names the requirement.
  if (!failed_later.empty() && failed.empty())
    judgement.reason += "; not testable by a requirement added later: " + join(failed_later, "; ");
  if (failed.empty()) return;
  judgement.verdict = Verdict::NotTestable;
  judgement.reason = "not testable, for this does not hold: " + join(failed, "; ");
}

void note_asked(const UsedSeeds& used, Judgement& judgement) {
  judgement.asked = used.asked;
  judgement.commit = used.commit;
  judgement.set_aside = used.set_aside;
  judgement.looks = used.looks;
  if (const auto text = text_of(used); !text.empty()) judgement.reason += "; " + text;
}

}  // namespace

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::Reproduced:
      return "reproduced";
    case Verdict::Contradicted:
      return "contradicted";
    case Verdict::NoEffect:
      return "no effect";
    case Verdict::Undecided:
      return "undecided";
    case Verdict::NotTestable:
      return "not testable";
    case Verdict::NotComparable:
      return "not comparable";
    case Verdict::NotRun:
      break;
  }
  return "not run";
}

std::string_view former_verdict(Verdict verdict) {
  if (verdict == Verdict::Contradicted) return "not reproduced";
  const bool open = verdict == Verdict::NoEffect || verdict == Verdict::Undecided || verdict == Verdict::NotTestable;
  return open ? "inconclusive" : verdict_text(verdict);
}

std::string_view asked_text(Asked asked) { return asked == Asked::Before ? "before" : asked == Asked::PostHoc ? "post hoc" : "unknown"; }

std::string_view renews_text(Renews renews) {
  switch (renews) {
    case Renews::Data:
      return "data";
    case Renews::Split:
      return "split";
    case Renews::Weights:
      break;
  }
  return "weights";
}

std::string effect_name(const Judgement& judgement, const Effect& effect, const std::function<std::string(const std::string&)>& word) {
  const bool tables = std::ranges::any_of(
      judgement.effects, [&](const Effect& other) { return other.metric == effect.metric && other.table != effect.table; });
  return word(effect.metric + (tables ? " in " + effect.table : "")) + (effect.than.empty() ? "" : " against " + word(effect.than));
}

std::string says_of_row(const Judgement& judgement) {
  return judgement.row.empty() ? judgement.says : fmt::format("{} ({})", judgement.says, judgement.row);
}

std::vector<std::span<const Judgement>> claims_of(std::span<const Judgement> judgements) {
  std::vector<std::span<const Judgement>> claims;
  for (std::size_t begin = 0, end = 0; begin < judgements.size(); begin = end) {
    while (end < judgements.size() && judgements[end].claim_id == judgements[begin].claim_id) ++end;
    claims.push_back(judgements.subspan(begin, end - begin));
  }
  return claims;
}

std::vector<Judgement> judge(std::string_view claims_toml, const std::string& name, const Store& store, const std::set<std::string>& own) {
  auto claims = read_claims(claims_toml, name);
  const ClaimRecords records(store, own, read_replicates(claims_toml, name));
  const auto registration = read_registration(store.results());
  std::vector<UsedSeeds> used;
  std::vector<std::vector<TestOutcome>> outcomes;
  for (auto& claim : claims) {
    used.push_back(used_seeds(claim, registration, records));
    claim.level = used.back().level;
    const ClaimRecords fewer(records, used.back().left_out);
    outcomes.emplace_back();
    for (const auto& test : claim.tests) try {
        outcomes.back().push_back(run_test(test, claim.level, fewer));
      } catch (const UsageError& reason) {
        throw UsageError(fmt::format("{}: claim \"{}\": {}", name, claim.id, reason.problem()), reason.fix());
      }
  }
  std::map<std::string, Family> families;
  for (std::size_t i = 0; i < claims.size(); ++i)
    for (auto& outcome : outcomes[i])
      for (auto& comparison : outcome.comparisons) families[claims[i].family].emplace_back(&comparison, &claims[i]);
  for (auto& [family, members] : families) adjust(members);
  for (std::size_t i = 0; i < claims.size(); ++i)
    for (auto& outcome : outcomes[i])
      for (auto& comparison : outcome.comparisons)
        comparison.needed =
            seeds_to_decide(*outcome.test, claims[i].level, claims[i].conjunction ? 1 : families.at(claims[i].family).size(), comparison);

  std::vector<Judgement> judgements;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Claim& claim = claims[i];
    Judgement judgement{
        .claim_id = claim.claim_id, .row = claim.row, .id = claim.id, .says = claim.says, .source = claim.source, .level = claim.level};
    std::vector<Finding> findings;
    std::vector<std::string> reasons;
    for (const auto& outcome : outcomes[i]) {
      findings.push_back(find(claim, outcome));
      const auto& test = *outcome.test;
      const auto of = test.metric.empty() ? "" : fmt::format(" ({} in {})", test.metric, test.table);
      reasons.push_back((claim.tests.size() > 1 ? fmt::format("test {}{}: ", findings.size(), of) : "") + findings.back().reason);
    }
    judgement.verdict = combined(findings);
    judgement.reason = join(reasons, "; ");
    summarise(judgement, outcomes[i]);
    require(claim, records, used[i], judgement);
    note_asked(used[i], judgement);
    judgements.push_back(std::move(judgement));
  }
  correct_page(judgements);
  return judgements;
}

}  // namespace reprise::records
