#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/variants.h"
#include "reproduce/replicates.h"

namespace reprise::reproduce::langevin_study {
namespace {

/// Tables whose methods have settings that are chosen on validation items.
const std::set<std::string> searched{"steering", "completion", "painting", "extension"};

void check(const Settings& settings, const std::filesystem::path& data) {
  for (const auto* key : {"seeds", "prior.batch", "prior.steps_an_epoch", "judge.batch", "judge.steps", "quality.samples", "quality.steps",
                          "inversion.items", "churn.items", "churn.rounds", "steering.items", "steering.rounds", "completion.items",
                          "completion.rounds", "exact.items", "exact.mixture_items", "object.rounds", "object.sds_steps"})
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
    if (section == "quality") return searched_table(cell.table) == "extension" || cell.table == "churn";
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

/// Expected seconds of cells, roughly: for the order and for the time left. What counts is how often a network is evaluated.
class Costs {
 public:
  Costs(const Settings& settings, std::string world) : settings_(settings), world_(std::move(world)) {}

  double training(bool small) const {
    const auto steps = number(world_ + (small ? ".small_epochs" : ".epochs")) * number("prior.steps_an_epoch");
    return steps * number("prior.batch") * with_gradient * evaluation(small);
  }
  double judge() const { return number("judge.steps") * number("judge.batch") * evaluation(false) / 2; }
  double quality() const {
    const auto guidances = static_cast<double>(settings_.numbers("quality.guidance").size());
    const auto samples = guidances * number("quality.trial_samples") + 2 * number("quality.samples");
    return samples * 2 * guided * number("quality.steps") * evaluation(false);
  }
  double table(const std::string& table, const std::string& method) const {
    const auto round = inversion(method) + 2 * guided * evaluation(false);
    if (table == "inversion")
      return 2 * number("inversion.items") * static_cast<double>(settings_.numbers("inversion.sigmas").size()) * round;
    const auto rounds = number(table + ".rounds");
    if (table == "extension") return number("extension.objects") * number("extension.times") * rounds * round;
    if (table == "object") {
      const auto views = number("object.objects") * number("object.cameras");
      return rounds * (views * round + number("object.fit_steps") * number("object.rays") * number("object.samples") * 5e-6);
    }
    return number(table + ".items") * rounds * round;
  }

 private:
  static constexpr double with_gradient = 3, guided = 1.7;  // evaluations' worth
  double number(const std::string& key) const { return settings_.number(key); }

  /// An item's, by the products of the convolutions, on one core.
  double evaluation(bool small) const {
    const bool sounds = world_ == "sounds";
    auto places = number(world_ + (sounds ? ".bands" : ".size")) * number(world_ + (sounds ? ".frames" : ".size"));
    places /= std::pow(number(world_ + ".patch"), 2);
    double products = 0;
    for (const auto channels : settings_.numbers(world_ + (small ? ".small_channels" : ".channels"))) {
      products += places * channels * channels;
      places /= 4;
    }
    return products * number(world_ + ".blocks") * 3e-9;
  }
  double inversion(const std::string& method) const {
    const auto base = variant_of(method).base;
    const auto cost = evaluation(base.ends_with("_small") && world_ == "digits");
    if (base.find("naive") != std::string::npos) return 0;
    if (base.find("ode") != std::string::npos) return number("inversion.ode_steps") * cost;
    return with_gradient * number("inversion.adam_steps") * cost;  // and as much for what is compared with it
  }

  const Settings& settings_;
  std::string world_;
};

}  // namespace

std::vector<std::string> prior_names(const std::string& world, const Settings& settings) {
  if (world != "digits") return {"edm"};
  for (const std::string table : {"inversion", "churn", "steering", "completion"})
    for (const auto& method : settings.texts(table + ".methods"))
      if (variant_of(method).base.ends_with("_small")) return {"edm", "other", "small"};
  return {"edm", "other"};
}

std::vector<PlannedCell> plan(const Settings& settings, const std::filesystem::path& data) {
  check(settings, data);
  std::vector<PlannedCell> cells;
  const auto worlds = settings.texts("worlds");
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
    for (const auto& form : {"langevin", "balanced", "sigma_in_root", "beta_out_of_root"})
      cells.push_back({.cell = cell("exact", "gaussian", form, seed), .cost = 5});
    for (const auto& method : settings.texts("exact.methods")) cells.push_back({.cell = cell("exact", "mixture", method, seed), .cost = 5});
    for (const auto& world : worlds) {
      const Costs costs(settings, world);
      const auto network = [&](const std::string& name) { return cell("prior", world, name, data_seed(settings, seed)); };
      const auto priors = prior_names(world, settings);
      if (seed < data_seeds(settings)) {
        for (const auto& name : priors) cells.push_back({.cell = network(name), .cost = costs.training(name == "small")});
        cells.push_back({.cell = network("judge"), .cost = costs.judge()});
      }
      cells.push_back({.cell = cell("quality", world, "edm", seed), .needs = {network("edm"), network("judge")}, .cost = costs.quality()});
      std::vector<records::Cell> needs{network("judge")};
      for (const auto& name : priors) needs.push_back(network(name));
      const auto add = [&](const std::string& table) {
        for (const auto& method : settings.texts(table + ".methods")) {
          const auto cost = costs.table(table, method);
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
        add("object");
        continue;
      }
      if (world != "digits") {
        add("extension");
        continue;
      }
      for (const auto* table : {"inversion", "churn", "steering", "completion", "painting"}) add(table);
    }
  }
  for (auto& planned : cells) planned.apart = without_part(planned.cell);
  return cells;
}

void run(CellContext& context) {
  const auto table = searched_table(context.record.cell.table);
  if (table == "prior") return context.record.cell.method == "judge" ? run_judge(context) : run_prior(context);
  static const Runs runs{{"quality", run_quality},   {"exact", run_exact},         {"inversion", run_inversion},
                         {"churn", run_churn},       {"steering", run_steering},   {"completion", run_completion},
                         {"painting", run_painting}, {"extension", run_extension}, {"object", run_object}};
  run_table(runs, table, context);
}

}  // namespace reprise::reproduce::langevin_study
