#include "cli/run_options.h"

#include <fmt/format.h>

#include "core/error.h"
#include "experiments/external_method.h"
#include "experiments/run/own_profile.h"
#include "experiments/run/results.h"
#include "tools/help.h"

namespace reprise::reproduce {

void add_seeds_option(CLI::App& verb, RunRequest& request) {
  verb.add_option_function<std::string>(
      "--seeds", [&request](const std::string& text) { request.seeds = Seeds(text); },
      "seeds per method: a count (5), a range (100..104) or a list (7,8,9). A larger count "
      "than before adds seeds to a run");
}

void add_settings_options(CLI::App& verb, RunRequest& request) {
  verb.add_option("--profile", request.profile,
                  "settings: smoke, small, ci or paper, or your own FILE.toml. The file has base = "
                  "\"small\" and the settings to change")
      ->type_name(profile_type)
      ->capture_default_str();
  verb.add_option("--data", request.data, "folder that holds the data sets");
  add_device(verb, request.device);
  add_seeds_option(verb, request);
  verb.add_option("--set", request.set, "KEY=VALUE, a setting of the profile to change")
      ->allow_extra_args(false);
}

void RunOptions::add_to(CLI::App& verb) {
  verb.add_option("STUDY", study, "study, as in: reprise list studies")->required();
  add_settings_options(verb, request);
  profile = verb.get_option("--profile");
  verb.add_option("--only", request.only,
                  "glob of cells to run, TABLE/DATASET/METHOD/seedN. Also runs the cells that they "
                  "depend on")
      ->allow_extra_args(false)
      ->default_str("all");
  verb.add_flag(
          "--keep", request.keep,
          "use finished cells although the study's version or its data have changed. The page "
          "then tells the versions apart")
      ->group(rarely_used());
  verb.add_option(
          "--method-file", method_files,
          "NAME=FILE, an external method as TorchScript (docs/new_method.md). The file runs "
          "its author's code: use only files that you trust")
      ->allow_extra_args(false)
      ->group(external_group);
  verb.add_option(
          "--predictions", predictions,
          "NAME=PATH, predictions or samples of an external method (docs/new_method.md). PATH "
          "is a file or folder for the first seed, or for every seed with {seed} in its name")
      ->allow_extra_args(false)
      ->group(external_group);
}

RunRequest RunOptions::make_request() const {
  auto full = request;
  for (const auto& assignment : method_files)
    full.external.push_back(
        external_method(ExternalMethod::Kind::TorchScript, "--method-file", assignment));
  for (const auto& assignment : predictions)
    full.external.push_back(
        external_method(ExternalMethod::Kind::Predictions, "--predictions", assignment));
  if (from.empty()) return full;

  const auto description = read_description(from);
  if (description.study != study)
    throw UsageError("--from " + from.string() + " holds results of " + description.study,
                     "name results of " + study);
  if (request.results.empty())
    throw UsageError("--from needs --out, the folder of the copy", "add --out DIR");
  if (profile->count() > 0 && profile_name(request.profile) != description.profile)
    throw UsageError(
        fmt::format("--profile {} is given, but the results of --from are of profile {}",
                    request.profile, description.profile),
        "leave out --profile: the run takes that of the results");
  // The new cells stand in the tables of the copied ones, so they have their settings and seeds.
  full.profile = description.profile;
  // New cells must be comparable with the copied ones: use their device, also on a GPU machine.
  if (request.device == "auto") full.device = description.device;
  const auto confirms = description.settings.value("confirm.seeds", "");
  if (!request.seeds && !confirms.empty()) full.seeds = Seeds(confirms);
  full.from = description;
  // Without --only no copied cell runs again.
  if (request.only == RunRequest().only && !full.external.empty()) {
    full.only.clear();
    for (const auto& method : full.external) full.only.push_back("*/*/" + method.name + "/*");
  }
  // Until the copy is made, finished cells are looked up in the original.
  if (!std::filesystem::exists(request.results / "run.json")) full.results = from;
  return full;
}

}  // namespace reprise::reproduce
