// Plan of the cells of gestures and actions.
#include <fmt/format.h>

#include "core/error.h"
#include "datasets/transforms/optical_flow.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "experiments/published_weights.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/selection.h"
#include "reproduce/prernn/video_tasks.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// Checks the settings of gestures and actions. UsageError: an unknown name.
void check_video_settings(const Settings& settings) {
  check_search("video_search", settings);
  datasets::find_flow_method(settings.text("actions.flow"));
  std::vector<StudyDataset> labelled;
  for (const auto& dataset : study_datasets())
    if (!dataset.faces()) labelled.push_back(dataset);
  for (const auto& task : video_tasks())
    for (const auto& dataset : task_datasets(task, settings))
      find_named(labelled, "data set of " + task.name, dataset);
}

void plan_methods(const VideoTable& table, const std::string& dataset, const Settings& settings,
                  std::vector<PlannedCell>& cells) {
  // Every method of a kind reads the features of the same networks.
  const NeedsOfSeed needs = [&](std::int64_t seed) {
    return std::vector{cell(networks_table(table.kind), dataset, "cnn", data_seed(settings, seed))};
  };
  const auto methods = video_methods(table.kind, settings);
  for (const auto& method : methods) {
    const auto search = rate_search(search_table(table.kind), dataset, method.info.id, settings);
    plan_trials(search, needs, cells);
    plan_seeds(cell(table.name(), dataset, method.info.id, 0), search, needs, settings, cells);
  }
  plan_selection(selections_among(methods, table.kind), table.name(), networks_table(table.kind),
                 dataset, settings, cells);
}

}  // namespace

std::vector<PlannedCell> plan_videos(const Settings& settings) {
  check_video_settings(settings);
  std::vector<PlannedCell> cells;
  for (const auto& task : video_tasks())
    for (const auto& dataset : task_datasets(task, settings)) {
      bool first = true;  // all kinds of networks share the clips of a data set
      for (const auto kind : task_networks(task, settings)) {
        const VideoTable table{.task = &task, .kind = kind};
        for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
          const auto clips = cell("clips", dataset, "clips", seed);
          if (first) cells.push_back({.cell = clips});
          cells.push_back(
              {.cell = cell(networks_table(kind), dataset, "cnn", seed), .needs = {clips}});
        }
        plan_methods(table, dataset, settings, cells);
        first = false;
      }
    }
  for (auto& planned : cells) planned.reads = settings_read_by_videos(planned.cell.table);
  return cells;
}

}  // namespace reprise::reproduce::prernn_study
