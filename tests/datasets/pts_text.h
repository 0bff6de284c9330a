// Landmarks as an annotation file of 300-W and 300-VW has them, for tests that read such files.
#pragma once
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <string>

namespace reprise::datasets {

/// points: [68, 2]; three decimals, as the official files have.
inline std::string pts_text(const at::Tensor& points) {
  std::string text = fmt::format("version: 1\nn_points: {}\n{{\n", points.size(0));
  const auto xy = points.to(at::kDouble).contiguous();
  const auto* value = xy.data_ptr<double>();
  for (std::int64_t k = 0; k < points.size(0); ++k)
    text += fmt::format("{:.3f} {:.3f}\n", value[2 * k], value[2 * k + 1]);
  return text + "}\n";
}

}  // namespace reprise::datasets
