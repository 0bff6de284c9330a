#include "models/backbones/backbone.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "core/error.h"
#include "core/text.h"

namespace reprise::models {

BackboneImpl::BackboneImpl(const std::vector<StageOptions>& stages) {
  if (stages.empty()) throw Error("a backbone without stages", "give at least one");
  for (const auto& stage : stages) stages_.emplace_back(*this, stage);
}

void BackboneImpl::draw(Random& random) {
  const torch::NoGradGuard no_gradient;
  for (auto& item : named_parameters()) {
    auto& tensor = item.value();
    if (tensor.dim() < 2) continue;  // biases and batch norm
    // He et al. 2015: variance 2 / fan in keeps the scale of activations behind a ReLU.
    const auto std_dev = std::sqrt(2.0 / static_cast<double>(tensor[0].numel()));
    auto values = torch::empty(tensor.sizes());
    auto* value = values.data_ptr<float>();
    // One number at a time from `random`, so that values do not depend on torch's generators.
    for (std::int64_t i = 0; i < values.numel(); ++i)
      value[i] = static_cast<float>(std_dev * random.normal());
    tensor.copy_(values);
  }
}

torch::Tensor BackboneImpl::run(const torch::Tensor& x, std::size_t first, std::size_t last) const {
  // 2-D convolutions are faster channels-last.
  auto y = x.dim() == 4 ? x.contiguous(at::MemoryFormat::ChannelsLast) : x;
  for (auto i = first; i < last; ++i) y = stages_[i].forward(y);
  return y;
}

torch::Tensor BackboneImpl::forward(const torch::Tensor& x) const {
  return run(x, 0, stages_.size());
}

torch::Tensor BackboneImpl::features(const torch::Tensor& x, const std::string& layer) const {
  return run(x, 0, index_of(layer) + 1);
}

std::size_t BackboneImpl::index_of(const std::string& layer) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    // By name, by module path, or by the path of its weights.
    const auto& o = stages_[i].options();
    if (layer == o.name ||
        (!o.path.empty() && (layer == o.path || layer == stages_[i].weight_path())))
      return i;
    known.push_back(o.name);
  }
  const auto near = find_nearest(layer, known);
  throw UsageError(fmt::format("there is no layer \"{}\"{}", layer,
                               near.empty() ? "" : ", did you mean " + near + "?"),
                   "name one of: " + join(known, ", "));
}

}  // namespace reprise::models
