// The run record: what one cell of a study did, on what machine, and what came out.
//
// A cell (study, table, dataset, method, seed) is the unit of work. It leaves a record, curves and
// whatever artefacts it keeps (weights are never committed); store.h says where. A cell is done
// when its record says so. Records are the only thing that reports, claims and checks read.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "records/shared.h"

namespace reprise::records {

inline constexpr int schema_version = 1;

struct Cell {
  std::string study, table, dataset, method;
  std::int64_t seed = 0;
  /// "TABLE/DATASET/METHOD/seedN": its name on the command line (--only) and its folder under
  /// RESULTS/cells.
  std::string id() const;
  auto operator<=>(const Cell&) const = default;
};

enum class Direction { HigherIsBetter, LowerIsBetter, Neither };

struct Metric {
  std::string name;  ///< "auc"
  double value = 0;
  std::string unit;  ///< "" for a pure number, "px", "ms", ...
  Direction direction = Direction::Neither;
  std::string protocol;  ///< metric identity: values of different protocol never share a column
  /// Of a share of independent items: how many; 0 for any other metric, and in records made before
  /// it was kept.
  std::int64_t items = 0;
};

enum class Status { Running, Done, Failed };

/// What the machine and the build were.
struct Environment {
  std::string commit;  ///< "" where not in a git checkout
  bool dirty = false;
  std::string compiler, torch, cpu, gpu;
  std::string machine;  ///< "N x CPU model, M GiB[, GPU model]"
  /// Where it is the same, the same seeds give the same numbers; "" in records made before it was
  /// kept.
  std::string arithmetic;
  int threads = 0;
  bool operator==(const Environment&) const = default;
};

/// A process that worked on a cell. A cell that was interrupted and resumed has several.
struct Process {
  std::string started;  ///< UTC: "2026-11-28T23:35:01Z"
  double seconds = 0;   ///< wall time; of a process that was killed: until it last wrote a file
  bool operator==(const Process&) const = default;
};

struct Record {
  Cell cell;
  std::string profile;
  /// Of the study's code that made it; 1 in records made before it was kept.
  int version = 1;
  /// Every value used, defaulted ones too.
  Shared<nlohmann::json> options = nlohmann::json::object();
  std::vector<Metric> metrics;
  /// Wall time a phase: "data", "forward", "backward", "step", "total".
  std::map<std::string, double> seconds;
  /// In order of time; "total" is their sum. Empty in records made before they were kept.
  std::vector<Process> processes;
  std::map<std::string, std::int64_t> parameters;  ///< "recurrent", "all", ...
  /// The most resident while it ran, less what its process had before.
  std::int64_t peak_memory_bytes = 0;
  /// What it read below --data: name of the set or file, and the SHA-256 of its content.
  std::map<std::string, std::string> data;
  Shared<Environment> environment;
  Status status = Status::Running;
  std::string error;  ///< why it failed; "" otherwise

  /// Value of a metric, when it is there.
  std::optional<double> metric(const std::string& name) const;
};

/// Named series of numbers that figures, claims and galleries read: { "name": [numbers...] } in
/// JSON, which has null for NaN.
using Curves = std::map<std::string, std::vector<double>>;

/// What to do about a file of a cell's folder that cannot be read.
inline constexpr const char* remake_cell =
    "delete the folder of this cell and run the same command again; the cell is then made anew";

/// Axes become names of files and folders. UsageError: one that could lead elsewhere, or be read
/// otherwise on another system.
void check_names(const Cell& cell);

nlohmann::json to_json(const Record& record);
/// What the record counted and took, as metrics without a direction: parameters.NAME,
/// seconds.PHASE.
std::vector<Metric> facts_of(const Record& record);
/// Null when the record lacks it.
const Metric* find_metric(const Record& record, const std::string& name);
/// Wall time of all processes that worked on the cell; 0 where the record has none.
double total_seconds(const Record& record);

/// Error: another schema version (says how to regenerate), a missing or wrongly typed field
/// (named). `where` names the file, and the line where it has several records.
Record record_from_json(const nlohmann::json& json, const std::string& where,
                        const std::string& fix = remake_cell);
/// Where both have equal options or an equal environment, `record` takes those of `other`:
/// thousands of records are held with one of each.
void share_equal(const Record& other, Record& record);
/// Error: a series that is not a list of numbers (named).
Curves curves_from_json(const nlohmann::json& json, const std::string& where,
                        const std::string& fix = remake_cell);

/// A protocol without the evaluator's weights: "agreement" of "agreement/judge-4aaa4e37". Values of
/// two evaluators never enter one mean. But a program that trains its evaluator again is the same
/// program, and on another platform the last bits of those weights differ.
std::string without_evaluator(const std::string& protocol);

}  // namespace reprise::records
