// Request and result of a run, and its settings.
#pragma once
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/run/results.h"
#include "experiments/seeds.h"
#include "experiments/study.h"

namespace reprise::reproduce {

struct RunRequest {
  /// Profile of the study, or a user's FILE.toml (own_profile.h).
  std::string profile = "smoke";
  std::vector<std::string> set;  ///< "key=value"
  /// Results that the run continues (--from): their profile and settings.
  std::optional<RunDescription> from = {};
  /// In place of the setting `seeds`.
  std::optional<Seeds> seeds;
  std::vector<std::string> only = {"*"};  ///< globs over cell ids
  /// Finished cells that run again, as globs.
  std::vector<std::string> redo = {};
  /// Whether only the chosen cells run; the cells they need must be done.
  bool alone = false;
  /// Whether finished cells are kept, whatever version and data made them.
  bool keep = false;
  /// `results`: "" is the default folder.
  std::filesystem::path data, results;
  std::string device = "auto";  ///< auto, cpu, cuda
  int jobs = 0;                 ///< workers; 0: one a core
  /// External methods, in addition to the study's own.
  std::vector<ExternalMethod> external = {};
  /// Time after which no cell starts; the rest stays Planned.
  std::optional<std::chrono::steady_clock::time_point> until = {};
  /// Called before the first cell starts, while the folder is held and after all that may be
  /// refused has been.
  std::function<void(const RunDescription&, const std::vector<PlannedCell>& plan)> starts = {};
  /// Plan only; nothing is written.
  bool dry_run = false;
  std::FILE* progress = stderr;  ///< nullptr: silent
  /// Command of a program that calls serve_as_worker.
  std::vector<std::string> worker = {"/proc/self/exe", "worker"};
};

enum class Outcome { Skipped, Done, Failed, Planned };

struct CellResult {
  records::Cell cell;
  Outcome outcome = Outcome::Planned;
  std::string error;
  double seconds = 0;  ///< measured seconds; expected ones of a planned cell
};

struct RunResult {
  std::filesystem::path results;
  std::vector<CellResult> cells;  ///< sorted by cell: the chosen ones, and those they need
  double seconds = 0;
  /// Whether SIGINT or SIGTERM ended it: finished cells are kept, the rest is Planned.
  bool interrupted = false;
  /// Finished cells that run again or are kept, and why; seeds without a file.
  std::vector<std::string> notes = {};
};

/// Returns the settings of a study's profile: its values over those of its `base`. The base profile
/// has no `base`, and states all settings with their ranges. UsageError: unknown profile, key or
/// value.
Settings profile_settings(const Study& study, const std::string& profile);

/// Returns the profile's settings, or those of the results that the run continues, overridden by
/// --set and --seeds. Settings that the study no longer has are left out.
/// UsageError: unknown profile or key; an invalid value; confirmation seeds that are no range or
/// list, or among those of `seeds`.
Settings settings_of(const Study& study, const RunRequest& request);

/// Seeds of a run. Cells are planned for 0 .. count - 1; searches use the first of them. `seeds`
/// are for exploration; verdicts use the confirmation seeds if there are some.
struct PlannedSeeds {
  Settings settings;                       ///< settings for the plan: `seeds` is the count
  std::vector<std::int64_t> chosen = {};   ///< seeds that run; none: all
  std::vector<std::int64_t> confirm = {};  ///< the setting confirm.seeds
};
PlannedSeeds planned_seeds(const Settings& settings, const RunRequest& request);

/// Whether these results support verdicts: the `purpose` of their profile, "full_experiment" or "smoke_test"
/// (a smoke test of the program). Older results have the purpose of the study's own profile.
/// UsageError: a study that `studies` lacks.
bool judges_claims(const std::vector<Study>& studies, const RunDescription& description);
/// Explains why results have no verdicts, and which profile gives them.
std::string why_not_judged(const RunDescription& description);

/// Describes the run for run.json. UsageError: as settings_of(); --data is not a folder.
RunDescription describe(const Study& study, const RunRequest& request);
/// Returns the results folder of a request.
std::filesystem::path results_folder(const Study& study, const RunRequest& request);

}  // namespace reprise::reproduce
