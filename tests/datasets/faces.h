// Faces drawn in code, for the tests of the readers.
#pragma once
#include <ATen/ATen.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "core/files.h"
#include "datasets/formats/images.h"
#include "datasets/readers/pts.h"
#include "tests/datasets/pts_text.h"

namespace reprise::datasets::testing_faces {

/// [68, 2], float32: an oval of points around (x, y), eyes left and right of its middle.
inline at::Tensor points_at(double x, double y, double radius = 12) {
  auto points = at::empty({68, 2}, at::kFloat);
  auto* xy = points.data_ptr<float>();
  for (std::ptrdiff_t k = 0; k < 68; ++k) {
    const double angle = 0.3 + 2 * 3.14159265358979 * static_cast<double>(k) / 68;
    xy[2 * k] = static_cast<float>(std::round((x + radius * std::cos(angle)) * 1000) / 1000);
    xy[2 * k + 1] = static_cast<float>(std::round((y + radius * std::sin(angle)) * 1000) / 1000);
  }
  return points;
}

/// [height, width, 3]: red grows to the right, green downwards, blue is `blue`.
inline at::Tensor ramp(std::int64_t width, std::int64_t height, int blue = 40) {
  auto image = at::empty({height, width, 3}, at::kByte);
  image.select(2, 0).copy_(
      (at::arange(width) * 4).clamp_max(255).to(at::kByte).unsqueeze(0).expand({height, width}));
  image.select(2, 1).copy_(
      (at::arange(height) * 4).clamp_max(255).to(at::kByte).unsqueeze(1).expand({height, width}));
  image.select(2, 2).fill_(blue);
  return image;
}

/// NAME.png and NAME.pts below the folder.
inline void write_face(const std::filesystem::path& folder, const std::string& name,
                       const at::Tensor& image, const at::Tensor& points) {
  write_png(folder / (name + ".png"), image);
  write_file(folder / (name + ".pts"), pts_text(points));
}

}  // namespace reprise::datasets::testing_faces
