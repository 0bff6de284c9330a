#include "reproduce/prernn/datasets.h"

#include <algorithm>

#include "datasets/generators/gestures.h"
#include "datasets/generators/walkers.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"

namespace reprise::reproduce::prernn_study {
namespace {

using Holds = StudyDataset::Holds;

struct NamedSource {
  std::string name;
  FaceSource source;
};

const std::vector<NamedSource>& face_sources() {
  static const std::vector<NamedSource> all{
      {"synthetic_head", FaceSource::Generated}, {"real", FaceSource::Photographs}, {"300vw", FaceSource::Videos}};
  return all;
}

}  // namespace

FaceSource face_source(const Settings& settings) {
  return find_named(face_sources(), "stills.source", settings.text("stills.source")).source;
}

std::string name_of(FaceSource source) {
  for (const auto& known : face_sources())
    if (known.source == source) return known.name;
  return "";
}

bool StudyDataset::generated() const { return !faces() && dataset_named(name).make_clips; }

const std::vector<StudyDataset>& study_datasets() {
  static const std::vector<StudyDataset> all = [] {
    std::vector<StudyDataset> sets{
        {.name = "faces_in_motion", .title = "faces in motion", .holds = Holds::FilmedFaces, .published = "table1"},
        {.name = "ytf_bursts", .title = "real three-frame bursts", .holds = Holds::FaceBursts, .source = FaceSource::Photographs},
        {.name = heads_in_motion, .title = "generated heads in motion", .holds = Holds::FilmedFaces, .source = FaceSource::Generated},
        {.name = "300vw", .title = "300-VW", .holds = Holds::FaceBursts, .source = FaceSource::Videos, .published = "table1"},
        {.name = "gestures",
         .title = "generated gestures",
         .classes = datasets::gesture_classes(),
         .opposite = datasets::opposite_gestures()},
        {.name = "walkers", .title = "generated actions", .classes = datasets::walker_classes()},
        {.name = "shapes", .title = "videos of moving shapes", .classes = {"0", "1"}},
        {.name = "nvgesture", .title = "NVGesture"},
        {.name = "ucf101", .title = "UCF101"},
        {.name = "hmdb51", .title = "HMDB51"},
    };
    // Every other set of labelled clips that the program knows can be named by a setting, too.
    for (const auto& known : dataset_list()) {
      const auto named = [&](const StudyDataset& set) { return set.name == known.name; };
      if ((known.make_clips || known.read_videos) && std::none_of(sets.begin(), sets.end(), named))
        sets.push_back({.name = known.name, .title = known.name});
    }
    return sets;
  }();
  return all;
}

const StudyDataset& study_dataset(const std::string& name) { return find_named(study_datasets(), "data set of prernn", name); }

const std::string& dataset_title(const std::string& name) { return study_dataset(name).title; }

std::vector<std::string> heads_methods(const Settings& settings) {
  return settings.all().contains("heads.methods") ? settings.texts("heads.methods") : std::vector<std::string>{};
}

FaceSource source_for(const std::string& dataset, const Settings& settings) {
  return study_dataset(dataset).source.value_or(face_source(settings));
}

std::string stills_for(const std::string& dataset) { return dataset == heads_in_motion || dataset == "heads" ? "heads" : "stills"; }

std::int64_t class_count(const std::string& dataset, const DataFolder& data) {
  const auto& set = study_dataset(dataset);
  if (!set.classes.empty()) return static_cast<std::int64_t>(set.classes.size());
  const auto classes = set.generated() ? dataset_named(dataset).make_clips({.count = 1}).classes
                                       : dataset_named(dataset).read_videos(data / dataset).classes;
  return static_cast<std::int64_t>(classes.size());
}

}  // namespace reprise::reproduce::prernn_study
