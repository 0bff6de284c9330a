#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "baselines/methods.h"
#include "core/error.h"
#include "core/text.h"
#include "experiments/external.h"
#include "experiments/names.h"
#include "experiments/published_weights.h"
#include "experiments/replicates.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/external.h"
#include "reproduce/prernn/selection.h"
#include "reproduce/prernn/video_tasks.h"

namespace reprise::reproduce::prernn_study {

const std::vector<models::Method>& methods_for(NetworkKind kind) {
  const auto behind_the_baselines = [](const std::vector<models::Method>& own) {
    auto all = baselines::methods();
    all.insert(all.end(), own.begin(), own.end());
    return all;
  };
  static const auto of_layers = behind_the_baselines(models::methods());
  static const auto of_convolutions = behind_the_baselines(models::convolutional_methods());
  return facts_of(kind).convolutional ? of_convolutions : of_layers;
}

const models::Method& method_named(const std::string& id, const std::vector<models::Method>& all) {
  return find_named(all, "method of prernn", id);
}

const models::Method* method_with(const models::MethodFacts& facts, const std::vector<models::Method>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const models::Method& method) { return method.facts == facts; });
  return found == all.end() ? nullptr : &*found;
}

bool has_control(const models::Method& method) { return method.facts.recurs() && method.facts.train_inputs; }

namespace {

bool matches_any(const std::string& id, const std::vector<std::string>& globs) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return matches_glob(id, glob); });
}

std::vector<models::Method> chosen(std::vector<models::Method> all, const std::vector<std::string>& globs) {
  std::erase_if(all, [&](const models::Method& method) { return !matches_any(method.info.id, globs); });
  return all;
}

void check(const Settings& settings) {
  check_search("search", settings);
  const auto source = face_source(settings);
  for (const auto& name : settings.texts("clips.datasets")) {
    const auto& dataset = study_dataset(name);
    if (!dataset.faces())
      throw UsageError(fmt::format("clips.datasets names \"{}\", which has no faces", name),
                       "name it in gestures.datasets or actions.datasets");
    if (const auto needed = dataset.source.value_or(source); needed != source)
      throw UsageError(fmt::format("clips of {} cannot be made of stills.source = \"{}\"", name, name_of(source)),
                       fmt::format("--set stills.source={}", name_of(needed)));
  }
}

/// Table 1 on generated heads, at the rates that the search on faces_in_motion chose.
std::vector<PlannedCell> plan_heads(const Settings& settings) {
  std::vector<PlannedCell> cells;
  const auto globs = heads_methods(settings);
  if (globs.empty()) return cells;
  const auto stills = stills_for(heads_in_motion);
  for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
    cells.push_back({.cell = cell("cnn", stills, "cnn", seed)});
    cells.push_back({.cell = cell("features", heads_in_motion, "cnn", seed), .needs = {cells.back().cell}});
  }
  for (const auto& method : chosen(methods_for(NetworkKind::Fc), globs))
    for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
      cells.push_back({.cell = cell("table1", heads_in_motion, method.info.id, seed),
                       .needs = {cell("features", heads_in_motion, "cnn", data_seed(settings, seed))}});
      add_search(cells.back(), rate_search("search", heads_in_motion, method.info.id, settings));
    }
  for (auto& planned : cells) planned.reads = read_of_faces(heads_in_motion);
  return cells;
}

std::vector<PlannedCell> plan_faces(const Settings& settings, const DataFolder& data) {
  const auto seeds = settings.integer("seeds");
  const auto beneath = [&](const std::string& table, const std::string& dataset, std::int64_t seed) {
    return cell(table, dataset, "cnn", data_seed(settings, seed));
  };
  const bool kept = !kept_weights(settings.text("cnn.weights"), data).empty();
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
    if (settings.texts("clips.datasets").empty()) break;
    cells.push_back({.cell = cell("cnn", "stills", "cnn", seed)});
    for (const auto& dataset : settings.texts("clips.datasets"))
      cells.push_back({.cell = cell("features", dataset, "cnn", seed),
                       .needs = kept ? std::vector<records::Cell>{} : std::vector<records::Cell>{cell("cnn", "stills", "cnn", seed)}});
  }
  for (const auto& dataset : settings.texts("clips.datasets")) {
    const auto methods = face_methods(settings);
    const auto plan_table = [&](const std::string& table, const models::Method& method, const Search& search) {
      for (std::int64_t seed = 0; seed < seeds; ++seed) {
        cells.push_back({.cell = cell(table, dataset, method.info.id, seed), .needs = {beneath("features", dataset, seed)}});
        add_search(cells.back(), search);
      }
    };
    const auto plan_trials = [&](const std::string& table, const models::Method& method) {
      const auto search = rate_search(table, dataset, method.info.id, settings);
      for (const auto& trial : trial_cells(search)) cells.push_back({.cell = trial, .needs = {beneath("features", dataset, trial.seed)}});
      return search;
    };
    for (const auto& method : methods) {
      const auto search = plan_trials("search", method);
      plan_table("table1", method, search);
      if (has_control(method) && settings.flag("controls.no_memory") && matches_any(method.info.id, settings.texts("controls.methods")))
        plan_table("nomemory", method, plan_trials("search_nomemory", method));
      if (study_dataset(dataset).holds != StudyDataset::Holds::FilmedFaces) continue;
      for (const auto& table : settings.texts("start.tables"))
        if (matches_any(method.info.id, settings.texts(table == short_table ? "start.short_methods" : "start.methods")))
          plan_table(table, method, search);
    }
    plan_selection(choices_among(methods, NetworkKind::Fc), "table1", "features", dataset, settings, cells);
  }
  for (auto& planned : cells) planned.reads = read_of_faces();
  return cells;
}

}  // namespace

std::vector<models::Method> face_methods(const Settings& settings) {
  return chosen(methods_for(NetworkKind::Fc), settings.texts("clips.methods"));
}

std::vector<models::Method> starting_methods(const Settings& settings) {
  const auto tables = extra_tables(settings);
  if (std::all_of(tables.begin(), tables.end(), [](const std::string& table) { return table == short_table; })) return {};
  return chosen(face_methods(settings), settings.texts("start.methods"));
}

std::vector<std::string> extra_tables(const Settings& settings) {
  return settings.all().contains("start.tables") ? settings.texts("start.tables") : std::vector<std::string>{};
}

std::vector<models::Method> video_methods(NetworkKind kind, const Settings& settings) {
  return chosen(methods_for(kind), settings.texts("videos.methods_" + facts_of(kind).name));
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data) {
  check(settings);
  auto cells = plan_faces(settings, data);
  const auto heads = plan_heads(settings);
  cells.insert(cells.end(), heads.begin(), heads.end());
  const auto videos = plan_videos(settings);
  cells.insert(cells.end(), videos.begin(), videos.end());
  for (auto& planned : cells) planned.missing = missing_for(planned.cell, settings, data);
  return cells;
}

void run(CellContext& context) {
  const auto& cell = context.record.cell;
  if (holds_predictions(context))
    return study_table(cell.table).video ? measure_label_predictions(context) : measure_face_predictions(context);
  switch (study_table(cell.table).work) {
    case Work::Cnn:
      return run_cnn(context);
    case Work::Features:
      return run_features(context);
    case Work::Clips:
      return run_video_clips(context);
    case Work::Networks:
      return run_video_networks(context);
    case Work::Method:
    case Work::Trial:
    case Work::Selection:
      return study_dataset(cell.dataset).faces() ? run_sequence(context) : run_video_method(context);
  }
}

}  // namespace reprise::reproduce::prernn_study
