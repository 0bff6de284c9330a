// The command line: one file a group of verbs, cli_GROUP.cpp.
//
// Every verb takes --help, which teaches with an example, and --json: exactly one object on standard output, everything else on standard
// error. Exit status: 0 done; 1 judged and failed; 2 wrong use; 3 failed while running (what is finished is kept).
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reproduce/run/request.h"
#include "reproduce/study.h"

namespace reprise::reproduce {

enum ExitStatus : int { done = 0, judged_and_failed = 1, wrong_use = 2, failed_while_running = 3 };

/// The state of one call.
struct Call {
  const std::vector<Study>& studies;
  bool json = false;
  int status = done;
  /// The call's answer: the object with --json, else the text, on standard output. Once a call.
  void answer(const nlohmann::json& object, const std::string& text) const;
};

/// A verb with its --json flag; `example` is shown below its help.
CLI::App* add_verb(CLI::App& app, Call& call, const std::string& name, const std::string& what, const std::string& example);
/// An option that names a file or folder to write. Every verb with one has --overwrite too. The command line holds such files against
/// core/outputs.h before the verb begins, and notes the files that its other options name as inputs.
CLI::Option* add_output(CLI::App& verb, const std::string& name, std::filesystem::path& path, const std::string& what);
/// Refuses a negative seed, which the parser would read as one near 2^64.
void check_seed(CLI::Option* option);

void add_run(CLI::App& app, Call& call);
void add_plan(CLI::App& app, Call& call);
void add_cell(CLI::App& app, Call& call);
void add_reproduce(CLI::App& app, Call& call);
void add_list(CLI::App& app, Call& call);
void add_report(CLI::App& app, Call& call);
void add_check(CLI::App& app, Call& call);
void add_compare(CLI::App& app, Call& call);
void add_export(CLI::App& app, Call& call);
void add_metric(CLI::App& app, Call& call);
void add_data(CLI::App& app, Call& call);
void add_weights(CLI::App& app, Call& call);
void add_features(CLI::App& app, Call& call);
void add_track(CLI::App& app, Call& call);
void add_sample(CLI::App& app, Call& call);
void add_invert(CLI::App& app, Call& call);
void add_generate(CLI::App& app, Call& call);
void add_translate(CLI::App& app, Call& call);

/// Says on standard error how far a results folder is that still grows.
void say_growth(const std::filesystem::path& results);

/// `list datasets`, `data list`: the known sets, and which of them lie below `data` ("": nowhere).
void list_datasets(const Call& call, const std::filesystem::path& data);

/// main() without the process: parses, runs, prints; never throws. Returns the exit status.
int run_command_line(int count, const char* const* arguments, const std::vector<Study>& studies);

}  // namespace reprise::reproduce
