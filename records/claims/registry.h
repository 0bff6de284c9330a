// The registry of a results folder, RESULTS/preregistered.json: which comparisons were asked for,
// and which seeds had been seen then.
//
// It tells a comparison that was registered before its cells ran from one that was made, or
// changed, when its results could be seen. Every run registers the comparisons of its study's
// claims before its first cell starts. A comparison is a text,
//     better: table1/faces_in_motion/pre_lstm_fc6 against trad_lstm_1, auc, margin 0.01
// so that claims and rows may be renamed, regrouped and reworded. With it stand the commit and the
// seeds that had been seen: those at which both cells had finished in this folder. The registry
// covers this results folder only.
//
// A seed is held out for a comparison when the comparison was registered before that seed had been
// seen. From this follows on which seeds a row is judged:
//     all its seeds are held out in all its comparisons    on all of them: asked before
//     every comparison has two held-out seeds              on these alone: asked before; the others are excluded
//     fewer                                                on all of them: post hoc, until held-out seeds confirm it
//     a folder without the file                            on all of them: unknown
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

/// When a comparison was registered first.
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

  /// Adds what has finished by now to `finished`.
  void note_finished(const std::vector<Record>& records);
  /// Registers the row's comparisons of `methods` that are not registered yet, each with the seeds
  /// that have been seen of it.
  void add(const ClaimRow& row, const std::set<ClaimRecords::Key>& methods,
           const std::set<std::string>& own_methods, const Registration& now);
};

/// Nothing where the folder has no such file. Error: it cannot be read (file and field named).
std::optional<Registry> read_registry(const std::filesystem::path& results);
void write_registry(const std::filesystem::path& results, const Registry& registry);

/// One comparison that a row makes.
struct PlannedComparison {
  const ClaimTest* test = nullptr;
  ClaimRecords::Key method, than;
  /// What decides its verdict: kind, methods, metrics, margin and amount.
  std::string text() const;
};

/// The comparisons that a row makes of these methods; external methods have no part in them.
std::vector<PlannedComparison> planned_comparisons(const ClaimRow& row,
                                                   const std::set<ClaimRecords::Key>& methods,
                                                   const std::set<std::string>& own_methods);

/// The seeds that a row is judged on.
struct UsedSeeds {
  Asked asked = Asked::Unknown;
  std::string commit{};                  ///< as in Judgement
  std::set<std::int64_t> left_out{};     ///< seeds of its cells that have no part in the verdict
  std::vector<std::int64_t> excluded{};  ///< of these the ones that are finished
};
UsedSeeds used_seeds(const ClaimRow& row, const std::optional<Registry>& registry,
                     const ClaimRecords& records);

/// What to add to a verdict's reason; "" when the row has all seeds and was asked before or at an
/// unknown time.
std::string text_of(const UsedSeeds& used);

}  // namespace reprise::records
