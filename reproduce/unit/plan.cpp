// The plan of study unit, and checks of its settings.
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

/// Checks the translators of a section.
void check_translators(const Settings& settings, const std::string& section) {
  const auto known = list_translators(settings, section);
  const bool has_truth = std::ranges::any_of(
      settings.texts(section + ".datasets"),
      [&](const std::string& dataset) { return find_picture_set(dataset, section).with_truth; });
  for (const auto& name : settings.texts(section + ".methods")) {
    const auto& method = find_named(known, "translator", name);
    if (method.paired && !has_truth)
      throw UsageError(
          section + ".methods names " + name + ", which needs pairs, but photographs have none",
          "name it in map.methods");
  }
}

/// Checks that the starts of a digit training end at an evaluation, whose certainty decides.
void check_starts(const Settings& settings) {
  const auto length = settings.integer("digits.start_iterations"),
             every = settings.integer("digits.evaluate_every"),
             iterations = settings.integer("digits.iterations");
  if (settings.integer("digits.starts") == 1 || (length % every == 0 && length <= iterations))
    return;
  throw UsageError(
      fmt::format("digits.start_iterations is {}, but a training of {} iterations is evaluated "
                  "every {}",
                  length, iterations, every),
      "give a multiple of digits.evaluate_every up to digits.iterations, or digits.starts=1");
}

/// Checks that each table names methods that it can compare.
void check_settings(const Settings& settings) {
  const auto known = list_adapters(settings);
  for (const auto& name : settings.texts("digits.methods"))
    find_named(known, "way of adaptation", name);
  for (const auto& section : {map_table, photos_table}) check_translators(settings, section);
  check_digit_settings(settings);
  check_starts(settings);
}

/// Adds the cells of map or photos. Photographs need an evaluator.
void plan_pictures(const std::string& section, const Settings& settings, const DataFolder& data,
                   std::vector<PlannedCell>& cells) {
  const auto known = list_translators(settings, section);
  for (const auto& dataset : settings.texts(section + ".datasets")) {
    const auto& set = find_picture_set(dataset, section);
    const auto missing = find_missing_pictures(set, data);
    const auto evaluator = picture_evaluator_cell(dataset);
    const bool photos = section == photos_table;
    if (photos)
      cells.push_back({.cell = evaluator,
                       .reads = with_common_sections({evaluator_section, "photos"}),
                       .missing = missing});
    // Few cameras took the photographs, so they have fewer seeds than what is generated.
    const auto seeds =
        photos && !set.with_truth ? count_photo_seeds(settings) : settings.integer("seeds");
    for (std::int64_t seed = 0; seed < seeds; ++seed)
      for (const auto& method : settings.texts(section + ".methods")) {
        if (find_named(known, "translator", method).paired && !set.with_truth) continue;
        cells.push_back({.cell = cell(section, dataset, method, seed),
                         .needs = photos ? std::vector{evaluator} : std::vector<records::Cell>{},
                         .reads = with_common_sections(
                             photos ? std::vector<std::string>{section, evaluator_section}
                                    : std::vector<std::string>{section, "rates"}),
                         .missing = missing});
      }
  }
}

/// Adds the cells of digits, and one evaluator for each set.
void plan_digits(const Settings& settings, const DataFolder& data,
                 std::vector<PlannedCell>& cells) {
  std::set<std::string> read;
  for (const auto& pair : settings.texts("digits.pairs")) {
    const auto [source, target] = parse_digit_pair(pair);
    std::vector<records::Cell> evaluators;
    for (const auto& set : {source.name, target.name}) {
      evaluators.push_back(digit_evaluator_cell(set));
      // Pairs share the evaluator of a set.
      if (read.insert(set).second)
        cells.push_back(
            {.cell = evaluators.back(),
             .needs = {},
             .reads = with_common_sections({"digits", digit_classifier_section, evaluator_section}),
             .missing = find_missing_digits({set}, settings, data)});
    }
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
      for (const auto& method : settings.texts("digits.methods")) {
        // Only UNIT translates digits, which evaluators recognise.
        const bool translates = method.starts_with("unit");
        cells.push_back(
            {.cell = cell(digits_table, pair, method, seed),
             .needs = translates ? evaluators : std::vector<records::Cell>{},
             .reads = translates ? with_common_sections(
                                       {"digits", digit_classifier_section, evaluator_section})
                                 : with_common_sections({"digits"}),
             .missing = find_missing_digits({source.name, target.name}, settings, data)});
      }
  }
}

}  // namespace

std::vector<std::string> with_common_sections(std::vector<std::string> sections) {
  sections.insert(sections.end(), {"resampled"});
  return sections;
}

std::int64_t count_photo_seeds(const Settings& settings) {
  return std::min(settings.integer("seeds"), settings.integer("photos.seeds"));
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check_settings(settings);
  std::vector<PlannedCell> cells;
  plan_digits(settings, data, cells);
  for (const auto& section : {map_table, photos_table})
    plan_pictures(section, settings, data, cells);
  for (const auto& dataset : settings.texts("map.datasets"))
    for (std::int64_t seed = 0; seed < settings.integer("sweep.seeds"); ++seed)
      // The sweep has its own number of seeds.
      for (const auto& row : sweep_rows(settings))
        cells.push_back(
            {.cell = cell(sweep_table, dataset, row, seed),
             .needs = {},
             .reads = with_common_sections({"map", "rates", "sweep"}),
             .missing = find_missing_pictures(find_picture_set(dataset, map_table), data)});
  return cells;
}

}  // namespace reprise::reproduce::unit_study
