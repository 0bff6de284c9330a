#include "reproduce/run/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "reproduce/metric_list.h"
#include "reproduce/names.h"
#include "reproduce/run/device.h"
#include "reproduce/run/own_profile.h"

namespace reprise::reproduce {

Settings settings_of(const Study& study, const RunRequest& request) {
  const bool own = request.profile.ends_with(".toml");
  const auto file = own ? read_own_profile(request.profile) : OwnProfile{};
  const auto& base = own ? file.base : request.profile;
  std::vector<std::string> known;
  for (const auto& [name, text] : study.profiles) known.push_back(name);
  if (own && std::count(known.begin(), known.end(), profile_name(request.profile)) > 0)
    throw UsageError(request.profile + " has the name of a profile of " + study.name,
                     "give the file another name: results are kept under it");
  for (const auto& [name, text] : study.profiles) {
    if (name != base) continue;
    auto values = Settings(text, study.name + "/" + name + ".toml").all();
    values.emplace("confirm.seeds", "");
    values.emplace("metrics", nlohmann::json::array());
    Settings settings(values);
    if (own) settings.lay_over(file.text, request.profile);
    for (const auto& assignment : request.set) {
      if (request.seeds && assignment.starts_with("seeds="))
        throw UsageError("--set " + assignment + " and --seeds both say which seeds", "leave one of them out");
      settings.set(assignment);
    }
    if (request.seeds) settings.set("seeds=" + std::to_string(request.seeds->count));
    if (const auto seeds = settings.integer("seeds"); seeds < 1 || seeds > most_seeds)
      throw UsageError(fmt::format("seeds is {}, expected 1 to {}", seeds, most_seeds), "--set seeds=5, or in the profile");
    planned_seeds(settings, request);  // refuses confirmation seeds that do not do
    check_named_metrics(settings, study.metric_inputs, study.name);
    return settings;
  }
  known.push_back("FILE.toml");  // one's own
  throw unknown("profile of " + study.name, base, known);
}

PlannedSeeds planned_seeds(const Settings& settings, const RunRequest& request) {
  PlannedSeeds planned{.settings = settings, .confirm = confirmation_seeds(settings)};
  const auto& confirm = planned.confirm;
  if (request.seeds) planned.chosen = request.seeds->chosen;
  if (confirm.empty() || !planned.chosen.empty()) return planned;  // --seeds FROM..TO says which run
  const auto explored = settings.integer("seeds");
  if (confirm.front() < explored)
    throw UsageError(
        fmt::format("confirm.seeds is \"{}\", and seeds 0 to {} are for exploration", settings.text("confirm.seeds"), explored - 1),
        fmt::format("begin at {} or later, or lower `seeds`", explored));
  for (std::int64_t seed = 0; seed < explored; ++seed) planned.chosen.push_back(seed);
  planned.chosen.insert(planned.chosen.end(), confirm.begin(), confirm.end());
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
  const auto purpose = settings.contains("purpose") ? Settings(settings).text("purpose") : "evidence";
  if (purpose != "evidence" && purpose != "wiring")
    throw UsageError("setting purpose is \"" + purpose + "\"",
                     "use \"evidence\" (the page judges) or \"wiring\" (it shows that the way works)");
  return purpose == "evidence";
}

std::string why_not_judged(const RunDescription& description) {
  return fmt::format("profile {} only tests that the program works (purpose = \"wiring\"); for verdicts: ./reprise run {} --profile desk",
                     description.profile, description.study);
}

RunDescription describe(const Study& study, const RunRequest& request) {
  return {.study = study.name,
          .profile = profile_name(request.profile),
          .base = base_profile(request.profile),
          .settings = settings_of(study, request).all(),
          .device = chosen_device(request.device),
          .data = sets_in(request.data)};
}

std::filesystem::path results_folder(const Study& study, const RunRequest& request) {
  return std::filesystem::absolute(request.results.empty() ? default_results(study.name, profile_name(request.profile)) : request.results);
}

}  // namespace reprise::reproduce
