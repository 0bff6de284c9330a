#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/methods.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/judge.h"
#include "reproduce/langevin/variants.h"

namespace reprise::reproduce::langevin_study {
namespace {

void check(const Settings& settings, const DataFolder& data) {
  settings.at_least({"seeds",
                     "search.seeds",
                     "prior.batch",
                     "prior.steps_an_epoch",
                     "judge.batch",
                     "judge.steps",
                     "quality.samples",
                     "quality.steps",
                     "inversion.items",
                     "latent.items",
                     "latent.rounds",
                     "churn.items",
                     "churn.rounds",
                     "steering.items",
                     "steering.rounds",
                     "completion.items",
                     "completion.rounds",
                     "exact.items",
                     "exact.mixture_items",
                     "object.rounds",
                     "object.sds_steps"},
                    1);
  for (const auto& world : trained_worlds(settings))
    for (const auto* part : {".prior", ".judge", ".validation", ".test"}) settings.at_least({(world_info(world).name + part).c_str()}, 1);
  if (settings.flag("gpu") && !torch::cuda::is_available())
    throw UsageError("this profile trains networks of 50 million weights, and there is no CUDA device here: a cell would take days",
                     "run the desk profile (./reprise run langevin --profile desk --data DIR), or say --set gpu=false all the same");
  std::vector<std::string> missing;
  for (const auto& world : trained_worlds(settings))
    if (const auto lacks = missing_data(world, settings, data); !lacks.empty()) missing.push_back(lacks);
  if (!missing.empty())
    throw UsageError(fmt::format("this profile needs recorded data; missing below --data {}: {}", data.shown(), join(missing, ", ")),
                     "give the folder that holds them with --data DIR, or run on generated data: --set digits.source=drawn, likewise for "
                     "the other worlds");
}

/// Sections of tables that a cell reads: its own, and those that its own asks for.
std::set<std::string> sections_of(const records::Cell& cell) {
  const auto own = searched_table(cell.table);
  std::set<std::string> sections{own};
  const auto add = [&](const std::vector<std::string>& more) { sections.insert(more.begin(), more.end()); };
  for (const auto& table : method_tables())
    if (table.name == own) add(table.reads);
  if (is_exact(cell.dataset)) add(exact_data(cell.dataset).reads);
  return sections;
}

/// Sections that have no part in a cell: which methods and worlds there are has none, so that one may be added; a trial is what its name says,
/// so that a grid may be widened.
std::vector<std::string> without_part(const records::Cell& cell) {
  static const std::vector<std::string> tables{"quality",  "exact",     "churn",  "steering", "completion",
                                               "painting", "extension", "object", "latent"};
  std::vector<std::string> apart{"methods", "worlds", "priors_only"};
  for (const auto& world : worlds())
    if (cell.dataset != world.name) apart.push_back(world.name);
  const auto sections = sections_of(cell);
  const auto own = cell.table == frontier_table ? is_exact(cell.dataset) ? exact_table : "churn" : searched_table(cell.table);
  const auto searched = std::any_of(method_tables().begin(), method_tables().end(),
                                    [&own](const MethodTable& table) { return table.name == own && table.searched; });
  if (!searched || is_search(cell.table)) apart.emplace_back("search");
  for (const auto& table : tables) {
    if (!sections.contains(table)) apart.push_back(table);
    if (table != own) apart.push_back("search." + table);
  }
  if (cell.table == prior_table) {
    apart.emplace_back("inversion");
    if (network_named(cell.method) != Network::Judge) apart.emplace_back("judge");
  }
  if (is_exact(cell.dataset)) apart.insert(apart.end(), {"prior", "judge"});
  return apart;
}

/// Expected seconds of cells, roughly: for the order and for the time left. What counts is how often a network is evaluated.
class Costs {
 public:
  Costs(const Settings& settings, const WorldInfo& world) : settings_(settings), world_(world) {}

  double training(Network network) const {
    if (network == Network::Judge) return number("judge.steps") * number("judge.batch") * evaluation(Network::Main) / 2;
    const auto steps = number(key(network, "epochs")) * number("prior.steps_an_epoch");
    return steps * number("prior.batch") * with_gradient * evaluation(network);
  }
  double quality() const {
    const auto guidances = static_cast<double>(settings_.numbers("quality.guidance").size());
    const auto samples = guidances * number("quality.trial_samples") + 2 * number("quality.samples");
    return samples * 2 * guided * number("quality.steps") * evaluation(Network::Main);
  }
  double table(const MethodTable& table, const PriorMethod& method) const {
    const auto round = (method.algorithm == Algorithm::Renoising ? 0 : inversion(method)) + 2 * guided * evaluation(Network::Main);
    const auto of = [&](const std::string& setting) { return number(table.name + "." + setting); };
    const auto sampled = 2 * guided * number("quality.steps") * evaluation(Network::Main);
    switch (method.algorithm) {
      case Algorithm::Nothing:
      case Algorithm::RealItems:
        return nothing;
      case Algorithm::Sdedit:
        return of("items") * sampled;
      case Algorithm::Repaint:
        return of("items") * of("rounds") * usual_resamplings * 2 * evaluation(Network::Main);
      case Algorithm::IndependentCrops:
        return of("objects") * of("times") * sampled;
      case Algorithm::MultiDiffusion:  // windows begin at quarters of each other
        return of("objects") * 4 * of("times") * sampled;
      default:
        break;
    }
    const auto fitted = [&] { return of("rounds") * of("fit_steps") * of("rays") * of("samples") * 5e-6; };
    if (method.algorithm == Algorithm::ReferenceAlone) return fitted();
    switch (table.work) {
      case Work::ItemsAtEveryLevel: {  // on the manifold and off it
        const auto items = 2 * of("items") * static_cast<double>(settings_.numbers(table.name + ".sigmas").size());
        const auto churns = table.name == "latent" ? of("rounds") * evaluation(Network::Main) : 0;
        return items * (round + churns);
      }
      case Work::Windows:
        return of("objects") * of("times") * of("rounds") * round;
      case Work::Views:
        return of("rounds") * of("objects") * of("cameras") * round + fitted();
      case Work::Items:
        break;
    }
    return of("items") * of("rounds") * round;
  }

