// The stored accuracy that `reprise check RESULTS --against FILE` judges by: a JSON file of one study and profile, a quantity per line.
//
//   { "schema": 4, "study", "profile",
//     "settings": { every option of the records, "data/NAME": the SHA-256 of what they read }: a run with others is another run,
//     "arithmetics": [ fingerprints of the runs whose values are stored, the first the one that the reference was made with ],
//     "informational": [ globs of metrics that describe a run and do not guard it ],
//     "entries": [ { "table", "dataset", "method", "metric", "protocol", "unit", "direction", "seeds": [...],
//                    "values": [ a list per arithmetic, a value per seed ],
//                    "rounded": [ the same of runs whose first weights were rounded otherwise (the setting `rounding`) ] } ],
//     "costs": [ { "table", "dataset", "method", "seeds": [...], "parameters": { "recurrent": 66048, ... }, "peak_memory_mib": [least, most] } ],
//     "history": [ { "reason", "moved": [ { "table", "dataset", "method", "metric", "old", "new" } ] } ] }
#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "records/aggregate.h"

namespace reprise::records {

struct ReferenceEntry {
  Sample sample{};  ///< at least two seeds; the values of the first arithmetic
  /// By arithmetic, from the second on, and by rounding pattern: a value per seed of the sample. Empty where a run lacks the quantity.
  std::vector<std::vector<double>> others{}, rounded{};
  /// No direction, and the same for every seed: a setting, or what only the data decide.
  bool is_fact() const;
};

/// One method on one data set in one table.
struct Trained {
  std::string table, dataset, method;
  auto operator<=>(const Trained&) const = default;
};

/// Which cells a method has, and what it takes.
struct Costs {
  std::vector<std::int64_t> seeds{};                 ///< of the cells, sorted
  std::map<std::string, std::int64_t> parameters{};  ///< by name
  /// Of the seeds that took least and most: a process's first cell also pays for what libraries keep. 0 of a single seed: not known well
  /// enough.
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
  std::vector<std::string> informational{};            ///< as "saturation_*": what these metrics do is reported and fails nothing
  std::map<Quantity, ReferenceEntry> entries{};
  std::map<Trained, Costs> costs{};
  std::vector<Revision> history{};  ///< oldest first
  bool is_informational(const Quantity& quantity) const;
};

/// The fingerprint that all finished records share; "" where they have none or several.
std::string arithmetic_of(const std::vector<Record>& records);
/// What the cells were run with: all options but `rounding` and those of methods from outside, and as "data/NAME" the content of what they
/// read. Error: two cells with different values.
nlohmann::json settings_of(const std::vector<Record>& records);
/// Of every finished cell; parameters are the first seed's.
std::map<Trained, Costs> costs_of(const std::vector<Record>& records);

/// `rounded`: the records of further runs with the same seeds, which differ in the setting `rounding` alone. Quantities with one seed, as
/// the trials of a search, have no spread to judge by and are left out. Error: no record, a cell that is not done (named), two studies or
/// profiles, no quantity with two seeds, an empty reason; a rounded run of other seeds or another arithmetic.
Reference make_reference(const std::vector<Record>& records, const std::string& reason,
                         const std::vector<std::vector<Record>>& rounded = {});

/// A new reference from new records; keeps what is informational and the history, and adds what moved and why. Without `rounded`
/// the old rounded values of a quantity are kept where its new values are within its band, for then they are draws of the same, and where
/// all values are the old ones, those of other arithmetics. Error: as make_reference; another study or profile.
Reference update_reference(const Reference& old, const std::vector<Record>& records, const std::string& reason,
                           const std::vector<std::vector<Record>>& rounded = {});

/// Adds these records' values under their arithmetic, so that a later run of the same arithmetic is judged value by value. Error: their
/// arithmetic is unknown or already there; they lack a quantity or seed of the reference (named).
void remember(Reference& reference, const std::vector<Record>& records);

/// "3 of 44 quantities moved:\n  table1/faces/cnn auc: 0.62 -> 0.61\n...": what an update says.
std::string text_of(const Revision& revision, std::size_t quantities);

nlohmann::json to_json(const Reference& reference);
/// Error: names `where` and the field.
Reference reference_from_json(const nlohmann::json& json, const std::string& where);

Reference read_reference(const std::filesystem::path& path);
void write_reference(const std::filesystem::path& path, const Reference& reference);

}  // namespace reprise::records
