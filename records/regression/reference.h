// The stored reference of `reprise check RESULTS --against FILE`: a JSON file of one study and
// profile, a quantity per line.
//
//   { "schema", "study", "profile",
//     "settings": { "KEY": value, "data/NAME": SHA-256 },
//     "arithmetics": [ fingerprints ],
//     "informational": [ globs of metrics ],
//     "entries": [ { "table", "dataset", "method", "metric", "protocol", "unit", "direction",
//                    "seeds": [...], "values": [ one list per arithmetic, one value per seed ] } ],
//     "costs": [ { "table", "dataset", "method", "seeds": [...], "quantities",
//                  "parameters": { "NAME": count }, "peak_memory_mib": [least, most] } ],
//     "history": [ { "reason",
//                    "moved": [ { "table", "dataset", "method", "metric", "old", "new" } ] } ] }
//
//   - settings: every option of the records, and hashes of their data.
//   - arithmetics: platforms whose values are stored. The reference was made on the first one.
//   - informational: metrics that describe a run and do not guard it.
//   - quantities: the number of entries of the method.
#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/file_lock.h"
#include "records/aggregate.h"

namespace reprise::records {

struct ReferenceEntry {
  Sample sample{};  ///< at least two seeds; the values of the first arithmetic
  /// Values of the other platforms: one per seed of the sample. Empty if a run lacks the quantity.
  std::vector<std::vector<double>> others{};
  /// Whether it is a constant of the set-up: no direction, and equal for every seed.
  bool is_constant() const;
};

/// Method on a data set in a table.
struct MethodKey {
  std::string table, dataset, method;
  auto operator<=>(const MethodKey&) const = default;
};

/// Part of a run; empty: all of it.
struct Scope {
  std::string only{};  ///< a glob of TABLE/DATASET/METHOD
  bool is_all() const { return only.empty(); }
  bool holds(const std::string& table, const std::string& dataset, const std::string& method) const;
};

/// Cells of a method and their costs.
struct Costs {
  std::vector<std::int64_t> seeds{};  ///< seeds of the cells, sorted
  /// Number of entries; nothing in older files.
  std::optional<int> quantities{};
  std::map<std::string, std::int64_t> parameters{};  ///< by name
  /// Smallest and largest peak of the seeds, MiB: a process's first cell also pays for what
  /// libraries keep. 0 for a single seed.
  double least_memory_mib = 0, most_memory_mib = 0;
};

/// A quantity that an update moved. No old value: it is new; no new value: it is gone.
struct Change {
  Quantity quantity;
  std::optional<double> old_value, new_value;
};

struct Revision {
  std::string reason;
  std::vector<Change> moved;
};

struct Reference {
  std::string study{}, profile{};
  nlohmann::json settings = nlohmann::json::object();  ///< collect_settings its records
  std::vector<std::string> arithmetics{};              ///< "" where the records do not say
  /// As "saturation_*": what these metrics do is reported and fails nothing.
  std::vector<std::string> informational{};
  std::map<Quantity, ReferenceEntry> entries{};
  std::map<MethodKey, Costs> costs{};
  std::vector<Revision> history{};  ///< oldest first
  bool is_informational(const Quantity& quantity) const;
};

/// Returns the platform of all finished records; "" for none or several.
std::string common_platform(const std::vector<Record>& records);
/// Returns the platform of each method's finished records.
std::map<MethodKey, std::string> platforms_by_method(const std::vector<Record>& records);
/// Returns the settings of the cells: all options except those of external methods, and as
/// "data/NAME" the content of their data. Error: two cells differ.
nlohmann::json collect_settings(const std::vector<Record>& records);
/// Collects the costs of the finished cells; parameters are the first seed's.
std::map<MethodKey, Costs> collect_costs(const std::vector<Record>& records);

/// Returns the platform of records to be stored. Error: there are several (two cells are named).
std::string single_platform(const std::vector<Record>& records);
/// Returns the sample's values of the entry's seeds. `run` names the samples in errors. Error: they
/// lack the quantity or have other seeds.
std::vector<double> values_like(const ReferenceEntry& entry, const Quantity& quantity,
                                const Samples& samples, const std::string& run);

/// Selects the part in scope; settings and history stay.
Reference select_scope(const Reference& reference, const Scope& scope);
std::vector<Record> select_scope(const std::vector<Record>& records, const Scope& scope);

/// Makes a reference. Quantities with one seed, such as trials of a search, are left out: they have
/// no spread.
/// Error: no record, an unfinished cell (named), two studies or profiles, several platforms, no
/// quantity with two seeds, an empty reason.
Reference make_reference(const std::vector<Record>& records, const std::string& reason);

/// Scope of an update, and what it may delete.
struct UpdatePart {
  Scope scope{};  ///< part to replace; the rest stays
  std::vector<std::string>
      /// Globs of "TABLE/DATASET/METHOD METRIC" that may go; of cells without quantities the metric
      /// is "cell".
      drop{};
};

/// Updates a reference from new records, and notes what moved and why. It keeps the informational
/// metrics, the history, and values of other platforms if a quantity did not move.
/// UsageError: a quantity, seed or guard would be lost that `drop` does not name; settings, data or
/// platform of the part differ from the rest. Error: as make_reference(); another
/// study or profile.
Reference update_reference(const Reference& old, const std::vector<Record>& records,
                           const std::string& reason, const UpdatePart& part = {});

/// Adds these records' values under their platform, so that later runs on it are checked value by
/// value.
/// Error: their platform is unknown, several, or known already; they lack a quantity or seed of the
/// scope (named).
void add_platform_values(Reference& reference, const std::vector<Record>& records,
                         const Scope& scope = {});

/// Describes why a reference cannot guard its quantities; "" if it can. Defects are:
///   - it guards nothing;
///   - entries and costs name different cells;
///   - a method lacks entries or seeds;
///   - a platform occurs twice or has no value.
std::string find_defect(const Reference& reference);

/// Lists the changes of an update: "3 of 44 quantities moved:\n  table1/faces/cnn auc: 0.62 ->
/// 0.61\n...".
std::string revision_text(const Revision& revision, std::size_t quantities);

nlohmann::json to_json(const Reference& reference);
/// Reads a reference. Error: names `where` and the field.
Reference reference_from_json(const nlohmann::json& json, const std::string& where);

/// Reads a reference file. UsageError: it cannot be read, a field is missing or of another type, or
/// it has a defect.
Reference read_reference(const std::filesystem::path& path);
/// Writes a reference file. Error: it has a defect; nothing is written.
void write_reference(const std::filesystem::path& path, const Reference& reference);

/// Lock of a reference from reading to writing it, so that concurrent updates do not overwrite each
/// other. Follows links.
/// UsageError: another process holds it for a minute (named), or no file can be written in its
/// folder.
class ReferenceLock : public FileLock {
 public:
  explicit ReferenceLock(const std::filesystem::path& path);
};

}  // namespace reprise::records
