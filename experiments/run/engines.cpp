#include "experiments/run/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "experiments/names.h"
#include "experiments/run/lease.h"
#include "experiments/run/runner.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr int plan_schema = 1;
/// Tasks per level that the grouping aims at, within the next two limits.
constexpr double tasks_per_level = 32;
/// Seconds. Shorter tasks would cost the engine more than they compute.
constexpr double shortest_task = 2;
/// Seconds. Only a single cell may take longer.
constexpr double longest_task = 600;
/// Tasks per Slurm array. The default MaxArraySize of Slurm is 1001.
constexpr std::size_t longest_array = 1000;
constexpr auto plan_again = "write it again: reprise plan STUDY --for slurm";

fs::path plan_file(const fs::path& results) { return results / "plan.json"; }

std::vector<std::size_t> list_levels(const std::vector<Step>& steps) {
  std::vector<std::size_t> levels(steps.size(), 0);
  for (std::size_t i = 0; i < steps.size(); ++i)
    // Steps come after their needs, so the levels of all needs are known.
    for (const auto need : steps[i].needs) levels[i] = std::max(levels[i], levels[need] + 1);
  return levels;
}

/// Megabytes to request for a cell of a table: the peak in records of this folder, else in
/// committed ones, plus a reserve.
class Memory {
 public:
  Memory(const Study& study, const fs::path& results) {
    for (const auto& folder : {results, committed_results(study.name)}) {
      if (!fs::exists(folder)) continue;
      for (const auto& record : cells_in(folder, records::Damage::Skip).all())
        most_[record.cell.table] = std::max(most_[record.cell.table], record.peak_memory_bytes);
      // Records of this folder take precedence: they are of this machine and these settings.
      if (!most_.empty()) return;
    }
  }
  std::int64_t megabytes(const std::string& table) const {
    // A quarter more than measured; 700 MB for the program itself; 4000 MB for an unknown table.
    constexpr double megabyte = 1e6, more = 1.25, program = 700, unknown = 4000;
    const auto at = most_.find(table);
    if (at == most_.end() || at->second == 0) return static_cast<std::int64_t>(unknown);
    return static_cast<std::int64_t>(
        std::ceil(program + more * static_cast<double>(at->second) / megabyte));
  }

 private:
  std::map<std::string, std::int64_t> most_;
};

struct Task {
  std::vector<std::string> cells;
  double seconds = 0, limit = 0;
  std::int64_t megabytes = 0;
};

/// Groups the cells of each level into tasks. Cells of one table share a task until it is long
/// enough.
std::vector<std::vector<Task>> group_tasks(const json& cells) {
  std::map<std::size_t, double> seconds_of;
  for (const auto& cell : cells)
    seconds_of[cell.at("level").get<std::size_t>()] += cell.at("seconds").get<double>();
  std::vector<std::vector<Task>> levels(seconds_of.size());
  std::map<std::pair<std::size_t, std::string>, std::size_t> open;
  for (const auto& cell : cells) {
    const auto level = cell.at("level").get<std::size_t>();
    const auto id = cell.at("id").get<std::string>();
    auto& tasks = levels[level];
    // A level of few seconds gets few tasks; a level of many hours gets tasks of ten minutes.
    const auto enough =
        std::clamp(seconds_of[level] / tasks_per_level, shortest_task, longest_task);
    const auto [at, fresh] = open.try_emplace({level, id.substr(0, id.find('/'))}, tasks.size());
    // The open task of this table is long enough: the next cell starts another.
    if (!fresh && tasks[at->second].seconds >= enough) at->second = tasks.size();
    if (at->second == tasks.size()) tasks.emplace_back();
    auto& task = tasks[at->second];
    task.cells.push_back(id);
    task.seconds += cell.at("seconds").get<double>();
    task.limit += cell.at("limit").get<double>();
    task.megabytes = std::max(task.megabytes, cell.at("memory_mb").get<std::int64_t>());
  }
  return levels;
}

/// Time limit of a cell, seconds: four times the time of such cells in this folder, else twelve
/// times the expected time.
double time_limit(const PlannedCell& planned) { return (planned.measured ? 4 : 12) * planned.cost; }

