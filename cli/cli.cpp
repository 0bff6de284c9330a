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
#include "experiments/arithmetic.h"
#include "experiments/names.h"
#include "experiments/run/results.h"
#include "experiments/run/worker.h"
#include "tools/help.h"
#include "tools/tools.h"

namespace reprise::reproduce {
namespace {

/// Commands in the order of `reprise --help`. A new command needs a file cli/NAME.cpp, a
/// declaration in cli.h, and an entry here.
constexpr auto commands = {add_reproduce, add_run,      add_plan,      add_cell,      add_list,
                           add_report,    add_check,    add_compare,   add_export,    add_metric,
                           add_data,      add_weights,  add_features,  add_track,     add_sample,
                           add_invert,    add_generate, add_translate, add_completion};

constexpr const char* help_header =
    R"(reprise reproduces the tables and figures of research documents, compares
methods by paired statistical tests, and guards accuracy in CI.
Usage: reprise COMMAND [OPTION...]

Regenerate a paper's tables
  ./reprise reproduce                             every page, a sample of cells
  ./reprise run prernn --profile small --data DIR  the cells of one study
Guard accuracy in CI
  ./reprise check runs/prernn/ci --against tests/accuracy/prernn_ci.json
Compare an idea
  ./reprise compare results/prernn --methods pre_gru_fc6,trad_gru_1

Commands
)";

constexpr const char* help_footer =
    R"(  test, bench  Run every test; measure speed (commands of the script ./reprise).

COMMAND --help shows common options and examples, --help-all all options.
--json prints one JSON object. --version prints version, commit and platform.
Exit status: 0 done, 1 a check failed, 2 wrong use, 3 failed while running.
)";

/// Lists each command with the first sentence of its description.
std::string overview(const CLI::App& app) {
  std::string text = help_header;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    text += fmt::format("  {:<11}  {}.\n", command->get_name(),
                        first_sentence(command->get_description()));
  return text + help_footer;
}

/// Returns whether the command has an option of add_output(), and so takes --overwrite.
bool writes_files(const CLI::App& verb) {
  return std::ranges::any_of(verb.get_options(), [](const CLI::Option* option) {
    return option->get_type_name() == output_type;
  });
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  names.insert(names.end(), {"--json", "--overwrite"});
  return names;
}

/// Returns the innermost command that was parsed, such as "export" of "data export".
const CLI::App& find_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : find_command(*chosen.front());
}

/// Converts an error of CLI11. A mistyped option or command lists the known ones.
UsageError as_usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = find_command(app);
  const std::string name = verb.get_parent() ? verb.get_name() : "reprise";
  std::vector<std::string> verbs;
  for (const auto* sub : verb.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(sub->get_name());
  // CLI11 names neither the command nor similar words, so its commonest errors are worded here.
  const auto extras = verb.remaining();
  if (extras.empty() && dynamic_cast<const CLI::RequiredError*>(&error) && !verbs.empty())
    return {name + " needs a command", "one of: " + join(verbs, ", ")};
  if (!extras.empty()) {
    const std::string extra = extras.front();
    if (extra.starts_with("-"))
      return unknown("option of " + name, extra.substr(0, extra.find('=')), option_names(verb));
    if (!verbs.empty())
      return unknown(verb.get_parent() ? "command of " + name : "command", extra, verbs);
    return {name + ": '" + extra + "' was not expected", "see reprise " + name + " --help"};
  }
  return {name + ": " + error.what(),
          "see reprise " + (verb.get_parent() ? name + " --help" : "--help")};
}

/// Reports an error on standard error, and with --json also as the answer. Returns `status`.
int fail(const Call& call, const Error& error, int status) {
  say(fmt::format("reprise: {}\n", error.what()));
  try {
    if (call.json) call.answer({{"error", error.problem()}, {"fix", error.fix()}}, "");
  } catch (const Error&) {  // standard output is closed or full; standard error has the message
  }
  return status;
}

/// Returns the path in an option's value, PATH or NAME=PATH.
std::filesystem::path extract_path(const std::string& value) {
  std::error_code ignored;
  const auto equals = value.find('=');
  return equals == std::string::npos || std::filesystem::exists(value, ignored)
             ? value
             : value.substr(equals + 1);
}

/// Refuses empty values, registers the inputs that the options name, then checks the outputs.
void check_files(const CLI::App& verb, bool overwrite, OutputRules& rules) {
  // The flag was taken from the words before CLI11 could refuse it.
  if (overwrite && !writes_files(verb))
    throw UsageError(verb.get_name() + " writes no files", "leave out --overwrite");
  if (overwrite) rules.allow_overwriting();
  std::map<std::filesystem::path, std::string> outputs;
  for (const auto* option : verb.get_options())
    for (const auto& value : option->results()) {
      // An unset shell variable gives "". As a path that would mean the default, or this folder.
      if (value.empty())
        throw UsageError(option->get_name() + " has an empty value",
                         "give a value, or leave out " + option->get_name());
      if (option->get_type_name() != output_type) {
        reprise::note_input(extract_path(value));
        continue;
      }
      const auto [other, added] =
          outputs.emplace(std::filesystem::absolute(value).lexically_normal(), option->get_name());
      if (!added)
        throw UsageError(fmt::format("{} and {} name the same output, {}", other->second,
                                     option->get_name(), value),
                         "give each output its own name");
    }
  // Outputs last: the rules refuse an output that is also an input, so all inputs must be known.
  for (const auto& [path, option] : outputs)
    if (!std::filesystem::is_directory(path)) expect_output(path);
}

