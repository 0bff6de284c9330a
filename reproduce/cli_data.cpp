#include <fmt/format.h>

#include <memory>

#include "core/error.h"
#include "datasets/export.h"
#include "datasets/splits.h"
#include "reproduce/cli.h"
#include "reproduce/dataset_list.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

struct Options {
  std::vector<std::string> names;
  std::string name;
  fs::path data, out;
  MakeOptions make;
  std::uint64_t seed = 0;
  bool hold_back = false;
};

fs::path folder_of(const NamedDataset& dataset, const fs::path& data) {
  const fs::path folder = data / dataset.name;
  if (!fs::is_directory(folder))
    throw UsageError("there is no folder " + folder.string(), "put the set there, or give the folder above it with --data");
  return folder;
}

void verify(Call& call, const Options& options) {
  std::vector<const NamedDataset*> chosen;
  for (const auto& name : options.names) {
    chosen.push_back(&dataset_named(name));
    if (!chosen.back()->verify)
      throw UsageError(name + " is generated: there is nothing to verify", "make it: reprise data make " + name + " --out DIR");
    folder_of(*chosen.back(), options.data);
  }
  if (options.names.empty())
    for (const auto& dataset : dataset_list())
      if (dataset.verify && fs::is_directory(options.data / dataset.name)) chosen.push_back(&dataset);
  if (chosen.empty())
    throw UsageError("no known set lies in " + options.data.string(), "see reprise list datasets for the names of their folders");
  json list = json::array();
  std::string text;
  for (const auto* dataset : chosen) {
    const auto problems = dataset->verify(folder_of(*dataset, options.data));
    json found = json::array();
    text += fmt::format("{}: {}\n", dataset->name, problems.empty() ? "whole" : fmt::format("{} problems", problems.size()));
    for (const auto& problem : problems) {
      found.push_back({{"where", problem.where}, {"what", problem.what}, {"fix", problem.fix}});
      text += fmt::format("  {}: {}\n    fix: {}\n", problem.where, problem.what, problem.fix);
    }
    if (!problems.empty()) call.status = judged_and_failed;
    list.push_back({{"name", dataset->name}, {"whole", problems.empty()}, {"problems", found}});
  }
  call.answer({{"datasets", list}}, text);
}

/// Splits by person and writes the three parts; the answer says what is where.
void write_split(const Call& call, const datasets::LandmarkFrames& frames, const Options& options) {
  const auto split = datasets::split_by(frames.person, {}, options.seed);
  datasets::export_split(frames, split, options.out, options.hold_back ? datasets::TestLabels::HeldBack : datasets::TestLabels::Written);
  call.answer({{"dataset", options.name},
               {"folder", options.out.string()},
               {"seed", options.seed},
               {"train", split.train.size()},
               {"validation", split.validation.size()},
               {"test", split.test.size()}},
              fmt::format("{}: {} training, {} validation, {} test items of {}, split by person with seed {}\n", options.out.string(),
                          split.train.size(), split.validation.size(), split.test.size(), options.name, options.seed));
}

void make(const Call& call, Options options) {
  const auto& dataset = dataset_named(options.name);
  if (!dataset.make)
    throw UsageError(options.name + " is read, not generated",
                     "export a split of it: reprise data export " + options.name + " --data DIR --out DIR");
  options.make.seed = options.seed;
  write_split(call, dataset.make(options.make), options);
}

void export_set(const Call& call, const Options& options) {
  const auto& dataset = dataset_named(options.name);
  if (!dataset.read)
    throw UsageError(options.name + " is generated, not read", "make it: reprise data make " + options.name + " --out DIR");
  write_split(call, dataset.read(folder_of(dataset, options.data)), options);
}

void add_output_options(CLI::App& verb, Options& options) {
  verb.add_option("--out", options.out, "the folder to write; new or empty")->required();
  verb.add_option("--seed", options.seed, "of the split by person")->capture_default_str();
  verb.add_flag("--hold-back", options.hold_back, "write the test items without their landmarks");
}

}  // namespace

void list_datasets(const Call& call, const fs::path& data) {
  json list = json::array();
  std::string text;
  for (const auto& dataset : dataset_list()) {
    const bool generated = static_cast<bool>(dataset.make), there = !generated && !data.empty() && fs::is_directory(data / dataset.name);
    const std::string state = generated ? "generated" : there ? "there" : data.empty() ? "read" : "missing";
    list.push_back({{"name", dataset.name}, {"says", dataset.says}, {"state", state}});
    text += fmt::format("{:<16} {:<10} {}\n", dataset.name, state, dataset.says);
  }
  call.answer({{"datasets", list}}, text);
}

void add_data(CLI::App& app, Call& call) {
  auto* verb = app.add_subcommand("data", "What is readable, is it whole; generate a set; export a split for a method of your own.");
  verb->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  auto* lists = add_verb(*verb, call, "list", "The known sets, and which of them lie below --data.", "reprise data list --data DIR");
  lists->add_option("--data", options->data, "folder that holds the sets' folders");
  lists->callback([options, &call] { list_datasets(call, options->data); });

  auto* verifies = add_verb(*verb, call, "verify", "Read every item of the sets and name what is damaged; exit 1 when something is.",
                            "reprise data verify faces_300w --data DIR");
  verifies->add_option("NAME", options->names, "sets (default: all that lie below --data)");
  verifies->add_option("--data", options->data, "folder that holds the sets' folders")->required();
  verifies->callback([options, &call] { verify(call, *options); });

  auto* makes = add_verb(*verb, call, "make", "Generate a set with exact ground truth, split by person: images, CSV, checksums.",
                         "reprise data make synthetic_head --out heads --count 1000 --size 128");
  makes->add_option("NAME", options->name, "a generated set")->required();
  add_output_options(*makes, *options);
  makes->add_option("--count", options->make.count, "stills or clips")->check(CLI::Range(1, 10000000))->capture_default_str();
  makes->add_option("--size", options->make.size, "pixels a side")->check(CLI::Range(8, 2048))->capture_default_str();
  makes->add_option("--frames", options->make.frames, "of a clip")->check(CLI::Range(1, 100000))->capture_default_str();
  makes->add_option("--people", options->make.people, "how many identities")->check(CLI::Range(1, 100000))->capture_default_str();
  makes->callback([options, &call] { make(call, *options); });

  auto* exports =
      add_verb(*verb, call, "export", "Write a split of a set by person, for a method that lives outside: images, CSV, checksums.",
               "reprise data export faces_300w --data DIR --out split0 --seed 0 --hold-back");
  exports->add_option("NAME", options->name, "a set that is read")->required();
  exports->add_option("--data", options->data, "folder that holds the sets' folders")->required();
  add_output_options(*exports, *options);
  exports->callback([options, &call] { export_set(call, *options); });
}

}  // namespace reprise::reproduce
