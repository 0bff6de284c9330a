#include "reproduce/langevin/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/error.h"
#include "core/text.h"
#include "models/diffusion/churn.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/names.h"

namespace reprise::reproduce::langevin_study {
namespace {

/// "backprop+first=5" as "backprop" and {first: 5}.
struct ReadName {
  std::string base;
  std::map<std::string, double> changes = {};
};

/// UsageError: it cannot be read.
ReadName read_name(const std::string& name) {
  ReadName read;
  std::istringstream parts(name);
  std::getline(parts, read.base, '+');
  for (std::string part; std::getline(parts, part, '+');) {
    const auto equals = part.find('=');
    std::size_t used = 0;
    try {
      if (equals != std::string::npos) read.changes[part.substr(0, equals)] = std::stod(part.substr(equals + 1), &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || equals + 1 + used != part.size())
      throw UsageError(fmt::format("method \"{}\": \"{}\" is not a change", name, part),
                       "write a key and a number: \"backprop+balanced=1+first=5\"");
  }
  return read;
}

Variant checked(const PriorMethod& method, const ReadName& read, const std::string& table) {
  const auto known = changes_of(method, method_table(table));
  for (const auto& [key, value] : read.changes)
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw unknown(fmt::format("setting of method {} in table {}", method.info.id, table), key, known);
  return {method, read.changes};
}

/// A name of this cell's table, where a method from outside is one more.
Variant variant_in(const CellContext& context, const std::string& name) {
  const auto& table = context.record.cell.table;
  if (context.method_file.empty()) return variant_of(name, table);
  const auto read = read_name(name);
  return checked(scripted_method(read.base, context.method_file), read, searched_table(table));
}

}  // namespace

double Variant::or_else(const std::string& key, double otherwise) const {
  const auto found = changes.find(key);
  return found == changes.end() ? otherwise : found->second;
}

Variant variant_of(const std::string& name, const std::string& table) {
  const auto read = read_name(name);
  return checked(prior_method(read.base, searched_table(table)), read, searched_table(table));
}

Variant variant_of(const CellContext& context) { return variant_in(context, context.record.cell.method); }

std::string title_of(const std::string& method, const std::string& table) {
  const auto variant = variant_of(method, table);
  auto title = variant.method.info.title;
  for (const auto& [key, value] : variant.changes) title += fmt::format(", {} = {}", key, number_text(value));
  return title;
}

const models::LabelledItems& judged_part(const World& world, const records::Cell& cell) {
  return is_search(cell.table) ? world.validation : world.test;
}

std::vector<std::string> candidates(const Variant& variant, const std::string& table, const Settings& settings) {
  const auto& list = search_list(variant.method);
  if (list.empty() || !method_table(table).searched) return {};
  auto all = settings.texts(table + "." + list);
  for (const auto& candidate : all) checked(variant.method, read_name(variant.method.info.id + "+" + candidate), table);
  // What the name says already is not searched for.
  std::erase_if(all, [&](const std::string& candidate) {
    const auto changes = read_name(variant.method.info.id + "+" + candidate).changes;
    return std::any_of(changes.begin(), changes.end(), [&](const auto& change) { return variant.changes.contains(change.first); });
  });
  return all;
}

Variant chosen_variant(const CellContext& context, const std::string& metric, records::Direction better) {
  const auto& own = context.record.cell;
  auto best_name = own.method;
  const auto tried = is_search(own.table) ? std::vector<std::string>{} : candidates(variant_of(context), own.table, context.settings);
  if (tried.size() == 1) best_name += "+" + tried.front();
  if (tried.size() > 1) {
    double best = -INFINITY;
    for (const auto& candidate : tried) {
      const auto trial = cell(search_of(own.table), own.dataset, own.method + "+" + candidate, 0);
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
  auto variant = variant_in(context, best_name);
  for (const auto& [key, value] : variant.changes) note(context.record, "with_" + key, value, records::Direction::Neither);
  return variant;
}

models::InversionOptions inversion_options(const PriorMethod& method, const Settings& settings) {
  if (!method.inversion) throw Error(method.info.id + " is no inversion", "ask an inverter of the table of methods");
  return {.method = *method.inversion,
          .steps = settings.integer("inversion.ode_steps"),
          .sigma_min = settings.number("inversion.sigma_min"),
          .adam_steps = settings.integer("inversion.adam_steps"),
          .rate = settings.number("inversion.rate")};
}

models::SynthesisOptions synthesis_options(const Variant& variant, const std::string& section, const Settings& settings,
                                           std::uint64_t seed) {
  models::SynthesisOptions options;
  options.rounds = static_cast<std::int64_t>(variant.or_else("rounds", static_cast<double>(settings.integer(section + ".rounds"))));
  options.sigma_first = variant.or_else("first", settings.number(section + ".first"));
  options.sigma_last = variant.or_else("last", settings.number(section + ".last"));
  options.inversion = inversion_options(variant.method, settings);
  options.inversion.rate = variant.or_else("rate", options.inversion.rate);
  options.churning = models::churn_options(settings.text(section + ".churn"));
  for (const auto& form : models::churn_forms())
    if (variant.changes.contains(form.id))
      options.churning = models::churn_options(form.id + " " + number_text(variant.changes.at(form.id)));
  options.seed = seed;
  return options;
}

}  // namespace reprise::reproduce::langevin_study
