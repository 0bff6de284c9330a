// What a run is asked by, as options of a verb.
#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/run/request.h"

namespace reprise::reproduce {

inline constexpr auto external_group = "External methods";
inline constexpr auto jobs_help = "worker processes, one thread each (default: one a core)";

/// --seeds N, A..B or A,B,C into the request.
void add_seeds_option(CLI::App& verb, RunRequest& request);
/// --profile, --data, --device, --seeds, --set.
void add_settings_options(CLI::App& verb, RunRequest& request);

/// STUDY, the above, --only, --keep, --method-file and --predictions.
struct RunOptions {
  std::string study;
  RunRequest request;
  std::vector<std::string> method_files, predictions;
  std::filesystem::path from;            ///< results that the run begins with a copy of
  const CLI::Option* profile = nullptr;  ///< --profile, which --from stands in for

  void add_to(CLI::App& verb);
  /// The request with its external methods. With `from` it has the profile, settings, seeds and
  /// device of those results, and `from` as its results folder until they are copied. UsageError:
  /// as external_method(); results of another study or profile; no folder for the copy.
  RunRequest taken() const;
};

}  // namespace reprise::reproduce