/// Answers with the versions of the project and of each study, the commit of the program's
/// checkout, and the platform.
void answer_version(const Call& call) {
  const auto folder = project_folder();
  // An installed program has no checkout; project_folder() is then the user's current folder.
  const auto source = std::filesystem::exists(folder / "experiments" / "study.h")
                          ? source_state(folder)
                          : SourceState{};
  nlohmann::json versions = nlohmann::json::object();
  std::string text = "reprise " + project_version() + "\n";
  if (!source.commit.empty())
    text += "commit " + source.commit + (source.dirty ? " with uncommitted changes" : "") + "\n";
  const auto platform = arithmetic_fingerprint("", 1);  // of a worker, without a GPU
  text += "platform " + platform + "\n";
  for (const auto& study : call.studies) {
    versions[study.name] = study.version;
    text += fmt::format("study {} version {}\n", study.name, study.version);
  }
  call.answer({{"version", project_version()},
               {"commit", source.commit},
               {"dirty", source.dirty},
               {"platform", platform},
               {"libtorch", TORCH_VERSION},
               {"compiler", compiler()},
               {"studies", versions}},
              text);
}

/// Lists the files and folders of a call, for errors that do not name any: "a.npy, b.npy".
std::string list_given_files(const CLI::App& verb) {
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
  const auto inputs = list_given_files(find_command(app));
  return {"memory ran out" + (inputs.empty() ? "" : " while working on " + inputs),
          "give fewer or smaller items, or fewer --jobs; or use more memory (another machine, or a "
          "higher ulimit -v)"};
}

int parse_and_run(CLI::App& app, Call& call, int count, const char* const* arguments) {
  try {
    app.parse(count, arguments);
    return call.status;
  } catch (const CLI::CallForHelp&) {
    // The program's own help is the overview; commands lay out theirs (tools/help.h).
    print(find_command(app).get_parent() ? find_command(app).help() : overview(app));
    return done;
  } catch (const CLI::CallForVersion&) {
    answer_version(call);
    return done;
  } catch (const CLI::CallForAllHelp&) {
    print(find_command(app).get_parent() ? find_command(app).help("", CLI::AppFormatMode::All)
                                         : overview(app));
    return done;
  } catch (const CLI::ParseError& error) {
    return fail(call, as_usage_error(app, error), wrong_use);
  }
}

}  // namespace

int run_command_line(int count, const char* const* arguments, const std::vector<Study>& studies) {
  // A run starts its worker processes as `reprise worker`. Users do not call it.
  if (count == 2 && std::string(arguments[1]) == "worker") return serve_as_worker(studies);
  CLI::App app("reprise", "reprise");
  Call call{studies};
  // Set before the commands are added: they inherit both.
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_all_flag("--help-all", "explain all options in full");
  // Every command takes these two flags at any position. They are read before CLI11 parses, so that
  // --json also applies to parse errors.
  std::vector<const char*> words(arguments, arguments + count);
  const auto take = [&](std::string_view flag) {
    return std::erase_if(words, [&](const char* word) { return word == flag; }) > 0;
  };
  call.json = take("--json");
  const bool overwrite = take("--overwrite");
  for (const auto add : commands) add(app, call);
  app.set_version_flag("--version", project_version());
  app.require_subcommand(1);
  OutputRules rules(words.size() < 2 ? "" : words[1]);
  app.parse_complete_callback([&] { check_files(find_command(app), overwrite, rules); });
  // "help COMMAND" is "COMMAND --help".
  if (words.size() >= 2 && std::string_view(words[1]) == "help") {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  try {
    if (words.size() < 2) {
      print(overview(app));
      return done;
    }
    return parse_and_run(app, call, static_cast<int>(words.size()), words.data());
  } catch (const UsageError& error) {
    return fail(call, error, wrong_use);
  } catch (const Error& error) {
    return fail(call, error, failed_while_running);
  } catch (const std::filesystem::filesystem_error& error) {
    const auto& path = error.path1().empty() ? error.path2() : error.path1();
    return fail(call,
                UsageError(path.string() + ": " + error.code().message(),
                           "check the path and its permissions"),
                wrong_use);
  } catch (const std::exception& error) {
    if (is_out_of_memory(error)) return fail(call, out_of_memory(app), failed_while_running);
    return fail(call,
                Error(error.what(),
                      "this is a fault of the program; please report it together with the command"),
                failed_while_running);
  }
}

}  // namespace reprise::reproduce
