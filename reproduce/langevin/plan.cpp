#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "reproduce/langevin/cells.h"

namespace reprise::reproduce::langevin_study {
namespace {

/// Tables whose methods have settings that are chosen on validation items.
const std::set<std::string> searched{"steering", "completion", "painting"};

void check(const Settings& settings, const std::filesystem::path& data) {
  for (const auto* key :
       {"seeds", "prior.batch", "prior.steps_an_epoch", "judge.batch", "judge.steps", "quality.samples", "quality.steps", "inversion.items",
        "churn.items", "churn.rounds", "steering.items", "steering.rounds", "completion.items", "completion.rounds", "exact.items"})
    if (settings.integer(key) < 1)
      throw UsageError(fmt::format("{} is {}, expected at least 1", key, settings.integer(key)), fmt::format("--set {}=1", key));
  if (settings.flag("gpu") && !torch::cuda::is_available())
    throw UsageError("this profile trains networks of 50 million weights, and there is no CUDA device here: a cell would take days",
                     "run the desk profile (./reprise run langevin --profile desk --data DIR), or say --set gpu=false all the same");
  std::vector<std::string> missing;
  for (const auto& world : settings.texts("worlds"))
    if (const auto lacks = missing_data(world, settings, data); !lacks.empty()) missing.push_back(lacks);
  if (!missing.empty())
    throw UsageError(fmt::format("this profile needs recorded data; missing below --data {}: {}",
                                 data.empty() ? "(not given)" : data.string(), join(missing, ", ")),
                     "give the folder that holds them with --data DIR, or run on generated data: --set digits.source=drawn, likewise for "
                     "the other worlds");
}

/// Sections that have no part in a cell.
std::vector<std::string> without_part(const records::Cell& cell) {
  static const std::vector<std::string> worlds{"digits", "landscapes", "videos", "sounds", "solids"};
  static const std::vector<std::string> tables{"quality", "exact", "churn", "steering", "completion", "painting", "extension", "object"};
  std::vector<std::string> apart;
  for (const auto& world : worlds)
    if (cell.dataset != world) apart.push_back(world);
  const auto uses = [&cell](const std::string& section) {
    if (searched_table(cell.table) == section) return true;
    if (section == "churn") return cell.dataset == "mixture";
    if (section == "quality") return cell.table == "extension" || cell.table == "churn";
    return false;
  };
  for (const auto& table : tables)
    if (!uses(table)) apart.push_back(table);
  if (cell.table == "prior") {
    apart.emplace_back("inversion");
    if (cell.method != "judge") apart.emplace_back("judge");
  }
  if (cell.table == "exact") apart.insert(apart.end(), {"prior", "judge"});
  return apart;
}

/// Expected seconds, roughly: what trains goes first.
double training_cost(const Settings& settings, const std::string& world, bool small) {
  const auto epochs = static_cast<double>(settings.integer(world + (small ? ".small_epochs" : ".epochs")));
  return epochs * static_cast<double>(settings.integer("prior.steps_an_epoch") * settings.integer("prior.batch")) * 5e-3;
}

}  // namespace

std::vector<PlannedCell> plan(const Settings& settings, const std::filesystem::path& data) {
  check(settings, data);
  std::vector<PlannedCell> cells;
  const auto worlds = settings.texts("worlds");
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
    for (const auto& form : {"langevin", "balanced", "sigma_in_root", "beta_out_of_root"})
      cells.push_back({.cell = cell("exact", "gaussian", form, seed), .cost = 5});
    for (const auto& method : settings.texts("exact.methods")) cells.push_back({.cell = cell("exact", "mixture", method, seed), .cost = 5});
    for (const auto& world : worlds) {
      const auto network = [&](const std::string& name) { return cell("prior", world, name, seed); };
      std::vector<std::string> priors{"edm"};
      if (world == "digits") priors.insert(priors.end(), {"other", "small"});
      for (const auto& name : priors) cells.push_back({.cell = network(name), .cost = training_cost(settings, world, name == "small")});
      cells.push_back({.cell = network("judge"), .cost = 10});
      cells.push_back({.cell = cell("quality", world, "edm", seed), .needs = {network("edm"), network("judge")}, .cost = 20});
      std::vector<records::Cell> needs{network("edm"), network("judge")};
      if (world == "digits") needs.insert(needs.end(), {network("other"), network("small")});
      const auto add = [&](const std::string& table, double cost) {
        for (const auto& method : settings.texts(table + ".methods")) {
          PlannedCell planned{.cell = cell(table, world, method, seed), .needs = needs, .cost = cost};
          const auto tried = searched.contains(table) ? candidates(method, table, settings) : std::vector<std::string>{};
          if (tried.size() > 1)
            for (const auto& candidate : tried) {
              const auto trial = cell("search_" + table, world, method + "+" + candidate, 0);
              planned.needs.push_back(trial);
              if (seed == 0) cells.push_back({.cell = trial, .needs = needs, .cost = cost});
            }
          cells.push_back(planned);
        }
      };
      if (world == "solids") {
        add("object", 60);
        continue;
      }
      if (world != "digits") {
        add("extension", 30);
        continue;
      }
      for (const auto* table : {"inversion", "churn", "steering", "completion", "painting"}) add(table, 30);
    }
  }
  for (auto& planned : cells) planned.apart = without_part(planned.cell);
  return cells;
}

void run(CellContext& context) {
  const auto table = searched_table(context.record.cell.table);
  if (table == "prior") return context.record.cell.method == "judge" ? run_judge(context) : run_prior(context);
  if (table == "quality") return run_quality(context);
  if (table == "exact") return run_exact(context);
  if (table == "inversion") return run_inversion(context);
  if (table == "churn") return run_churn(context);
  if (table == "steering") return run_steering(context);
  if (table == "completion") return run_completion(context);
  if (table == "painting") return run_painting(context);
  if (table == "extension") return run_extension(context);
  run_object(context);
}

}  // namespace reprise::reproduce::langevin_study
