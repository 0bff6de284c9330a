// Pairs of methods that a claim compares, and the result of each comparison.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "records/claims/claims_file.h"
#include "records/store.h"

namespace reprise::records {

/// Records of a results folder by table, dataset and method, then by seed. External methods are
/// left out, because claims are about the document's methods.
class ClaimRecords {
 public:
  using Seeds = std::map<std::int64_t, const Record*>;
  using Key = std::tuple<std::string, std::string, std::string>;
  /// `own`: as in judge().
  ClaimRecords(const Store& store, const std::set<std::string>& own,
               std::vector<ResamplingRule> resampling_rules);
  /// Takes the records of `all`, which must outlive it, without these seeds.
  ClaimRecords(const ClaimRecords& all, const std::set<std::int64_t>& left_out);
  ClaimRecords(const ClaimRecords&) = delete;
  ClaimRecords& operator=(const ClaimRecords&) = delete;

  /// Lists the study's methods of a table that match the patterns, each with its counterpart:
  /// `than` in `than_table`, filled with the groups of `methods`.
  std::vector<std::pair<Key, Key>> matching(const std::string& table, const std::regex& dataset,
                                            const std::regex& methods,
                                            const std::string& than_table,
                                            const std::string& than) const;
  const Seeds& seeds(const Key& key) const;
  std::set<Key> methods() const;
  const std::set<std::string>& own() const { return own_; }
  const Store& store() const { return store_; }
  /// Returns what seeds of a table resample; null without an entry: data.
  const ResamplingRule* resampling_rule(const std::string& table, const std::string& dataset) const;

 private:
  const Store& store_;
  const std::set<std::string>& own_;
  std::vector<ResamplingRule> resampling_rules_;
  std::vector<std::shared_ptr<const Record>> records_;
  std::map<Key, Seeds> methods_;
};

/// Finds the counterpart of a method of `table`; nothing if the patterns do not match, or the
/// method is not in `own`.
std::optional<ClaimRecords::Key> find_other(const ClaimRecords::Key& key, const std::string& table,
                                            const std::regex& dataset, const std::regex& methods,
                                            const std::string& than_table, const std::string& than,
                                            const std::set<std::string>& own);

int unfinished_cells(const ClaimRecords::Seeds& seeds);

/// Paired differences of two methods in one metric or curve, by seed; > 0 favours the first.
struct Gains {
  std::map<std::int64_t, double> by_seed{};
  std::string unit{};  ///< of the gains; "" for a pure number
  std::set<std::string> protocols{};
  bool has_quantity = false;  ///< some finished cell of the first has the metric or curve
  int at_bound = 0;
  std::string missing{};  ///< missing file of curves of a finished cell
};

/// Returns gains in a metric. UsageError: `directed`, and the metric has no better direction.
Gains metric_gains(const std::string& metric, const std::string& than_metric, bool directed,
                   const ClaimRecords::Seeds& method, const ClaimRecords::Seeds& than);
/// Returns the epochs saved until both curves are as good as the worse of their best values. A
/// lower curve is better.
Gains epoch_gains(const std::string& curve, const ClaimRecords::Seeds& method,
                  const ClaimRecords::Seeds& than, const Store& store);

/// Ratios of two methods by seed: of a metric, or of "parameters.NAME".
struct RatioGains {
  std::map<std::int64_t, double> by_seed{};  ///< method over than
  bool has_quantity = false;                 ///< whether some finished cell of the first has it
};
RatioGains ratios(const std::string& metric, const std::string& than_metric,
                  const ClaimRecords::Seeds& method, const ClaimRecords::Seeds& than);

/// Fills effect, interval and p-values from the gains of `comparison`.
void test_gains(const ClaimTest& test, Comparison& comparison);

/// Returns the seeds that decide the comparison with probability 0.8, at the level / `steps`, if
/// effect and spread are the true ones. More than it has.
/// Nothing for "similar" and "no_worse", for fewer than two seeds, and if the search finds none.
std::optional<int> seeds_to_decide(const ClaimTest& test, std::size_t steps,
                                   const Comparison& comparison);

/// Averages comparisons seed by seed: one effect per table, metric and counterpart. Counterparts of
/// different kinds (an LSTM, a GRU) are not averaged.
std::vector<Effect> pooled_effects(const std::vector<Comparison>& comparisons);

/// Checks a requirement of a row over the seeds of `judged`. A method without records there, which
/// serves all seeds, is checked over all its own.
Requirement check_requirement(const RequirementTest& test, const ClaimRow& row,
                              const ClaimRecords& judged, const ClaimRecords& all);

}  // namespace reprise::records
