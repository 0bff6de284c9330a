#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "baselines/methods.h"
#include "core/error.h"
#include "core/text.h"
#include "experiments/names.h"
#include "experiments/published_weights.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/external.h"
#include "reproduce/prernn/selection.h"
#include "reproduce/prernn/video_tasks.h"

namespace reprise::reproduce::prernn_study {

const std::vector<models::Method>& methods_for(NetworkKind kind) {
  // The order is that of rows on the page: baselines first.
  const auto behind_the_baselines = [](const std::vector<models::Method>& own) {
    auto all = baselines::methods();
    all.insert(all.end(), own.begin(), own.end());
    return all;
  };
  static const auto of_layers = behind_the_baselines(models::methods());
  static const auto of_convolutions = behind_the_baselines(models::convolutional_methods());
  return network_traits(kind).convolutional ? of_convolutions : of_layers;
}

const models::Method& method_named(const std::string& id, const std::vector<models::Method>& all) {
  return find_named(all, "method of prernn", id);
}

const models::Method* find_method(const models::MethodTraits& traits,
                                  const std::vector<models::Method>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const models::Method& method) {
    return method.traits == traits;
  });
  return found == all.end() ? nullptr : &*found;
}

bool has_control(const models::Method& method) {
  return method.traits.recurs() && method.traits.train_inputs;
}

namespace {

bool matches_any(const std::string& id, const std::vector<std::string>& globs) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return matches_glob(id, glob); });
}

/// Returns the methods whose id matches a glob.
std::vector<models::Method> select_methods(std::vector<models::Method> all,
                                           const std::vector<std::string>& globs) {
  std::erase_if(all,
                [&](const models::Method& method) { return !matches_any(method.info.id, globs); });
  return all;
}

/// Checks the settings of faces. UsageError: data sets and sources that do not fit.
void check_face_settings(const Settings& settings) {
  check_search("search", settings);
  const auto source = settings.text("stills.source");
  for (const auto& name : settings.texts("clips.datasets")) {
    const auto& dataset = study_dataset(name);
    if (!dataset.faces())
      throw UsageError(fmt::format("clips.datasets has \"{}\", which has no faces", name),
                       "name it in gestures.datasets or actions.datasets");
    // Bursts and videos exist in one source only.
    if (const auto needed = dataset.source.value_or(source); needed != source)
      throw UsageError(
          fmt::format("clips of {} cannot be made of stills.source = \"{}\"", name, source),
          fmt::format("--set stills.source={}", needed));
  }
}

/// Returns a function: the cell with the features of a seed's clips.
NeedsOfSeed needs_features(const std::string& dataset, const Settings& settings) {
  return [&settings, dataset](std::int64_t seed) {
    return std::vector{cell("features", dataset, "cnn", data_seed(settings, seed))};
  };
}

/// Plans the CNNs on these stills, and the features of the clips of these data sets. committed: the
/// CNN's weights are given.
void plan_features(const std::string& stills, const std::vector<std::string>& datasets,
                   bool committed, const Settings& settings, std::vector<PlannedCell>& cells) {
  for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
    const auto cnn = cell("cnn", stills, "cnn", seed);
    cells.push_back({.cell = cnn});
    // With committed weights the features do not wait for the CNN's training.
    std::vector<records::Cell> needs;
    if (!committed) needs.push_back(cnn);
    for (const auto& dataset : datasets)
      cells.push_back({.cell = cell("features", dataset, "cnn", seed), .needs = needs});
  }
}

/// Plans table 1 on generated heads with the rates that the search on faces_in_motion chose.
std::vector<PlannedCell> plan_heads(const Settings& settings) {
  std::vector<PlannedCell> cells;
  const auto globs = heads_methods(settings);
  if (globs.empty()) return cells;
  plan_features(stills_dataset(heads_in_motion), {heads_in_motion}, /*committed=*/false, settings,
                cells);
  const auto needs = needs_features(heads_in_motion, settings);
  for (const auto& method : select_methods(methods_for(NetworkKind::Fc), globs))
    plan_seeds(cell("table1", heads_in_motion, method.info.id, 0),
               rate_search("search", heads_in_motion, method.info.id, settings), needs, settings,
               cells);
  for (auto& planned : cells) planned.reads = settings_read_by_faces(heads_in_motion);
  return cells;
}

