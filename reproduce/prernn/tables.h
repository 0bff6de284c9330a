// The tables of study prernn, and what the cells of each do. A table's name is made and read here
// alone.
//
//     faces                 cnn, features; table1, nomemory, short, search
//     gestures and actions  clips, networks_KIND; TASK_KIND, search_KIND
//     both                  selection
//
// KIND: the kind of network (fc, conv, 3d). TASK: gestures, actions.
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

struct NetworkFacts {
  NetworkKind kind = NetworkKind::Fc;
  std::string name;   ///< in names of tables and in the settings: "fc", "conv", "3d"
  std::string title;  ///< "fully connected layers"
  bool convolutional =
      false;  ///< global average pooling after the last convolution, in place of fc6 and fc7
  bool snippets = false;  ///< 3-D convolutions: a step is a snippet of the clip, not a frame
};
const std::vector<NetworkFacts>& network_kinds();
const NetworkFacts& facts_of(NetworkKind kind);
/// UsageError: no such kind; lists the known ones.
NetworkKind network_kind_named(const std::string& name);

struct VideoTask {
  std::string
      name;  ///< "gestures", "actions": also the settings' section with datasets and networks
  std::vector<std::string> modalities;  ///< "colour", "depth"; "colour", "flow"
  std::vector<std::string> published =
      {};  ///< rows of published.toml that stand below the Fc table
};
const std::vector<VideoTask>& video_tasks();

/// A table of methods on gestures or actions.
struct VideoTable {
  const VideoTask* task = nullptr;
  NetworkKind kind = NetworkKind::Fc;
  std::string name() const { return task->name + "_" + facts_of(kind).name; }
};
/// All such tables of the settings, each with its task's data sets.
std::vector<VideoTable> video_tables(const Settings& settings);

std::vector<std::string> datasets_of(const VideoTask& task, const Settings& settings);
std::vector<NetworkKind> networks_of(const VideoTask& task, const Settings& settings);
/// The task that a data set belongs to, by the settings. Error: none has it.
const VideoTask& task_of(const std::string& dataset, const Settings& settings);

struct StudyTable {
  std::string name;
  std::optional<VideoTable> video = {};  ///< of methods on gestures and actions
  std::optional<NetworkKind> network =
      {};                       ///< of what belongs to one kind of network for gestures and actions
  bool one_frame = false;       ///< clips of one frame: without memory
  bool short_training = false;  ///< learns for the epochs of a trial
  std::string search = {};      ///< of methods: the table of the trials that choose their rates
};

/// A rule decides which layers to make recurrent, and the cell trains these again.
inline constexpr const char* selection_table = "selection";

/// Tables in which methods start in another way than the settings' (section start): "kept_output"
/// keeps the trained output layer, "full_scale" has W_h* of scale 1, "forget_bias" lets forget
/// gates of traditional LSTMs start at 1. These and "short", in which methods learn for the epochs
/// of a trial, are of faces_in_motion alone.
const std::vector<std::string>& start_tables();
inline constexpr const char* kept_output_table = "kept_output";
inline constexpr const char* short_table = "short";
/// What the methods of a table start with; section: "sequence" of faces, "video_sequence" of
/// gestures and actions. UsageError: a setting out of range.
models::MethodStart start_of(const std::string& table, const std::string& section,
                             const Settings& settings);

/// "networks_fc" and "search_fc".
std::string networks_table(NetworkKind kind);
std::string search_table(NetworkKind kind);

/// Error: the study has no such table; lists those it has.
const StudyTable& study_table(const std::string& name);

/// UsageError: a search (section of the settings) by more seeds than have data of their own.
void check_search(const std::string& section, const Settings& settings);
/// The search of a method's learning rate on a data set, with its trials in this table: "lr", for
/// each modality of gestures and actions. On generated heads the search on faces_in_motion chooses.
Search rate_search(const std::string& table, const std::string& dataset, const std::string& method,
                   const Settings& settings);

/// The cells with the features of a cell's faces, and with the clips of its gestures or actions.
records::Cell features_cell(records::Cell cell, const Settings& settings);
records::Cell clips_cell(records::Cell cell, const Settings& settings);
records::Cell networks_cell(records::Cell cell, NetworkKind kind, const Settings& settings);

/// Sections of the settings and single settings that cells of faces read, and cells of a table of
/// gestures and actions.
std::vector<std::string> read_of_faces(const std::string& dataset = "");
std::vector<std::string> read_of_videos(const std::string& table);

}  // namespace reprise::reproduce::prernn_study
