// What every command of the command line shares.
//
// Every command takes --help, which teaches with an example, and --json: exactly one object on
// standard output, everything else on standard error. Exit status: 0 done; 1 judged and failed; 2
// wrong use; 3 failed while running (what is finished is kept).
#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/study.h"

namespace reprise::reproduce {

enum ExitStatus : int { done = 0, judged_and_failed = 1, wrong_use = 2, failed_while_running = 3 };

/// The state of one call.
struct Call {
  const std::vector<Study>& studies;
  bool json = false;
  int status = done;
  /// The call's answer: the object with --json, else the text, on standard output. Once a call.
  void answer(const nlohmann::json& object, const std::string& text) const;
};

/// Writes to standard output. Error: it takes nothing more.
void print(const std::string& words);

/// Marks the options of add_output(), in --help too.
inline constexpr auto output_type = "OUTPUT";

/// Types of options whose values completion knows (cli/completion.cpp).
inline constexpr auto device_type = "auto|cpu|cuda";
inline constexpr auto profile_type = "PROFILE";

/// A command. The first sentence of `what` describes it in --help, all of it in --help-all.
/// `examples`: one a line, two at least.
CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& what,
                   const std::string& examples);
/// An option that names a file or folder to write. Every command with one takes --overwrite. The
/// command line holds such files against core/outputs.h before the verb begins, and notes the files
/// that its other options name as inputs.
CLI::Option* add_output(CLI::App& verb, const std::string& name, std::filesystem::path& path,
                        const std::string& what);
/// Refuses a negative seed, which the parser would read as one near 2^64.
void check_seed(CLI::Option* option);

}  // namespace reprise::reproduce
