// Methods from outside: a TorchScript file that the suite trains, or predictions that any program made. They run as cells of a study beside
// its own methods, and end as rows with the same statistics.
//
// A name stands for what the last run said: a cell whose file has another SHA-256 than its record runs again, and records of the name that
// no longer belong to it are removed when the run starts.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "records/store.h"

namespace reprise::reproduce {

struct OutsideMethod {
  enum class Kind { TorchScript, Predictions };
  Kind kind = Kind::TorchScript;
  std::string name;
  std::string file;  ///< of predictions, which may be a folder: {seed} and {dataset} stand for a cell's
  bool call = true;  ///< false in a dry run: nothing in a TorchScript file is called, so whether its shapes fit is not known
};

/// The file behind one cell.
struct MethodFile {
  OutsideMethod::Kind kind = OutsideMethod::Kind::TorchScript;
  std::filesystem::path path;
  std::string sha256;
  std::vector<std::string> notes = {};  ///< for the user, when a run is planned
};

/// "NAME=FILE" as `flag` got it. UsageError: no '='; a name that is not letters, digits, '_' and '-', starting with a letter or digit.
OutsideMethod outside_method(OutsideMethod::Kind kind, const std::string& flag, const std::string& assignment);

/// UsageError: the file cannot be read (the flag's form is shown).
MethodFile method_file(const OutsideMethod& method, const std::filesystem::path& path);

/// What a record's options hold of it (records/outside.h).
nlohmann::json options_of(const MethodFile& file);

/// `method.file` with {seed} and {dataset} filled in. Predictions without {seed} are of seed 0: "" for any other.
std::filesystem::path file_of(const OutsideMethod& method, const records::Cell& cell);

/// The names of methods from outside in these records, sorted; trials of a search left out.
std::vector<std::string> outside_names(const std::vector<records::Record>& records);

}  // namespace reprise::reproduce
