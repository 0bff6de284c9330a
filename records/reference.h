// The stored accuracy that `reprise check RESULTS --against FILE` judges by: a JSON file of one study and profile.
//
//   { "schema": 1, "study", "profile",
//     "machine": { "cpu", "gpu", "torch", "threads" } or null when the records come from several,
//     "told": [ globs of metrics that describe a run and do not guard it ],
//     "entries": [ { "table", "dataset", "method", "metric", "protocol", "unit", "direction", "lane",
//                    "value", "sd", "n", "seeds": [...], "values": [...] } ],
//     "history": [ { "reason", "moved": [ { "table", "dataset", "method", "metric", "old", "new" } ] } ] }
//
// "value" and "sd" are the mean and standard deviation of "values", for the reader of the file; "lane" may be edited by hand.
#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "records/aggregate.h"

namespace reprise::records {

/// Approximate: a band made from the spread over seeds. Exact: the same values where machine, torch and threads are the same.
enum class Lane { Approximate, Exact };

struct ReferenceEntry {
  Sample sample{};  ///< at least two seeds
  Lane lane = Lane::Approximate;
};

/// Where exact equality can be asked for.
struct Machine {
  std::string cpu, gpu, torch;
  int threads = 0;
  auto operator<=>(const Machine&) const = default;
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
  std::optional<Machine> machine{};
  std::vector<std::string> told{};  ///< as "saturation_*": what these metrics do is told and fails nothing
  std::map<Quantity, ReferenceEntry> entries{};
  std::vector<Revision> history{};  ///< oldest first
};

/// The machine of all records; nothing when they come from several.
std::optional<Machine> machine_of(const std::vector<Record>& records);

/// Quantities with one seed, as the trials of a search, have no spread to judge by and are left out. Error: no record, a cell that is not
/// done (named), two studies or profiles, no quantity with two seeds, an empty reason.
Reference make_reference(const std::vector<Record>& records, const std::string& reason);

/// A new reference from new records; keeps each entry's lane, what is only told, and the history, and adds what moved and why. Error: as
/// make_reference; another study or profile.
Reference update_reference(const Reference& old, const std::vector<Record>& records, const std::string& reason);

/// "3 of 44 quantities moved:\n  table1/faces/cnn auc: 0.62 -> 0.61\n...": what an update tells.
std::string text_of(const Revision& revision, std::size_t quantities);

nlohmann::json to_json(const Reference& reference);
/// Error: names `where` and the field.
Reference reference_from_json(const nlohmann::json& json, const std::string& where);

Reference read_reference(const std::filesystem::path& path);
void write_reference(const std::filesystem::path& path, const Reference& reference);

}  // namespace reprise::records
