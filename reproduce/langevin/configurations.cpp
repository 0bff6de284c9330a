// Parses configurations, searches their hyperparameters, and builds options from them.
#include "reproduce/langevin/configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "baselines/diffusion/renoising.h"
#include "core/error.h"
#include "core/text.h"
#include "experiments/names.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/methods.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"

namespace reprise::reproduce::langevin_study {
namespace {

// Rendered views that a GPU processes at once.
constexpr std::int64_t gpu_batch = 1024;

/// Sets a trial's hyperparameters on a method. UsageError: the table has no such hyperparameter.
Configuration configure(const PriorMethod& method, const records::Trial& trial,
                        const std::string& table) {
  // Unknown hyperparameters are refused before anything runs.
  const auto known = tunable_hyperparameters(method, find_method_table(table));
  Configuration config{.method = method};
  for (const auto& [name, text, value] : trial.hyperparameters) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw unknown(fmt::format("hyperparameter of method {} in table {}", method.info.id, table),
                    name, known);
    config.hyperparameters[name] = value;
  }
  return config;
}

/// Parses a name in the cell's table, where an external method is one more.
Configuration parse_configuration_in(const CellContext& context, const std::string& name) {
  const auto& table = context.record.cell.table;
  // Methods of the study are known by name.
  if (context.method_file.empty()) return parse_configuration(name, table);
  const auto trial = records::parse_trial(name);
  return configure(make_scripted_method(trial.method, context.method_file), trial,
                   base_table(table));
}

}  // namespace

double Configuration::value_or(const std::string& key, double otherwise) const {
  const auto found = hyperparameters.find(key);
  return found == hyperparameters.end() ? otherwise : found->second;
}

Configuration parse_configuration(const std::string& name, const std::string& table) {
  const auto trial = records::parse_trial(name);
  return configure(find_prior_method(trial.method, base_table(table)), trial, base_table(table));
}

Configuration cell_configuration(const CellContext& context) {
  return parse_configuration_in(context, context.record.cell.method);
}

std::string method_title(const std::string& method, const std::string& table) {
  const auto config = parse_configuration(method, table);
  auto title = config.method.info.title;
  // Titles of hyperparameters whose key is not a title.
  static const std::map<std::string, std::string> words{{"langevin", "the document's noise, h"},
                                                        {"balanced", "balanced noise, h"},
                                                        {"sigma_min", "σ_min"},
                                                        {"first", "first σ"},
                                                        {"last", "last σ"},
                                                        {"sigma", "σ"}};
  for (const auto& [key, value] : config.hyperparameters)
    title +=
        fmt::format(", {} = {}", words.contains(key) ? words.at(key) : key, number_text(value));
  return title;
}

const models::LabelledItems& evaluation_items(const DomainData& domain, const records::Cell& cell) {
  return records::is_trial(cell) ? domain.validation : domain.test;
}

namespace {

/// Returns the rule by which the searches of a table choose their best trial.
SelectionRule selection_rule(const std::string& table, const PriorMethod& method,
                             const Settings& settings) {
  using enum records::Direction;
  if (table == exact_table)
    return {.metric = "nll_end", .kept = "kept", .at_least = settings.number("churn.keep")};
  if (table == "churn")
    return {.metric = "log_frechet_end",
            .kept = "label_kept",
            .at_least = settings.number("churn.keep")};
  if (table == "steering")
    return {.metric = "target_reached",
            .better = HigherIsBetter,
            .kept = "content",
            .at_least = settings.number("steering.keep")};
  // The standard error of a fraction p of 200 labels, sqrt(p (1 - p) / 200), is about 0.03 at
  // p = 0.8. Closer values count as equal, and the PSNR decides.
  if (table == "completion")
    return {
        .metric = "psnr_unknown", .better = HigherIsBetter, .kept = "label_right", .within = 0.03};
  if (table == "object")
    return {.metric = method.text_alone ? "target_probability" : "psnr_held_out",
            .better = HigherIsBetter};
  return {.metric = "log_frechet"};
}

}  // namespace

