// The plan of study mocogan, and checks of its settings.
#include <fmt/format.h>

#include <algorithm>

#include "baselines/generators.h"
#include "core/error.h"
#include "experiments/names.h"
#include "experiments/resampling.h"
#include "models/adversarial/discriminator.h"
#include "models/adversarial/mocogan.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "reproduce/mocogan/external.h"
#include "reproduce/mocogan/methods.h"

namespace reprise::reproduce::mocogan_study {
namespace {

/// Checks the methods of a section that needs codes of a generator of section [generated].
void check_codes(const Settings& settings, const std::string& section,
                 const std::vector<training::GeneratorMethod>& known) {
  const auto generated = settings.texts("generated.methods");
  for (const auto& name : settings.texts(section + ".methods")) {
    if (std::count(generated.begin(), generated.end(), name) == 0)
      throw UsageError(
          section + ".methods names " + name + ", but generated.methods does not train it",
          "add it to generated.methods");
    if (!dynamic_cast<models::Mocogan*>(find_named(known, "generator", name).make().get()))
      throw UsageError(name + " has no codes of content and motion",
                       "name methods of MoCoGAN in " + section + ".methods");
  }
}

/// Checks that baselines of image to video have a method to compare with.
void check_images(const Settings& settings) {
  if (!settings.texts("image_to_video.compared").empty() &&
      settings.texts("image_to_video.methods").empty())
    throw UsageError(
        "image_to_video.compared names baselines, but image_to_video.methods names no method",
        "name a method, or no baseline");
}

/// Checks the lengths. Each of D_V's convolutions over time takes away 3 frames, and at least one
/// must remain.
void check_lengths(const Settings& settings) {
  // One convolution per halving of the side.
  const auto least = 3 * models::count_halvings(settings.integer("clips.size")) + 1;
  for (const auto* key : {"clips.frames", "lengths.shortest"})
    if (settings.integer(key) < least)
      throw UsageError(
          fmt::format("{} is {}, but the discriminator of clips of {} x {} pixels needs {} frames",
                      key, settings.integer(key), settings.integer("clips.size"),
                      settings.integer("clips.size"), least),
          "use more frames, or a smaller clips.size");
  if (settings.integer("lengths.shortest") > settings.integer("lengths.longest"))
    throw UsageError(
        fmt::format("lengths.shortest is {}, but lengths.longest is {}",
                    settings.integer("lengths.shortest"), settings.integer("lengths.longest")),
        "set lengths.shortest to lengths.longest or less");
}

/// Checks the methods that only the first seeds have. No other table may need their generators for
/// every seed.
void check_few(const Settings& settings, const std::vector<training::GeneratorMethod>& known) {
  for (const auto& name : settings.texts("few.methods")) {
    find_named(known, "generator", name);
    for (const std::string section : {"control", "image_to_video"}) {
      const auto needed = settings.texts(section + ".methods");
      if (std::ranges::find(needed, name) != needed.end())
        throw UsageError(
            fmt::format("few.methods names {}, but {} needs it for every seed", name, section),
            "remove it from one of them");
    }
  }
}

/// Checks options of networks that would fail only when their cell runs.
void check_networks(const Settings& settings) {
  if (const auto turning = settings.number("mocogan.turning"); turning != 0 && !(turning >= 3))
    throw UsageError(fmt::format("mocogan.turning is {}", turning),
                     "use at least 3 frames, or 0 for the default initialisation of R_M");
  if (const auto width = settings.integer("tgan.temporal_width"); width < 0 || width % 4 != 0)
    throw UsageError(fmt::format("tgan.temporal_width is {}", width),
                     "use a multiple of 4, or 0 for 16 times width_G");
}

/// Checks that each table names methods that it can compare.
void check_settings(const Settings& settings) {
  const auto known = list_generators(settings);
  for (const auto* table : {"generated", "actions"})
    for (const auto& name : settings.texts(std::string(table) + ".methods")) {
      const auto& method = find_named(known, "generator", name);
      if (name == lengths_row)
        throw UsageError(name + " makes clips of other lengths than this table compares",
                         "name it in lengths.methods");
      if (method.conditional != (table == actions_table))
        throw UsageError(name + (method.conditional ? " needs labels" : " takes no class"),
                         "name it in " +
                             std::string(method.conditional ? actions_table : generated_table) +
                             ".methods");
    }
  check_networks(settings);
  check_lengths(settings);
  check_few(settings, known);
  check_codes(settings, "control", known);
  check_codes(settings, "image_to_video", known);
  check_images(settings);
  const auto controls = settings.texts("negative_controls.methods");
  if (std::count(controls.begin(), controls.end(), real_row) == 0)
    throw UsageError(
        "negative_controls.methods lacks \"real\", whose clips set the bands of all others",
        "add \"real\" to negative_controls.methods");
  for (const auto& name : controls)
    if (name != real_row) find_named(baselines::generators(), "generator", name);
}

/// Returns the methods of a table for a seed. Methods of few.methods have the first seeds only.
std::vector<std::string> methods_of_seed(const Settings& settings, const std::string& table,
                                         std::int64_t seed) {
  auto methods = settings.texts(table + ".methods");
  const auto few = settings.texts("few.methods");
  if (seed >= settings.integer("few.seeds"))
    std::erase_if(methods, [&](const std::string& method) {
      return std::ranges::find(few, method) != few.end();
    });
  return methods;
}

}  // namespace

std::vector<std::string> with_common_sections(std::vector<std::string> sections) {
  sections.insert(sections.end(), {"resampled", "datasets", "clips", "evaluator"});
  return sections;
}

std::vector<std::string> methods_with_shapes(const std::string& dataset, const Settings& settings,
                                             const std::string& key) {
  return has_shapes(dataset) ? settings.texts(key) : std::vector<std::string>{};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check_settings(settings);
  std::vector<PlannedCell> cells;
  for (const auto& dataset : settings.texts("datasets")) {
    const auto evaluator = evaluator_cell(dataset);
    // One evaluator per data set.
    cells.push_back({.cell = evaluator, .reads = with_common_sections()});
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
      // The cell of real clips has the bands of all others.
      const auto real = cell(controls_table, dataset, real_row, seed);
      for (const auto& method : settings.texts("negative_controls.methods"))
        cells.push_back(
            {.cell = cell(controls_table, dataset, method, seed),
             .needs = method == real_row ? std::vector{evaluator} : std::vector{evaluator, real},
             .reads = with_common_sections()});
      for (const auto& table : {generated_table, actions_table})
        for (const auto& method : methods_of_seed(settings, table, seed))
          cells.push_back({.cell = cell(table, dataset, method, seed),
                           .needs = {evaluator, real},
                           .reads = with_common_sections(recipe_sections(method))});
      // Only generated clips can have any length.
      if (!find_clip_set(dataset).is_recorded())
        for (const auto& method : methods_of_seed(settings, lengths_table, seed))
          cells.push_back({.cell = cell(lengths_table, dataset, method, seed),
                           .reads = method == real_row
                                        ? with_common_sections({"lengths"})
                                        : with_common_sections(recipe_sections(method))});
      for (const auto& method : methods_with_shapes(dataset, settings, "control.methods"))
        cells.push_back({.cell = cell(control_table, dataset, method, seed),
                         .needs = {cell(generated_table, dataset, method, seed)},
                         .reads = with_common_sections({"recipe", "mocogan", "control"})});
      for (const auto& method : methods_with_shapes(dataset, settings, "image_to_video.methods"))
        cells.push_back({.cell = cell(image_table, dataset, method, seed),
                         .needs = {cell(generated_table, dataset, method, seed)},
                         .reads = with_common_sections({"recipe", "mocogan", "image_to_video"})});
      // Baselines need the generator too, for unrelated clips.
      for (const auto& method : methods_with_shapes(dataset, settings, "image_to_video.compared"))
        cells.push_back({.cell = cell(image_table, dataset, method, seed),
                         .needs = {cell(generated_table, dataset,
                                        settings.texts("image_to_video.methods").front(), seed)},
                         .reads = with_common_sections({"recipe", "mocogan", "image_to_video"})});
    }
    const auto missing = find_missing_clips(dataset, settings, data);
    for (auto& planned : cells)
      if (planned.cell.dataset == dataset) planned.missing = missing;
  }
  return cells;
}

}  // namespace reprise::reproduce::mocogan_study
