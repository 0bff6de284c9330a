// The seeds that a row of a claim compares, and what each comparison of two methods gives.
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

/// The records of a results folder by table, dataset and method, then by seed. A document's claims
/// are about its own methods: an external method has no part in them, whatever its name.
class ClaimRecords {
 public:
  using Seeds = std::map<std::int64_t, const Record*>;
  using Key = std::tuple<std::string, std::string, std::string>;
  /// `own` as in judge().
  ClaimRecords(const Store& store, const std::set<std::string>& own,
               std::vector<Replicates> replicates);
  /// Those of `all`, which must outlive it, without these seeds.
  ClaimRecords(const ClaimRecords& all, const std::set<std::int64_t>& left_out);
  ClaimRecords(const ClaimRecords&) = delete;
  ClaimRecords& operator=(const ClaimRecords&) = delete;

  /// The own methods of a table that the patterns match whole, each with the one it is compared
  /// with: `than` filled with the groups of `methods`, in `than_table`.
  std::vector<std::pair<Key, Key>> matching(const std::string& table, const std::regex& dataset,
                                            const std::regex& methods,
                                            const std::string& than_table,
                                            const std::string& than) const;
  const Seeds& seeds(const Key& key) const;
  std::set<Key> methods() const;
  const std::set<std::string>& own() const { return own_; }
  const Store& store() const { return store_; }
  /// What its seeds renew; nothing where no entry fits: data.
  const Replicates* replicates(const std::string& table, const std::string& dataset) const;

 private:
  const Store& store_;
  const std::set<std::string>& own_;
  std::vector<Replicates> replicates_;
  std::vector<std::shared_ptr<const Record>> records_;
  std::map<Key, Seeds> methods_;
};

/// What a method of `table` is compared with; nothing where the patterns do not match its whole
/// name, or it is not among `own`.
std::optional<ClaimRecords::Key> other_of(const ClaimRecords::Key& key, const std::string& table,
                                          const std::regex& dataset, const std::regex& methods,
                                          const std::string& than_table, const std::string& than,
                                          const std::set<std::string>& own);

int unfinished_cells(const ClaimRecords::Seeds& seeds);

/// Two methods in one metric or curve: paired differences by seed, oriented so that > 0 favours the
/// first.
struct Gains {
  std::map<std::int64_t, double> by_seed{};
  std::set<std::string> protocols{};
  bool has_quantity = false;  ///< some finished cell of the first has the metric or curve
  int at_bound = 0;
  std::string missing{};  ///< the file of curves that is not there, where a finished cell has none
};

/// UsageError: a metric without a better direction where `directed`.
Gains metric_gains(const std::string& metric, const std::string& than_metric, bool directed,
                   const ClaimRecords::Seeds& method, const ClaimRecords::Seeds& than);
/// Epochs saved until the worse of both curves' best values. A fall of the curve is progress.
Gains epoch_gains(const std::string& curve, const ClaimRecords::Seeds& method,
                  const ClaimRecords::Seeds& than, const Store& store);

/// The values of both methods whose ratio is asked for, by seed: of a metric, or of
/// "parameters.NAME".
struct RatioGains {
  std::map<std::int64_t, double> by_seed{};  ///< method over than
  bool has_quantity = false;                 ///< some finished cell of the first has it
};
RatioGains ratios(const std::string& metric, const std::string& than_metric,
                  const ClaimRecords::Seeds& method, const ClaimRecords::Seeds& than);

/// Fills effect, interval and p-values from the gains of `comparison`.
void test_gains(const ClaimTest& test, Comparison& comparison);

/// Seeds at which the comparison would be decided, the way it points, were its effect and spread
/// the true ones: with probability 0.8, at the level / `steps`. More than it has. Nothing for
/// "similar" and "no_worse", for fewer than two seeds, and where no number is enough.
std::optional<int> seeds_to_decide(const ClaimTest& test, std::size_t steps,
                                   const Comparison& comparison);

/// One for each table, metric and other method: the mean over its comparisons, seed by seed.
/// Comparisons with different others are of different kinds (a PreLSTM with an LSTM, a PreGRU with
/// a GRU), and their mean would describe neither.
std::vector<Effect> pooled_effects(const std::vector<Comparison>& comparisons);

/// Whether what a row requires holds, with the numbers: over the seeds of `judged`, and of a method
/// that has none there, which serves all seeds, over all its own.
Requirement required(const RequirementTest& test, const ClaimRow& row, const ClaimRecords& judged,
                     const ClaimRecords& all);

}  // namespace reprise::records
