// Data sets of study prernn, each with its properties in this study.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/clips.h"
#include "datasets/transforms/optical_flow.h"
#include "experiments/data_folder.h"
#include "experiments/settings.h"

namespace reprise::reproduce::prernn_study {

/// Sources of faces: values of the setting stills.source.
inline const std::string generated_faces = "synthetic_head";
inline const std::string photographed_faces = "real";  ///< stills, and bursts of three frames
inline const std::string video_faces = "300vw";        ///< frames of 300-VW
/// Returns the data sets of a source of faces (experiments/dataset_list.h).
std::vector<std::string> source_datasets(const std::string& source);

struct StudyDataset {
  enum class Content {
    SyntheticFaceClips,  ///< stills under a moving virtual camera
    FaceBursts,          ///< consecutive frames of real videos
    LabelledClips        ///< gestures or actions: one class per clip
  };
  std::string name;        ///< name in cells and settings, and of the folder below --data
  std::string title = {};  ///< title on pages; "": that of experiments/dataset_list.h
  Content content = Content::LabelledClips;
  /// Source of faces; none: the setting stills.source.
  std::optional<std::string> source = {};
  std::string published = {};             ///< table of published.toml shown below its table 1
  std::vector<std::string> classes = {};  ///< class names, if known before a video is read
  /// Per class the class with the same frames in reverse order, or itself; empty: no such pairs.
  std::vector<std::int64_t> opposite = {};

  bool faces() const { return content != Content::LabelledClips; }
  /// Returns whether these are generated labelled clips.
  bool generated() const;
};

/// Lists faces, the labelled clips of the study, and all other labelled clips of
/// experiments/dataset_list.h.
const std::vector<StudyDataset>& study_datasets();

/// Returns the data set of a name. UsageError: not a data set of the study.
const StudyDataset& study_dataset(const std::string& name);
std::string dataset_title(const std::string& name);

/// Synthetic clips of generated heads: table 1 for users without photographs. They use the learning
/// rates, epochs and seeds of faces_in_motion, and a CNN trained on generated heads.
inline constexpr const char* heads_in_motion = "heads_in_motion";
/// Returns the methods that section [heads] runs on them; none without this section.
std::vector<std::string> heads_methods(const Settings& settings);
/// Returns the source of a data set's faces: its own, else stills.source.
std::string face_source(const std::string& dataset, const Settings& settings);
/// Returns the data set of the cell that trains the CNN: "heads" for generated heads, else
/// "stills".
std::string stills_dataset(const std::string& dataset);

/// Counts the classes of labelled clips without reading a clip; recorded sets by their folder below
/// `data`.
std::int64_t class_count(const std::string& dataset, const DataFolder& data);

}  // namespace reprise::reproduce::prernn_study
