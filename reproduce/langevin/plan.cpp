#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "experiments/published_weights.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/methods.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/variants.h"

namespace reprise::reproduce::langevin_study {
namespace {

/// Sections of tables that a cell reads: its own, and those that its own asks for.
std::set<std::string> sections_of(const records::Cell& cell) {
  const auto own = searched_table(cell.table);
  std::set<std::string> sections{own};
  const auto add = [&](const std::vector<std::string>& more) {
    sections.insert(more.begin(), more.end());
  };
  for (const auto& table : method_tables())
    if (table.name == own) add(table.reads);
  if (is_exact(cell.dataset)) add(exact_data(cell.dataset).reads);
  return sections;
}

/// Which methods and domains there are is read by no cell, so that one may be added; a trial is
/// what its name says, so that a grid may be widened.
std::vector<std::string> reads(const records::Cell& cell) {
  std::vector<std::string> reads{"replicates", "gpu"};
  for (const auto& domain : domains())
    if (cell.dataset == domain.name) reads.push_back(domain.name);
  const auto own = cell.table == frontier_table ? is_exact(cell.dataset) ? exact_table : "churn"
                                                : searched_table(cell.table);
  const auto searched =
      std::any_of(method_tables().begin(), method_tables().end(),
                  [&own](const MethodTable& table) { return table.name == own && table.searched; });
  if (searched && !records::is_trial(cell))
    reads.insert(reads.end(), {"search.seeds", "search." + own});
  for (const auto& table : sections_of(cell))
    if (table != prior_table && table != frontier_table) reads.push_back(table);
  if (cell.table != prior_table) reads.emplace_back("inversion");
  if (is_exact(cell.dataset)) return reads;
  reads.emplace_back("prior");
  if (cell.table != prior_table || network_named(cell.method) == Network::Evaluator)
    reads.emplace_back("judge");
  return reads;
}

/// The cells of a replicate, as they are planned.
class Replicate {
 public:
  Replicate(const Settings& settings, std::int64_t seed, std::vector<PlannedCell>& cells)
      : settings_(settings), seed_(seed), cells_(cells) {}

  void add_exact() {
    if (seed_ < settings_.integer("seeds"))
      for (const auto& form : models::churn_forms())
        cells_.push_back({.cell = cell(exact_table, "gaussian", form.id, seed_)});
    for (const auto& table : {exact_table, std::string("inversion"), std::string("latent")})
      for (const auto& method : settings_.texts("methods." + table))  // no network takes part
        if (const auto variant = variant_of(method, table); variant.method.aux == Network::Main)
          add(cell(table, "mixture", method, seed_), variant, {});
  }

  /// All but methods: networks, and what they sample.
  void add_networks(const Domain& domain) {
    if (network_replicate(settings_, seed_) == seed_)
      for (const auto which : denoisers_of(domain, settings_))
        cells_.push_back({.cell = network(domain, which)});
    if (seed_ == evaluator_seed) cells_.push_back({.cell = network(domain, Network::Evaluator)});
    if (seed_ < settings_.integer("seeds"))
      cells_.push_back(
          {.cell = cell(quality_table, domain.name, name_of(Network::Main), seed_),
           .needs = {network(domain, Network::Main), network(domain, Network::Evaluator)}});
  }

  void add_domain(const Domain& domain) {
    add_networks(domain);
    for (const auto& table : method_tables())
      if (domain.shows(table.name))
        for (const auto& name : settings_.texts("methods." + table.name))
          if (const auto variant = variant_of(name, table.name);
              domain.judged || variant.method.aux == Network::Main)
            add_method(name, variant, table, domain);
  }

  /// A method's cell and, where it is searched, its trials.
  void add_method(const std::string& name, const Variant& variant, const MethodTable& table,
                  const Domain& domain) {
    std::vector<records::Cell> needs{network(domain, Network::Evaluator)};
    for (const auto which : denoisers_of(domain, settings_))
      needs.push_back(network(domain, which));
    add(cell(table.name, domain.name, name, seed_), variant, needs);
  }

