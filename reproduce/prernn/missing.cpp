// What a cell reads below --data, and what a full-size one needs besides.
#include <fmt/format.h>

#include "experiments/dataset_list.h"
#include "experiments/published_weights.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/video_tasks.h"

namespace reprise::reproduce::prernn_study {
namespace {

constexpr auto smaller = "--profile desk";

void need_faces(FaceSource source, const DataFolder& data) {
  const std::string generated = "--profile smoke, which generates its faces";
  if (source == FaceSource::Photographs) {
    data.need("faces_300w", "300-W: NAME.jpg with NAME.pts, in any folder below", generated);
    data.need("ytf_keypoints", "YouTube Faces keypoints: training/*.jpg and training_frames_keypoints.csv", generated);
  }
  if (source == FaceSource::Videos) data.need("300vw", "300-VW: NNN/vid.avi with NNN/annot/FFFFFF.pts", generated);
}

}  // namespace

std::vector<Missing> missing_faces(FaceSource source, const DataFolder& data) {
  need_faces(source, data);
  return data.take_missing();
}

std::vector<Missing> missing_for(const records::Cell& cell, const Settings& settings, const DataFolder& data) {
  const auto& table = study_table(cell.table);
  const bool heads = stills_for(cell.dataset) == "heads", stills = cell.dataset == "stills";
  const bool of_faces = heads || stills || study_dataset(cell.dataset).faces();
  const auto source = heads ? FaceSource::Generated : stills ? face_source(settings) : source_for(cell.dataset, settings);
  if (table.work == Work::Cnn || table.work == Work::Features) need_faces(source, data);
  if (table.work == Work::Cnn && settings.flag("paper.full_size")) need_published("vgg16", data, smaller);
  if (of_faces && settings.integer("image.size") >= 224) need_cuda(data, "fc6 alone has 103 million weights", smaller);
  if (table.work == Work::Clips && !study_dataset(cell.dataset).generated())
    data.need(cell.dataset, dataset_named(cell.dataset).says, fmt::format("leave {} out of the data sets", cell.dataset));
  if (table.network)
    if (const auto key = "video_networks.trunk_" + facts_of(*table.network).name; is_published(settings.text(key)))
      need_published(settings.text(key), data, "--set " + key + "=\"16/2 32 p 64 p 64\"");
  return data.take_missing();
}

}  // namespace reprise::reproduce::prernn_study
