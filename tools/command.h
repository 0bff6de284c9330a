// Shared parts of all commands: registration, the answer, and the exit status.
//
// Every command takes --help and --json. With --json standard output holds exactly one object;
// everything else goes to standard error.
#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/study.h"

namespace reprise::reproduce {

enum ExitStatus : int {
  done = 0,
  check_failed = 1,         ///< a value differs, or an input is damaged
  wrong_use = 2,            ///< refused before anything was written
  failed_while_running = 3  ///< finished parts stay on disk
};

/// State of one call of the program.
struct Call {
  const std::vector<Study>& studies;
  bool json = false;  ///< --json was given
  int status = done;  ///< an ExitStatus
  /// Prints the answer to standard output: the object with --json, else the text. One per call.
  void answer(const nlohmann::json& object, const std::string& text) const;
};

/// Writes to standard output. Throws an Error if it cannot be written, as on a full disk.
void print(const std::string& words);

/// Type name of the options of add_output(); --help shows it.
inline constexpr auto output_type = "OUTPUT";

/// Type names of options whose values shell completion lists (cli/completion.cpp).
inline constexpr auto device_type = "auto|cpu|cuda";
inline constexpr auto profile_type = "PROFILE";

/// Adds a command. --help prints the first sentence of `what`, --help-all prints all of it.
/// `examples` has one example per line, at least two.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what,
                      const std::string& examples);
/// Adds an option that names a file or folder to write. A command with such an option takes
/// --overwrite. Before the command runs, its outputs are checked by the rules of core/outputs.h;
/// the files that its other options name count as inputs.
CLI::Option* add_output(CLI::App& command, const std::string& name, std::filesystem::path& path,
                        const std::string& what);
/// Adds --device, with the present value of `device` as its default.
void add_device(CLI::App& command, std::string& device);
/// Makes the option refuse a negative seed. CLI11 would read it as a number near 2^64.
void check_seed(CLI::Option* option);

}  // namespace reprise::reproduce