Search make_search(const records::Cell& own, const Configuration& config,
                   const Settings& settings) {
  Search search{
      .trials = own, .seeds = settings.integer("search.seeds"), .widen = widen_setting(settings)};
  search.trials.table = search_table(own.table);
  search.trials.seed = 0;
  const auto& list = search_list(config.method);
  // Methods without a list, and tables without a search, keep an empty grid.
  if (list.empty() || !find_method_table(own.table).searched) return search;
  search.rules = {selection_rule(own.table, config.method, settings)};
  for (const auto& entry : settings.texts("search." + own.table + "." + list)) {
    auto axes = parse_axes(entry);
    // An entry whose hyperparameter the name sets is not searched.
    bool fixed = false;
    for (auto& axis : axes) {
      configure(config.method,
                {config.method.info.id, {records::hyperparameter(axis.name, axis.values.front())}},
                own.table);
      fixed = fixed || config.hyperparameters.contains(axis.name);
      // Counts of rounds and resamplings are whole numbers.
      axis.whole = axis.name == "rounds" || axis.name == "U";
      // A step of h = 1 already moves the latent to D's output.
      if (axis.name == "balanced" || axis.name == "langevin") axis.greatest = 1;
    }
    if (!fixed) search.grid.push_back(std::move(axes));
  }
  return search;
}

Configuration choose_configuration(const CellContext& context) {
  const auto& own = context.record.cell;
  auto config = cell_configuration(context);
  if (!records::is_trial(own)) {
    const auto search = make_search(own, config, context.settings);
    if (!search.grid.empty())
      // The winner's name has the hyperparameters of this name too.
      config =
          parse_configuration_in(context, records::trial_name(best_trial(search, context.store)));
  }
  // The record states which hyperparameters the cell ran with.
  for (const auto& [key, value] : config.hyperparameters)
    add_metric(context.record, "with_" + key, value, records::Direction::Neither);
  return config;
}

models::InversionOptions inversion_options(const Configuration& config, const Settings& settings) {
  if (!config.method.inversion)
    throw Error(config.method.info.id + " is not an inversion",
                "call this for methods with an inversion");
  return {.method = *config.method.inversion,
          .steps = settings.integer("inversion.ode_steps"),
          .sigma_min = config.value_or("sigma_min", settings.number("inversion.sigma_min")),
          .adam_steps = settings.integer("inversion.adam_steps"),
          .rate = config.value_or("rate", settings.number("inversion.rate"))};
}

std::vector<double> reachable_levels(const models::InversionOptions& options,
                                     const Settings& settings) {
  auto sigmas = settings.numbers("inversion.sigmas");
  if (models::find_inversion_method(options.method).climbs)
    std::erase_if(sigmas, [&](double sigma) { return sigma <= options.sigma_min; });
  return sigmas;
}

models::ChurnOptions churn_options(const Configuration& config, const std::string& section,
                                   const Settings& settings) {
  for (const auto& form : models::churn_forms())
    if (config.hyperparameters.contains(form.id))
      return models::parse_churn_options(form.id + " " +
                                         number_text(config.hyperparameters.at(form.id)));
  return models::parse_churn_options(settings.text(section + ".churn"));
}

models::SynthesisOptions synthesis_options(const Configuration& config, const std::string& section,
                                           const Settings& settings, std::uint64_t seed) {
  models::SynthesisOptions options;
  options.rounds = static_cast<std::int64_t>(
      config.value_or("rounds", static_cast<double>(settings.integer(section + ".rounds"))));
  options.sigma_first = config.value_or("first", settings.number(section + ".first"));
  options.sigma_last = config.value_or("last", settings.number(section + ".last"));
  options.seed = seed;
  // Methods without an inversion need no options of it.
  if (!config.method.inversion) return options;
  options.inversion = inversion_options(config, settings);
  options.churning = churn_options(config, section, settings);
  return options;
}

void run_rounds(models::Representation& phi, const Configuration& config, models::Denoiser& D,
                models::Denoiser& D_aux, models::SynthesisOptions options,
                const models::Conditions& conditions,
                const std::function<void(const models::SynthesisRound&)>& after) {
  // On a GPU one batch holds all views of a round.
  if (const auto all = phi.parameters(); !all.empty() && all[0].is_cuda())
    options.batch = gpu_batch;
  // Without an inversion no D' is needed.
  if (config.method.algorithm == Algorithm::Renoising)
    return baselines::renoise(phi, D, options, conditions.D, after);
  models::synthesise(phi, D, D_aux, options, conditions, after);
}

}  // namespace reprise::reproduce::langevin_study
