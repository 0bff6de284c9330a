// The commands that run, report, check and compare experiments: one file a command.
#pragma once
#include "experiments/run/request.h"
#include "tools/command.h"

namespace reprise::reproduce {

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
void add_completion(CLI::App& app, Call& call);

/// Says on standard error how far a results folder is that still grows.
void say_growth(const std::filesystem::path& results);

/// main() without the process: parses, runs, prints; never throws. Returns the exit status.
int run_command_line(int count, const char* const* arguments, const std::vector<Study>& studies);

}  // namespace reprise::reproduce
