#include <torch/cuda.h>

#include <filesystem>

#include "reproduce/prernn/cells.h"

namespace reprise::reproduce::prernn_study {

std::vector<std::string> missing_for_paper(const std::filesystem::path& data) {
  std::vector<std::string> missing;
  const auto need = [&](const std::string& name, const std::string& what) {
    if (data.empty() || !std::filesystem::exists(data / name)) missing.push_back(name + " below --data (" + what + ")");
  };
  need("300vw", "300-VW: NNN/vid.avi with NNN/annot/FFFFFF.pts");
  need("vgg16.pth", "torchvision's VGG16 weights, trained on ImageNet");
  if (!torch::cuda::is_available()) missing.push_back("a CUDA device (fc6 alone has 103 million weights; a cell would take days on a CPU)");
  return missing;
}

}  // namespace reprise::reproduce::prernn_study
