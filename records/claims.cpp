#include "records/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/text.h"
#include "records/claims_file.h"
#include "records/outside.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

using Seeds = std::map<std::int64_t, const Record*>;

/// The records of a results folder by table, dataset and method. A document's claims are about its own methods: one from outside has no
/// part in them, whatever its name.
class Index {
 public:
  Index(const Store& store, const std::set<std::string>& own) : store_(store), own_(own), records_(store.all()) {
    std::erase_if(records_, from_outside);
    for (const auto& record : records_)
      methods_[{record.cell.table, record.cell.dataset, record.cell.method}].emplace(record.cell.seed, &record);
  }
  using Key = std::tuple<std::string, std::string, std::string>;
  const std::map<Key, Seeds>& methods() const { return methods_; }
  const Seeds& seeds(const Key& key) const {
    static const Seeds none;
    const auto found = methods_.find(key);
    return found == methods_.end() ? none : found->second;
  }
  const Store& store() const { return store_; }
  bool own(const std::string& method) const { return own_.empty() || own_.contains(method.substr(0, method.find('+'))); }

 private:
  const Store& store_;
  const std::set<std::string>& own_;
  std::vector<Record> records_;
  std::map<Key, Seeds> methods_;
};

/// What one test of a claim found, before the p-values of its family are adjusted.
struct TestOutcome {
  const ClaimTest* test = nullptr;
  std::vector<Comparison> comparisons{};
  std::string not_comparable{};      ///< which protocols clash; "" when none do
  int unfinished = 0;                ///< cells of the compared methods that failed or are still running
  std::optional<double> fraction{};  ///< of "parameters"
};

