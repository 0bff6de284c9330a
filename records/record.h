// The record of a run: the settings, machine and results of one cell of a study.
//
// A cell (study, table, dataset, method, seed) is the unit of work. It leaves a record, curves and
// files (store.h has the layout). A cell is done when its record says so. Reports, claims and
// checks read only records.
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
  /// Returns "TABLE/DATASET/METHOD/seedN": the cell's name on the command line (--only) and its
  /// folder under RESULTS/cells.
  std::string id() const;
  auto operator<=>(const Cell&) const = default;
};

enum class Direction { HigherIsBetter, LowerIsBetter, Neither };

struct Metric {
  std::string name;  ///< "auc"
  double value = 0;
  std::string unit;  ///< "" for a pure number, "px", "ms", ...
  Direction direction = Direction::Neither;
  /// Identity of the metric; values of different protocols never share a column.
  std::string protocol;
  /// Number of independent items of a fraction; 0 for other metrics and in older records.
  std::int64_t items = 0;
};

enum class Status { Running, Done, Failed };

/// Machine and build.
struct Environment {
  std::string commit;  ///< "" where not in a git checkout
  bool dirty = false;
  std::string compiler, torch, cpu, gpu;
  std::string machine;  ///< "N x CPU model, M GiB[, GPU model]"
  /// Fingerprint of the platform: if it is equal, the same seeds give the same numbers. "" in older
  /// records.
  std::string arithmetic;
  int threads = 0;
  bool operator==(const Environment&) const = default;
};

/// A process that worked on a cell. An interrupted and resumed cell has several.
struct Process {
  std::string started;  ///< UTC: "2026-11-28T23:35:01Z"
  double seconds = 0;   ///< wall time, s; of a killed process until its last written file
  bool operator==(const Process&) const = default;
};

struct Record {
  Cell cell;
  std::string profile;
  /// Version of the study's code; 1 in older records.
  int version = 1;
  /// All settings used, defaults included.
  Shared<nlohmann::json> options = nlohmann::json::object();
  std::vector<Metric> metrics;
  /// Wall time of each phase, s: "data", "forward", "backward", "step", "total".
  std::map<std::string, double> seconds;
  /// In order of time; "total" is their sum. Empty in older records.
  std::vector<Process> processes;
  std::map<std::string, std::int64_t> parameters;  ///< "recurrent", "all", ...
  /// Peak resident memory above the process's level at the start.
  std::int64_t peak_memory_bytes = 0;
  /// Data read below --data: name of the set or file, and the SHA-256 of its content.
  std::map<std::string, std::string> data;
  Shared<Environment> environment;
  Status status = Status::Running;
  std::string error;  ///< cause of the failure; "" otherwise

  /// Returns the value of a metric; nothing without it.
  std::optional<double> metric(const std::string& name) const;
};

/// Named series of numbers for figures, claims and galleries. JSON: { "name": [numbers...] } with
/// null for NaN.
using Curves = std::map<std::string, std::vector<double>>;

/// Advice for an unreadable file of a cell's folder.
inline constexpr const char* remake_cell =
    "delete the folder of this cell and run the same command again; the cell then runs again";

/// Checks the names of a cell, which become files and folders. UsageError: a name that leads
/// elsewhere, or that another system reads otherwise.
void check_names(const Cell& cell);

nlohmann::json to_json(const Record& record);
/// Returns the costs of a record as metrics without a direction: parameters.NAME, seconds.PHASE.
std::vector<Metric> cost_metrics(const Record& record);
/// Finds a metric; null if the record lacks it.
const Metric* find_metric(const Record& record, const std::string& name);
/// Returns the wall time of all processes of the cell, seconds; 0 if the record has none.
double total_seconds(const Record& record);

/// Reads a record. Error: another schema version (says how to regenerate), a missing or wrongly
/// typed field (named). `where` names the file, and the line if it has several records.
Record record_from_json(const nlohmann::json& json, const std::string& where,
                        const std::string& fix = remake_cell);
/// Replaces options and environment of `record` by equal ones of `other`: thousands of records
/// share one copy of each.
void share_equal(const Record& other, Record& record);
/// Reads curves. Error: a series that is not a list of numbers (named).
Curves curves_from_json(const nlohmann::json& json, const std::string& where,
                        const std::string& fix = remake_cell);

/// Returns a protocol without the evaluator's weights: "agreement" of "agreement/judge-4aaa4e37".
/// Values of two evaluators never enter one mean. But a retrained evaluator of the same program may
/// differ in its last bits on another platform.
std::string without_evaluator(const std::string& protocol);

}  // namespace reprise::records
