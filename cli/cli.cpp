#include "cli/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/environment.h"
#include "core/error.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/outputs.h"
#include "core/printable.h"
#include "core/say.h"
#include "core/text.h"
#include "core/version.h"
#include "experiments/names.h"
#include "experiments/run/results.h"
#include "experiments/run/worker.h"
#include "tools/tools.h"

namespace reprise::reproduce {
namespace {

constexpr const char* overview =
    R"(reprise reproduces the tables and figures of research documents, compares methods under honest statistics, and
guards accuracy in CI.

Regenerate a paper's tables     ./reprise reproduce                         pages from the committed records, a sample of cells re-run
                                ./reprise run prernn --profile desk --data DIR
                                ./reprise report runs/prernn/desk
Guard accuracy in CI            ./reprise check runs/prernn/gate --against tests/accuracy/prernn_gate.json
Compare an idea                 ./reprise compare results/prernn --methods pre_gru_fc6,trad_gru_1
                                ./reprise metric auc --predictions mine.csv --truth true.csv

Verbs
  reproduce [STUDY...]    every page from the committed records; committed cells re-run here and compared
  run STUDY               the cells of a study: choose, continue, override settings
  plan STUDY              the same for a cluster: what Slurm or Snakemake starts
  cell ID...              cells of such a plan
  list WHAT               studies, methods, datasets, metrics, cells or claims
  report [RESULTS]        tables, figures and page from records; --check compares with what is on disk
  check RESULTS           the accuracy gate for CI
  compare RESULTS         two methods, paired over seeds: difference, interval, test, verdict
  export RESULTS          records and curves for pandas, R, DuckDB, TensorBoard
  metric NAME             one metric on anyone's predictions
  data VERB               list, verify, make or export data sets
  weights show|convert    what a weights file holds; .pth to safetensors and back
  features FILE...        what a layer of a trained network gives for images or videos
  track                   head poses over time: of a face in a video, or measurements, filtered
  sample                  pictures, videos or sounds of a trained diffusion prior
  invert IMAGE...         your own images as noisy latents of a prior
  generate                a panorama, a longer video or sound, an object: Algorithm 1 of study langevin with a prior; clips of a MoCoGAN
  translate FILE...       images, folders and videos of one domain as ones of another, by a trained UNIT
  test, bench             every test; the speed tables (verbs of the script ./reprise)

Every verb takes --help (with an example; "help VERB" prints the same) and --json. --version prints version and commit.
Exit status: 0 done, 1 judged and failed, 2 wrong use, 3 failed while running.
)";

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

const CLI::App& deepest(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : deepest(*chosen.front());
}

/// CLI11's error as one of ours: a mistyped option or verb lists the known ones.
UsageError as_usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = deepest(app);
  const std::string name = verb.get_parent() ? verb.get_name() : "reprise";
  std::vector<std::string> verbs;
  for (const auto* sub : verb.get_subcommands([](const CLI::App*) { return true; })) verbs.push_back(sub->get_name());
  const auto extras = verb.remaining();
  if (extras.empty() && dynamic_cast<const CLI::RequiredError*>(&error) && !verbs.empty())
    return {name + " needs a verb", "one of: " + join(verbs, ", ")};
  if (!extras.empty()) {
    const std::string extra = extras.front();
    if (extra.starts_with("-")) return unknown("option of " + name, extra.substr(0, extra.find('=')), option_names(verb));
    if (!verbs.empty()) return unknown(verb.get_parent() ? "verb of " + name : "verb", extra, verbs);
    return {name + ": '" + extra + "' was not expected", "see reprise " + name + " --help"};
  }
  return {name + ": " + error.what(), "see reprise " + (verb.get_parent() ? name + " --help" : "--help")};
}

int fail(const Call& call, const Error& error, int status) {
  say(fmt::format("reprise: {}\n", error.what()));
  try {
    if (call.json) call.answer({{"error", error.problem()}, {"fix", error.fix()}}, "");
  } catch (const Error&) {  // standard output takes nothing; standard error has it all
  }
  return status;
}

/// The file or folder in an option's value: PATH, or that of NAME=PATH.
std::filesystem::path path_in(const std::string& value) {
  std::error_code ignored;
  const auto equals = value.find('=');
  return equals == std::string::npos || std::filesystem::exists(value, ignored) ? value : value.substr(equals + 1);
}

/// Refuses empty values, notes the inputs that the options name, then checks the outputs.
void check_files_of(const CLI::App& verb, OutputRules& rules) {
  if (const auto* overwrite = verb.get_option_no_throw("--overwrite"); overwrite && overwrite->count() > 0) rules.allow_overwriting();
  std::map<std::filesystem::path, std::string> outputs;
  for (const auto* option : verb.get_options())
    for (const auto& value : option->results()) {
      // "" comes of a shell variable that is not set; for a path it would mean the default, or this folder.
      if (value.empty()) throw UsageError(option->get_name() + " has an empty value", "give a value, or leave out " + option->get_name());
      if (option->get_type_name() != output_type) {
        reprise::note_input(path_in(value));
        continue;
      }
      const auto [other, added] = outputs.emplace(std::filesystem::absolute(value).lexically_normal(), option->get_name());
      if (!added)
        throw UsageError(fmt::format("{} and {} name the same output, {}", other->second, option->get_name(), value),
                         "give each output its own name");
    }
  for (const auto& [path, option] : outputs)
    if (!std::filesystem::is_directory(path)) expect_output(path);
}

