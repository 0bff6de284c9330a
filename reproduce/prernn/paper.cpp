// What a full-size run needs besides the code of every other profile: VGG16's weights, 300-VW, a GPU.
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/torch.h>

#include <filesystem>
#include <map>
#include <set>

#include "core/error.h"
#include "reproduce/dataset_list.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/video_tasks.h"
#include "weights/state_dict.h"

namespace reprise::reproduce::prernn_study {

std::filesystem::path vgg16_file(const std::filesystem::path& data) { return published_file("vgg16", data); }

std::vector<std::string> missing_for_paper(const Settings& settings, const std::filesystem::path& data) {
  std::vector<std::string> missing;
  if (data.empty() || !std::filesystem::exists(data / videos))
    missing.emplace_back("300vw below --data (300-VW: NNN/vid.avi with NNN/annot/FFFFFF.pts)");
  if (vgg16_file(data).empty())
    missing.emplace_back("vgg16.pth or vgg16.safetensors below --data (torchvision's VGG16 weights, trained on ImageNet)");
  for (const auto& task : video_tasks())
    for (const auto& dataset : datasets_of(task, settings))
      if (dataset_named(dataset).read_videos && (data.empty() || !std::filesystem::exists(data / dataset)))
        missing.push_back(fmt::format("{} below --data ({})", dataset, dataset_named(dataset).says));
  std::set<std::string> trunks;
  for (const auto& table : video_tables(settings)) trunks.insert(settings.text("video_networks.trunk_" + table.kind));
  trunks.erase("vgg16");
  for (const auto& trunk : trunks)
    if (is_published(trunk) && published_file(trunk, data).empty())
      missing.push_back(fmt::format("{0}.pth or {0}.safetensors below --data", trunk));
  if (settings.integer("image.size") >= 224 && !torch::cuda::is_available())
    missing.emplace_back("a CUDA device (fc6 alone has 103 million weights; a cell would take days on a CPU)");
  return missing;
}

void load_vgg16(models::Backbone& network, const std::filesystem::path& file) {
  const torch::NoGradGuard no_gradient;
  std::map<std::string, at::Tensor> state;
  for (const auto& [name, tensor] : weights::read_weights(file)) state[name] = tensor;
  const auto put = [&](at::Tensor own, const std::string& name) {
    const auto found = state.find(name);
    if (found == state.end())
      throw UsageError(fmt::format("{} has no {}", file.string(), name), "give torchvision's vgg16, or a file with its names");
    auto given = found->second;
    if (own.dim() == 4 && given.dim() == 4 && own.size(1) == 1 && given.size(1) == 3) given = given.sum(1, true);
    if (given.sizes() != own.sizes())
      throw UsageError(
          fmt::format("{}: {} is {}, and the network's is {}", file.string(), name, c10::str(given.sizes()), c10::str(own.sizes())),
          "give the weights of the network that cnn.trunk, cnn.width and image.size describe");
    own.copy_(given);
  };
  // In torchvision's features a convolution, its ReLU and a pooling count one each, as in this trunk without batch norm.
  const std::string trunk = "trunk.";
  for (const auto& stage : network->stages()) {
    const auto& path = stage.options().path;
    const auto theirs = path == "fc6"             ? "classifier.0"
                        : path == "fc7"           ? "classifier.3"
                        : path.starts_with(trunk) ? "features." + path.substr(trunk.size())
                                                  : "";
    if (stage.parts.empty() || theirs.empty()) continue;
    put(stage.parts.back().map->weight, theirs + ".weight");
    put(stage.parts.back().map->bias, theirs + ".bias");
  }
}

}  // namespace reprise::reproduce::prernn_study
