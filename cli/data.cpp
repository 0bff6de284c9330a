#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "cli/cli.h"
#include "core/error.h"
#include "core/outputs.h"
#include "core/text.h"
#include "datasets/export.h"
#include "datasets/splits.h"
#include "datasets/videos.h"
#include "experiments/dataset_list.h"
#include "experiments/external.h"
#include "experiments/names.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

struct DataOptions {
  std::vector<std::string> names;
  std::string name;
  fs::path data, out;
  MakeOptions make;
  std::uint64_t seed = 0;
  bool hold_back = false, test_labels = false;
  std::string part;     ///< part to export: train, validation or test; "" for all three
  RunRequest settings;  ///< for an export from a study: profile, set, data
};

/// Returns the folder of a data set below `data`. Throws a UsageError if it does not exist.
fs::path find_folder(const NamedDataset& dataset, const fs::path& data) {
  const fs::path folder = data / dataset.name;
  if (!fs::is_directory(folder))
    throw UsageError("there is no folder " + folder.string(),
                     "put the data set there, or give its parent folder with --data");
  return folder;
}

/// Verifies the named data sets, or all that are below --data.
void verify(Call& call, const DataOptions& options) {
  std::vector<const NamedDataset*> chosen;
  for (const auto& name : options.names) {
    chosen.push_back(&dataset_named(name));
    if (!chosen.back()->verify)
      throw UsageError(name + " is generated, so there are no files to verify",
                       "generate it: reprise data make " + name + " --out DIR");
    find_folder(*chosen.back(), options.data);
  }
  // Without names: every known data set that has a folder there.
  if (options.names.empty())
    for (const auto& dataset : dataset_list())
      if (dataset.verify && fs::is_directory(options.data / dataset.name))
        chosen.push_back(&dataset);
  if (chosen.empty())
    throw UsageError(options.data.string() + " holds no known data set",
                     "name the folders as in: reprise list datasets");
  json list = json::array();
  std::string text;
  // All data sets are read to their end, so that one call names every damaged item.
  for (const auto* dataset : chosen) {
    const auto issues = dataset->verify(find_folder(*dataset, options.data));
    json found = json::array();
    text += fmt::format("{}: {}\n", dataset->name,
                        issues.empty() ? "complete" : fmt::format("{} issues", issues.size()));
    for (const auto& issue : issues) {
      found.push_back({{"where", issue.where}, {"what", issue.what}, {"fix", issue.fix}});
      text += fmt::format("  {}\n    fix: {}\n", issue.text(), issue.fix);
    }
    if (!issues.empty()) call.status = check_failed;
    list.push_back({{"name", dataset->name}, {"whole", issues.empty()}, {"problems", found}});
  }
  call.answer({{"datasets", list}}, text);
}

/// Removes the items of the other parts, unless `part` is empty. Set: LandmarkFrames or
/// LabelledClips.
template <typename Set>
void keep_part(const std::string& part, Set& set, datasets::Split& split) {
  if (part.empty()) return;
  std::map<std::string, std::vector<std::int64_t>*> parts{
      {"train", &split.train}, {"validation", &split.validation}, {"test", &split.test}};
  if (!parts.contains(part))
    throw unknown("part of a split", part, {"train", "validation", "test"});
  // The set shrinks to that part, so its items get the indices from 0.
  set = set.at(*parts[part]);
  std::iota(parts[part]->begin(), parts[part]->end(), 0);
  for (auto& [name, indices] : parts)
    if (name != part) indices->clear();
}

/// Writes the parts. Returns the folder, sizes and seed for the answer.
template <typename Set>
json write_parts(Set set, datasets::Split split, const DataOptions& options,
                 const std::string& readme = "") {
  keep_part(options.part, set, split);
  note_own(options.out);  // datasets::export_split() refuses a folder that is not new or empty
  datasets::export_split(
      set, split, options.out,
      options.hold_back ? datasets::TestLabels::HeldBack : datasets::TestLabels::Written, readme);
  const bool held = options.hold_back && !split.test.empty();
  return {{"dataset", options.name},
          {"folder", options.out.string()},
          {"seed", options.seed},
          {"train", split.train.size()},
          {"validation", split.validation.size()},
          {"test", split.test.size()},
          {"test_labels", !held}};
}

std::string written_text(const json& written) {
  const bool held = !written.at("test_labels").get<bool>();
  return fmt::format(
      "{}: {} training, {} validation, {} test items of {}, seed {}{}\n",
      written.at("folder").get<std::string>(), written.at("train").get<std::size_t>(),
      written.at("validation").get<std::size_t>(), written.at("test").get<std::size_t>(),
      written.at("dataset").get<std::string>(), written.at("seed").get<std::uint64_t>(),
      held ? "; the test items without their labels" : "");
}

