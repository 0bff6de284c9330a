#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "reproduce/names.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/digit_sets.h"
#include "reproduce/unit/methods.h"
#include "reproduce/unit/picture_sets.h"

namespace reprise::reproduce::unit_study {
namespace {

/// The sections of settings that a cell does not depend on: all but those it `needs`.
std::vector<std::string> apart_but(const std::vector<std::string>& needs) {
  std::vector<std::string> apart{"digits", "reader", "map", "rates", "sweep", "judge", "photos"};
  std::erase_if(apart, [&](const std::string& section) { return std::ranges::find(needs, section) != needs.end(); });
  return apart;
}

/// Expected seconds of one core, roughly: of UNIT's rows by the values that its widest layers see, of others what a look at the sets takes.
double translator_cost(const std::string& section, const std::string& method, double iterations, const Settings& settings) {
  if (!method.starts_with("unit") && method != "paired") return 3;
  const auto number = [&](const char* key) { return settings.number(section + "." + key); };
  const double values = number("side") * number("side") * number("batch") * number("width");
  return 5 + iterations * values * 6e-7 * (method == "paired" ? 0.3 : 1);
}

double adapter_cost(const std::string& method, const Settings& settings) {
  const auto number = [&](const char* key) { return settings.number(std::string("digits.") + key); };
  const double values = number("size") * number("size") * number("batch") * number("width_D") * number("iterations");
  return 5 + values * (method.starts_with("unit") ? 5e-7 : method == "cogan" ? 3e-7 : 1.5e-7);
}

void check_translators(const Settings& settings, const std::string& section) {
  const auto key = [&](const char* name) { return section + "." + name; };
  for (const auto* name : {"training", "test", "iterations", "batch", "watch_every", "watched"}) settings.at_least({key(name).c_str()}, 1);
  settings.at_least({key("test").c_str()}, 2);
  const auto known = translators(settings, section);
  for (const auto& name : settings.texts(section + ".methods")) {
    const auto& method = find_named(known, "translator", name);
    if (method.paired && section != map_table)
      throw UsageError(section + ".methods names " + name + ", which is taught by pairs, and photographs have none",
                       "name it in map.methods");
  }
}

void check(const Settings& settings) {
  settings.at_least({"seeds", "digits.training", "digits.iterations", "digits.batch", "digits.watch_every", "digits.watched"}, 1);
  settings.at_least({"digits.test"}, 0);
  if (const auto held_out = settings.text("digits.held_out"); held_out != "test" && held_out != "train")
    throw UsageError("digits.held_out is \"" + held_out + "\"", "set it to test, or to train while settings are sought");
  const auto known = adapters(settings);
  for (const auto& name : settings.texts("digits.methods")) find_named(known, "way of adaptation", name);
  for (const auto& section : {map_table, photos_table}) check_translators(settings, section);
}

void plan_pictures(const std::string& section, const Settings& settings, const DataFolder& data, std::vector<PlannedCell>& cells) {
  for (const auto& dataset : settings.texts(section + ".datasets")) {
    require_picture_set(picture_set(dataset, section), data);
    const auto judge = cell(judge_table, dataset, judge_method, judge_seed);
    if (section == photos_table)
      cells.push_back({.cell = judge, .cost = settings.number("judge.steps") * 0.05, .apart = apart_but({"judge", "photos"})});
    const bool judged = section == photos_table;
    const auto seeds = judged ? std::min(settings.integer("seeds"), settings.integer("photos.seeds")) : settings.integer("seeds");
    for (std::int64_t seed = 0; seed < seeds; ++seed)
      for (const auto& method : settings.texts(section + ".methods"))
        cells.push_back({.cell = cell(section, dataset, method, seed),
                         .needs = judged ? std::vector{judge} : std::vector<records::Cell>{},
                         .cost = translator_cost(section, method, settings.number(section + ".iterations"), settings),
                         .apart = apart_but(judged ? std::vector{section, judge_table} : std::vector<std::string>{section, "rates"})});
  }
}

void plan_digits(const Settings& settings, const DataFolder& data, std::vector<PlannedCell>& cells) {
  std::set<std::string> read;
  for (const auto& pair : settings.texts("digits.pairs")) {
    require_digit_pair(pair, data);
    const auto [source, target] = digit_pair(pair);
    std::vector<records::Cell> readers;
    for (const auto& set : {source.name, target.name}) {
      readers.push_back(cell(reader_table, set, reader_method, judge_seed));
      if (read.insert(set).second)
        cells.push_back({.cell = readers.back(),
                         .needs = {},
                         .cost = settings.number("reader.steps") * 0.01,
                         .apart = apart_but({"digits", reader_table, judge_table})});
    }
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
      for (const auto& method : settings.texts("digits.methods")) {
        const bool translates = method.starts_with("unit");
        cells.push_back({.cell = cell(digits_table, pair, method, seed),
                         .needs = translates ? readers : std::vector<records::Cell>{},
                         .cost = adapter_cost(method, settings),
                         .apart = translates ? apart_but({"digits", reader_table, judge_table}) : apart_but({"digits"})});
      }
  }
}

}  // namespace

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check(settings);
  std::vector<PlannedCell> cells;
  plan_digits(settings, data, cells);
  for (const auto& section : {map_table, photos_table}) plan_pictures(section, settings, data, cells);
  for (const auto& dataset : settings.texts("map.datasets"))
    for (std::int64_t seed = 0; seed < settings.integer("sweep.seeds"); ++seed)
      for (const auto& row : sweep_rows(settings))
        cells.push_back({.cell = cell(sweep_table, dataset, row, seed),
                         .needs = {},
                         .cost = translator_cost(map_table, row, settings.number("sweep.iterations"), settings),
                         .apart = apart_but({"map", "rates", "sweep"})});
  return cells;
}

void run(CellContext& context) {
  static const Runs runs{{digits_table, run_digits},    {reader_table, run_reader}, {map_table, run_translated},
                         {sweep_table, run_translated}, {judge_table, run_judge},   {photos_table, run_translated}};
  run_table(runs, context.record.cell.table, context);
}

}  // namespace reprise::reproduce::unit_study
