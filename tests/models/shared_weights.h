// Weights that C++ and Python draw alike, without a file: the rule is in
// tests/fixtures/backbones.py.
#pragma once
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace reprise::models {

inline torch::Tensor by_rule(std::string_view name, const std::vector<std::int64_t>& shape) {
  if (name.ends_with("num_batches_tracked")) return torch::zeros(shape, torch::kLong);
  std::uint64_t key = 0xCBF29CE484222325;
  for (const unsigned char byte : name) key = (key ^ byte) * 0x100000001B3;
  auto values = torch::empty(shape);
  double scale = 0.2, centre = 0;
  if (name == "input")
    scale = 4;
  else if (shape.size() > 1)
    scale = 2 * std::sqrt(6.0 / static_cast<double>(values[0].numel()));
  else if (name.ends_with(".weight") || name.ends_with("running_var"))
    scale = centre = 1;
  auto* out = values.data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    std::uint64_t z = key + 0x9E3779B97F4A7C15 * (static_cast<std::uint64_t>(i) + 1);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    out[i] = static_cast<float>(scale * (static_cast<double>(z >> 40) / 16777216 - 0.5) + centre);
  }
  return values;
}

}  // namespace reprise::models