template <typename Set>
void write_split(const Call& call, Set set, datasets::Split split, const DataOptions& options) {
  const auto written = write_parts(std::move(set), std::move(split), options);
  call.answer(written, written_text(written));
}

/// Generates a data set and writes it, split by person (clips, faces) or by item (pictures).
void make(const Call& call, DataOptions options) {
  const auto& dataset = dataset_named(options.name);
  if (dataset.is_recorded())
    throw UsageError(
        options.name + " is read, not generated",
        "export a split of it: reprise data export " + options.name + " --data DIR --out DIR");
  options.make.seed = options.seed;
  // Persons are split, not clips: a network must not be tested on a person of its training.
  if (dataset.make_clips) {
    auto clips = dataset.make_clips(options.make);
    const auto split = datasets::split_by(clips.person, {}, options.seed);
    return write_split(call, std::move(clips), split, options);
  }
  if (dataset.make_pictures) {
    datasets::NamedPictures pictures{dataset.make_pictures(options.make), {}, dataset.classes};
    // Generated pictures have no persons: each item is alone in its group. Sets without named
    // classes have the ten digits.
    for (std::int64_t i = 0; i < pictures.size(); ++i)
      pictures.item.push_back(fmt::format("{}{:06}", dataset.name, i));
    for (int digit = 0; dataset.classes.empty() && digit < 10; ++digit)
      pictures.classes.push_back(std::to_string(digit));
    const auto split = datasets::split_by(pictures.item, {}, options.seed);
    return write_split(call, std::move(pictures), split, options);
  }
  const auto frames = dataset.make(options.make);
  write_split(call, frames, datasets::split_by(frames.person, {}, options.seed), options);
}

/// Formats the options of a run on the same items: " --profile small --set 'a=b' --data DIR".
std::string run_flags(const RunRequest& request, const fs::path& data) {
  std::string flags =
      request.profile == RunRequest().profile ? "" : " --profile " + shell_quote(request.profile);
  for (const auto& assignment : request.set) flags += " --set " + shell_quote(assignment);
  return data.empty() ? flags : flags + " --data " + shell_quote(data.string());
}

/// Exports STUDY/DATASET, the data of the cells of that seed, or STUDY, one folder per data set of
/// the tables that take external methods.
void export_from_study(const Call& call, const DataOptions& options) {
  const auto slash = options.name.find('/');
  const Study& study = study_named(call.studies, options.name.substr(0, slash));
  if (!study.external.exported)
    throw UsageError(
        "study " + study.name + " takes no external methods, and exports no data for them",
        "name another study, or a data set of reprise list datasets");
  const auto settings = settings_of(study, options.settings);
  const auto tables = study.external.tables(settings, options.data);
  std::set<std::string> datasets;
  if (slash != std::string::npos)
    datasets = {options.name.substr(slash + 1)};
  else
    for (const auto& table : tables) datasets.insert(table.dataset);
  // All recorded data must be there before the first folder is written.
  for (const auto& table : tables)
    if (datasets.contains(table.dataset)) require_present(table.cells, options.data);
  const auto seed = static_cast<std::int64_t>(options.seed);
  // A whole study gets a folder for each data set; a single data set is written into --out itself.
  json list = json::array();
  std::string text;
  for (const auto& dataset : datasets) {
    auto one = options;
    one.name = study.name + "/" + dataset;
    if (slash == std::string::npos) one.out /= dataset;
    const auto readme =
        export_readme(study, dataset, seed, run_flags(options.settings, options.data), tables);
    auto exported = study.external.exported(dataset, seed, settings, options.data);
    list.push_back(std::visit(
        [&](auto& part) {
          return write_parts(std::move(part.set), std::move(part.split), one, readme);
        },
        exported));
    text += written_text(list.back());
  }
  call.answer(slash == std::string::npos ? json{{"exports", list}} : list.at(0), text);
}

/// Exports clips of a set of videos. An official split is kept; its validation part is split off
/// the training part by person.
void export_videos(const Call& call, const datasets::VideoSet& set, const DataOptions& options) {
  auto chosen = set.train;
  chosen.insert(chosen.end(), set.test.begin(), set.test.end());
  const bool official = !chosen.empty();
  chosen.resize(official ? chosen.size() : set.videos.size());
  if (!official) std::iota(chosen.begin(), chosen.end(), 0);
  // Indices count the chosen videos: first those of training, then those of the test.
  auto split =
      official ? datasets::split_by(set.persons(set.train),
                                    {.train = 0.85, .validation = 0.15, .test = 0}, options.seed)
               : datasets::split_by(set.persons(chosen), {}, options.seed);
  for (auto i = set.train.size(); official && i < chosen.size(); ++i)
    split.test.push_back(static_cast<std::int64_t>(i));
  write_split(
      call,
      datasets::read_clips(set, chosen,
                           {.frames = options.make.frames, .size = options.make.size, .flow = {}}),
      split, options);
}