/// Prints the project's version, the commit of the checkout that the program lies in, and the version of each study.
void answer_version(const Call& call) {
  const auto folder = project_folder();
  // An installed program lies in no checkout; the folder is then whatever the user works in.
  const auto source = std::filesystem::exists(folder / "experiments" / "study.h") ? source_state(folder) : SourceState{};
  nlohmann::json versions = nlohmann::json::object();
  std::string text = "reprise " + project_version() + "\n";
  if (!source.commit.empty()) text += "commit " + source.commit + (source.dirty ? " with uncommitted changes" : "") + "\n";
  text += "LibTorch " TORCH_VERSION ", " + compiler() + "\n";
  for (const auto& study : call.studies) {
    versions[study.name] = study.version;
    text += fmt::format("study {} version {}\n", study.name, study.version);
  }
  call.answer({{"version", project_version()},
               {"commit", source.commit},
               {"dirty", source.dirty},
               {"libtorch", TORCH_VERSION},
               {"compiler", compiler()},
               {"studies", versions}},
              text);
}

/// The files and folders that a call was given, for errors that know none: "a.npy, b.npy".
std::string inputs_of(const CLI::App& verb) {
  std::vector<std::string> inputs;
  for (const auto* option : verb.get_options()) {
    if (option->get_type_name() == output_type) continue;
    std::error_code ignored;
    for (const auto& given : option->results())
      if (std::filesystem::exists(given, ignored)) inputs.push_back(given);
  }
  return first_few(inputs);
}

Error out_of_memory(const CLI::App& app) {
  const auto inputs = inputs_of(deepest(app));
  return {"memory ran out" + (inputs.empty() ? "" : " while working on " + inputs),
          "give fewer or smaller items, or fewer --jobs where there are some; or use a machine, or a limit (ulimit -v), with more memory"};
}

int parse_and_run(CLI::App& app, Call& call, int count, const char* const* arguments) {
  try {
    app.parse(count, arguments);
    return call.status;
  } catch (const CLI::CallForHelp&) {
    print(deepest(app).get_parent() ? deepest(app).help() : overview);
    return done;
  } catch (const CLI::CallForVersion&) {
    answer_version(call);
    return done;
  } catch (const CLI::CallForAllHelp&) {
    print(app.help("", CLI::AppFormatMode::All));
    return done;
  } catch (const CLI::ParseError& error) {
    return fail(call, as_usage_error(app, error), wrong_use);
  }
}

}  // namespace

int run_command_line(int count, const char* const* arguments, const std::vector<Study>& studies) {
  if (count == 2 && std::string(arguments[1]) == "worker") return serve_as_worker(studies);
  CLI::App app("reprise", "reprise");
  Call call{studies};
  // Known before anything is parsed, so that a parse error is told as an object too.
  call.json = std::any_of(arguments, arguments + count, [](const std::string& argument) { return argument == "--json"; });
  for (const auto add : {add_reproduce, add_run, add_plan, add_cell, add_list, add_report, add_check, add_compare, add_export, add_metric,
                         add_data, add_weights, add_features, add_track, add_sample, add_invert, add_generate, add_translate})
    add(app, call);
  app.set_version_flag("--version", project_version());
  app.require_subcommand(1);
  OutputRules rules(count < 2 ? "" : arguments[1]);
  app.parse_complete_callback([&] { check_files_of(deepest(app), rules); });
  // "help VERB" is "VERB --help".
  std::vector<const char*> words(arguments, arguments + count);
  if (count >= 2 && std::string_view(arguments[1]) == "help") {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  try {
    if (count < 2) {
      print(overview);
      return done;
    }
    return parse_and_run(app, call, count, words.data());
  } catch (const UsageError& error) {
    return fail(call, error, wrong_use);
  } catch (const Error& error) {
    return fail(call, error, failed_while_running);
  } catch (const std::filesystem::filesystem_error& error) {
    const auto& path = error.path1().empty() ? error.path2() : error.path1();
    return fail(call, UsageError(path.string() + ": " + error.code().message(), "check the path and your rights to it"), wrong_use);
  } catch (const std::exception& error) {
    if (is_out_of_memory(error)) return fail(call, out_of_memory(app), failed_while_running);
    return fail(call, Error(error.what(), "this is a fault of the program; please report it with the command that shows it"),
                failed_while_running);
  }
}

}  // namespace reprise::reproduce
