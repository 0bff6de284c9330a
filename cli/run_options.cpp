#include "cli/run_options.h"

#include "experiments/outside_method.h"

namespace reprise::reproduce {

void add_seeds_option(CLI::App& verb, RunRequest& request) {
  verb.add_option_function<std::string>(
      "--seeds", [&request](const std::string& text) { request.seeds = Seeds(text); },
      "replicates: how many (5; more than before continues a run), a range (100..104) or a list (7,8,9)");
}

void add_settings_options(CLI::App& verb, RunRequest& request) {
  verb.add_option(
          "--profile", request.profile,
          "which set of settings: smoke, desk, gate or paper; or FILE.toml, with base = \"desk\" and other values for some of its settings")
      ->capture_default_str();
  verb.add_option("--data", request.data, "folder that holds the data sets");
  verb.add_option("--device", request.device, "auto, cpu or cuda")->capture_default_str();
  add_seeds_option(verb, request);
  verb.add_option("--set", request.set, "key=value: another value for a setting of the profile; may be repeated")->allow_extra_args(false);
}

void RunOptions::add_to(CLI::App& verb) {
  verb.add_option("STUDY", study, "a study, as in: reprise list studies")->required();
  add_settings_options(verb, request);
  verb.add_option("--only", request.only, "cells whose TABLE/DATASET/METHOD/seedN matches this glob, and what they need; may be repeated")
      ->allow_extra_args(false)
      ->default_str("all");
  verb.add_flag("--keep", request.keep,
                "finished cells stand even where the study's version or its data have changed since; the page tells versions apart");
  verb.add_option(
          "--method-file", method_files,
          "NAME=FILE: a TorchScript method beside the study's own (prernn, dynamic_face, langevin; docs/new_method.md); may be repeated. "
          "It runs its author's code: give only files that you trust")
      ->allow_extra_args(false);
  verb.add_option(
          "--predictions", predictions,
          "NAME=PATH: predictions of any program, a file or a folder, for seed 0, or for every seed with {seed} in the name (prernn, "
          "dynamic_face, langevin; docs/new_method.md); may be repeated")
      ->allow_extra_args(false);
}

RunRequest RunOptions::taken() const {
  auto taken = request;
  for (const auto& assignment : method_files)
    taken.outside.push_back(outside_method(OutsideMethod::Kind::TorchScript, "--method-file", assignment));
  for (const auto& assignment : predictions)
    taken.outside.push_back(outside_method(OutsideMethod::Kind::Predictions, "--predictions", assignment));
  return taken;
}

}  // namespace reprise::reproduce