 private:
  static constexpr double with_gradient = 3, guided = 1.7;  // evaluations' worth
  static constexpr double usual_resamplings = 6;            // between those that are tried
  static constexpr double nothing = 1;                      // of a cell that only reads and judges
  double number(const std::string& key) const { return settings_.number(key); }
  std::string key(Network network, const std::string& name) const { return setting_of(world_.name, network, name); }

  /// An item's, by the products of the convolutions, on one core.
  double evaluation(Network network) const {
    auto places = number(world_.name + "." + world_.height) * number(world_.name + "." + world_.width);
    places /= std::pow(number(world_.name + ".patch"), 2);
    double products = 0;
    for (const auto channels : settings_.numbers(key(network, "channels"))) {
      products += places * channels * channels;
      places /= 4;
    }
    return products * number(world_.name + ".blocks") * 3e-9;
  }
  double inversion(const PriorMethod& method) const {
    Variant inverting{.method = method};
    if (!inverting.method.inversion)
      inverting.method.inversion = models::Inversion::Backprop;  // what is compared with it is given about as much
    const auto options = inversion_options(inverting, settings_);
    const auto& facts = models::method_of(options.method);
    return static_cast<double>(facts.evaluations(options)) * (facts.needs_gradient ? with_gradient : 1) * evaluation(method.aux);
  }

  const Settings& settings_;
  const WorldInfo& world_;
};

/// The cells of a replicate, as they are planned.
class Replicate {
 public:
  Replicate(const Settings& settings, std::int64_t seed, std::vector<PlannedCell>& cells)
      : settings_(settings), seed_(seed), cells_(cells) {}

  /// Seconds of a cell on the mixture: how often its points go through the closed form.
  double mixture_cost(const std::string& table, const Variant& variant) const {
    const auto& method = variant.method;
    double evaluations = method.algorithm == Algorithm::Sdedit ? 2 * settings_.number("quality.steps") : 3;
    if (method.inversion) {
      const auto& facts = models::method_of(*method.inversion);
      evaluations += static_cast<double>(facts.evaluations(inversion_options(variant, settings_))) * (facts.needs_gradient ? 3 : 1);
    }
    const auto times = [&] {
      if (table == exact_table) return goes_by_rounds(method) ? settings_.number("churn.rounds") : 1;
      return 2 * static_cast<double>(settings_.numbers(table + ".sigmas").size());  // on the mixture and off it
    };
    return 6e-6 * settings_.number("exact.mixture_items") * times() * evaluations;
  }
  void add_exact() {
    if (seed_ < settings_.integer("seeds"))
      for (const auto& form : models::churn_forms()) cells_.push_back({.cell = cell(exact_table, "gaussian", form.id, seed_), .cost = 5});
    for (const auto& table : {exact_table, std::string("inversion"), std::string("latent")})
      for (const auto& method : settings_.texts("methods." + table))  // no network takes part
        if (const auto variant = variant_of(method, table); variant.method.aux == Network::Main)
          add(cell(table, "mixture", method, seed_), variant, {}, mixture_cost(table, variant));
  }

  /// All but methods: networks, and what they sample.
  void add_networks(const WorldInfo& world) {
    const Costs costs(settings_, world);
    if (network_replicate(settings_, seed_) == seed_)
      for (const auto which : denoisers_of(world, settings_))
        cells_.push_back({.cell = network(world, which), .cost = costs.training(which)});
    if (seed_ == judge_seed) cells_.push_back({.cell = network(world, Network::Judge), .cost = costs.training(Network::Judge)});
    if (seed_ < settings_.integer("seeds"))
      cells_.push_back({.cell = cell(quality_table, world.name, name_of(Network::Main), seed_),
                        .needs = {network(world, Network::Main), network(world, Network::Judge)},
                        .cost = costs.quality()});
  }

  void add_world(const WorldInfo& world) {
    add_networks(world);
    for (const auto& table : method_tables())
      if (world.shows(table.name))
        for (const auto& name : settings_.texts("methods." + table.name))
          if (const auto variant = variant_of(name, table.name); world.judged || variant.method.aux == Network::Main)
            add_method(name, variant, table, world);
  }

