// A method that a user brings: a TorchScript file, or predictions that any program made. It runs as
// cells of a study beside the study's own methods, and has rows with the same statistics.
//
// A row's name means the file that the last run of the row gave: a cell whose file has another
// SHA-256 than its record runs again, and the row's records of another file are removed when the
// run starts. Predictions have a file per seed: records whose file this run has not stay.
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
  /// Of predictions, which may be a folder: a cell's seed and data set take the place of {seed} and
  /// {dataset}.
  std::string file;
  /// False in a dry run: nothing in a TorchScript file is called, so whether its shapes fit is not
  /// known.
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

/// "NAME=FILE" as `flag` got it. UsageError: no '='; a name that is not letters, digits, '_' and
/// '-', starting with a letter or digit.
ExternalMethod external_method(ExternalMethod::Kind kind, const std::string& flag,
                               const std::string& assignment);

/// UsageError: the file cannot be read (the flag's form is shown).
MethodFile method_file(const ExternalMethod& method, const std::filesystem::path& path);

/// The options of a record that name its file (records/external.h).
nlohmann::json options_of(const MethodFile& file);

/// `method.file` with {seed} and {dataset} filled in. Predictions without {seed} are of
/// `first_seed`: "" for any other.
std::filesystem::path file_of(const ExternalMethod& method, const records::Cell& cell);

/// The names of external methods in these records, sorted; trials of a search left out.
std::vector<std::string> external_names(const std::vector<records::Record>& records);

}  // namespace reprise::reproduce
