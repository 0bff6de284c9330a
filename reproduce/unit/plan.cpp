#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "experiments/names.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/digit_sets.h"
#include "reproduce/unit/external.h"
#include "reproduce/unit/methods.h"
#include "reproduce/unit/picture_sets.h"

namespace reprise::reproduce::unit_study {
namespace {

void check_translators(const Settings& settings, const std::string& section) {
  const auto known = translators(settings, section);
  for (const auto& name : settings.texts(section + ".methods")) {
    const auto& method = find_named(known, "translator", name);
    if (method.paired && section != map_table)
      throw UsageError(section + ".methods names " + name +
                           ", which is taught by pairs, and photographs have none",
                       "name it in map.methods");
  }
}

void check(const Settings& settings) {
  const auto known = adapters(settings);
  for (const auto& name : settings.texts("digits.methods"))
    find_named(known, "way of adaptation", name);
  for (const auto& section : {map_table, photos_table}) check_translators(settings, section);
}

void plan_pictures(const std::string& section, const Settings& settings, const DataFolder& data,
                   std::vector<PlannedCell>& cells) {
  for (const auto& dataset : settings.texts(section + ".datasets")) {
    const auto missing = missing_pictures(picture_set(dataset, section), data);
    const auto evaluator = picture_evaluator_cell(dataset);
    const bool photos = section == photos_table;
    if (photos)
      cells.push_back(
          {.cell = evaluator, .reads = common_and({"judge", "photos"}), .missing = missing});
    const auto seeds = photos ? photo_seeds(settings) : settings.integer("seeds");
    for (std::int64_t seed = 0; seed < seeds; ++seed)
      for (const auto& method : settings.texts(section + ".methods"))
        cells.push_back({.cell = cell(section, dataset, method, seed),
                         .needs = photos ? std::vector{evaluator} : std::vector<records::Cell>{},
                         .reads = common_and(photos ? std::vector{section, picture_evaluator_table}
                                                    : std::vector<std::string>{section, "rates"}),
                         .missing = missing});
  }
}

void plan_digits(const Settings& settings, const DataFolder& data,
                 std::vector<PlannedCell>& cells) {
  std::set<std::string> read;
  for (const auto& pair : settings.texts("digits.pairs")) {
    const auto [source, target] = digit_pair(pair);
    std::vector<records::Cell> evaluators;
    for (const auto& set : {source.name, target.name}) {
      evaluators.push_back(digit_evaluator_cell(set));
      if (read.insert(set).second)
        cells.push_back(
            {.cell = evaluators.back(),
             .needs = {},
             .reads = common_and({"digits", digit_evaluator_table, picture_evaluator_table}),
             .missing = missing_digits({set}, data)});
    }
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
      for (const auto& method : settings.texts("digits.methods")) {
        const bool translates = method.starts_with("unit");
        cells.push_back({.cell = cell(digits_table, pair, method, seed),
                         .needs = translates ? evaluators : std::vector<records::Cell>{},
                         .reads = translates ? common_and({"digits", digit_evaluator_table,
                                                           picture_evaluator_table})
                                             : common_and({"digits"}),
                         .missing = missing_digits({source.name, target.name}, data)});
      }
  }
}

}  // namespace

std::vector<std::string> common_and(std::vector<std::string> sections) {
  sections.insert(sections.end(), {"replicates"});
  return sections;
}

std::int64_t photo_seeds(const Settings& settings) {
  return std::min(settings.integer("seeds"), settings.integer("photos.seeds"));
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check(settings);
  std::vector<PlannedCell> cells;
  plan_digits(settings, data, cells);
  for (const auto& section : {map_table, photos_table})
    plan_pictures(section, settings, data, cells);
  for (const auto& dataset : settings.texts("map.datasets"))
    for (std::int64_t seed = 0; seed < settings.integer("sweep.seeds"); ++seed)
      for (const auto& row : sweep_rows(settings))
        cells.push_back({.cell = cell(sweep_table, dataset, row, seed),
                         .needs = {},
                         .reads = common_and({"map", "rates", "sweep"}),
                         .missing = missing_pictures(picture_set(dataset, map_table), data)});
  return cells;
}

}  // namespace reprise::reproduce::unit_study
