#include <fmt/format.h>

#include <algorithm>

#include "baselines/generators.h"
#include "core/error.h"
#include "experiments/names.h"
#include "experiments/replicates.h"
#include "models/adversarial/discriminator.h"
#include "models/adversarial/mocogan.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "reproduce/mocogan/external.h"
#include "reproduce/mocogan/methods.h"

namespace reprise::reproduce::mocogan_study {
namespace {

/// Methods of section `section`, which need codes of a generator that section [generated] trains.
void check_codes(const Settings& settings, const std::string& section,
                 const std::vector<training::GeneratorMethod>& known) {
  const auto generated = settings.texts("generated.methods");
  for (const auto& name : settings.texts(section + ".methods")) {
    if (std::count(generated.begin(), generated.end(), name) == 0)
      throw UsageError(
          section + ".methods names " + name + ", which generated.methods does not train",
          "name it there too");
    if (!dynamic_cast<models::Mocogan*>(find_named(known, "generator", name).make().get()))
      throw UsageError(name + " has no codes of content and motion",
                       "name methods of MoCoGAN in " + section + ".methods");
  }
}

void check_images(const Settings& settings) {
  if (!settings.texts("image_to_video.compared").empty() &&
      settings.texts("image_to_video.methods").empty())
    throw UsageError(
        "image_to_video.compared names ways, and image_to_video.methods no method to compare them with",
        "name a method, or no way");
}

/// D_V's convolutions over time take 3 frames away each and leave one.
void check_lengths(const Settings& settings) {
  const auto least = 3 * models::halvings(settings.integer("clips.size")) + 1;
  for (const auto* key : {"clips.frames", "lengths.shortest"})
    if (settings.integer(key) < least)
      throw UsageError(
          fmt::format("{} is {}, and a discriminator of clips of {} x {} pixels needs {} frames",
                      key, settings.integer(key), settings.integer("clips.size"),
                      settings.integer("clips.size"), least),
          "choose more frames, or smaller ones");
  if (settings.integer("lengths.shortest") > settings.integer("lengths.longest"))
    throw UsageError(
        fmt::format("lengths.shortest is {}, and the longest clips have {} frames",
                    settings.integer("lengths.shortest"), settings.integer("lengths.longest")),
        "choose at most as many");
}

/// Rows that only the first replicates have: none whose trained generator another table of each
/// replicate needs.
void check_few(const Settings& settings, const std::vector<training::GeneratorMethod>& known) {
  for (const auto& name : settings.texts("few.methods")) {
    find_named(known, "generator", name);
    for (const std::string section : {"control", "image_to_video"}) {
      const auto needed = settings.texts(section + ".methods");
      if (std::ranges::find(needed, name) != needed.end())
        throw UsageError(
            fmt::format("few.methods names {}, which {} needs in every replicate", name, section),
            "leave it out of one of both");
    }
  }
}

/// Of networks, what they would refuse only when their cell runs.
void check_networks(const Settings& settings) {
  if (const auto turning = settings.number("mocogan.turning"); turning != 0 && !(turning >= 3))
    throw UsageError(fmt::format("mocogan.turning is {}", turning),
                     "use at least 3 frames, or 0: R_M begins as PyTorch draws it");
  if (const auto width = settings.integer("tgan.temporal_width"); width < 0 || width % 4 != 0)
    throw UsageError(fmt::format("tgan.temporal_width is {}", width),
                     "use a multiple of 4, or 0: 16 times width_G");
}

void check(const Settings& settings) {
  const auto known = generators(settings);
  for (const auto* table : {"generated", "actions"})
    for (const auto& name : settings.texts(std::string(table) + ".methods")) {
      const auto& method = find_named(known, "generator", name);
      if (name == lengths_row)
        throw UsageError(name + " has clips of other lengths than these tables compare",
                         "name it in lengths.methods");
      if (method.conditional != (table == actions_table))
        throw UsageError(
            name + (method.conditional ? " needs labels" : " cannot be asked for a class"),
            "name it in " + std::string(method.conditional ? actions_table : generated_table) +
                ".methods");
    }
  check_networks(settings);
  check_lengths(settings);
  check_few(settings, known);
  check_codes(settings, "control", known);
  check_codes(settings, "image_to_video", known);
  check_images(settings);
  const auto worthless = settings.texts("worthless.methods");
  if (std::count(worthless.begin(), worthless.end(), real_row) == 0)
    throw UsageError("worthless.methods lacks real clips, whose bands all others are held to",
                     "name \"real\" among them");
  for (const auto& name : worthless)
    if (name != real_row) find_named(baselines::generators(), "generator", name);
}

/// Those of a table that have a replicate `seed`: rows beside the main ones have the first alone.
std::vector<std::string> methods_of(const Settings& settings, const std::string& table,
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

std::vector<std::string> common_and(std::vector<std::string> sections) {
  sections.insert(sections.end(), {"replicates", "datasets", "clips", "judge"});
  return sections;
}

std::vector<std::string> of_shapes_only(const std::string& dataset, const Settings& settings,
                                        const std::string& key) {
  return has_shapes(dataset) ? settings.texts(key) : std::vector<std::string>{};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check(settings);
  std::vector<PlannedCell> cells;
  for (const auto& dataset : settings.texts("datasets")) {
    const auto evaluator = evaluator_cell(dataset);
    cells.push_back({.cell = evaluator, .reads = common_and()});
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
      const auto real = cell(worthless_table, dataset, real_row,
                             seed);  // it has the bands that all others are held to
      for (const auto& method : settings.texts("worthless.methods"))
        cells.push_back(
            {.cell = cell(worthless_table, dataset, method, seed),
             .needs = method == real_row ? std::vector{evaluator} : std::vector{evaluator, real},
             .reads = common_and()});
      for (const auto& table : {generated_table, actions_table})
        for (const auto& method : methods_of(settings, table, seed))
          cells.push_back({.cell = cell(table, dataset, method, seed),
                           .needs = {evaluator, real},
                           .reads = common_and(sections_of(method))});
      if (!clip_set(dataset).recorded())
        for (const auto& method : methods_of(settings, lengths_table, seed))
          cells.push_back({.cell = cell(lengths_table, dataset, method, seed),
                           .reads = method == real_row ? common_and({"lengths"})
                                                       : common_and(sections_of(method))});
      for (const auto& method : of_shapes_only(dataset, settings, "control.methods"))
        cells.push_back({.cell = cell(control_table, dataset, method, seed),
                         .needs = {cell(generated_table, dataset, method, seed)},
                         .reads = common_and({"recipe", "mocogan", "control"})});
      for (const auto& method : of_shapes_only(dataset, settings, "image_to_video.methods"))
        cells.push_back({.cell = cell(image_table, dataset, method, seed),
                         .needs = {cell(generated_table, dataset, method, seed)},
                         .reads = common_and({"recipe", "mocogan", "image_to_video"})});
      for (const auto& method : of_shapes_only(dataset, settings, "image_to_video.compared"))
        cells.push_back({.cell = cell(image_table, dataset, method, seed),
                         .needs = {cell(generated_table, dataset,
                                        settings.texts("image_to_video.methods").front(), seed)},
                         .reads = common_and({"recipe", "mocogan", "image_to_video"})});
    }
    const auto missing = missing_clips(dataset, settings, data);
    for (auto& planned : cells)
      if (planned.cell.dataset == dataset) planned.missing = missing;
  }
  return cells;
}

}  // namespace reprise::reproduce::mocogan_study
