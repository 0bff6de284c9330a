// What a full-size run needs besides the code of every other profile: VGG16's weights, 300-VW, a GPU.
#include <fmt/format.h>
#include <torch/cuda.h>

#include <filesystem>
#include <set>

#include "core/error.h"
#include "reproduce/dataset_list.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/video_tasks.h"
#include "reproduce/published_weights.h"

namespace reprise::reproduce::prernn_study {

std::vector<std::string> missing_for_paper(const Settings& settings, const DataFolder& data) {
  std::vector<std::string> missing;
  if (!data.has("300vw")) missing.emplace_back("300vw below --data (300-VW: NNN/vid.avi with NNN/annot/FFFFFF.pts)");
  if (published_file("vgg16", data).empty())
    missing.emplace_back("vgg16.pth or vgg16.safetensors below --data (torchvision's VGG16 weights, trained on ImageNet)");
  for (const auto& task : video_tasks())
    for (const auto& dataset : datasets_of(task, settings))
      if (dataset_named(dataset).read_videos && !data.has(dataset))
        missing.push_back(fmt::format("{} below --data ({})", dataset, dataset_named(dataset).says));
  std::set<std::string> trunks;
  for (const auto& table : video_tables(settings)) trunks.insert(settings.text("video_networks.trunk_" + facts_of(table.kind).name));
  trunks.erase("vgg16");
  for (const auto& trunk : trunks)
    if (is_published(trunk) && published_file(trunk, data).empty())
      missing.push_back(fmt::format("{0}.pth or {0}.safetensors below --data", trunk));
  if (settings.integer("image.size") >= 224 && !torch::cuda::is_available())
    missing.emplace_back("a CUDA device (fc6 alone has 103 million weights; a cell would take days on a CPU)");
  return missing;
}

}  // namespace reprise::reproduce::prernn_study
