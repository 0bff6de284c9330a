// The data sets of study prernn, each with what the study does differently for it.
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

/// Where the faces of a run come from: values of the setting stills.source.
inline const std::string generated_faces = "synthetic_head";
inline const std::string photographed_faces = "real";  ///< stills, and bursts of three frames
inline const std::string video_faces = "300vw";        ///< frames of 300-VW
/// The data sets in which faces of a source are (experiments/dataset_list.h).
std::vector<std::string> face_sets(const std::string& source);

struct StudyDataset {
  enum class Holds {
    FilmedFaces,   ///< stills under a virtual camera that moves
    FaceBursts,    ///< consecutive frames of real videos
    LabelledClips  ///< gestures or actions: a class for each clip
  };
  std::string name;        ///< in cells, in the settings, and of its folder below --data
  std::string title = {};  ///< on pages; "": as experiments/dataset_list.h has it
  Holds holds = Holds::LabelledClips;
  std::optional<std::string> source =
      {};  ///< of FaceBursts, and of faces that are always generated: the source that has them
  std::string published = {};  ///< table of published.toml that stands beside its table 1
  std::vector<std::string> classes = {};  ///< names, where they are known before any video is read

  /// Of each class the one that shows the same frames in opposite order, itself where there is
  /// none; empty: no class has one.
  std::vector<std::int64_t> opposite = {};

  bool faces() const { return holds != Holds::LabelledClips; }
  /// Labelled clips that are generated.
  bool generated() const;
};

/// Faces first; then the study's labelled clips, then every other set of them in
/// experiments/dataset_list.h.
const std::vector<StudyDataset>& study_datasets();

/// UsageError: no data set of the study; lists those there are.
const StudyDataset& study_dataset(const std::string& name);
std::string dataset_title(const std::string& name);

/// Generated heads under the virtual camera: table 1 for a reader without photographs. It has the
/// learning rates, epochs and seeds of faces_in_motion and a CNN that is trained on generated
/// heads.
inline constexpr const char* heads_in_motion = "heads_in_motion";
/// The methods that [heads] runs on them; none where the settings have no such section.
std::vector<std::string> heads_methods(const Settings& settings);
/// Where the faces of a data set, or of the CNN beneath it, come from: its own source, else
/// stills.source.
std::string source_for(const std::string& dataset, const Settings& settings);
/// The data set in the cell of the CNN beneath a data set of faces: "heads" of generated heads,
/// else "stills".
std::string stills_for(const std::string& dataset);

/// How many classes a set of labelled clips has, without reading a clip; of a set that is read,
/// from its folder below `data`.
std::int64_t class_count(const std::string& dataset, const DataFolder& data);

}  // namespace reprise::reproduce::prernn_study
