#include <fmt/format.h>

#include <map>
#include <memory>

#include "cli/cli.h"
#include "cli/run_options.h"
#include "cli/run_summary.h"
#include "core/error.h"
#include "core/say.h"
#include "experiments/names.h"
#include "experiments/preregistration.h"
#include "experiments/run/engines.h"
#include "experiments/run/worker.h"
#include "tools/help.h"
#include "training/data_parallel.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;

/// Writes the plan and the engine's files, and answers with the command that starts them.
void make_plan(Call& call, const std::string& name, const RunRequest& request, Engine engine,
               const fs::path& out, int processes) {
  const auto made = write_plan(study_named(call.studies, name), request, engine, out, processes);
  // The answer ends with the command to type. The json engine has none: its user reads the plan.
  std::string start;
  if (engine == Engine::Slurm) start = "bash " + (made.out / "submit.sh").string();
  if (engine == Engine::Snakemake)
    start = "snakemake --snakefile " + (made.out / "Snakefile").string() + " --cores 2";
  call.answer({{"plan", made.file.string()},
               {"out", made.out.string()},
               {"cells", made.cells},
               {"levels", made.levels},
               {"tasks", made.tasks},
               {"seconds", made.seconds},
               {"start", start}},
              fmt::format("{} cells on {} levels, {} tasks, about {} on one core\nplan: {}\n{}",
                          made.cells, made.levels, made.tasks, duration_text(made.seconds),
                          made.file.string(), start.empty() ? "" : "start: " + start + "\n"));
}

}  // namespace

void report_growth(const fs::path& results) {
  if (const auto growth = describe_progress(results); !growth.empty())
    say(fmt::format("{} is incomplete: {}\n", results.string(), growth));
}

void add_plan(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "plan",
      "Plan a run for a cluster: Slurm, Snakemake or JSON. The cluster engine starts the "
      "cells, which share one results folder.",
      "reprise plan prernn --profile small --data /shared/data --results /shared/prernn "
      "--for slurm\n"
      "reprise plan mocogan --profile smoke --results /shared/mocogan --for json");
  struct Options : RunOptions {
    std::string engine;
    fs::path out;
    int processes = 1;
  };
  const auto options = std::make_shared<Options>();
  options->add_to(*verb);
  verb->add_option("--for", options->engine, "cluster engine. json writes the plan only")
      ->required()
      ->type_name("slurm|snakemake|json");
  verb->add_option("--results", options->request.results,
                   "results folder that all machines can access (default: runs/STUDY/PROFILE)");
  add_output(*verb, "--out", options->out, "folder for the engine's files (default: RESULTS/plan)");
  verb->add_option("--processes", options->processes,
                   "processes that train one cell together, only for slurm (docs/cluster.md)")
      ->group(rarely_used())
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->callback([options, &call] {
    // The table has the names of the option's type, which shell completion offers.
    const std::map<std::string, Engine> engines{
        {"slurm", Engine::Slurm}, {"snakemake", Engine::Snakemake}, {"json", Engine::Json}};
    const auto engine = engines.find(options->engine);
    if (engine == engines.end())
      throw unknown("engine", options->engine, {"slurm", "snakemake", "json"});
    make_plan(call, options->study, options->make_request(), engine->second, options->out,
              options->processes);
  });
}

void add_cell(CLI::App& app, Call& call) {
  auto* verb =
      add_command(app, "cell",
                  "Run single cells of a plan, as a cluster engine does. Skips finished cells and "
                  "waits for cells that another process runs.",
                  "reprise cell table1/faces_in_motion/pre_gru_fc6/seed0 --results /shared/prernn\n"
                  "reprise cell ID1 ID2 --results /shared/prernn --jobs 2");
  struct Options {
    std::vector<std::string> cells;
    fs::path results;
    int jobs = 1;
  };
  const auto options = std::make_shared<Options>();
  verb->add_option("ID", options->cells, "cell: TABLE/DATASET/METHOD/seedN")->required();
  verb->add_option("--results", options->results,
                   "results folder with the plan.json of reprise plan")
      ->required();
  verb->add_option("--jobs", options->jobs, "cells to run at the same time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->callback([options, &call] {
    // Under torchrun or srun several processes train one cell; rank 0 runs the command.
    const auto ranks = training::data_parallel::size();
    if (ranks > 1 && options->jobs > 1)
      throw UsageError(
          fmt::format("--jobs {} for {} processes that train together", options->jobs, ranks),
          "leave out --jobs");
    if (!training::data_parallel::is_main()) return follow_rank_0(call.studies);
    // The plan holds the request of `reprise plan`, so that every machine runs the same cells.
    auto planned = read_plan(options->results, options->cells, call.studies);
    planned.request.jobs = options->jobs;
    const auto result =
        run_preregistered(study_named(call.studies, planned.study), planned.request);
    call.status = exit_status(result);
    call.answer(to_json(result, planned.study, planned.request.profile), summarise(result));
  });
}

}  // namespace reprise::reproduce