const Metric* find_metric(const Record& record, const std::string& name) {
  for (const auto& metric : record.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

/// Paired values, oriented so that a - b > 0 favours the claim.
struct Pairs {
  std::vector<double> a, b;
  std::set<std::string> protocols;
  bool has_quantity = false;  ///< some finished cell of the method has the metric or curve
};

Pairs metric_pairs(const ClaimTest& test, const Seeds& method, const Seeds& than) {
  Pairs pairs;
  for (const auto& [seed, record] : method) {
    const Metric* mine = record->status == Status::Done ? find_metric(*record, test.metric) : nullptr;
    if (!mine) continue;
    pairs.has_quantity = true;
    const auto other = than.find(seed);
    if (other == than.end() || other->second->status != Status::Done) continue;
    const Metric* theirs = find_metric(*other->second, test.than_metric);
    if (!theirs) continue;
    pairs.protocols.insert({mine->protocol, theirs->protocol});
    if (mine->direction == Direction::Neither && test.kind == ClaimKind::Better)
      throw UsageError(
          fmt::format("metric '{}' of cell {} has no better direction, so no method can be better in it", test.metric, record->cell.id()),
          "claim another metric, or use kind = \"similar\"");
    const double sign = mine->direction == Direction::LowerIsBetter ? -1 : 1;
    pairs.a.push_back(sign * mine->value);
    pairs.b.push_back(sign * theirs->value);
  }
  return pairs;
}

double first_as_good(const std::vector<double>& curve, double target, bool higher) {
  const auto reached = std::find_if(curve.begin(), curve.end(), [&](double value) { return higher ? value >= target : value <= target; });
  return static_cast<double>(reached - curve.begin() + 1);
}

/// Epochs until the other method's best: a - b is what the method saves.
Pairs epoch_pairs(const ClaimTest& test, const Seeds& method, const Seeds& than, const Store& store) {
  Pairs pairs;
  for (const auto& [seed, record] : method) {
    if (record->status != Status::Done) continue;
    const Curves mine = store.curves(record->cell);
    if (!mine.contains(test.metric)) continue;
    pairs.has_quantity = true;
    const auto other = than.find(seed);
    if (other == than.end() || other->second->status != Status::Done) continue;
    const Curves theirs = store.curves(other->second->cell);
    if (!theirs.contains(test.metric)) continue;
    double best = std::numeric_limits<double>::quiet_NaN();
    for (const double value : theirs.at(test.metric)) best = test.higher ? std::fmax(best, value) : std::fmin(best, value);
    if (std::isnan(best)) continue;
    pairs.a.push_back(first_as_good(theirs.at(test.metric), best, test.higher));
    pairs.b.push_back(first_as_good(mine.at(test.metric), best, test.higher));
  }
  return pairs;
}

void compare_pairs(const ClaimTest& test, const Pairs& pairs, Comparison& comparison) {
  comparison.n = static_cast<int>(pairs.a.size());
  if (comparison.n == 1) comparison.effect = comparison.low = comparison.high = pairs.a[0] - pairs.b[0];
  if (comparison.n < 2) return;
  const PairedTest paired = paired_t(pairs.a, pairs.b);
  comparison.effect = paired.difference;
  comparison.low = paired.interval.low;
  comparison.high = paired.interval.high;
  const bool similar = test.kind == ClaimKind::Similar;
  comparison.p = similar ? equivalence_p(paired, test.margin) : paired.p_greater;
  const double other_way = similar ? std::min(paired.p_above(test.margin), paired.p_below(-test.margin)) : paired.p_below(0);
  comparison.p_against = std::min(1.0, 2 * other_way);
}

int unfinished_cells(const Seeds& seeds) {
  return static_cast<int>(
      std::count_if(seeds.begin(), seeds.end(), [](const auto& entry) { return entry.second->status != Status::Done; }));
}

TestOutcome compare_methods(const ClaimTest& test, const Index& index) {
  TestOutcome outcome{.test = &test};
  std::set<Index::Key> concerned;
  bool any_finished = false, any_quantity = false;
  for (const auto& [key, seeds] : index.methods()) {
    const auto& [table, dataset, method] = key;
    std::smatch groups;
    if (table != test.table || !index.own(method) || !std::regex_match(dataset, test.dataset)) continue;
    if (!std::regex_match(method, groups, test.methods)) continue;
    const std::string than = groups.format(test.than);
    const Index::Key other{test.than_table, dataset, than};
    if (other == key && test.than_metric == test.metric) continue;
    concerned.insert({key, other});
    any_finished |= unfinished_cells(seeds) < static_cast<int>(seeds.size());
    const Pairs pairs = test.kind == ClaimKind::Sooner ? epoch_pairs(test, seeds, index.seeds(other), index.store())
                                                       : metric_pairs(test, seeds, index.seeds(other));
    any_quantity |= pairs.has_quantity;
    if (pairs.protocols.size() > 1 && outcome.not_comparable.empty())
      outcome.not_comparable = fmt::format("{} of {} and {} on {} have the protocols {}", test.metric, method, than, dataset,
                                           join({pairs.protocols.begin(), pairs.protocols.end()}, " and "));
    const auto quantity = test.kind == ClaimKind::Sooner    ? "epochs to the same " + test.metric
                          : test.than_metric != test.metric ? test.metric + " against " + test.than_metric
                                                            : test.metric;
    Comparison comparison{.method = method, .than = than, .dataset = dataset, .metric = quantity};
    compare_pairs(test, pairs, comparison);
    outcome.comparisons.push_back(comparison);
  }
  if (any_finished && !any_quantity && test.optional) {
    outcome.comparisons.clear();
    return outcome;
  }
  // Where something could not be read, that may be what holds it.
  if (any_finished && !any_quantity && index.store().passed_over().empty())
    throw UsageError(fmt::format("no finished cell of the claimed methods in table '{}' has the {} '{}'", test.table,
                                 test.kind == ClaimKind::Sooner ? "curve" : "metric", test.metric),
                     "correct the name in the claims file");
  for (const auto& key : concerned) outcome.unfinished += unfinished_cells(index.seeds(key));
  return outcome;
}

/// The count of a side; nothing when no finished cell has it. All seeds must agree.
std::optional<double> count_of(const ParameterCount& side, const Index& index, TestOutcome& outcome) {
  if (side.given) return static_cast<double>(*side.given);
  std::optional<std::int64_t> count;
  for (const auto& [seed, record] : index.seeds({side.table, side.dataset, side.method})) {
    const auto found = record->parameters.find(side.count);
    if (record->status != Status::Done || found == record->parameters.end()) continue;
    if (count && *count != found->second)
      outcome.not_comparable = fmt::format("the {} parameters of {} differ between seeds", side.count, side.method);
    count = found->second;
  }
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

TestOutcome run_test(const ClaimTest& test, const Index& index) {
  if (test.kind == ClaimKind::Parameters) {
    TestOutcome outcome{.test = &test};
    const auto left = count_of(test.left, index, outcome), right = count_of(test.right, index, outcome);
    if (left && right && *right > 0) outcome.fraction = *left / *right;
    return outcome;
  }
  return test.kind == ClaimKind::None ? TestOutcome{.test = &test} : compare_methods(test, index);
}

std::string text_of(const Comparison& comparison) {
  const std::string seeds = comparison.n == 1 ? "1 seed" : fmt::format("{} seeds", comparison.n);
  if (comparison.n < 2) return fmt::format("{} against {} on {} ({})", comparison.method, comparison.than, comparison.dataset, seeds);
  return fmt::format("{} against {} on {} ({} {:+.3g} [{:.3g}, {:.3g}], p = {:.2g}, {})", comparison.method, comparison.than,
                     comparison.dataset, comparison.metric, comparison.effect, comparison.low, comparison.high, comparison.p_holm, seeds);
}

struct Finding {
  Verdict verdict;
  std::string reason;
};

/// Counts of a test's comparisons.
struct Counts {
  int all = 0, won = 0, lost = 0, thin = 0;
};

std::string counts_text(const ClaimTest& test, const Counts& counts, double level, const TestOutcome& outcome) {
  const char* goal = test.kind == ClaimKind::Better    ? "show the claimed gain"
                     : test.kind == ClaimKind::Similar ? "stay within the margin"
                                                       : "are sooner";
  std::string text = fmt::format("{} of {} comparisons {} at level {} (Holm) and {} significantly contradict it", counts.won, counts.all,
                                 goal, number_text(level), counts.lost);
  if (test.comparisons && counts.all < *test.comparisons)
    text += fmt::format("; {} of {} were not run", *test.comparisons - counts.all, *test.comparisons);
  if (counts.thin > 0) text += fmt::format("; {} have fewer than two seeds in common", counts.thin);
  if (outcome.unfinished > 0) text += fmt::format("; {} cells failed or did not finish", outcome.unfinished);
  const auto by_p = [](const Comparison& a, const Comparison& b) {
    return std::tuple(a.p_holm, -a.effect) < std::tuple(b.p_holm, -b.effect);
  };
  const auto [best, worst] = std::minmax_element(outcome.comparisons.begin(), outcome.comparisons.end(), by_p);
  if (counts.all == 1) return text + ": " + text_of(*best);
  return text + "; strongest: " + text_of(*best) + "; weakest: " + text_of(*worst);
}

Finding judge_comparisons(const TestOutcome& outcome, double level) {
  const ClaimTest& test = *outcome.test;
  Counts counts;
  int paired = 0;
  for (const auto& comparison : outcome.comparisons) {
    ++counts.all;
    paired += comparison.n > 0;
    counts.thin += comparison.n < 2;
    counts.won += comparison.n >= 2 && comparison.p_holm < level;
    counts.lost += comparison.n >= 2 && comparison.p_against_holm < level;
  }
  if (paired == 0) return {Verdict::NotRun, fmt::format("no finished cells of table '{}' can be compared", test.table)};
  const std::string reason = counts_text(test, counts, level, outcome);
  if (counts.lost > 0) return {Verdict::NotReproduced, reason};
  const bool whole = counts.thin == 0 && outcome.unfinished == 0 && (!test.comparisons || counts.all >= *test.comparisons);
  return {whole && counts.won == counts.all ? Verdict::Reproduced : Verdict::Inconclusive, reason};
}

Finding find(const TestOutcome& outcome, double level) {
  const ClaimTest& test = *outcome.test;
  if (test.kind == ClaimKind::None) return {Verdict::NotRun, test.because};
  if (!outcome.not_comparable.empty()) return {Verdict::NotComparable, outcome.not_comparable};
  if (test.kind != ClaimKind::Parameters) return judge_comparisons(outcome, level);
  if (!outcome.fraction) return {Verdict::NotRun, "no finished cell gives the parameter counts"};
  const bool within = std::abs(*outcome.fraction - test.fraction) <= test.tolerance;
  return {within ? Verdict::Reproduced : Verdict::NotReproduced,
          fmt::format("the fraction of parameters is {:.6g}, {} {} of the claimed {}", *outcome.fraction, within ? "within" : "not within",
                      number_text(test.tolerance), number_text(test.fraction))};
}

Verdict combined(const std::vector<Finding>& findings) {
  const auto is = [](Verdict verdict) { return [verdict](const Finding& finding) { return finding.verdict == verdict; }; };
  const auto any = [&](Verdict verdict) { return std::any_of(findings.begin(), findings.end(), is(verdict)); };
  const auto all = [&](Verdict verdict) { return std::all_of(findings.begin(), findings.end(), is(verdict)); };
  if (any(Verdict::NotReproduced)) return Verdict::NotReproduced;
  if (any(Verdict::NotComparable)) return Verdict::NotComparable;
  if (all(Verdict::NotRun)) return Verdict::NotRun;
  return all(Verdict::Reproduced) ? Verdict::Reproduced : Verdict::Inconclusive;
}

void adjust(std::vector<Comparison*>& family) {
  std::vector<double> p, against;
  for (const auto* comparison : family) {
    p.push_back(comparison->p);
    against.push_back(comparison->p_against);
  }
  p = holm(p);
  against = holm(against);
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i]->p_holm = p[i];
    family[i]->p_against_holm = against[i];
  }
}

void summarise(Judgement& judgement, const std::vector<TestOutcome>& outcomes) {
  for (const auto& outcome : outcomes) {
    for (const auto& comparison : outcome.comparisons) judgement.comparisons.push_back(comparison);
    if (outcome.fraction && outcomes.size() == 1) judgement.effect = judgement.low = judgement.high = *outcome.fraction;
  }
  if (judgement.comparisons.empty()) return;
  judgement.low = std::numeric_limits<double>::infinity();
  judgement.high = -judgement.low;
  judgement.n = judgement.comparisons.front().n;
  for (const auto& comparison : judgement.comparisons) {
    judgement.effect += comparison.effect / static_cast<double>(judgement.comparisons.size());
    judgement.low = std::min(judgement.low, comparison.low);
    judgement.high = std::max(judgement.high, comparison.high);
    judgement.n = std::min(judgement.n, comparison.n);
  }
}

}  // namespace

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::Reproduced:
      return "reproduced";
    case Verdict::NotReproduced:
      return "not reproduced";
    case Verdict::Inconclusive:
      return "inconclusive";
    case Verdict::NotComparable:
      return "not comparable";
    case Verdict::NotRun:
      break;
  }
  return "not run";
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
  const auto claims = read_claims(claims_toml, name);
  const Index index(store, own);
  std::vector<std::vector<TestOutcome>> outcomes;
  for (const auto& claim : claims) {
    outcomes.emplace_back();
    for (const auto& test : claim.tests) try {
        outcomes.back().push_back(run_test(test, index));
      } catch (const UsageError& reason) {
        throw UsageError(fmt::format("{}: claim \"{}\": {}", name, claim.id, reason.problem()), reason.fix());
      }
  }
  std::map<std::string, std::vector<Comparison*>> families;
  for (std::size_t i = 0; i < claims.size(); ++i)
    for (auto& outcome : outcomes[i])
      for (auto& comparison : outcome.comparisons) families[claims[i].family].push_back(&comparison);
  for (auto& [family, comparisons] : families) adjust(comparisons);

  std::vector<Judgement> judgements;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Claim& claim = claims[i];
    Judgement judgement{.claim_id = claim.claim_id, .row = claim.row, .id = claim.id, .says = claim.says, .source = claim.source};
    std::vector<Finding> findings;
    std::vector<std::string> reasons;
    for (const auto& outcome : outcomes[i]) {
      findings.push_back(find(outcome, claim.level));
      const auto& test = *outcome.test;
      const auto of = test.metric.empty() ? "" : fmt::format(" ({} in {})", test.metric, test.table);
      reasons.push_back((claim.tests.size() > 1 ? fmt::format("test {}{}: ", findings.size(), of) : "") + findings.back().reason);
    }
    judgement.verdict = combined(findings);
    judgement.reason = join(reasons, "; ");
    summarise(judgement, outcomes[i]);
    judgements.push_back(std::move(judgement));
  }
  return judgements;
}

}  // namespace reprise::records
