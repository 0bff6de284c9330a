#include "reproduce/langevin/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "baselines/diffusion/renoising.h"
#include "core/error.h"
#include "core/text.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/methods.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/names.h"

namespace reprise::reproduce::langevin_study {
namespace {

constexpr std::int64_t whole_round = 1024;  // views that a GPU takes at once

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

/// Those that an entry of a search's list means: "first=1|2" as "first=1", "first=2".
std::vector<std::string> alternatives(const std::string& entry) {
  std::vector<std::string> all;
  std::istringstream parts(entry);
  for (std::string part; parts >> part;) {
    const auto equals = part.find('=');
    std::istringstream values(equals == std::string::npos ? "" : part.substr(equals + 1));
    for (std::string value; std::getline(values, value, '|');) all.push_back(part.substr(0, equals) + "=" + value);
    if (equals == std::string::npos) all.push_back(part);  // read_name() says what is wrong
  }
  return all;
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
  static const std::map<std::string, std::string> words{{"langevin", "the document's noise, h"},
                                                        {"balanced", "balanced noise, h"},
                                                        {"sigma_min", "σ_min"},
                                                        {"first", "first σ"},
                                                        {"last", "last σ"},
                                                        {"sigma", "σ"}};
  for (const auto& [key, value] : variant.changes)
    title += fmt::format(", {} = {}", words.contains(key) ? words.at(key) : key, number_text(value));
  return title;
}

const models::LabelledItems& judged_part(const World& world, const records::Cell& cell) {
  return is_search(cell.table) ? world.validation : world.test;
}

std::vector<std::string> candidates(const Variant& variant, const std::string& table, const Settings& settings) {
  const auto& list = search_list(variant.method);
  if (list.empty() || !method_table(table).searched) return {};
  std::vector<std::string> all;
  for (const auto& entry : settings.texts("search." + table + "." + list)) {
    const auto values = alternatives(entry);
    bool said = false;
    for (const auto& value : values)
      for (const auto& [key, number] : checked(variant.method, read_name(variant.method.info.id + "+" + value), table).changes)
        said = said || variant.changes.contains(key);
    if (said) continue;
    std::vector<std::string> longer;
    for (const auto& before : all.empty() ? std::vector<std::string>{""} : all)
      for (const auto& value : values) longer.push_back(before.empty() ? value : before + "+" + value);
    all = longer;
  }
  return all;
}

double mean_of_trials(const CellContext& context, const std::string& table, const std::string& method, const std::string& metric) {
  const auto seeds = context.settings.integer("search.seeds");
  double sum = 0;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const auto trial = cell(search_of(table), context.record.cell.dataset, method, seed);
    const auto record = context.store.find(trial);
    const auto value = record ? record->metric(metric) : std::nullopt;
    if (!value)
      throw Error(fmt::format("the search trial {} has no {}", trial.id(), metric),
                  "run it: ./reprise run langevin --only '" + trial.id() + "'");
    sum += *value;
  }
  return sum / static_cast<double>(seeds);
}

Variant chosen_variant(const CellContext& context, const Rule& rule) {
  const auto& own = context.record.cell;
  auto best_name = own.method;
  const auto tried = is_search(own.table) ? std::vector<std::string>{} : candidates(variant_of(context), own.table, context.settings);
  if (tried.size() == 1) best_name += "+" + tried.front();
  if (tried.size() > 1) {
    const auto kept = [&](const std::string& candidate) {
      return rule.kept.empty() ? rule.at_least : mean_of_trials(context, own.table, own.method + "+" + candidate, rule.kept);
    };
    double at_least = rule.at_least;
    if (rule.within) {
      double most = -INFINITY;
      for (const auto& candidate : tried) most = std::max(most, kept(candidate));
      at_least = most - *rule.within;
    }
    std::pair<double, double> best{-INFINITY, -INFINITY};  // what is kept, where that is too little; then the gain
    for (const auto& candidate : tried) {
      const auto method = own.method + "+" + candidate;
      const auto value = mean_of_trials(context, own.table, method, rule.metric);
      const std::pair<double, double> found{std::min(kept(candidate), at_least),
                                            rule.better == records::Direction::LowerIsBetter ? -value : value};
      if (found > best) {
        best = found;
        best_name = method;
      }
    }
  }
  auto variant = variant_in(context, best_name);
  for (const auto& [key, value] : variant.changes) note(context.record, "with_" + key, value, records::Direction::Neither);
  return variant;
}

models::InversionOptions inversion_options(const Variant& variant, const Settings& settings) {
  if (!variant.method.inversion) throw Error(variant.method.info.id + " is no inversion", "ask an inverter of the table of methods");
  return {.method = *variant.method.inversion,
          .steps = settings.integer("inversion.ode_steps"),
          .sigma_min = variant.or_else("sigma_min", settings.number("inversion.sigma_min")),
          .adam_steps = settings.integer("inversion.adam_steps"),
          .rate = variant.or_else("rate", settings.number("inversion.rate"))};
}

std::vector<double> levels_in_reach(const models::InversionOptions& options, const Settings& settings) {
  auto sigmas = settings.numbers("inversion.sigmas");
  if (models::method_of(options.method).climbs) std::erase_if(sigmas, [&](double sigma) { return sigma <= options.sigma_min; });
  return sigmas;
}

models::ChurnOptions churn_options(const Variant& variant, const std::string& section, const Settings& settings) {
  for (const auto& form : models::churn_forms())
    if (variant.changes.contains(form.id)) return models::churn_options(form.id + " " + number_text(variant.changes.at(form.id)));
  return models::churn_options(settings.text(section + ".churn"));
}

models::SynthesisOptions synthesis_options(const Variant& variant, const std::string& section, const Settings& settings,
                                           std::uint64_t seed) {
  models::SynthesisOptions options;
  options.rounds = static_cast<std::int64_t>(variant.or_else("rounds", static_cast<double>(settings.integer(section + ".rounds"))));
  options.sigma_first = variant.or_else("first", settings.number(section + ".first"));
  options.sigma_last = variant.or_else("last", settings.number(section + ".last"));
  options.seed = seed;
  if (!variant.method.inversion) return options;
  options.inversion = inversion_options(variant, settings);
  options.churning = churn_options(variant, section, settings);
  return options;
}

void run_rounds(models::Representation& phi, const Variant& variant, models::Denoiser& D, models::Denoiser& D_aux,
                models::SynthesisOptions options, const models::Conditions& conditions,
                const std::function<void(const models::Round&)>& after) {
  if (const auto all = phi.parameters(); !all.empty() && all[0].is_cuda()) options.batch = whole_round;
  if (variant.method.algorithm == Algorithm::Renoising) return baselines::renoise(phi, D, options, conditions.D, after);
  models::synthesise(phi, D, D_aux, options, conditions, after);
}

}  // namespace reprise::reproduce::langevin_study
