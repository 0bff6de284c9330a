#include "reproduce/prernn/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "experiments/names.h"
#include "experiments/resampling.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// Lists the fixed tables of faces, then one per kind of start, network and task.
std::vector<StudyTable> all_tables() {
  std::vector<StudyTable> all{{.name = "cnn"},
                              {.name = "features"},
                              {.name = "clips"},
                              {.name = "table1", .search = "search"},
                              {.name = "nomemory", .one_frame = true, .search = "search_nomemory"},
                              {.name = short_table, .short_training = true, .search = "search"},
                              {.name = "search"},
                              {.name = "search_nomemory", .one_frame = true},
                              {.name = selection_table, .search = "search"}};
  for (const auto& name : start_tables()) all.push_back({.name = name, .search = "search"});
  for (const auto& network : network_kinds()) {
    const auto kind = network.kind;
    all.push_back({.name = networks_table(kind), .network = kind});
    all.push_back({.name = search_table(kind), .network = kind});
    for (const auto& task : video_tasks()) {
      const VideoTable video{.task = &task, .kind = kind};
      all.push_back(
          {.name = video.name(), .video = video, .network = kind, .search = search_table(kind)});
    }
  }
  return all;
}

}  // namespace

const std::vector<NetworkTraits>& network_kinds() {
  static const std::vector<NetworkTraits> all{
      {.kind = NetworkKind::Fc, .name = "fc", .title = "fully connected layers"},
      {.kind = NetworkKind::Conv,
       .name = "conv",
       .title = "a convolutional layer",
       .convolutional = true},
      {.kind = NetworkKind::ThreeD, .name = "3d", .title = "a 3-D network", .snippets = true}};
  return all;
}

const NetworkTraits& network_traits(NetworkKind kind) {
  const auto& all = network_kinds();
  return *std::find_if(all.begin(), all.end(),
                       [&](const NetworkTraits& traits) { return traits.kind == kind; });
}

NetworkKind network_kind_named(const std::string& name) {
  return find_named(network_kinds(), "kind of network", name).kind;
}

const std::vector<VideoTask>& video_tasks() {
  static const std::vector<VideoTask> all{
      {.name = "gestures",
       .modalities = {"colour", "depth"},
       .published = {"PreRNN, as published", "R3D-CNN, as published", "C3D, as published"}},
      {.name = "actions", .modalities = {"colour", "flow"}},
  };
  return all;
}

std::vector<VideoTable> video_tables(const Settings& settings) {
  std::vector<VideoTable> tables;
  for (const auto& task : video_tasks())
    if (!task_datasets(task, settings).empty())
      for (const auto kind : task_networks(task, settings))
        tables.push_back({.task = &task, .kind = kind});
  return tables;
}

std::vector<std::string> task_datasets(const VideoTask& task, const Settings& settings) {
  return settings.texts(task.name + ".datasets");
}

std::vector<NetworkKind> task_networks(const VideoTask& task, const Settings& settings) {
  std::vector<NetworkKind> kinds;
  for (const auto& name : settings.texts(task.name + ".networks"))
    kinds.push_back(network_kind_named(name));
  return kinds;
}

const VideoTask& find_task(const std::string& dataset, const Settings& settings) {
  for (const auto& task : video_tasks()) {
    const auto known = task_datasets(task, settings);
    if (std::find(known.begin(), known.end(), dataset) != known.end()) return task;
  }
  throw Error("no task has the data set " + dataset,
              "name it in gestures.datasets or actions.datasets");
}

std::string networks_table(NetworkKind kind) { return "networks_" + network_traits(kind).name; }

std::string search_table(NetworkKind kind) { return "search_" + network_traits(kind).name; }

const StudyTable& study_table(const std::string& name) {
  static const auto all = all_tables();
  return find_named(all, "table of prernn", name);
}

const std::vector<std::string>& start_tables() {
  static const std::vector<std::string> all{kept_output_table, "full_scale", "forget_bias"};
  return all;
}

models::MethodStart method_start(const std::string& table, const std::string& section,
                                 const Settings& settings) {
  models::MethodStart start{.draw_output = settings.flag("start.draw_output"),
                            .hidden_scale = settings.number("start.hidden_scale"),
                            .forget_bias = settings.number("start.forget_bias"),
                            .dropout = settings.number(section + ".dropout")};
  // These tables each change one property of the start.
  if (table == kept_output_table) start.draw_output = false;
  if (table == "full_scale") start.hidden_scale = 1;
  if (table == "forget_bias") start.forget_bias = 1;
  return start;
}

void check_search(const std::string& section, const Settings& settings) {
  // A search with one rate has no trials, whatever its number of seeds.
  const auto rates = settings.numbers(section + ".learning_rates");
  const auto seeds = settings.integer(section + ".seeds");
  const auto most = data_seeds(settings);
  if (rates.size() <= 1 || seeds <= most) return;
  throw UsageError(fmt::format("{} = {}, but the number of seeds with their own data is {}",
                               section + ".seeds", seeds, most),
                   fmt::format("--set {}.seeds={}, or run more seeds", section, most));
}

Search rate_search(const std::string& table, const std::string& dataset, const std::string& method,
                   const Settings& settings) {
  const bool videos = study_table(table).network.has_value();
  const std::string section = videos ? "video_search" : "search";
  // Generated heads have no search: they use the rates of faces_in_motion.
  Search search{
      .trials = cell(table, dataset == heads_in_motion ? "faces_in_motion" : dataset, method, 0),
      .grid = {{axis("lr", settings.numbers(section + ".learning_rates"))}},
      .seeds = settings.integer(section + ".seeds"),
      .widen = widen_setting(settings)};
  // Each modality has its own network, hence its own best rate. Faces have no parts.
  std::vector<std::string> parts{""};
  if (videos) parts = find_task(dataset, settings).modalities;
  for (const auto& part : parts)
    search.rules.push_back({.metric = "validation_error", .part = part});
  return search;
}

// Cells of table features, clips and networks_KIND exist once per seed of data (data_seed()).
records::Cell features_cell(records::Cell cell, const Settings& settings) {
  cell.table = "features";
  cell.method = "cnn";
  cell.seed = data_seed(settings, cell.seed);
  return cell;
}

records::Cell clips_cell(records::Cell cell, const Settings& settings) {
  cell.table = "clips";
  cell.method = "clips";
  cell.seed = data_seed(settings, cell.seed);
  return cell;
}

records::Cell networks_cell(records::Cell cell, NetworkKind kind, const Settings& settings) {
  cell.table = networks_table(kind);
  cell.method = "cnn";
  cell.seed = data_seed(settings, cell.seed);
  return cell;
}

std::vector<std::string> settings_read_by_faces(const std::string& dataset) {
  std::vector<std::string> reads{"resampled", "stills", "image",  "camera",   "clips", "cnn",
                                 "sequence",  "start",  "search", "controls", "paper"};
  // Only these cells become stale if section [heads] changes.
  if (dataset == heads_in_motion) reads.emplace_back("heads");
  return reads;
}

std::vector<std::string> settings_read_by_videos(const std::string& table) {
  std::vector<std::string> reads{"resampled", "start", "videos", "gestures", "actions"};
  // Clips are generated before any network exists.
  if (table == "clips") return reads;
  reads.emplace_back("video_networks");
  if (!table.starts_with("networks_"))
    reads.insert(reads.end(), {"video_sequence", "video_search"});
  return reads;
}

}  // namespace reprise::reproduce::prernn_study
