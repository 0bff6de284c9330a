// Tables of study prernn and their properties. Only this file builds and parses names of tables.
//
// - Faces: cnn, features; table1, nomemory, short, search.
// - Gestures and actions: clips, networks_KIND; TASK_KIND, search_KIND.
// - Both: selection.
//
// KIND is the kind of network (fc, conv, 3d). TASK is gestures or actions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/search.h"
#include "models/methods.h"
#include "records/record.h"

namespace reprise::reproduce::prernn_study {

/// Kinds of networks. Faces have Fc.
enum class NetworkKind { Fc, Conv, ThreeD };

/// Traits of a kind.
struct NetworkTraits {
  NetworkKind kind = NetworkKind::Fc;
  std::string name;   ///< name in tables and settings: "fc", "conv", "3d"
  std::string title;  ///< "fully connected layers"
  /// Global average pooling after the last convolution instead of fc6 and fc7.
  bool convolutional = false;
  bool snippets = false;  ///< 3-D convolutions: a step is a snippet of frames
};
const std::vector<NetworkTraits>& network_kinds();
const NetworkTraits& network_traits(NetworkKind kind);
/// Returns the kind of a name. UsageError: no such kind.
NetworkKind network_kind_named(const std::string& name);

/// Classification task.
struct VideoTask {
  std::string name;  ///< "gestures", "actions"; section of the settings with data sets and networks
  std::vector<std::string> modalities;      ///< "colour", "depth"; "colour", "flow"
  std::vector<std::string> published = {};  ///< rows of published.toml shown below the Fc table
};
const std::vector<VideoTask>& video_tasks();

/// Table of methods on gestures or actions.
struct VideoTable {
  const VideoTask* task = nullptr;
  NetworkKind kind = NetworkKind::Fc;
  std::string name() const { return task->name + "_" + network_traits(kind).name; }
};
/// Returns all such tables of the settings.
std::vector<VideoTable> video_tables(const Settings& settings);

std::vector<std::string> task_datasets(const VideoTask& task, const Settings& settings);
std::vector<NetworkKind> task_networks(const VideoTask& task, const Settings& settings);
/// Finds the task of a data set by the settings. Error: no task has it.
const VideoTask& find_task(const std::string& dataset, const Settings& settings);

/// Properties of a table.
struct StudyTable {
  std::string name;
  std::optional<VideoTable> video = {};  ///< table of methods on gestures and actions
  /// Kind of network, if the table belongs to one (gestures and actions).
  std::optional<NetworkKind> network = {};
  bool one_frame = false;       ///< clips of one frame: no memory
  bool short_training = false;  ///< trained for the epochs of a trial
  std::string search = {};      ///< table of the trials that choose learning rates
};

/// Table in which a rule chooses the recurrent layers, and the cell trains the result.
inline constexpr const char* selection_table = "selection";

/// Lists tables with other initial weights than section `start` (faces_in_motion only):
/// - kept_output: the trained output layer is kept.
/// - full_scale: W_h* has scale 1.
/// - forget_bias: forget gates of traditional LSTMs start with bias 1.
const std::vector<std::string>& start_tables();
inline constexpr const char* kept_output_table = "kept_output";
/// Table in which methods train for the epochs of a trial (faces_in_motion only).
inline constexpr const char* short_table = "short";
/// Returns the initial weights of the methods of a table. section: "sequence" for faces,
/// "video_sequence" for gestures and actions. UsageError: a setting out of range.
models::MethodStart method_start(const std::string& table, const std::string& section,
                                 const Settings& settings);

/// Return "networks_fc" and "search_fc" for Fc.
std::string networks_table(NetworkKind kind);
std::string search_table(NetworkKind kind);

/// Returns the table of a name. Error: no such table.
const StudyTable& study_table(const std::string& name);

/// Checks a section of search settings. UsageError: more seeds than have their own data.
void check_search(const std::string& section, const Settings& settings);
/// Returns the search of a method's learning rate "lr" on a data set, with trials in this table.
/// Gestures and actions choose one rate per modality. Generated heads use the search on
/// faces_in_motion.
Search rate_search(const std::string& table, const std::string& dataset, const std::string& method,
                   const Settings& settings);

/// Return the cells with the features, the clips and the networks that a cell needs.
records::Cell features_cell(records::Cell cell, const Settings& settings);
records::Cell clips_cell(records::Cell cell, const Settings& settings);
records::Cell networks_cell(records::Cell cell, NetworkKind kind, const Settings& settings);

/// Return the sections and single settings that cells read: of faces, or of a table of gestures and
/// actions.
std::vector<std::string> settings_read_by_faces(const std::string& dataset = "");
std::vector<std::string> settings_read_by_videos(const std::string& table);

}  // namespace reprise::reproduce::prernn_study
