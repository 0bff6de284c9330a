#include "reproduce/prernn/datasets.h"

#include <algorithm>

#include "datasets/generators/gestures.h"
#include "datasets/generators/walkers.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"

namespace reprise::reproduce::prernn_study {
namespace {

using Content = StudyDataset::Content;

}  // namespace

std::vector<std::string> source_datasets(const std::string& source) {
  if (source == photographed_faces) return {"faces_300w", "ytf_keypoints"};
  return {source};
}

bool StudyDataset::generated() const { return !faces() && !dataset_named(name).is_recorded(); }

const std::vector<StudyDataset>& study_datasets() {
  static const std::vector<StudyDataset> all = [] {
    std::vector<StudyDataset> sets{
        {.name = "faces_in_motion",
         .title = "faces in motion",
         .content = Content::SyntheticFaceClips,
         .published = "table1"},
        {.name = "ytf_bursts",
         .title = "real three-frame bursts",
         .content = Content::FaceBursts,
         .source = photographed_faces},
        {.name = heads_in_motion,
         .title = "generated heads in motion",
         .content = Content::SyntheticFaceClips,
         .source = generated_faces},
        {.name = "300vw",
         .content = Content::FaceBursts,
         .source = video_faces,
         .published = "table1"},
        {.name = "gestures",
         .classes = datasets::gesture_classes(),
         .opposite = datasets::opposite_gestures()},
        {.name = "walkers", .classes = datasets::walker_classes()},
        {.name = "shapes", .classes = {"0", "1"}},
    };
    // Settings can name any other set of labelled clips, too.
    for (const auto& known : dataset_list()) {
      const auto named = [&](const StudyDataset& set) { return set.name == known.name; };
      if ((known.make_clips || known.read_videos) && std::none_of(sets.begin(), sets.end(), named))
        sets.push_back({.name = known.name});
    }
    return sets;
  }();
  return all;
}

const StudyDataset& study_dataset(const std::string& name) {
  return find_named(study_datasets(), "data set of prernn", name);
}

std::string dataset_title(const std::string& name) {
  const auto& title = study_dataset(name).title;
  return title.empty() ? reproduce::dataset_title(name) : title;
}

std::vector<std::string> heads_methods(const Settings& settings) {
  return settings.all().contains("heads.methods") ? settings.texts("heads.methods")
                                                  : std::vector<std::string>{};
}

std::string face_source(const std::string& dataset, const Settings& settings) {
  const auto& source = settings.text("stills.source");
  // "stills" is the data set of the cell that trains the CNN; it is no data set of clips.
  if (dataset == "stills") return source;
  return stills_dataset(dataset) == "heads" ? generated_faces
                                            : study_dataset(dataset).source.value_or(source);
}

std::string stills_dataset(const std::string& dataset) {
  return dataset == heads_in_motion || dataset == "heads" ? "heads" : "stills";
}

std::int64_t class_count(const std::string& dataset, const DataFolder& data) {
  const auto& set = study_dataset(dataset);
  if (!set.classes.empty()) return static_cast<std::int64_t>(set.classes.size());
  // One generated clip, or the folder of a recorded set, states the classes.
  const auto classes = set.generated() ? dataset_named(dataset).make_clips({.count = 1}).classes
                                       : dataset_named(dataset).read_videos(data / dataset).classes;
  return static_cast<std::int64_t>(classes.size());
}

}  // namespace reprise::reproduce::prernn_study
