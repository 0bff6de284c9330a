#include "reproduce/prernn/tables.h"

#include <algorithm>

#include "core/error.h"
#include "reproduce/names.h"
#include "reproduce/replicates.h"

namespace reprise::reproduce::prernn_study {
namespace {

std::vector<StudyTable> all_tables() {
  std::vector<StudyTable> all{{"cnn", Work::Cnn},
                              {"features", Work::Features},
                              {"clips", Work::Clips},
                              {"table1", Work::Method},
                              {"nomemory", Work::WithoutMemory},
                              {"search", Work::Trial},
                              {"selection", Work::Selection}};
  for (const auto& network : network_kinds()) {
    const auto kind = network.kind;
    all.push_back({.name = networks_table(kind), .work = Work::Networks, .network = kind});
    all.push_back({.name = search_table(kind), .work = Work::Trial, .network = kind});
    for (const auto& task : video_tasks()) {
      const VideoTable video{&task, kind};
      all.push_back({.name = video.name(), .work = Work::Method, .video = video, .network = kind});
    }
  }
  return all;
}

}  // namespace

const std::vector<NetworkFacts>& network_kinds() {
  static const std::vector<NetworkFacts> all{
      {.kind = NetworkKind::Fc, .name = "fc", .title = "fully connected layers"},
      {.kind = NetworkKind::Conv, .name = "conv", .title = "a convolutional layer", .convolutional = true},
      {.kind = NetworkKind::ThreeD, .name = "3d", .title = "a 3-D network", .snippets = true}};
  return all;
}

const NetworkFacts& facts_of(NetworkKind kind) {
  const auto& all = network_kinds();
  return *std::find_if(all.begin(), all.end(), [&](const NetworkFacts& facts) { return facts.kind == kind; });
}

NetworkKind network_kind_named(const std::string& name) { return find_named(network_kinds(), "kind of network", name).kind; }

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
    if (!datasets_of(task, settings).empty())
      for (const auto kind : networks_of(task, settings)) tables.push_back({&task, kind});
  return tables;
}

std::vector<std::string> datasets_of(const VideoTask& task, const Settings& settings) { return settings.texts(task.name + ".datasets"); }

std::vector<NetworkKind> networks_of(const VideoTask& task, const Settings& settings) {
  std::vector<NetworkKind> kinds;
  for (const auto& name : settings.texts(task.name + ".networks")) kinds.push_back(network_kind_named(name));
  return kinds;
}

const VideoTask& task_of(const std::string& dataset, const Settings& settings) {
  for (const auto& task : video_tasks()) {
    const auto known = datasets_of(task, settings);
    if (std::find(known.begin(), known.end(), dataset) != known.end()) return task;
  }
  throw Error("no task has the data set " + dataset, "name it in gestures.datasets or actions.datasets");
}

std::string networks_table(NetworkKind kind) { return "networks_" + facts_of(kind).name; }

std::string search_table(NetworkKind kind) { return "search_" + facts_of(kind).name; }

const StudyTable& study_table(const std::string& name) {
  static const auto all = all_tables();
  return find_named(all, "table of prernn", name);
}

records::Cell features_cell(records::Cell cell, const Settings& settings) {
  cell.table = "features", cell.method = "cnn";
  cell.seed = data_seed(settings, cell.seed);
  return cell;
}

records::Cell clips_cell(records::Cell cell, const Settings& settings) {
  cell.table = cell.method = "clips";
  cell.seed = data_seed(settings, cell.seed);
  return cell;
}

records::Cell networks_cell(records::Cell cell, NetworkKind kind, const Settings& settings) {
  cell.table = networks_table(kind), cell.method = "cnn";
  cell.seed = data_seed(settings, cell.seed);
  return cell;
}

std::vector<std::string> video_sections() { return {"videos", "gestures", "actions", "video_networks", "video_sequence", "video_search"}; }

std::vector<std::string> face_sections() {
  return {"stills", "image", "camera", "clips", "cnn", "sequence", "search", "controls", "paper"};
}

}  // namespace reprise::reproduce::prernn_study