/// A limit in minutes, at least ten.
std::int64_t minutes_for(double limit) {
  constexpr double least = 10, minute = 60;
  return static_cast<std::int64_t>(std::max(least, std::ceil(limit / minute)));
}

std::string program_path() { return fs::read_symlink("/proc/self/exe").string(); }

void write_slurm(const json& plan, const std::vector<std::vector<Task>>& levels,
                 const fs::path& results, const fs::path& out, int processes) {
  const auto study = plan.at("study").get<std::string>();
  std::string submit =
      "#!/bin/bash\n# Submits the run to Slurm: one array of tasks per level, each after the level before.\nset -eu\n";
  submit += fmt::format("mkdir -p {}\n", shell_quote((out / "log").string()));
  std::string after;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const auto& tasks = levels[level];
    std::string lines;
    double limit = 0;
    std::int64_t megabytes = 0;
    std::size_t cells = 0;
    for (const auto& task : tasks) {
      cells += task.cells.size();
      lines += join(task.cells, "\t") + "\n";
      // One script serves all tasks of the level, so it requests the largest time and memory.
      limit = std::max(limit, task.limit);
      megabytes = std::max(megabytes, task.megabytes);
    }
    const auto base = out / fmt::format("level{}", level);
    write_file(base.string() + ".tasks", lines);
    const auto gpu = plan.at("device") == "cuda" ? "#SBATCH --gpus-per-task=1\n" : "";
    const auto start =
        processes == 1
            ? "exec"
            // Rank 0 runs on this script's node. Its address is used, because a node's name need
            // not resolve.
            : "export MASTER_ADDR=$(scontrol show node \"$SLURMD_NODENAME\" | sed -n 's/.*NodeAddr=\\([^ ]*\\).*/\\1/p')\n"
              "export MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000)) WORLD_SIZE=$SLURM_NTASKS\n"
              "exec srun --kill-on-bad-exit=1 bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID exec \"$@\"' -";
    write_file(
        base.string() + ".sh",
        fmt::format(
            "#!/bin/bash\n#SBATCH --job-name={0}-{1}\n#SBATCH --ntasks={9}\n#SBATCH --cpus-per-task=1\n#SBATCH --mem-per-cpu={2}M\n"
            "#SBATCH --time={3}\n{4}"
            "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --output=\"{5}/log/%x-%A_%a.out\"\n"
            "# Task N of the array runs the cells of line N + FIRST + 1. Finished cells are skipped; killed ones resume.\n"
            "mapfile -t -d $'\\t' cells < <(sed -n \"$((SLURM_ARRAY_TASK_ID + ${{FIRST:-0}} + 1))p\" {6} | tr -d '\\n')\n"
            "{10} {7} cell --results {8} \"${{cells[@]}}\"\n",
            study, level, megabytes, minutes_for(limit), gpu, out.string(),
            shell_quote(base.string() + ".tasks"), shell_quote(program_path()),
            shell_quote(results.string()), processes, start));
    std::string jobs;
    for (std::size_t first = 0; first < tasks.size(); first += longest_array) {
      const auto last = std::min(tasks.size() - first, longest_array) - 1;
      const auto job = fmt::format("level{}_{}", level, first / longest_array);
      submit += fmt::format(
          "{}=$(sbatch --parsable{} --array=0-{} --export=ALL,FIRST={} {})\n", job,
          after.empty() ? "" : " --kill-on-invalid-dep=yes --dependency=afterok" + after, last,
          first, shell_quote(base.string() + ".sh"));
      // The next level depends on all arrays of this one.
      jobs += ":${" + job + "}";
    }
    submit += fmt::format("echo \"level {}: {} cells in {} tasks, job {}\"\n", level, cells,
                          tasks.size(), jobs.substr(1));
    after = jobs;
  }
  write_file(out / "submit.sh", submit);
}