 private:
  void add(const records::Cell& own, const Variant& variant,
           const std::vector<records::Cell>& needs) {
    PlannedCell planned{.cell = own, .needs = needs};
    const auto search = search_for(own, variant, settings_);
    for (const auto& trial : trial_cells(search))
      if (trial.seed == seed_) cells_.push_back({.cell = trial, .needs = needs});
    if (seed_ < settings_.integer("seeds")) {
      cells_.push_back(planned);
      add_search(cells_.back(), search);
    }
    const bool drawn =
        own.table == "churn" || own.table == exact_table;  // and only the study's own methods
    if (seed_ == 0 && search.chooses() && drawn && variant.method.aux_script.empty()) {
      cells_.push_back({.cell = cell(frontier_table, own.dataset, own.method, 0), .needs = {}});
      add_search(cells_.back(), search);
    }
  }

  records::Cell network(const Domain& domain, Network which) const {
    return cell(prior_table, domain.name, name_of(which),
                which == Network::Evaluator ? evaluator_seed : network_replicate(settings_, seed_));
  }

  const Settings& settings_;
  std::int64_t seed_;
  std::vector<PlannedCell>& cells_;
};

/// Those that run, and those of the search before them.
std::int64_t planned_seeds(const Settings& settings) {
  return std::max(settings.integer("seeds"), settings.integer("search.seeds"));
}

}  // namespace

std::vector<Network> denoisers_of(const Domain& domain, const Settings& settings) {
  if (!domain.judged) return {Network::Main};
  for (const auto& table : domain.tables)
    for (const auto& method : settings.texts("methods." + table))
      if (variant_of(method, table).method.aux == Network::Small)
        return {Network::Main, Network::Other, Network::Small};
  return {Network::Main, Network::Other};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  for (const auto& domain : trained_domains(settings))
    need_data(domain, settings, {});  // refuses an unknown source
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < planned_seeds(settings); ++seed) {
    Replicate replicate(settings, seed, cells);
    replicate.add_exact();
    for (const auto& domain : settings.texts("worlds")) replicate.add_domain(domain_named(domain));
    for (const auto& domain : settings.texts("priors_only"))
      replicate.add_networks(domain_named(domain));
  }
  // A trial of "backprop" may be one of "backprop+langevin=0.3" too.
  std::set<std::string> planned_before;
  std::erase_if(cells, [&planned_before](const PlannedCell& planned) {
    return !planned_before.insert(planned.cell.id()).second;
  });
  for (auto& planned : cells) {
    planned.reads = reads(planned.cell);
    planned.missing = missing_for(planned.cell, settings, data);
  }
  return cells;
}

std::vector<Missing> missing_for(const records::Cell& cell, const Settings& settings,
                                 const DataFolder& data) {
  if (!is_exact(cell.dataset)) need_data(cell.dataset, settings, data);
  if (settings.flag("gpu"))
    need_cuda(data, "networks of 50 million weights",
              "--profile desk, or --set gpu=false all the same");
  return data.take_missing();
}

std::vector<PlannedCell> plan_method(const PriorMethod& method, const Settings& settings) {
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < planned_seeds(settings); ++seed) {
    Replicate replicate(settings, seed, cells);
    for (const auto& name : settings.texts("worlds"))
      for (const auto& table : method_tables())
        if (const auto& domain = domain_named(name);
            domain.judged && domain.shows(table.name) && method.runs_in(table.name) &&
            !settings.texts("methods." + table.name).empty())
          replicate.add_method(method.info.id, {.method = method}, table, domain);
  }
  for (auto& planned : cells) planned.reads = reads(planned.cell);
  return cells;
}

std::vector<PlannedCell> plan_samples(const std::string& name, const Domain& domain,
                                      const Settings& settings) {
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
    cells.push_back(
        {.cell = cell(quality_table, domain.name, name, seed),
         .needs = {cell(prior_table, domain.name, name_of(Network::Evaluator), evaluator_seed)}});
  for (auto& planned : cells) planned.reads = reads(planned.cell);
  return cells;
}

}  // namespace reprise::reproduce::langevin_study