/// Exports a recorded data set, or the data of a study.
void export_set(const Call& call, DataOptions options) {
  options.hold_back = !options.test_labels;
  // A name of a study, or with a slash, means the data of a study's cells.
  const auto names = study_names(call.studies);
  if (options.name.find('/') != std::string::npos ||
      std::find(names.begin(), names.end(), options.name) != names.end())
    return export_from_study(call, options);
  const auto& dataset = dataset_named(options.name);
  if (!dataset.is_recorded())
    throw UsageError(options.name + " is generated, not read",
                     "make it: reprise data make " + options.name +
                         " --out DIR; or export a study's own: prernn/" + options.name);
  if (!dataset.read && !dataset.read_videos)
    throw UsageError(options.name + " can be used by studies, but not exported",
                     "read its files as they lie; reprise list datasets has their layout");
  if (options.data.empty())
    throw UsageError(options.name + " is a recorded data set, and --data is missing",
                     "give the folder that holds it with --data");
  const auto folder = find_folder(dataset, options.data);
  if (dataset.read_videos) return export_videos(call, dataset.read_videos(folder), options);
  const auto frames = dataset.read(folder);
  write_split(call, frames, datasets::split_by(frames.person, {}, options.seed), options);
}

void add_output_options(CLI::App& verb, DataOptions& options) {
  add_output(verb, "--out", options.out, "new or empty folder to write")->required();
  check_seed(verb.add_option("--seed", options.seed,
                             "seed of the split by person, or of the study's cells")
                 ->capture_default_str());
}

}  // namespace

void add_data(CLI::App& app, Call& call) {
  auto* verb = add_command(app, "data", "Verify, generate and export data sets.",
                           "reprise data verify --data DIR\n"
                           "reprise data make synthetic_head --out heads");
  verb->require_subcommand(1);
  const auto options = std::make_shared<DataOptions>();
  auto* verifies =
      add_command(*verb, "verify",
                  "Read every item of the data sets and name the damaged ones. Exit status 1: "
                  "something is damaged.",
                  "reprise data verify --data DIR\nreprise data verify faces_300w --data DIR");
  verifies->add_option("NAME", options->names, "data sets (default: all below --data)");
  verifies->add_option("--data", options->data, "folder that holds the data sets")->required();
  verifies->callback([options, &call] { verify(call, *options); });

  auto* makes = add_command(
      *verb, "make",
      "Generate a data set with exact ground truth, split by person. Writes images, CSV "
      "files and checksums.",
      "reprise data make synthetic_head --out heads\n"
      "reprise data make synthetic_head --out heads --count 1000 --size 128");
  makes->add_option("NAME", options->name, "generated data set")->required();
  add_output_options(*makes, *options);
  makes->add_option("--count", options->make.count, "number of stills, clips or pictures")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  makes->add_option("--size", options->make.size, "side of a picture, pixels")
      ->check(CLI::Range(8, 2048))
      ->capture_default_str();
  makes->add_option("--frames", options->make.frames, "frames per clip")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  makes->add_option("--people", options->make.people, "number of identities")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  makes->callback([options, &call] { make(call, *options); });

  auto* exports = add_command(
      *verb, "export",
      "Write the training and test data for an external method. Writes images, CSV files, "
      "checksums and a README. The test items have no labels unless --test-labels is given.",
      "reprise data export prernn/faces_in_motion --split test --out DIR\n"
      "reprise data export prernn --out DIR --seed 1");
  exports
      ->add_option(
          "NAME", options->name,
          "recorded data set, STUDY/DATASET or STUDY. STUDY/DATASET is the data of the study's "
          "cells of this seed; STUDY exports all its data sets")
      ->required();
  exports->add_option("--data", options->data, "folder that holds the data sets");
  add_output_options(*exports, *options);
  exports->add_option("--split", options->part, "part to write (default: all three)")
      ->type_name("train|validation|test");
  exports->add_option("--size", options->make.size, "side of the frames of a video clip, pixels")
      ->check(CLI::Range(8, 2048))
      ->capture_default_str();
  exports->add_option("--frames", options->make.frames, "frames per video clip")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  exports->add_flag("--test-labels", options->test_labels,
                    "also write the labels of the test items");
  exports
      ->add_option("--profile", options->settings.profile,
                   "profile of the study: smoke, small, ci or paper")
      ->type_name(profile_type)
      ->capture_default_str();
  exports
      ->add_option("--set", options->settings.set, "KEY=VALUE, a setting of the profile to change")
      ->allow_extra_args(false);
  exports->callback([options, &call] { export_set(call, *options); });
}

}  // namespace reprise::reproduce
