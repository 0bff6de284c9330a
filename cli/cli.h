// Commands that run, report, check and compare experiments; one file per command.
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

/// Reports on standard error the progress of a results folder to which a run still adds cells.
void report_growth(const std::filesystem::path& results);

/// Parses the command line, runs the command and prints its answer. Returns the exit status; never
/// throws.
int run_command_line(int count, const char* const* arguments, const std::vector<Study>& studies);

}  // namespace reprise::reproduce
