// Which cells gestures and actions have.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "datasets/transforms/optical_flow.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/dataset_list.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/video_tasks.h"
#include "reproduce/replicates.h"
#include "reproduce/sequence_training.h"

namespace reprise::reproduce::prernn_study {
namespace {

void check_dataset(const VideoTask& task, const std::string& name, const std::filesystem::path& data) {
  std::vector<std::string> known;
  for (const auto& dataset : dataset_list())
    if (dataset.read_videos || dataset.make_clips) known.push_back(dataset.name);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UsageError(fmt::format("{}.datasets names \"{}\"", task.name, name), "name any of " + join(known, ", "));
  if (dataset_named(name).read_videos && (data.empty() || !std::filesystem::is_directory(data / name)))
    throw UsageError(fmt::format("the data set {} is missing below --data {}", name, data.empty() ? "(not given)" : data.string()),
                     fmt::format("put it there ({}), or leave it out of {}.datasets", dataset_named(name).says, task.name));
}

void check(const Settings& settings, const std::filesystem::path& data) {
  for (const auto* key :
       {"videos.frames", "videos.training", "videos.validation", "videos.test", "videos.people", "videos.snippet", "videos.snippet_stride",
        "video_networks.clips", "video_networks.steps_an_epoch", "video_networks.epochs", "video_networks.batch", "video_networks.width",
        "video_sequence.epochs", "video_sequence.batch", "video_search.epochs"})
    if (settings.integer(key) < 1)
      throw UsageError(fmt::format("{} is {}, expected at least 1", key, settings.integer(key)), fmt::format("--set {}=1", key));
  if (settings.integer("videos.size") < 16) throw UsageError("videos.size is below 16", "--set videos.size=16");
  if (settings.numbers("video_search.learning_rates").empty())
    throw UsageError("video_search.learning_rates is empty", "give at least one rate, as --set 'video_search.learning_rates=[1e-3]'");
  datasets::flow_method_named(settings.text("actions.flow"));
  for (const auto& task : video_tasks()) {
    const auto& kinds = network_kinds();
    for (const auto& kind : settings.texts(task.name + ".networks"))
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
        throw UsageError(fmt::format("{}.networks names \"{}\"", task.name, kind), "name any of " + join(kinds, ", "));
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
  const auto networks = [&](std::int64_t seed) { return cell("networks_" + table.kind, dataset, "cnn", data_seed(settings, seed)); };
  const auto methods = video_methods(table.kind, settings);
  const auto rates = settings.numbers("video_search.learning_rates");
  for (const auto& method : methods) {
    std::vector<records::Cell> trials;
    for (const auto rate : rates) {
      if (rates.size() == 1) break;  // nothing to choose
      trials.push_back(cell("search_" + table.kind, dataset, trial_name(method.name, rate), 0));
      cells.push_back({.cell = trials.back(), .needs = {networks(0)}, .cost = cost * share});
    }
    for (std::int64_t seed = 0; seed < seeds; ++seed) {
      auto needs = trials;
      needs.push_back(networks(seed));
      cells.push_back({.cell = cell(table.name(), dataset, method.name, seed), .needs = needs, .cost = cost});
    }
  }
  plan_selection(selecting({"lstm_" + table.kind, "gru_" + table.kind}, methods), table.name(), "networks_" + table.kind, dataset, settings,
                 cost, cells);
}

}  // namespace

std::vector<PlannedCell> plan_videos(const Settings& settings, const std::filesystem::path& data) {
  check(settings, data);
  std::vector<PlannedCell> cells;
  for (const auto& task : video_tasks())
    for (const auto& dataset : datasets_of(task, settings)) {
      bool first = true;
      for (const auto& kind : settings.texts(task.name + ".networks")) {
        const VideoTable table{&task, kind};
        const auto costs = costs_of(table, settings);
        for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed) {
          const auto clips = cell("clips", dataset, "clips", seed);
          if (first) cells.push_back({.cell = clips, .cost = costs.clips});
          cells.push_back({.cell = cell("networks_" + kind, dataset, "cnn", seed), .needs = {clips}, .cost = costs.networks});
        }
        plan_methods(table, dataset, settings, cells);
        first = false;
      }
    }
  for (auto& planned : cells) {
    planned.apart = face_sections();
    const auto& table = planned.cell.table;
    if (table == "clips" || table.starts_with("networks_"))  // done before any sequence is trained
      planned.apart.insert(planned.apart.end(), {"video_sequence", "video_search"});
    if (table == "clips") planned.apart.emplace_back("video_networks");
  }
  return cells;
}

}  // namespace reprise::reproduce::prernn_study
