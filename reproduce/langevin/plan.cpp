// The plan of study langevin: networks, methods and their searches.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "experiments/published_weights.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/methods.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"

namespace reprise::reproduce::langevin_study {
namespace {

/// Lists the sections of tables that a cell reads: its own, and those that its table needs.
std::set<std::string> list_table_sections(const records::Cell& cell) {
  const auto own = base_table(cell.table);
  std::set<std::string> sections{own};
  const auto add = [&](const std::vector<std::string>& more) {
    sections.insert(more.begin(), more.end());
  };
  for (const auto& table : method_tables())
    if (table.name == own) add(table.reads);
  if (is_exact(cell.dataset)) add(find_exact_data(cell.dataset).reads);
  return sections;
}

/// Lists the sections of settings that a cell reads.
/// No cell reads the lists of methods and domains, so that lists can grow. A trial does not read
/// its search, so that a grid can be widened.
std::vector<std::string> list_sections_read(const records::Cell& cell) {
  std::vector<std::string> reads{"resampled", "gpu"};
  for (const auto& domain : domains())
    if (cell.dataset == domain.name) reads.push_back(domain.name);
  auto own = base_table(cell.table);
  // A front reads the settings of the table whose trials it compares.
  if (cell.table == pareto_front_table) own = is_exact(cell.dataset) ? exact_table : "churn";
  const auto searched =
      std::any_of(method_tables().begin(), method_tables().end(),
                  [&own](const MethodTable& table) { return table.name == own && table.searched; });
  // The chosen hyperparameters depend on the search.
  if (searched && !records::is_trial(cell))
    reads.insert(reads.end(), {"search.seeds", "search." + own});
  for (const auto& table : list_table_sections(cell))
    if (table != prior_table && table != pareto_front_table) reads.push_back(table);
  // All but networks use inversions, or their levels.
  if (cell.table != prior_table) reads.emplace_back("inversion");
  // Exact data use no network.
  if (is_exact(cell.dataset)) return reads;
  reads.emplace_back("prior");
  if (cell.table != prior_table || find_network(cell.method) == Network::Evaluator)
    reads.emplace_back("evaluator");
  return reads;
}

/// Adds the cells of one seed to a plan.
class SeedPlan {
 public:
  SeedPlan(const Settings& settings, std::int64_t seed, std::vector<PlannedCell>& cells)
      : settings_(settings), seed_(seed), cells_(cells) {}

  void add_exact() {
    if (seed_ < settings_.integer("seeds"))
      for (const auto& form : models::churn_forms())
        cells_.push_back({.cell = cell(exact_table, "gaussian", form.id, seed_)});
    for (const auto& table : {exact_table, std::string("inversion"), std::string("latent")})
      // Exact data need no trained network, so D' is D.
      for (const auto& method : settings_.texts("methods." + table))
        if (const auto config = parse_configuration(method, table);
            config.method.aux == Network::Main)
          add(cell(table, "mixture", method, seed_), config, {});
  }

  /// Adds the networks of a domain, and their samples.
  void add_networks(const Domain& domain) {
    // Seeds that share priors do not train them again.
    if (prior_seed(settings_, seed_) == seed_)
      for (const auto which : list_denoisers(domain, settings_))
        cells_.push_back({.cell = network(domain, which)});
    // One evaluator serves all seeds.
    if (seed_ == evaluator_seed) cells_.push_back({.cell = network(domain, Network::Evaluator)});
    if (seed_ < settings_.integer("seeds"))
      cells_.push_back(
          {.cell = cell(quality_table, domain.name, network_name(Network::Main), seed_),
           .needs = {network(domain, Network::Main), network(domain, Network::Evaluator)}});
  }

  void add_domain(const Domain& domain) {
    add_networks(domain);
    for (const auto& table : method_tables())
      if (domain.shows(table.name))
        for (const auto& name : settings_.texts("methods." + table.name))
          if (const auto config = parse_configuration(name, table.name);
              domain.has_likelihood_network || config.method.aux == Network::Main)
            add_method(name, config, table, domain);
  }

  /// Adds a method's cell and the trials of its search.
  void add_method(const std::string& name, const Configuration& config, const MethodTable& table,
                  const Domain& domain) {
    std::vector<records::Cell> needs{network(domain, Network::Evaluator)};
    for (const auto which : list_denoisers(domain, settings_))
      needs.push_back(network(domain, which));
    add(cell(table.name, domain.name, name, seed_), config, needs);
  }

