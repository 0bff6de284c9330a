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
      "replicates: how many (5), a range (100..104) or a list (7,8,9). More than before continues a run");
}

void add_settings_options(CLI::App& verb, RunRequest& request) {
  verb.add_option(
          "--profile", request.profile,
          "which set of settings: smoke, small, ci or paper; or FILE.toml, with base = \"small\" and other values for some of its settings")
      ->type_name(profile_type)
      ->capture_default_str();
  verb.add_option("--data", request.data, "folder that holds the data sets");
  verb.add_option("--device", request.device, "where to compute")
      ->type_name(device_type)
      ->capture_default_str();
  add_seeds_option(verb, request);
  verb.add_option("--set", request.set, "key=value: another value for a setting of the profile")
      ->allow_extra_args(false);
}

void RunOptions::add_to(CLI::App& verb) {
  verb.add_option("STUDY", study, "a study, as in: reprise list studies")->required();
  add_settings_options(verb, request);
  profile = verb.get_option("--profile");
  verb.add_option(
          "--only", request.only,
          "cells whose TABLE/DATASET/METHOD/seedN matches this glob. What they need runs, too")
      ->allow_extra_args(false)
      ->default_str("all");
  verb.add_flag(
          "--keep", request.keep,
          "finished cells stand even where the study's version or its data have changed since; the page tells versions apart")
      ->group(rarely_used());
  verb.add_option(
          "--method-file", method_files,
          "NAME=FILE: an external method, a TorchScript file (docs/new_method.md). It runs its author's code: give only files that you trust")
      ->allow_extra_args(false)
      ->group(external_group);
  verb.add_option(
          "--predictions", predictions,
          "NAME=PATH: an external method, predictions or samples of any program. PATH is a file or a folder for the first seed, or for every "
          "seed with {seed} in its name (docs/new_method.md)")
      ->allow_extra_args(false)
      ->group(external_group);
}

RunRequest RunOptions::taken() const {
  auto taken = request;
  for (const auto& assignment : method_files)
    taken.external.push_back(
        external_method(ExternalMethod::Kind::TorchScript, "--method-file", assignment));
  for (const auto& assignment : predictions)
    taken.external.push_back(
        external_method(ExternalMethod::Kind::Predictions, "--predictions", assignment));
  if (from.empty()) return taken;

  const auto description = read_description(from);
  if (description.study != study)
    throw UsageError("--from " + from.string() + " holds results of " + description.study,
                     "name results of " + study);
  if (request.results.empty())
    throw UsageError("--from without --out: the copy needs a folder", "add --out DIR");
  if (profile->count() > 0 && profile_name(request.profile) != description.profile)
    throw UsageError(fmt::format("--profile {}, and the results of --from are of profile {}",
                                 request.profile, description.profile),
                     "leave out --profile: it is that of the results");
  taken.profile = description.profile;
  // On a machine with a GPU, too, the new cells belong to those that are copied.
  if (request.device == "auto") taken.device = description.device;
  const auto confirms = description.settings.value("confirm.seeds", "");
  if (!request.seeds && !confirms.empty()) taken.seeds = Seeds(confirms);
  taken.from = description;
  // Without --only the copied cells stand as they are.
  if (request.only == RunRequest().only && !taken.external.empty()) {
    taken.only.clear();
    for (const auto& method : taken.external) taken.only.push_back("*/*/" + method.name + "/*");
  }
  if (!std::filesystem::exists(request.results / "run.json")) taken.results = from;
  return taken;
}

}  // namespace reprise::reproduce
