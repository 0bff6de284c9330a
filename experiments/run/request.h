// What is asked of a run, what it answers, and the settings that it has.
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
  /// Of the study, or a file of one's own: FILE.toml (own_profile.h).
  std::string profile = "smoke";
  std::vector<std::string> set;  ///< "key=value"
  /// Results that the run continues (--from): their profile and settings.
  std::optional<RunDescription> from = {};
  /// In place of the setting `seeds`.
  std::optional<Seeds> seeds;
  std::vector<std::string> only = {"*"};  ///< globs over cell ids
  /// Finished cells that run again, as globs.
  std::vector<std::string> redo = {};
  /// The chosen cells run, and none that they need: these must be done.
  bool alone = false;
  /// Finished cells stand, whatever version and data made them.
  bool keep = false;
  /// `results`: "" is the default folder.
  std::filesystem::path data, results;
  std::string device = "auto";  ///< auto, cpu, cuda
  int jobs = 0;                 ///< workers; 0: one a core
  /// Beside the study's own methods.
  std::vector<ExternalMethod> external = {};
  /// No cell starts later; those that have not stay Planned.
  std::optional<std::chrono::steady_clock::time_point> until = {};
  /// Called before the first cell starts, while the folder is held and after all that may be
  /// refused has been.
  std::function<void(const RunDescription&, const std::vector<PlannedCell>& plan)> starts = {};
  /// Plan only; nothing is written.
  bool dry_run = false;
  std::FILE* progress = stderr;  ///< nullptr: silent
  /// A program that calls serve_as_worker.
  std::vector<std::string> worker = {"/proc/self/exe", "worker"};
};

enum class Outcome { Skipped, Done, Failed, Planned };

struct CellResult {
  records::Cell cell;
  Outcome outcome = Outcome::Planned;
  std::string error;
  double seconds = 0;  ///< what it took; of a planned cell what it is expected to take
};

struct RunResult {
  std::filesystem::path results;
  std::vector<CellResult> cells;  ///< sorted by cell: the chosen ones, and those they need
  double seconds = 0;
  /// By SIGINT or SIGTERM: what is done is kept, the rest is Planned.
  bool interrupted = false;
  /// Finished cells that run again or are kept, and why; seeds without a file.
  std::vector<std::string> notes = {};
};

/// Settings of one of the study's own profiles: those of the profile that its `base` names, its own
/// values over them. The base profile has no `base`, and states all settings with their ranges.
/// UsageError: unknown profile, key or value.
Settings profile_settings(const Study& study, const std::string& profile);

/// The profile's settings, or those of the results that the run continues, with --set and --seeds
/// laid over them. Settings of these results that the study no longer has are left out. UsageError:
/// unknown profile or key; a value that does not do; confirmation seeds that are no range or list,
/// or among those of `seeds`.
Settings settings_of(const Study& study, const RunRequest& request);

/// Which seeds a run has. Cells are planned for 0 .. count - 1; searches and what else is chosen
/// stand at the first of them. `seeds` are for exploration; verdicts are on the confirmation seeds,
/// where there are some.
struct PlannedSeeds {
  Settings settings;                       ///< to plan with: `seeds` is the count
  std::vector<std::int64_t> chosen = {};   ///< of these run; none: all
  std::vector<std::int64_t> confirm = {};  ///< the setting confirm.seeds
};
PlannedSeeds planned_seeds(const Settings& settings, const RunRequest& request);

/// Whether verdicts follow from these results: the `purpose` of their profile, "evidence" or
/// "wiring" (networks of seconds, which only test that the program works). Results that are older
/// than that setting have the purpose of the study's own profile. UsageError: a study that
/// `studies` lacks.
bool judges_claims(const std::vector<Study>& studies, const RunDescription& description);
/// What to say of results that judge nothing, and where verdicts come from.
std::string why_not_judged(const RunDescription& description);

/// What run.json will hold. UsageError: as settings_of; --data is not a folder.
RunDescription describe(const Study& study, const RunRequest& request);
/// Where its results lie.
std::filesystem::path results_folder(const Study& study, const RunRequest& request);

}  // namespace reprise::reproduce
