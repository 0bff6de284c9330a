// A user's method: a TorchScript file, or predictions of any program. It runs as cells of a study
// and has rows with the same statistics.
//
// A row's records are of one file. A cell whose file has another SHA-256 than its record runs
// again, and the row's other records are removed when the run starts. Predictions have a file per
// seed; their records without a file in this run stay.
#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::reproduce {

struct ExternalMethod {
  enum class Kind { TorchScript, Predictions };
  Kind kind = Kind::TorchScript;
  std::string name;
  /// Path of the file; predictions may be a folder. {seed} and {dataset} are replaced by those of a
  /// cell.
  std::string file;
  /// Whether the script may be called; not in a dry run, which then does not check shapes.
  bool call = true;
  std::int64_t first_seed = 0;  ///< the seed of predictions without {seed}
};

/// The file behind one cell.
struct MethodFile {
  ExternalMethod::Kind kind = ExternalMethod::Kind::TorchScript;
  std::filesystem::path path;
  std::string sha256;
  std::vector<std::string> notes = {};  ///< for the user, when a run is planned
};

/// Parses "NAME=FILE" of the option `flag`. UsageError: no '='; a name that is not letters, digits,
/// '_' and '-', starting with a letter or digit.
ExternalMethod external_method(ExternalMethod::Kind kind, const std::string& flag,
                               const std::string& assignment);

/// Opens a method's file. UsageError: it cannot be read (shows the option's form).
MethodFile method_file(const ExternalMethod& method, const std::filesystem::path& path);

/// Returns the options of a record that name its file (records/external.h).
nlohmann::json method_options(const MethodFile& file);

/// Returns `method.file` with {seed} and {dataset} filled in. Predictions without {seed} are of
/// `first_seed`: "" for any other.
std::filesystem::path method_path(const ExternalMethod& method, const records::Cell& cell);

/// Lists the external methods in these records, sorted, without trials of a search.
std::vector<std::string> external_names(const std::vector<records::Record>& records);

}  // namespace reprise::reproduce
