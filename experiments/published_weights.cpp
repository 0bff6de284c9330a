#include "experiments/published_weights.h"

#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/torch.h>

#include <map>

#include "core/error.h"
#include "weights/state_dict.h"

namespace reprise::reproduce {

void need_published(const std::string& name, const DataFolder& data, const std::string& instead) {
  data.need_also(
      !published_file(name, data).empty(),
      fmt::format("{0}.pth or {0}.safetensors (torchvision's weights, trained on ImageNet)", name),
      instead);
}

void need_cuda(const DataFolder& data, const std::string& large, const std::string& instead) {
  data.need_also(torch::cuda::is_available(),
                 "a CUDA device (" + large + "; a cell would take days on a CPU)", instead);
}

std::filesystem::path published_file(const std::string& name, const DataFolder& data) {
  for (const auto* ending : {".pth", ".safetensors"})
    if (data.has(name + ending)) return data / (name + ending);
  return {};
}

void load_vgg16(models::Backbone& network, const std::filesystem::path& file) {
  const torch::NoGradGuard no_gradient;
  std::map<std::string, at::Tensor> state;
  for (const auto& [name, tensor] : weights::read_weights(file)) state[name] = tensor;
  const auto put = [&](at::Tensor own, const std::string& name) {
    const auto found = state.find(name);
    if (found == state.end())
      throw UsageError(fmt::format("{} has no {}", file.string(), name),
                       "give torchvision's vgg16, or a file with its names");
    auto given = found->second;
    // A gray network: the sum over the colours equals three equal channels.
    if (own.dim() == 4 && given.dim() == 4 && own.size(1) == 1 && given.size(1) == 3)
      given = given.sum(1, true);
    if (given.sizes() != own.sizes())
      throw UsageError(
          fmt::format("{}: {} is {}, and the network's is {}", file.string(), name,
                      c10::str(given.sizes()), c10::str(own.sizes())),
          "give the weights of the network that cnn.trunk, cnn.width and image.size describe");
    own.copy_(given);
  };
  // In torchvision's features a convolution, its ReLU and a pooling count one each, as in this
  // trunk without batch norm.
  const std::string trunk = "trunk.";
  for (const auto& stage : network->stages()) {
    const auto& path = stage.options().path;
    std::string theirs;  // "": a layer that torchvision's network does not have
    if (path == "fc6") theirs = "classifier.0";
    if (path == "fc7") theirs = "classifier.3";
    if (path.starts_with(trunk)) theirs = "features." + path.substr(trunk.size());
    if (stage.parts.empty() || theirs.empty()) continue;
    put(stage.parts.back().map->weight, theirs + ".weight");
    put(stage.parts.back().map->bias, theirs + ".bias");
  }
}

}  // namespace reprise::reproduce
