// Plans of a run for a cluster's engine, which starts the cells on machines that share the results
// folder.
//
//   - RESULTS/plan.json: the request (study, profile, settings, data, device, external methods) and
//     the unfinished cells, with level, needs, seconds and memory.
//   - OUT/submit.sh: for Slurm, one array of tasks per level.
//   - OUT/levelL.sh: the script of level L; OUT/levelL.tasks has one task per line.
//   - OUT/Snakefile: for Snakemake, one rule per level, with the cell as wildcard.
//
// A cell needs only cells of lower levels, so each level starts after the one before.
// Each task is `reprise cell ID... --results RESULTS`, which reads only the plan. Short cells share
// a task.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/run/request.h"

namespace reprise::reproduce {

enum class Engine { Slurm, Snakemake, Json };

struct EnginePlan {
  std::filesystem::path file;  ///< plan.json
  std::filesystem::path out;   ///< folder that the engine reads; "" for Json
  std::size_t cells = 0, levels = 0, tasks = 0;
  double seconds = 0;  ///< of one core
};

/// Writes a plan. Several `processes` train each cell together (training/data_parallel.h), as Slurm
/// starts them.
/// UsageError: as run(); a results folder with packed records; several processes for another engine
/// than Slurm.
EnginePlan write_plan(const Study& study, const RunRequest& request, Engine engine,
                      const std::filesystem::path& out, int processes = 1);

/// A run of some cells by the folder's plan, `alone`.
struct PlannedRun {
  std::string study;
  RunRequest request;
};
PlannedRun read_plan(const std::filesystem::path& results, const std::vector<std::string>& cells,
                     const std::vector<Study>& studies);

/// Describes the progress of a planned or shared run; "" without any. Example: "31 of 40 planned
/// cells are done, 2 run now (node1, node2)".
std::string describe_progress(const std::filesystem::path& results);

}  // namespace reprise::reproduce