  /// A method's cell and, where it is searched, its trials.
  void add_method(const std::string& name, const Variant& variant, const MethodTable& table, const WorldInfo& world) {
    const auto cost = Costs(settings_, world).table(table, variant.method);
    std::vector<records::Cell> needs{network(world, Network::Judge)};
    for (const auto which : denoisers_of(world, settings_)) needs.push_back(network(world, which));
    add(cell(table.name, world.name, name, seed_), variant, needs, cost);
  }

 private:
  void add(const records::Cell& own, const Variant& variant, const std::vector<records::Cell>& needs, double cost) {
    PlannedCell planned{.cell = own, .needs = needs, .cost = cost};
    const auto tried = candidates(variant, own.table, settings_);
    if (tried.size() > 1)
      for (const auto& candidate : tried) {
        const auto trial = [&](std::int64_t seed) { return cell(search_of(own.table), own.dataset, own.method + "+" + candidate, seed); };
        for (std::int64_t seed = 0; seed < settings_.integer("search.seeds"); ++seed) planned.needs.push_back(trial(seed));
        if (is_tried()) cells_.push_back({.cell = trial(seed_), .needs = needs, .cost = cost});
      }
    if (seed_ < settings_.integer("seeds")) cells_.push_back(planned);
    const bool drawn = own.table == "churn" || own.table == exact_table;  // and only the study's own methods
    if (seed_ == 0 && tried.size() > 1 && drawn && variant.method.aux_script.empty()) {
      std::erase_if(planned.needs, [](const records::Cell& need) { return !is_search(need.table); });
      cells_.push_back({.cell = cell(frontier_table, own.dataset, own.method, 0), .needs = planned.needs, .cost = 0.1});
    }
  }

  /// Whether trials are made on this seed.
  bool is_tried() const { return seed_ < settings_.integer("search.seeds"); }
  records::Cell network(const WorldInfo& world, Network which) const {
    return cell(prior_table, world.name, name_of(which), which == Network::Judge ? judge_seed : network_replicate(settings_, seed_));
  }

  const Settings& settings_;
  std::int64_t seed_;
  std::vector<PlannedCell>& cells_;
};

/// Those that run, and those of the search before them.
std::int64_t planned_seeds(const Settings& settings) { return std::max(settings.integer("seeds"), settings.integer("search.seeds")); }

}  // namespace

std::vector<Network> denoisers_of(const WorldInfo& world, const Settings& settings) {
  if (!world.judged) return {Network::Main};
  for (const auto& table : world.tables)
    for (const auto& method : settings.texts("methods." + table))
      if (variant_of(method, table).method.aux == Network::Small) return {Network::Main, Network::Other, Network::Small};
  return {Network::Main, Network::Other};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check(settings, data);
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < planned_seeds(settings); ++seed) {
    Replicate replicate(settings, seed, cells);
    replicate.add_exact();
    for (const auto& world : settings.texts("worlds")) replicate.add_world(world_info(world));
    for (const auto& world : settings.texts("priors_only")) replicate.add_networks(world_info(world));
  }
  // A trial of "backprop" may be one of "backprop+langevin=0.3" too.
  std::set<std::string> planned_before;
  std::erase_if(cells, [&planned_before](const PlannedCell& planned) { return !planned_before.insert(planned.cell.id()).second; });
  for (auto& planned : cells) planned.apart = without_part(planned.cell);
  return cells;
}

std::vector<PlannedCell> plan_method(const PriorMethod& method, const Settings& settings) {
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < planned_seeds(settings); ++seed) {
    Replicate replicate(settings, seed, cells);
    for (const auto& name : settings.texts("worlds"))
      for (const auto& table : method_tables())
        if (const auto& world = world_info(name);
            world.judged && world.shows(table.name) && method.runs_in(table.name) && !settings.texts("methods." + table.name).empty())
          replicate.add_method(method.info.id, {.method = method}, table, world);
  }
  for (auto& planned : cells) planned.apart = without_part(planned.cell);
  return cells;
}

std::vector<PlannedCell> plan_samples(const std::string& name, const WorldInfo& world, const Settings& settings) {
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
    cells.push_back({.cell = cell(quality_table, world.name, name, seed),
                     .needs = {cell(prior_table, world.name, name_of(Network::Judge), judge_seed)}});
  for (auto& planned : cells) planned.apart = without_part(planned.cell);
  return cells;
}

void run(CellContext& context) {
  if (is_exact(context.record.cell.dataset) && context.record.cell.table != frontier_table) return run_exact(context);
  static const Runs runs{{prior_table, run_prior},     {quality_table, run_quality},   {frontier_table, run_frontier},
                         {"latent", run_latent},       {"inversion", run_inversion},   {"churn", run_churn},
                         {"steering", run_steering},   {"completion", run_completion}, {"painting", run_painting},
                         {"extension", run_extension}, {"object", run_object}};
  run_table(runs, searched_table(context.record.cell.table), context);
}

}  // namespace reprise::reproduce::langevin_study