 private:
  void add(const records::Cell& own, const Configuration& config,
           const std::vector<records::Cell>& needs) {
    PlannedCell planned{.cell = own, .needs = needs};
    const auto search = make_search(own, config, settings_);
    // Trials run for the first seeds.
    for (const auto& trial : trial_cells(search))
      if (trial.seed == seed_) cells_.push_back({.cell = trial, .needs = needs});
    if (seed_ < settings_.integer("seeds")) {
      cells_.push_back(planned);
      add_search(cells_.back(), search);
    }
    // Fronts of the study's own methods only.
    const bool has_front = own.table == "churn" || own.table == exact_table;
    if (seed_ == 0 && search.chooses() && has_front && config.method.aux_script.empty()) {
      cells_.push_back({.cell = cell(pareto_front_table, own.dataset, own.method, 0), .needs = {}});
      add_search(cells_.back(), search);
    }
  }

  records::Cell network(const Domain& domain, Network which) const {
    return cell(prior_table, domain.name, network_name(which),
                which == Network::Evaluator ? evaluator_seed : prior_seed(settings_, seed_));
  }

  const Settings& settings_;
  std::int64_t seed_;
  std::vector<PlannedCell>& cells_;
};

/// Returns the number of planned seeds: those of the cells, and those of the searches.
std::int64_t count_seeds(const Settings& settings) {
  return std::max(settings.integer("seeds"), settings.integer("search.seeds"));
}

}  // namespace

std::vector<Network> list_denoisers(const Domain& domain, const Settings& settings) {
  if (!domain.has_likelihood_network) return {Network::Main};
  for (const auto& table : domain.tables)
    for (const auto& method : settings.texts("methods." + table))
      if (parse_configuration(method, table).method.aux == Network::Small)
        return {Network::Main, Network::Other, Network::Small};
  return {Network::Main, Network::Other};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  // Refuses an unknown source before anything runs.
  for (const auto& domain : list_trained_domains(settings)) need_data(domain, settings, {});
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < count_seeds(settings); ++seed) {
    SeedPlan seed_plan(settings, seed, cells);
    seed_plan.add_exact();
    for (const auto& domain : settings.texts("domains")) seed_plan.add_domain(find_domain(domain));
    for (const auto& domain : settings.texts("priors_only"))
      seed_plan.add_networks(find_domain(domain));
  }
  // Trials of "backprop" and of "backprop+langevin=0.3" can coincide.
  std::set<std::string> planned_before;
  std::erase_if(cells, [&planned_before](const PlannedCell& planned) {
    return !planned_before.insert(planned.cell.id()).second;
  });
  for (auto& planned : cells) {
    planned.reads = list_sections_read(planned.cell);
    planned.missing = find_missing(planned.cell, settings, data);
  }
  return cells;
}

std::vector<Missing> find_missing(const records::Cell& cell, const Settings& settings,
                                  const DataFolder& data) {
  if (!is_exact(cell.dataset)) need_data(cell.dataset, settings, data);
  // Profile paper trains networks that need a GPU.
  if (settings.flag("gpu"))
    need_cuda(data, "networks of 50 million weights",
              "--profile small, or --set gpu=false to run anyway");
  return data.take_missing();
}

std::vector<PlannedCell> plan_method(const PriorMethod& method, const Settings& settings) {
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < count_seeds(settings); ++seed) {
    SeedPlan seed_plan(settings, seed, cells);
    for (const auto& name : settings.texts("domains"))
      for (const auto& table : method_tables())
        if (const auto& domain = find_domain(name);
            domain.has_likelihood_network && domain.shows(table.name) &&
            method.runs_in(table.name) && !settings.texts("methods." + table.name).empty())
          seed_plan.add_method(method.info.id, {.method = method}, table, domain);
  }
  for (auto& planned : cells) planned.reads = list_sections_read(planned.cell);
  return cells;
}

std::vector<PlannedCell> plan_samples(const std::string& name, const Domain& domain,
                                      const Settings& settings) {
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
    cells.push_back({.cell = cell(quality_table, domain.name, name, seed),
                     .needs = {cell(prior_table, domain.name, network_name(Network::Evaluator),
                                    evaluator_seed)}});
  for (auto& planned : cells) planned.reads = list_sections_read(planned.cell);
  return cells;
}

}  // namespace reprise::reproduce::langevin_study