void write_snakefile(const json& plan, std::size_t levels, const fs::path& results,
                     const fs::path& out) {
  // A JSON string is a Python string.
  const auto python = [](const std::string& text) { return json_text(text); };
  std::string text = fmt::format(
      "# snakemake --snakefile {} --cores 2\n"
      "import json, re\n\n"
      "REPRISE = {}\nRESULTS = {}\nDONE = {}\n"
      "CELLS = {{cell[\"id\"]: cell for cell in json.load(open({}))[\"cells\"]}}\n\n\n"
      "def done(cell):\n    return f\"{{DONE}}/{{cell}}\"\n\n\n"
      "def named(level):\n    return \"|\".join(re.escape(id) for id, cell in CELLS.items() if cell[\"level\"] == level)\n\n\n"
      "rule all:\n    input: [done(cell) for cell in CELLS]\n",
      shell_quote((out / "Snakefile").string()), python(program_path()), python(results.string()),
      python((out / "done").string()), python(plan_file(results).string()));
  for (std::size_t level = 0; level < levels; ++level)
    text += fmt::format(
        "\n\nrule level{0}:\n"
        "    input: lambda wildcards: [done(need) for need in CELLS[wildcards.cell][\"needs\"]]\n"
        "    output: touch(DONE + \"/{{cell}}\")\n"
        "    wildcard_constraints: cell = named({0})\n"
        "    resources:\n"
        "        mem_mb = lambda wildcards: CELLS[wildcards.cell][\"memory_mb\"],\n"
        "        runtime = lambda wildcards: CELLS[wildcards.cell][\"minutes\"],\n"
        "        gpu = {1}\n"
        "    shell: \"{{REPRISE:q}} cell {{wildcards.cell:q}} --results {{RESULTS:q}}\"\n",
        level, plan.at("device") == "cuda" ? 1 : 0);
  write_file(out / "Snakefile", text);
}

/// The cells of a plan, as plan.json has them.
json cells_json(const std::vector<Step>& steps, const Memory& memory) {
  const auto levels = list_levels(steps);
  json cells = json::array();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    json needs = json::array();
    for (const auto need : steps[i].needs) needs.push_back(steps[need].planned.cell.id());
    const auto& planned = steps[i].planned;
    cells.push_back({{"id", planned.cell.id()},
                     {"level", levels[i]},
                     {"needs", needs},
                     {"seconds", planned.cost},
                     {"limit", time_limit(planned)},
                     {"minutes", minutes_for(time_limit(planned))},
                     {"memory_mb", memory.megabytes(planned.cell.table)}});
  }
  return cells;
}

json external_json(const std::vector<ExternalMethod>& methods) {
  json list = json::array();
  for (const auto& method : methods)
    list.push_back({{"script", method.kind == ExternalMethod::Kind::TorchScript},
                    {"name", method.name},
                    {"file", fs::absolute(method.file).string()}});
  return list;
}

}  // namespace

EnginePlan write_plan(const Study& study, const RunRequest& requested, Engine engine,
                      const fs::path& out, int processes) {
  if (processes > 1 && engine != Engine::Slurm)
    throw UsageError(fmt::format("--processes {} works only with Slurm", processes),
                     "use --for slurm, or start the processes by torchrun (docs/cluster.md)");
  auto request = requested;
  request.results = results_folder(study, requested);
  const auto& results = request.results;
  if (!request.data.empty()) request.data = fs::absolute(requested.data);
  // A cell is run later, perhaps from another folder.
  if (request.profile.ends_with(".toml")) request.profile = fs::absolute(request.profile).string();
  const auto steps = list_steps(study, request);
  const auto store = cells_in(results);
  // Cells of a plan run in any order on several machines; none may rewrite a packed file.
  for (const auto& step : steps)
    if (store.is_packed(step.planned.cell))
      throw UsageError(results.string() +
                           " holds packed records, and cells of them would run again (" +
                           step.planned.cell.id() + ")",
                       "plan a run in another folder, or continue this one by reprise run");
  const json cells = cells_json(steps, Memory(study, results));
  EnginePlan made{.file = plan_file(results),
                  .out = engine == Engine::Json
                             ? fs::path()
                             : fs::absolute(out.empty() ? results / "plan" : out)};
  for (const auto& step : steps) made.seconds += step.planned.cost;
  const json plan = {{"schema", plan_schema},
                     {"study", study.name},
                     {"version", study.version},
                     {"profile", request.profile},
                     {"set", request.set},
                     {"seeds", request.seeds ? json{{"count", request.seeds->count},
                                                    {"chosen", request.seeds->chosen}}
                                             : json()},
                     {"keep", request.keep},
                     {"device", request.device},
                     {"data", request.data.string()},
                     {"methods", external_json(request.external)},
                     {"cells", cells}};
  write_file(made.file, json_text(plan, 1) + "\n");
  const auto tasks = group_tasks(cells);
  if (engine == Engine::Slurm) write_slurm(plan, tasks, results, made.out, processes);
  if (engine == Engine::Snakemake) write_snakefile(plan, tasks.size(), results, made.out);
  made.cells = cells.size();
  made.levels = tasks.size();
  for (const auto& level : tasks) made.tasks += level.size();
  if (engine != Engine::Slurm) made.tasks = made.cells;
  return made;
}

