// Requirements of cells: data below --data, published weights, a GPU.
#include <fmt/format.h>

#include "experiments/dataset_list.h"
#include "experiments/published_weights.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/video_tasks.h"

namespace reprise::reproduce::prernn_study {
namespace {

constexpr auto smaller = "--profile small";
constexpr auto with_generated_faces = "--profile smoke, which generates its faces";

}  // namespace

std::vector<Missing> missing_faces(const std::string& source, const DataFolder& data) {
  need_datasets(source_datasets(source), data, with_generated_faces);
  return data.take_missing();
}

std::vector<Missing> missing_for(const records::Cell& cell, const Settings& settings,
                                 const DataFolder& data) {
  const auto& table = study_table(cell.table);
  const bool of_faces = cell.dataset == "stills" || stills_dataset(cell.dataset) == "heads" ||
                        study_dataset(cell.dataset).faces();
  if (cell.table == "cnn" || cell.table == "features")
    need_datasets(source_datasets(face_source(cell.dataset, settings)), data, with_generated_faces);
  if (cell.table == "cnn" && settings.flag("paper.full_size"))
    need_published("vgg16", data, smaller);
  // Frames of 224 pixels are those of full-size VGG16.
  if (of_faces && settings.integer("image.size") >= 224)
    need_cuda(data, "fc6 alone has 103 million weights", smaller);
  if (cell.table == "clips")
    need_datasets({cell.dataset}, data, fmt::format("leave {} out of the data sets", cell.dataset));
  if (table.network)
    if (const auto key = "video_networks.trunk_" + network_traits(*table.network).name;
        is_published(settings.text(key)))
      need_published(settings.text(key), data, "--set " + key + "=\"16/2 32 p 64 p 64\"");
  return data.take_missing();
}

}  // namespace reprise::reproduce::prernn_study
