#include "experiments/run/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "experiments/metric_list.h"
#include "experiments/names.h"
#include "experiments/run/device.h"
#include "experiments/run/own_profile.h"
#include "records/old_names.h"

namespace reprise::reproduce {

namespace {

/// Settings of every study. A base profile may give another default.
constexpr auto common_settings = R"(
purpose = { default = "full_experiment", one_of = ["full_experiment", "smoke_test"] }  # the page judges claims; or: the profile only tests that the program works
seeds = { default = 1, min = 1, max = 1000 }                         # 0, 1, ...: of exploration and of the searches
metrics = []                                                         # of `list metrics`, recorded in addition to the study's own

[search]
widen = { default = 0, min = 0, max = 9 }                            # values that a list may get on a side where the best trial lies at its edge (experiments/search.h)

[confirm]
seeds = ""                                                           # "8..15": seeds by which no setting was chosen; verdicts are on these
)";

/// The stored values of the settings that the study still has.
void lay_over_known(const nlohmann::json& stored, Settings& settings) {
  auto known = nlohmann::json::object();
  for (const auto& [key, value] : stored.items())
    if (settings.all().contains(key)) known[key] = value;
  settings.lay_over_stored(known, "run.json");
}

}  // namespace

Settings profile_settings(const Study& study, const std::string& given) {
  const auto profile = records::current_profile(given);
  std::vector<std::string> known;
  for (const auto& [name, text] : study.profiles) {
    known.push_back(name);
    if (name != profile) continue;
    const auto file = study.name + "/" + name + ".toml";
    const auto base = base_in(text, file);
    auto settings = base ? profile_settings(study, *base)
                         : Settings(common_settings, "settings of every study");
    // A profile with a base only changes values; one without defines all settings and their ranges.
    base ? settings.lay_over(text, file) : settings.add(text, file);
    return settings;
  }
  known.push_back("FILE.toml");  // a profile of the user
  throw unknown("profile of " + study.name, profile, known);
}

Settings settings_of(const Study& study, const RunRequest& request) {
  const bool own = !request.from && request.profile.ends_with(".toml");
  const auto file = own ? read_own_profile(request.profile) : OwnProfile{};
  const auto has_name = [&](const auto& profile) {
    return profile.first == profile_name(request.profile);
  };
  // The name of a profile selects its results folder.
  if (own && std::any_of(study.profiles.begin(), study.profiles.end(), has_name))
    throw UsageError(request.profile + " has the name of a profile of " + study.name,
                     "give the file another name: results are kept under it");
  auto base = request.profile;
  if (own) base = file.base;
  if (request.from) base = request.from->base;
  auto settings = profile_settings(study, base);
  if (own) settings.lay_over(file.text, request.profile);
  if (request.from) lay_over_known(request.from->settings, settings);
  for (const auto& assignment : request.set) {
    if (request.seeds && assignment.starts_with("seeds="))
      throw UsageError("--set " + assignment + " and --seeds both choose the seeds",
                       "leave one of them out");
    settings.set(assignment);
  }
  if (request.seeds) settings.set("seeds=" + std::to_string(request.seeds->count));
  planned_seeds(settings, request);  // refuses invalid confirmation seeds
  // Errors of settings come now, not after hours in a cell.
  check_named_metrics(settings, study.metric_inputs, study.name);
  return settings;
}

PlannedSeeds planned_seeds(const Settings& settings, const RunRequest& request) {
  PlannedSeeds planned{.settings = settings, .confirm = confirmation_seeds(settings)};
  const auto& confirm = planned.confirm;
  if (request.seeds) planned.chosen = request.seeds->chosen;
  // --seeds FROM..TO takes precedence.
  if (confirm.empty() || !planned.chosen.empty()) return planned;
  const auto explored = settings.integer("seeds");
  if (confirm.front() < explored)
    throw UsageError(fmt::format("confirm.seeds is \"{}\", and seeds 0 to {} are for exploration",
                                 settings.text("confirm.seeds"), explored - 1),
                     fmt::format("begin at {} or later, or lower `seeds`", explored));
  for (std::int64_t seed = 0; seed < explored; ++seed) planned.chosen.push_back(seed);
  planned.chosen.insert(planned.chosen.end(), confirm.begin(), confirm.end());
  // Cells are planned up to the last confirmation seed; `chosen` skips the gap.
  planned.settings.set("seeds=" + std::to_string(confirm.back() + 1));
  return planned;
}

bool judges_claims(const std::vector<Study>& studies, const RunDescription& description) {
  auto settings = description.settings;
  if (!settings.contains("purpose")) {
    RunRequest plain;
    plain.profile = description.base;
    settings = settings_of(study_named(studies, description.study), plain).all();
  }
  Settings common(common_settings, "");
  if (settings.contains("purpose"))
    common.lay_over_stored({{"purpose", settings["purpose"]}}, "the settings of these results");
  return common.text("purpose") == "full_experiment";
}

std::string why_not_judged(const RunDescription& description) {
  return fmt::format(
      "profile {} only tests that the program works (purpose = \"smoke_test\"); for verdicts: ./reprise run {} --profile small",
      description.profile, description.study);
}

RunDescription describe(const Study& study, const RunRequest& request) {
  return {.study = study.name,
          .profile = request.from ? request.from->profile : profile_name(request.profile),
          .base = request.from ? request.from->base : base_profile(request.profile),
          .settings = settings_of(study, request).all(),
          .device = choose_device(request.device),
          .data = sets_in(request.data)};
}

std::filesystem::path results_folder(const Study& study, const RunRequest& request) {
  return std::filesystem::absolute(request.results.empty()
                                       ? default_results(study.name, profile_name(request.profile))
                                       : request.results);
}

}  // namespace reprise::reproduce