PlannedRun read_plan(const fs::path& results, const std::vector<std::string>& cells,
                     const std::vector<Study>& studies) {
  const auto file = plan_file(results);
  if (!fs::exists(file))
    throw UsageError(results.string() + " has no plan.json",
                     "write one: reprise plan STUDY --for slurm");
  try {
    const auto plan = parse_json(read_file(file), file.string(), plan_again);
    if (plan.at("schema") != plan_schema)
      throw UsageError(file.string() + " is of another version of this program", plan_again);
    PlannedRun run{.study = plan.at("study").get<std::string>(), .request = {}};
    const auto version = plan.at("version").get<int>(),
               now = study_named(studies, run.study).version;
    if (version != now)
      throw UsageError(fmt::format("{} is of version {} of {}, which is at version {} now",
                                   file.string(), version, run.study, now),
                       plan_again);
    std::vector<std::string> known;
    for (const auto& cell : plan.at("cells")) known.push_back(cell.at("id").get<std::string>());
    for (const auto& cell : cells)
      if (std::find(known.begin(), known.end(), cell) == known.end())
        throw unknown("cell of the plan", cell, known);
    auto& request = run.request;
    request.profile = plan.at("profile").get<std::string>();
    request.set = plan.at("set").get<std::vector<std::string>>();
    if (const auto& seeds = plan.at("seeds"); !seeds.is_null()) {
      request.seeds = Seeds(seeds.at("count").get<std::int64_t>());
      request.seeds->chosen = seeds.at("chosen").get<std::vector<std::int64_t>>();
    }
    request.keep = plan.at("keep").get<bool>();
    request.device = plan.at("device").get<std::string>();
    request.data = plan.at("data").get<std::string>();
    request.results = results;
    request.only = cells;
    // The engine starts each cell itself, so a cell runs no others.
    request.alone = true;
    for (const auto& method : plan.at("methods"))
      request.external.push_back({.kind = method.at("script").get<bool>()
                                              ? ExternalMethod::Kind::TorchScript
                                              : ExternalMethod::Kind::Predictions,
                                  .name = method.at("name").get<std::string>(),
                                  .file = method.at("file").get<std::string>()});
    return run;
  } catch (const json::exception& error) {
    throw UsageError(file.string() + " cannot be read: " + error.what(), plan_again);
  }
}

std::string describe_progress(const fs::path& results) {
  std::vector<std::string> parts;
  if (const auto file = plan_file(results); fs::exists(file)) {
    std::set<std::string> done;
    for (const auto& record : cells_in(results, records::Damage::Skip).all())
      if (record.status == records::Status::Done) done.insert(record.cell.id());
    const auto cells =
        parse_json(read_file(file), file.string(), plan_again).value("cells", json::array());
    const auto there = std::count_if(cells.begin(), cells.end(), [&](const json& cell) {
      return done.contains(cell.value("id", ""));
    });
    if (static_cast<std::size_t>(there) < cells.size())
      parts.push_back(fmt::format("{} of {} planned cells are done", there, cells.size()));
  }
  if (const auto running = holders(results); !running.empty()) {
    std::set<std::string> hosts;
    for (const auto& holder : running) hosts.insert(holder.host);
    parts.push_back(fmt::format("{} run{} now ({})", running.size(), running.size() == 1 ? "s" : "",
                                join({hosts.begin(), hosts.end()}, ", ")));
  }
  return join(parts, ", ");
}

}  // namespace reprise::reproduce
