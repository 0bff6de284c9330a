// Which cells gestures and actions have.
#include <fmt/format.h>

#include "core/error.h"
#include "datasets/transforms/optical_flow.h"
#include "reproduce/dataset_list.h"
#include "reproduce/names.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/selection.h"
#include "reproduce/prernn/video_tasks.h"
#include "reproduce/replicates.h"
#include "reproduce/sequence_training.h"

namespace reprise::reproduce::prernn_study {
namespace {

void check_dataset(const VideoTask& task, const std::string& name, const DataFolder& data) {
  std::vector<StudyDataset> labelled;
  for (const auto& dataset : study_datasets())
    if (!dataset.faces()) labelled.push_back(dataset);
  const auto& dataset = find_named(labelled, "data set of " + task.name, name);
  if (!dataset.generated() && !data.has(name))
    throw UsageError(fmt::format("the data set {} is missing below --data {}", name, data.shown()),
                     fmt::format("put it there ({}), or leave it out of {}.datasets", dataset_named(name).says, task.name));
}

void check(const Settings& settings, const DataFolder& data) {
  settings.at_least(
      {"videos.frames", "videos.training", "videos.validation", "videos.test", "videos.people", "videos.snippet", "videos.snippet_stride",
       "video_networks.clips", "video_networks.steps_an_epoch", "video_networks.epochs", "video_networks.batch", "video_networks.width",
       "video_sequence.epochs", "video_sequence.batch", "video_search.epochs"},
      1);
  settings.at_least({"videos.size"}, 16);
  check_search("video_search", settings);
  datasets::flow_method_named(settings.text("actions.flow"));
  for (const auto& task : video_tasks()) {
    networks_of(task, settings);  // refuses an unknown kind
    for (const auto& dataset : datasets_of(task, settings)) check_dataset(task, dataset, data);
  }
}

/// Seconds on one core, roughly, of small networks.
struct Costs {
  double clips, networks, method;
};

Costs costs_of(const VideoTable& table, const Settings& settings) {
  const auto clips = static_cast<double>(settings.integer("videos.training"));
  const auto frames = clips * static_cast<double>(settings.integer("videos.frames"));
  const auto side = static_cast<double>(settings.integer("videos.size")) / 64;
  const auto parts = static_cast<double>(table.task->modalities.size());
  return {.clips = frames * 2e-3,
          .networks = parts * frames * side * side * 1e-3 * static_cast<double>(settings.integer("video_networks.epochs")),
          .method = parts * clips * 3e-4 * static_cast<double>(settings.integer("video_sequence.epochs"))};
}

void plan_methods(const VideoTable& table, const std::string& dataset, const Settings& settings, std::vector<PlannedCell>& cells) {
  const auto seeds = settings.integer("seeds");
  const auto cost = costs_of(table, settings).method;
  const auto share =
      static_cast<double>(settings.integer("video_search.epochs")) / static_cast<double>(settings.integer("video_sequence.epochs"));
  const auto networks = [&](std::int64_t seed) { return cell(networks_table(table.kind), dataset, "cnn", data_seed(settings, seed)); };
  const auto methods = video_methods(table.kind, settings);
  const auto rates = settings.numbers("video_search.learning_rates");
  for (const auto& method : methods) {
    std::vector<records::Cell> trials;
    for (std::int64_t seed = 0; seed < settings.integer("video_search.seeds"); ++seed)
      for (const auto rate : rates) {
        if (rates.size() == 1) break;  // nothing to choose
        trials.push_back(cell(search_table(table.kind), dataset, trial_name({method.info.id, {{"lr", rate}}}), seed));
        cells.push_back({.cell = trials.back(), .needs = {networks(seed)}, .cost = cost * share});
      }
    for (std::int64_t seed = 0; seed < seeds; ++seed) {
      auto needs = trials;
      needs.push_back(networks(seed));
      cells.push_back({.cell = cell(table.name(), dataset, method.info.id, seed), .needs = needs, .cost = cost});
    }
  }
  plan_selection(choices_among(methods, table.kind), table.name(), networks_table(table.kind), dataset, settings, cost, cells);
}

}  // namespace

std::vector<PlannedCell> plan_videos(const Settings& settings, const DataFolder& data) {
  check(settings, data);
  std::vector<PlannedCell> cells;
  for (const auto& task : video_tasks())
    for (const auto& dataset : datasets_of(task, settings)) {
      bool first = true;
      for (const auto kind : networks_of(task, settings)) {
        const VideoTable table{&task, kind};
        const auto costs = costs_of(table, settings);
        for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
          const auto clips = cell("clips", dataset, "clips", seed);
          if (first) cells.push_back({.cell = clips, .cost = costs.clips});
          cells.push_back({.cell = cell(networks_table(kind), dataset, "cnn", seed), .needs = {clips}, .cost = costs.networks});
        }
        plan_methods(table, dataset, settings, cells);
        first = false;
      }
    }
  for (auto& planned : cells) {
    planned.apart = face_sections();
    const auto work = study_table(planned.cell.table).work;
    if (work == Work::Clips || work == Work::Networks)  // done before any sequence is trained
      planned.apart.insert(planned.apart.end(), {"video_sequence", "video_search"});
    if (work == Work::Clips) planned.apart.emplace_back("video_networks");
  }
  return cells;
}

}  // namespace reprise::reproduce::prernn_study