/// Plans a method on one data set: search, table 1, control without memory, other initial weights.
void plan_face_method(const models::Method& method, const std::string& dataset,
                      const Settings& settings, std::vector<PlannedCell>& cells) {
  const auto& id = method.info.id;
  const auto needs = needs_features(dataset, settings);
  const auto search = rate_search("search", dataset, id, settings);
  plan_trials(search, needs, cells);
  plan_seeds(cell("table1", dataset, id, 0), search, needs, settings, cells);
  // The control without memory has its own search: its best rate may differ.
  if (has_control(method) && settings.flag("controls.no_memory") &&
      matches_any(id, settings.texts("controls.methods"))) {
    const auto own_search = rate_search("search_nomemory", dataset, id, settings);
    plan_trials(own_search, needs, cells);
    plan_seeds(cell("nomemory", dataset, id, 0), own_search, needs, settings, cells);
  }
  if (study_dataset(dataset).content != StudyDataset::Content::SyntheticFaceClips) return;
  // Other initial weights use the rates of table 1.
  for (const auto& table : settings.texts("start.tables")) {
    const auto* globs = table == short_table ? "start.short_methods" : "start.methods";
    if (matches_any(id, settings.texts(globs)))
      plan_seeds(cell(table, dataset, id, 0), search, needs, settings, cells);
  }
}

std::vector<PlannedCell> plan_faces(const Settings& settings, const DataFolder& data) {
  std::vector<PlannedCell> cells;
  const auto datasets = settings.texts("clips.datasets");
  if (datasets.empty()) return cells;
  plan_features("stills", datasets, !committed_weights(settings.text("cnn.weights"), data).empty(),
                settings, cells);
  const auto methods = face_methods(settings);
  for (const auto& dataset : datasets) {
    for (const auto& method : methods) plan_face_method(method, dataset, settings, cells);
    plan_selection(selections_among(methods, NetworkKind::Fc), "table1", "features", dataset,
                   settings, cells);
  }
  for (auto& planned : cells) planned.reads = settings_read_by_faces();
  return cells;
}

}  // namespace

std::vector<models::Method> face_methods(const Settings& settings) {
  return select_methods(methods_for(NetworkKind::Fc), settings.texts("clips.methods"));
}

std::vector<models::Method> methods_with_other_starts(const Settings& settings) {
  const auto tables = extra_tables(settings);
  // The table of short training changes no initial weights.
  if (std::all_of(tables.begin(), tables.end(),
                  [](const std::string& table) { return table == short_table; }))
    return {};
  return select_methods(face_methods(settings), settings.texts("start.methods"));
}

std::vector<std::string> extra_tables(const Settings& settings) {
  // Records from before this setting have no such tables.
  return settings.all().contains("start.tables") ? settings.texts("start.tables")
                                                 : std::vector<std::string>{};
}

std::vector<models::Method> video_methods(NetworkKind kind, const Settings& settings) {
  return select_methods(methods_for(kind),
                        settings.texts("videos.methods_" + network_traits(kind).name));
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check_face_settings(settings);
  auto cells = plan_faces(settings, data);
  const auto heads = plan_heads(settings);
  cells.insert(cells.end(), heads.begin(), heads.end());
  const auto videos = plan_videos(settings);
  cells.insert(cells.end(), videos.begin(), videos.end());
  // A plan names what its cells lack, so that a run can skip them before it starts.
  for (auto& planned : cells) planned.missing = missing_for(planned.cell, settings, data);
  return cells;
}

}  // namespace reprise::reproduce::prernn_study
