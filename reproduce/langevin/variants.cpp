#include "reproduce/langevin/variants.h"

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

constexpr std::int64_t whole_round = 1024;  // views that a GPU takes at once

Variant checked(const PriorMethod& method, const records::Trial& trial, const std::string& table) {
  const auto known = changes_of(method, method_table(table));
  Variant variant{.method = method};
  for (const auto& [name, text, value] : trial.hyperparameters) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw unknown(fmt::format("hyperparameter of method {} in table {}", method.info.id, table),
                    name, known);
    variant.changes[name] = value;
  }
  return variant;
}

/// A name of this cell's table, where an external method is one more.
Variant variant_in(const CellContext& context, const std::string& name) {
  const auto& table = context.record.cell.table;
  if (context.method_file.empty()) return variant_of(name, table);
  const auto trial = records::parse_trial(name);
  return checked(scripted_method(trial.method, context.method_file), trial, searched_table(table));
}

}  // namespace

double Variant::or_else(const std::string& key, double otherwise) const {
  const auto found = changes.find(key);
  return found == changes.end() ? otherwise : found->second;
}

Variant variant_of(const std::string& name, const std::string& table) {
  const auto trial = records::parse_trial(name);
  return checked(prior_method(trial.method, searched_table(table)), trial, searched_table(table));
}

Variant variant_of(const CellContext& context) {
  return variant_in(context, context.record.cell.method);
}

std::string title_of(const std::string& method, const std::string& table) {
  const auto variant = variant_of(method, table);
  auto title = variant.method.info.title;
  static const std::map<std::string, std::string> words{{"langevin", "the document's noise, h"},
                                                        {"balanced", "balanced noise, h"},
                                                        {"sigma_min", "σ_min"},
                                                        {"first", "first σ"},
                                                        {"last", "last σ"},
                                                        {"sigma", "σ"}};
  for (const auto& [key, value] : variant.changes)
    title +=
        fmt::format(", {} = {}", words.contains(key) ? words.at(key) : key, number_text(value));
  return title;
}

const models::LabelledItems& evaluation_items(const DomainData& domain, const records::Cell& cell) {
  return records::is_trial(cell) ? domain.validation : domain.test;
}

namespace {

/// By which the searches of a table choose.
Rule rule_of(const std::string& table, const PriorMethod& method, const Settings& settings) {
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
  // Of 200 items a share of labels is known to 0.03: what lies so close is one.
  if (table == "completion")
    return {
        .metric = "psnr_unknown", .better = HigherIsBetter, .kept = "label_right", .within = 0.03};
  if (table == "object")
    return {.metric = method.text_alone ? "target_probability" : "psnr_held_out",
            .better = HigherIsBetter};
  return {.metric = "log_frechet"};
}

}  // namespace

Search search_for(const records::Cell& own, const Variant& variant, const Settings& settings) {
  Search search{
      .trials = own, .seeds = settings.integer("search.seeds"), .widen = widen_setting(settings)};
  search.trials.table = search_of(own.table);
  search.trials.seed = 0;
  const auto& list = search_list(variant.method);
  if (list.empty() || !method_table(own.table).searched) return search;
  search.rules = {rule_of(own.table, variant.method, settings)};
  for (const auto& entry : settings.texts("search." + own.table + "." + list)) {
    auto axes = parse_axes(entry);
    bool fixed = false;
    for (auto& axis : axes) {
      checked(variant.method,
              {variant.method.info.id, {records::hyperparameter(axis.name, axis.values.front())}},
              own.table);
      fixed = fixed || variant.changes.contains(axis.name);
      axis.whole = axis.name == "rounds" || axis.name == "U";
      if (axis.name == "balanced" || axis.name == "langevin")
        axis.greatest = 1;  // a step of h = 1 goes the whole way to D
    }
    if (!fixed) search.grid.push_back(std::move(axes));
  }
  return search;
}

Variant chosen_variant(const CellContext& context) {
  const auto& own = context.record.cell;
  auto variant = variant_of(context);
  if (!records::is_trial(own)) {
    const auto search = search_for(own, variant, context.settings);
    if (!search.grid.empty())
      variant = variant_in(context, records::trial_name(best_trial(search, context.store)));
  }
  for (const auto& [key, value] : variant.changes)
    note(context.record, "with_" + key, value, records::Direction::Neither);
  return variant;
}

models::InversionOptions inversion_options(const Variant& variant, const Settings& settings) {
  if (!variant.method.inversion)
    throw Error(variant.method.info.id + " is no inversion",
                "ask an inverter of the table of methods");
  return {.method = *variant.method.inversion,
          .steps = settings.integer("inversion.ode_steps"),
          .sigma_min = variant.or_else("sigma_min", settings.number("inversion.sigma_min")),
          .adam_steps = settings.integer("inversion.adam_steps"),
          .rate = variant.or_else("rate", settings.number("inversion.rate"))};
}

std::vector<double> levels_in_reach(const models::InversionOptions& options,
                                    const Settings& settings) {
  auto sigmas = settings.numbers("inversion.sigmas");
  if (models::method_of(options.method).climbs)
    std::erase_if(sigmas, [&](double sigma) { return sigma <= options.sigma_min; });
  return sigmas;
}

models::ChurnOptions churn_options(const Variant& variant, const std::string& section,
                                   const Settings& settings) {
  for (const auto& form : models::churn_forms())
    if (variant.changes.contains(form.id))
      return models::churn_options(form.id + " " + number_text(variant.changes.at(form.id)));
  return models::churn_options(settings.text(section + ".churn"));
}

models::SynthesisOptions synthesis_options(const Variant& variant, const std::string& section,
                                           const Settings& settings, std::uint64_t seed) {
  models::SynthesisOptions options;
  options.rounds = static_cast<std::int64_t>(
      variant.or_else("rounds", static_cast<double>(settings.integer(section + ".rounds"))));
  options.sigma_first = variant.or_else("first", settings.number(section + ".first"));
  options.sigma_last = variant.or_else("last", settings.number(section + ".last"));
  options.seed = seed;
  if (!variant.method.inversion) return options;
  options.inversion = inversion_options(variant, settings);
  options.churning = churn_options(variant, section, settings);
  return options;
}

void run_rounds(models::Representation& phi, const Variant& variant, models::Denoiser& D,
                models::Denoiser& D_aux, models::SynthesisOptions options,
                const models::Conditions& conditions,
                const std::function<void(const models::Round&)>& after) {
  if (const auto all = phi.parameters(); !all.empty() && all[0].is_cuda())
    options.batch = whole_round;
  if (variant.method.algorithm == Algorithm::Renoising)
    return baselines::renoise(phi, D, options, conditions.D, after);
  models::synthesise(phi, D, D_aux, options, conditions, after);
}

}  // namespace reprise::reproduce::langevin_study
