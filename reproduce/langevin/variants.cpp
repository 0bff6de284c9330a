#include "reproduce/langevin/variants.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "core/error.h"
#include "core/text.h"
#include "models/diffusion/churn.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"

namespace reprise::reproduce::langevin_study {

double Variant::or_else(const std::string& key, double otherwise) const {
  const auto found = changes.find(key);
  return found == changes.end() ? otherwise : found->second;
}

Variant variant_of(const std::string& name) {
  Variant variant;
  std::istringstream parts(name);
  std::getline(parts, variant.base, '+');
  for (std::string part; std::getline(parts, part, '+');) {
    const auto equals = part.find('=');
    std::size_t read = 0;
    try {
      if (equals != std::string::npos) variant.changes[part.substr(0, equals)] = std::stod(part.substr(equals + 1), &read);
    } catch (const std::exception&) {
      read = 0;
    }
    if (read == 0 || equals + 1 + read != part.size())
      throw UsageError(fmt::format("method \"{}\": \"{}\" is not a change", name, part),
                       "write a key and a number: \"backprop+balanced=1+first=5\"");
  }
  return variant;
}

bool is_inversion(const std::string& base) {
  for (const std::string name : {"naive", "ode", "noised_ode", "backprop"})
    if (base == name || base == name + "_small") return true;
  return false;
}

std::string searched_table(const std::string& table) { return table.starts_with("search_") ? table.substr(7) : table; }

const models::LabelledItems& judged_part(const World& world, const records::Cell& cell) {
  return cell.table.starts_with("search_") ? world.validation : world.test;
}

std::vector<std::string> candidates(const std::string& method, const std::string& table, const Settings& settings) {
  const auto variant = variant_of(method);
  if (variant.base == "start" || variant.base == "reference") return {};
  const bool sampler = variant.base == "independent" || variant.base == "multidiffusion";
  const std::string kind = variant.base == "repaint"       ? ".repaint_search"
                           : variant.base.ends_with("sds") ? ".sds_search"
                           : sampler                       ? ".sampler_search"
                                                           : ".search";
  auto all = settings.texts(table + kind);
  // What the name says already is not searched for.
  std::erase_if(all, [&](const std::string& candidate) { return variant.changes.contains(candidate.substr(0, candidate.find('='))); });
  return all;
}

Variant chosen_variant(const CellContext& context, const std::string& metric, records::Direction better) {
  const auto& own = context.record.cell;
  auto best_name = own.method;
  const auto tried = own.table.starts_with("search_") ? std::vector<std::string>{} : candidates(own.method, own.table, context.settings);
  if (tried.size() == 1) best_name += "+" + tried.front();
  if (tried.size() > 1) {
    double best = -INFINITY;
    for (const auto& candidate : tried) {
      const auto trial = cell("search_" + own.table, own.dataset, own.method + "+" + candidate, 0);
      const auto record = context.store.find(trial);
      const auto value = record ? record->metric(metric) : std::nullopt;
      if (!value)
        throw Error(fmt::format("the search trial {} has no {}", trial.id(), metric),
                    "run it: ./reprise run langevin --only '" + trial.id() + "'");
      const double gain = better == records::Direction::LowerIsBetter ? -*value : *value;
      if (gain > best) {
        best = gain;
        best_name = trial.method;
      }
    }
  }
  const auto variant = variant_of(best_name);
  for (const auto& [key, value] : variant.changes) note(context.record, "with_" + key, value, records::Direction::Neither);
  return variant;
}

InversionMethod inversion_method(const std::string& base, const Settings& settings) {
  InversionMethod method;
  auto inversion = base;
  if (inversion.ends_with("_small")) {
    method.aux = "small";
    inversion.resize(inversion.size() - 6);
  }
  method.options.method = models::inversion_named(inversion);
  method.options.steps = settings.integer("inversion.ode_steps");
  method.options.sigma_min = settings.number("inversion.sigma_min");
  method.options.adam_steps = settings.integer("inversion.adam_steps");
  method.options.rate = settings.number("inversion.rate");
  return method;
}

models::SynthesisOptions synthesis_options(const Variant& variant, const std::string& section, const Settings& settings,
                                           std::uint64_t seed) {
  models::SynthesisOptions options;
  options.rounds = static_cast<std::int64_t>(variant.or_else("rounds", static_cast<double>(settings.integer(section + ".rounds"))));
  options.sigma_first = variant.or_else("first", settings.number(section + ".first"));
  options.sigma_last = variant.or_else("last", settings.number(section + ".last"));
  options.inversion = inversion_method(variant.base, settings).options;
  options.inversion.rate = variant.or_else("rate", options.inversion.rate);
  options.churning = models::churn_options(settings.text(section + ".churn"));
  for (const std::string form : {"langevin", "balanced"})
    if (variant.changes.contains(form)) options.churning = models::churn_options(form + " " + number_text(variant.changes.at(form)));
  options.seed = seed;
  return options;
}

}  // namespace reprise::reproduce::langevin_study
