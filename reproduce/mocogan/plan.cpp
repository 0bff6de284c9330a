#include <algorithm>

#include "baselines/generators.h"
#include "core/error.h"
#include "models/adversarial/mocogan.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "reproduce/mocogan/methods.h"
#include "reproduce/names.h"
#include "reproduce/replicates.h"

namespace reprise::reproduce::mocogan_study {
namespace {

/// Expected seconds of a training, roughly: what counts is the values that the networks of its largest convolutions see.
double training_cost(const Settings& settings) {
  const auto number = [&](const char* key) { return settings.number(key); };
  const double values = number("clips.frames") * number("clips.size") * number("clips.size") * number("recipe.batch");
  return number("recipe.iterations") * values * number("mocogan.width_D") * 5e-8 + 5;
}

void check(const Settings& settings) {
  settings.at_least({"seeds", "clips.training", "clips.every_nth", "recipe.iterations", "recipe.batch", "judge.steps", "control.contents",
                     "control.motions"},
                    1);
  settings.at_least({"clips.test"}, 8);
  settings.at_least({"judge.clips"}, 16);
  const auto known = generators(settings);
  for (const auto* table : {"generated", "actions"})
    for (const auto& name : settings.texts(std::string(table) + ".methods")) {
      const auto& method = find_named(known, "generator", name);
      if (method.conditional != (table == actions_table))
        throw UsageError(name + (method.conditional ? " needs labels" : " cannot be asked for a class"),
                         "name it in " + std::string(method.conditional ? actions_table : generated_table) + ".methods");
    }
  const auto generated = settings.texts("generated.methods");
  for (const auto& name : settings.texts("control.methods")) {
    if (std::count(generated.begin(), generated.end(), name) == 0)
      throw UsageError("control.methods names " + name + ", which generated.methods does not train", "name it there too");
    if (!dynamic_cast<models::Mocogan*>(find_named(known, "generator", name).make().get()))
      throw UsageError(name + " has no codes of content and motion", "name methods of MoCoGAN in control.methods");
  }
  const auto worthless = settings.texts("worthless.methods");
  if (std::count(worthless.begin(), worthless.end(), real_row) == 0)
    throw UsageError("worthless.methods lacks real clips, whose bands all others are held to", "name \"real\" among them");
  for (const auto& name : worthless)
    if (name != real_row) find_named(baselines::generators(), "generator", name);
}

}  // namespace

std::vector<std::string> controlled_methods(const std::string& dataset, const Settings& settings) {
  return clip_set(dataset).shapes ? settings.texts("control.methods") : std::vector<std::string>{};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check(settings);
  for (const auto& dataset : settings.texts("datasets")) require_clip_set(dataset, settings, data);
  std::vector<PlannedCell> cells;
  for (const auto& dataset : settings.texts("datasets")) {
    const auto judge = cell(judge_table, dataset, judge_method, judge_seed);
    cells.push_back({.cell = judge,
                     .cost = settings.number("judge.steps") * 0.05,
                     .apart = {"recipe", "mocogan", "vgan", "tgan", "worthless", "generated", "actions", "control"}});
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
      const auto real = cell(worthless_table, dataset, real_row, seed);  // it has the bands that all others are held to
      for (const auto& method : settings.texts("worthless.methods"))
        cells.push_back({.cell = cell(worthless_table, dataset, method, seed),
                         .needs = method == real_row ? std::vector{judge} : std::vector{judge, real},
                         .cost = 3,
                         .apart = {"recipe", "mocogan", "vgan", "tgan", "generated", "actions", "control", "worthless"}});
      for (const auto& table : {generated_table, actions_table})
        for (const auto& method : settings.texts(table + ".methods"))
          cells.push_back({.cell = cell(table, dataset, method, seed),
                           .needs = {judge, real},
                           .cost = training_cost(settings),
                           .apart = {"worthless", "generated", "actions", "control"}});
      for (const auto& method : controlled_methods(dataset, settings))
        cells.push_back({.cell = cell(control_table, dataset, method, seed),
                         .needs = {cell(generated_table, dataset, method, seed)},
                         .cost = 5,
                         .apart = {"worthless", "generated", "actions"}});
    }
  }
  return cells;
}

void run(CellContext& context) {
  static const Runs runs{{judge_table, run_judge},
                         {worthless_table, run_worthless},
                         {generated_table, run_generated},
                         {actions_table, run_generated},
                         {control_table, run_control}};
  run_table(runs, context.record.cell.table, context);
}

}  // namespace reprise::reproduce::mocogan_study
