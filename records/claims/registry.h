// The registry of a results folder, RESULTS/preregistered.json: the registered comparisons, and the
// seeds that had been seen at that time.
//
// It distinguishes comparisons that were registered before their cells ran from those made or
// changed when results could be seen. Every run registers the comparisons of its study's claims
// before its first cell starts. A comparison is a text,
//     better: table1/faces_in_motion/pre_lstm_fc6 against trad_lstm_1, auc, margin 0.01
// so that claims and rows may be renamed, regrouped and reworded. The registry also holds the
// commit and the seeds seen by then: those at which both cells had finished in this folder. It
// covers this results folder only.
//
// A seed is held out for a comparison that was registered before the seed had been seen. This
// decides on which seeds a row is judged:
//   - All seeds are held out in all comparisons: on all of them, "before".
//   - Every comparison has two held-out seeds: on these alone, "before". The others are excluded.
//   - There are fewer: on all seeds, "post hoc", until held-out seeds confirm the verdict.
//   - The folder has no registry: on all seeds, "unknown".
// Confirmation seeds (`[confirm] seeds`) exclude every other seed first.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "records/claims/claim_pairs.h"
#include "records/claims/claims_file.h"

namespace reprise::records {

/// First registration of a comparison.
struct Registration {
  std::string commit{};  ///< "" where not in a git checkout
  bool dirty = false;    ///< the checkout had uncommitted changes
  std::set<std::int64_t> seen{};
};

struct Registry {
  /// Confirmation seeds; none: every seed is for verdicts.
  std::vector<std::int64_t> confirm{};
  std::map<std::string, Registration> comparisons{};  ///< by the comparison's text
  /// Seeds of cells that ever finished here.
  std::map<ClaimRecords::Key, std::set<std::int64_t>> finished{};

  /// Adds the finished cells to `finished`.
  void note_finished(const std::vector<Record>& records);
  /// Registers the row's new comparisons of `methods`, each with the seeds that have been seen.
  void add(const ClaimRow& row, const std::set<ClaimRecords::Key>& methods,
           const std::set<std::string>& own_methods, const Registration& now);
};

/// Reads the registry; nothing without a file. Error: it cannot be read (file and field named).
std::optional<Registry> read_registry(const std::filesystem::path& results);
void write_registry(const std::filesystem::path& results, const Registry& registry);

/// A comparison that a row makes.
struct PlannedComparison {
  const ClaimTest* test = nullptr;
  ClaimRecords::Key method, than;
  /// Returns what decides its verdict: kind, methods, metrics, margin and amount.
  std::string text() const;
};

/// Lists the comparisons of a row among these methods, without external methods.
std::vector<PlannedComparison> planned_comparisons(const ClaimRow& row,
                                                   const std::set<ClaimRecords::Key>& methods,
                                                   const std::set<std::string>& own_methods);

/// Seeds that a row is judged on.
struct UsedSeeds {
  Preregistration preregistration = Preregistration::Unknown;
  std::string commit{};                  ///< commit, as in Judgement
  std::set<std::int64_t> left_out{};     ///< seeds of its cells without a part in the verdict
  std::vector<std::int64_t> excluded{};  ///< finished seeds among these
};
UsedSeeds used_seeds(const ClaimRow& row, const std::optional<Registry>& registry,
                     const ClaimRecords& records);

/// Returns the sentence on registration for a verdict's reason; "" if nothing is post hoc or
/// excluded.
std::string exclusion_text(const UsedSeeds& used);

}  // namespace reprise::records
