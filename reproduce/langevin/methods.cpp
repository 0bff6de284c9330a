// The methods of study langevin and the traits of their algorithms.
#include "reproduce/langevin/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/text.h"
#include "experiments/names.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/methods.h"

namespace reprise::reproduce::langevin_study {
namespace {

using training::Contract;
using training::Role;

/// Properties that all methods of an algorithm share.
struct AlgorithmTraits {
  Algorithm algorithm;
  Contract contract;
  std::string description;
  std::string search = {};                        ///< see search_list()
  std::vector<std::string> hyperparameters = {};  ///< its hyperparameters
};

const AlgorithmTraits& find_traits(Algorithm algorithm) {
  static const std::vector<AlgorithmTraits> all{
      {.algorithm = Algorithm::Loop,
       .contract = Contract::Inverter,
       .description = "Algorithm 1",
       .search = "loop",
       .hyperparameters = {"rounds", "first", "last", "rate"}},
      {.algorithm = Algorithm::Renoising,
       .contract = Contract::Generator,
       .description = "x <- D(x + σ ε) in every round",
       .search = "renoising",
       .hyperparameters = {"rounds", "first", "last"}},
      {.algorithm = Algorithm::Sdedit,
       .contract = Contract::Generator,
       .description = "adds noise of one level and samples from there",
       .search = "sdedit",
       .hyperparameters = {"sigma"}},
      {.algorithm = Algorithm::Repaint,
       .contract = Contract::Generator,
       .description = "samples, and restores the known part at every level",
       .search = "repaint",
       .hyperparameters = {"U"}},
      {.algorithm = Algorithm::IndependentCrops,
       .contract = Contract::Generator,
       .description = "samples each window separately",
       .search = "sampler"},
      {.algorithm = Algorithm::MultiDiffusion,
       .contract = Contract::Generator,
       .description = "samples windows together, and averages where they overlap",
       .search = "sampler"},
      {.algorithm = Algorithm::ScoreDistillation,
       .contract = Contract::Generator,
       .description = "takes gradient steps on single noisy renderings",
       .search = "distillation",
       .hyperparameters = {"rate", "first"}},
      {.algorithm = Algorithm::Nothing,
       .contract = Contract::Generator,
       .description = "leaves the start unchanged"},
      {.algorithm = Algorithm::RealItems,
       .contract = Contract::Generator,
       .description = "shows as many other items of the same split: the reachable realism"},
      {.algorithm = Algorithm::ReferenceAlone,
       .contract = Contract::Generator,
       .description = "fits the reference view, without a prior"}};
  return *std::find_if(all.begin(), all.end(), [algorithm](const AlgorithmTraits& facts) {
    return facts.algorithm == algorithm;
  });
}

/// Adds an inversion as the method of Algorithm 1 in three forms: with D, with the smaller D', and
/// with a text alone.
void add_loops(const models::InversionMethod& inversion, std::vector<PriorMethod>& all) {
  const auto& info = inversion.info;
  const auto named = [&info](const std::string& id, const std::string& title,
                             const std::string& source) {
    return training::MethodInfo{id, title, info.role, source, info.cost + " in every round"};
  };
  all.push_back({.info = named(info.id, info.title, info.source),
                 .tables = {"exact", "inversion", "latent", "churn", "steering", "completion",
                            "extension", "object"},
                 .inversion = inversion.algorithm});
  all.push_back(
      {.info = named(info.id + "_small", info.title + ", smaller D'", info.source + ", [0043]"),
       .tables = {"inversion", "churn", "steering", "completion"},
       .inversion = inversion.algorithm,
       .aux = Network::Small});
  all.push_back(
      {.info = named("text_" + info.id, "text alone, " + info.title, info.source + ", [0018]"),
       .tables = {"object"},
       .inversion = inversion.algorithm,
       .text_alone = true});
}

/// Lists the methods of table painting.
std::vector<PriorMethod> painting_methods() {
  const auto loop = models::Inversion::Backprop;
  const std::string distilled = "Poole et al. 2022";
  const std::string cost = "2 evaluations of D and 1 gradient of the rendering a step of Adam";
  // The cost of Algorithm 1 on pictures or networks.
  const auto rounds = models::find_inversion_method(loop).info.cost + " in every round";
  return {
      {.info = {"pixels", "pixels, Algorithm 1", Role::Document, "Algorithm 1", rounds},
       .tables = {"painting"},
       .inversion = loop},
      {.info = {"pixels_sds", "pixels, score distillation", Role::Baseline, distilled, cost},
       .tables = {"painting"},
       .algorithm = Algorithm::ScoreDistillation},
      {.info = {"mlp", "coordinate MLP, Algorithm 1", Role::Document, "Algorithm 1", rounds},
       .tables = {"painting"},
       .inversion = loop,
       .painter = Painter::CoordinateNetworks},
      {.info = {"mlp_sds", "coordinate MLP, score distillation", Role::Baseline, distilled, cost},
       .tables = {"painting"},
       .algorithm = Algorithm::ScoreDistillation,
       .painter = Painter::CoordinateNetworks}};
}

/// Lists the baselines and controls of all tables.
std::vector<PriorMethod> baseline_methods() {
  const std::string one = "1 evaluation of D a round";
  return {
      {.info = {"renoised", "no inversion", Role::Control, "ours", one},
       .tables = {"exact", "churn", "steering", "completion", "painting", "extension", "object"},
       .algorithm = Algorithm::Renoising},
      {.info = {"text_renoised", "text alone, no inversion", Role::Control, "ours", one},
       .tables = {"object"},
       .algorithm = Algorithm::Renoising,
       .text_alone = true},
      {.info = {"mlp_renoised", "coordinate MLP, no inversion", Role::Control, "ours", one},
       .tables = {"painting"},
       .algorithm = Algorithm::Renoising,
       .painter = Painter::CoordinateNetworks},
      {.info = {"sdedit", "SDEdit", Role::Baseline, "Meng et al. 2022",
                "2 evaluations of D a level below sigma"},
       .tables = {"exact", "churn", "steering", "completion"},
       .algorithm = Algorithm::Sdedit},
      {.info = {"start", "nothing done", Role::Control, "ours", "nothing"},
       .tables = {"churn", "completion"},
       .algorithm = Algorithm::Nothing},
      {.info = {"real", "other real items", Role::Control, "ours", "nothing"},
       .tables = {"churn", "painting", "extension"},
       .algorithm = Algorithm::RealItems},
      {.info = {"repaint", "RePaint", Role::Baseline, "Lugmayr et al. 2022",
                "U evaluations of D a level"},
       .tables = {"completion"},
       .algorithm = Algorithm::Repaint},
      {.info = {"independent", "independent crops", Role::Baseline, "ours",
                "2 evaluations of D a level and window"},
       .tables = {"extension"},
       .algorithm = Algorithm::IndependentCrops},
      {.info = {"multidiffusion", "MultiDiffusion", Role::Baseline, "Bar-Tal et al. 2023",
                "2 evaluations of D a level and window"},
       .tables = {"extension"},
       .algorithm = Algorithm::MultiDiffusion},
      {.info = {"reference", "reference view alone", Role::Control, "ours", "the fit alone"},
       .tables = {"object"},
       .algorithm = Algorithm::ReferenceAlone},
      {.info = {"sds", "score distillation", Role::Baseline, "Poole et al. 2022",
                "2 evaluations of D and 1 gradient of the rendering a step of Adam"},
       .tables = {"object"},
       .algorithm = Algorithm::ScoreDistillation},
      {.info = {"text_sds", "text alone, score distillation", Role::Baseline, "Poole et al. 2022",
                "2 evaluations of D and 1 gradient of the rendering a step of Adam"},
       .tables = {"object"},
       .algorithm = Algorithm::ScoreDistillation,
       .text_alone = true}};
}

/// Describes a method in words for `reprise list methods`.
std::string describe_method(const PriorMethod& method) {
  auto description = find_traits(method.algorithm).description;
  if (method.inversion)
    description += fmt::format(", {} inversion by {}",
                               models::find_inversion_method(*method.inversion).info.title,
                               method.aux == Network::Small ? "a smaller D'" : "D itself");
  if (method.text_alone) description += ", no reference view";
  if (method.runs_in("painting") && method.algorithm != Algorithm::RealItems)
    description += method.painter == Painter::Pixels ? ", on pixels" : ", on coordinate networks";
  return description + "; tables: " + join(method.tables, ", ");
}

const std::vector<std::pair<Network, std::string>>& networks() {
  static const std::vector<std::pair<Network, std::string>> all{{Network::Main, "edm"},
                                                                {Network::Small, "small"},
                                                                {Network::Other, "other"},
                                                                {Network::Evaluator, "judge"}};
  return all;
}

}  // namespace

const std::string& network_name(Network network) {
  return std::find_if(networks().begin(), networks().end(),
                      [network](const auto& named) { return named.first == network; })
      ->second;
}

Network find_network(const std::string& name) {
  return find_named(networks(), "network of study langevin", name,
                    &std::pair<Network, std::string>::second)
      .first;
}

bool PriorMethod::runs_in(const std::string& table) const {
  return std::find(tables.begin(), tables.end(), table) != tables.end();
}

const std::vector<PriorMethod>& prior_methods() {
  static const std::vector<PriorMethod> all = [] {
    std::vector<PriorMethod> made;
    for (const auto& inversion : models::inversion_methods()) add_loops(inversion, made);
    for (auto&& more : {painting_methods(), baseline_methods()})
      made.insert(made.end(), more.begin(), more.end());
    return made;
  }();
  return all;
}

PriorMethod find_prior_method(const std::string& id, const std::string& table) {
  std::vector<PriorMethod> of_table;
  std::copy_if(prior_methods().begin(), prior_methods().end(), std::back_inserter(of_table),
               [&table](const PriorMethod& method) { return method.runs_in(table); });
  return find_named(of_table, "method of table " + table, id);
}

PriorMethod make_scripted_method(const std::string& name, const std::filesystem::path& script) {
  // It runs in all tables that take a script.
  PriorMethod method{.info = {name, name, Role::Baseline, script.filename().string(), "its own"},
                     .inversion = models::Inversion::Backprop,
                     .aux_script = script};
  for (const auto& table : method_tables())
    if (table.takes_script) method.tables.push_back(table.name);
  return method;
}

bool runs_in_rounds(const PriorMethod& method) {
  return method.algorithm == Algorithm::Loop || method.algorithm == Algorithm::Renoising;
}

const std::string& search_list(const PriorMethod& method) {
  return find_traits(method.algorithm).search;
}

std::vector<std::string> tunable_hyperparameters(const PriorMethod& method,
                                                 const MethodTable& table) {
  std::vector<std::string> keys;
  // Hyperparameters of the algorithm, of the churn, of the guidance, and of the table.
  if (table.looped) keys = find_traits(method.algorithm).hyperparameters;
  if (table.churned && method.algorithm == Algorithm::Loop)
    for (const auto& form : models::churn_forms())
      // Only forms of the noise with the right stationary variance are tuned.
      if (form.right) keys.push_back(form.id);
  if (table.guided) keys.emplace_back("guidance");
  if (runs_in_rounds(method)) keys.insert(keys.end(), table.keys.begin(), table.keys.end());
  return keys;
}

std::vector<ListedMethod> list_methods() {
  std::vector<ListedMethod> listed;
  for (const auto& method : prior_methods())
    listed.push_back(
        {find_traits(method.algorithm).contract, method.info, describe_method(method)});
  return listed;
}

}  // namespace reprise::reproduce::langevin_study
