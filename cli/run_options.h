// Options of the commands that start or plan a run.
#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/run/request.h"

namespace reprise::reproduce {

inline constexpr auto external_group = "External methods";
inline constexpr auto jobs_help = "worker processes, one thread each (default: one per core)";

/// Adds --seeds N, A..B or A,B,C.
void add_seeds_option(CLI::App& command, RunRequest& request);
/// Adds --profile, --data, --device, --seeds and --set.
void add_settings_options(CLI::App& command, RunRequest& request);

/// STUDY, the options above, --only, --keep, --method-file and --predictions.
struct RunOptions {
  std::string study;
  RunRequest request;
  std::vector<std::string> method_files, predictions;
  std::filesystem::path from;            ///< results that the run copies before it begins
  const CLI::Option* profile = nullptr;  ///< the option --profile, which --from replaces

  void add_to(CLI::App& command);
  /// Returns the request with its external methods.
  /// With `from` it takes the profile, settings, seeds and device of those results. `from` is its
  /// results folder until the results are copied. Throws a UsageError as external_method() does, if
  /// `from` is of another study or profile, and without a folder for the copy.
  RunRequest make_request() const;
};

}  // namespace reprise::reproduce
