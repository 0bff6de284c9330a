// The stored accuracy that `reprise check RESULTS --against FILE` judges by: a JSON file of one
// study and profile, a quantity per line.
//
//   { "schema": 4, "study", "profile",
//     "settings": { every option of the records, "data/NAME": the SHA-256 of what they read }: a run with others is another run,
//     "arithmetics": [ platforms (fingerprints of the arithmetic) whose values are stored, first the one that the reference was made on ],
//     "informational": [ globs of metrics that describe a run and do not guard it ],
//     "entries": [ { "table", "dataset", "method", "metric", "protocol", "unit", "direction", "seeds": [...],
//                    "values": [ a list per arithmetic, a value per seed ] } ],
//     "costs": [ { "table", "dataset", "method", "seeds": [...], "quantities": its entries, "parameters": { "recurrent": 66048, ... },
//                  "peak_memory_mib": [least, most] } ],
//     "history": [ { "reason", "moved": [ { "table", "dataset", "method", "metric", "old", "new" } ] } ] }
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
  /// By arithmetic, from the second on: a value per seed of the sample. Empty where a run lacks the
  /// quantity.
  std::vector<std::vector<double>> others{};
  /// No direction, and the same for every seed: a setting, or what only the data decide.
  bool is_fact() const;
};

/// One method on one data set in one table.
struct Trained {
  std::string table, dataset, method;
  auto operator<=>(const Trained&) const = default;
};

/// Which part of a run is meant; empty: all of it.
struct Scope {
  std::string only{};  ///< a glob of TABLE/DATASET/METHOD
  bool is_all() const { return only.empty(); }
  bool holds(const std::string& table, const std::string& dataset, const std::string& method) const;
};

/// Which cells a method has, and what it takes.
struct Costs {
  std::vector<std::int64_t> seeds{};  ///< of the cells, sorted
  /// Entries of the method; nothing in files from before it was kept.
  std::optional<int> quantities{};
  std::map<std::string, std::int64_t> parameters{};  ///< by name
  /// Of the seeds that took least and most: a process's first cell also pays for what libraries
  /// keep. 0 of a single seed: not known well enough.
  double least_memory_mib = 0, most_memory_mib = 0;
};

/// One quantity that an update moved; no old value: it is new, no new value: it went.
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
  nlohmann::json settings = nlohmann::json::object();  ///< settings_of its records
  std::vector<std::string> arithmetics{};              ///< "" where the records do not say
  /// As "saturation_*": what these metrics do is reported and fails nothing.
  std::vector<std::string> informational{};
  std::map<Quantity, ReferenceEntry> entries{};
  std::map<Trained, Costs> costs{};
  std::vector<Revision> history{};  ///< oldest first
  bool is_informational(const Quantity& quantity) const;
};

/// The fingerprint that all finished records share; "" where they have none or several.
std::string arithmetic_of(const std::vector<Record>& records);
/// That of each method's finished records.
std::map<Trained, std::string> platforms_of(const std::vector<Record>& records);
/// What the cells were run with: all options but those of external methods, and as "data/NAME" the
/// content of what they read. Error: two cells with different values.
nlohmann::json settings_of(const std::vector<Record>& records);
/// Of every finished cell; parameters are the first seed's.
std::map<Trained, Costs> costs_of(const std::vector<Record>& records);

/// As arithmetic_of, for what is stored. Error: the finished records are of several platforms (two
/// cells are named).
std::string platform_of(const std::vector<Record>& records);
/// The sample's values of the entry's seeds; `run` names the samples in errors. Error: they lack
/// the quantity or have other seeds.
std::vector<double> values_like(const ReferenceEntry& entry, const Quantity& quantity,
                                const Samples& samples, const std::string& run);

/// What is in scope, settings and history as they are.
Reference part_of(const Reference& reference, const Scope& scope);
std::vector<Record> part_of(const std::vector<Record>& records, const Scope& scope);

/// Quantities with one seed, as the trials of a search, have no spread to judge by and are left
/// out. Error: no record, a cell that is not done (named), two studies or profiles, records of
/// several platforms, no quantity with two seeds, an empty reason.
Reference make_reference(const std::vector<Record>& records, const std::string& reason);

/// What an update replaces, and what it may delete.
struct UpdatePart {
  Scope scope{};  ///< all else of the reference stays as it is
  std::vector<std::string>
      /// Globs of "TABLE/DATASET/METHOD METRIC" that may go; of cells without quantities the metric
      /// is "cell".
      drop{};
};

/// A new reference from new records; keeps what is informational and the history, and adds what
/// moved and why. The values of other platforms are kept where a quantity's values did not move.
/// UsageError: a quantity, a seed or a guard of the reference would be lost that `drop` does not
/// name; the part was run with other settings or data, or on another platform, than the rest.
/// Error: as make_reference; another study or profile.
Reference update_reference(const Reference& old, const std::vector<Record>& records,
                           const std::string& reason, const UpdatePart& part = {});

/// Adds these records' values under their platform, so that a later run on it is judged value by
/// value; the reference holds no value of what is out of scope then, until it is remembered too.
/// Error: their platform is unknown or several, or all of it is known already; they lack a quantity
/// or seed of the scope (named).
void remember(Reference& reference, const std::vector<Record>& records, const Scope& scope = {});

/// Why a reference cannot be trusted to guard what it says: "" where it can. It guards nothing; its
/// entries and costs name other cells; a method lacks entries or seeds; a platform stands in it
/// twice or has no value.
std::string defect_of(const Reference& reference);

/// "3 of 44 quantities moved:\n  table1/faces/cnn auc: 0.62 -> 0.61\n...": what an update says.
std::string text_of(const Revision& revision, std::size_t quantities);

nlohmann::json to_json(const Reference& reference);
/// Error: names `where` and the field.
Reference reference_from_json(const nlohmann::json& json, const std::string& where);

/// UsageError: it cannot be read, a field is missing or of another type, or its defect_of.
Reference read_reference(const std::filesystem::path& path);
/// Error: its defect_of; nothing is written then.
void write_reference(const std::filesystem::path& path, const Reference& reference);

/// Held from reading a reference to writing it: others that update it wait, so that none writes
/// over what another one added. Follows links. UsageError: another process holds it for a minute
/// (named), or no file can be written beside it.
class ReferenceLock : public FileLock {
 public:
  explicit ReferenceLock(const std::filesystem::path& path);
};

}  // namespace reprise::records
