#include "datasets/pose_videos.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"
#include "datasets/formats/images.h"
#include "datasets/formats/media_files.h"
#include "datasets/issues.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

/// Largest difference between R R^T and I; infinite for a mirror.
double off_rotation(const std::array<double, 9>& R) {
  double off = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      // Entry (i, j) of R R^T - I.
      double product = i == j ? -1 : 0;
      for (std::size_t k = 0; k < 3; ++k) product += R[3 * i + k] * R[3 * j + k];
      // A comparison with NaN would hide it.
      off = std::isfinite(product) ? std::max(off, std::abs(product)) : INFINITY;
    }
  const double determinant = R[0] * (R[4] * R[8] - R[5] * R[7]) -
                             R[1] * (R[3] * R[8] - R[5] * R[6]) +
                             R[2] * (R[3] * R[7] - R[4] * R[6]);
  return determinant > 0 ? off : INFINITY;
}

}  // namespace

std::array<double, 3> euler_angles(const std::array<double, 9>& R) {
  if (!(off_rotation(R) <= 0.01))
    throw UsageError("a matrix is not a rotation",
                     "give an orthonormal 3 x 3 matrix with determinant 1");
  // Inverse of R = Rx(-pitch) Ry(yaw) Rz(roll) (scene/synthetic_head.h): R[2] is sin(yaw).
  constexpr double degrees = 180 / std::numbers::pi;
  const double yaw = std::atan2(R[2], std::hypot(R[5], R[8])) * degrees;
  // At 90 degrees of yaw, pitch and roll rotate about the same axis. Only their combined angle is
  // known; it is given as pitch.
  if (std::hypot(R[5], R[8]) < 1e-9)
    return {(R[2] > 0 ? -1 : 1) * std::atan2(R[3], R[4]) * degrees, yaw, 0};
  return {std::atan2(R[5], R[8]) * degrees, yaw, -std::atan2(R[1], R[0]) * degrees};
}

void check_pictures(const std::vector<PoseVideo>& videos, std::vector<Issue>& issues) {
  for (const auto& video : videos) {
    std::vector<std::optional<Issue>> found(video.files.size());
    std::vector<std::array<std::int64_t, 2>> size(video.files.size());
    parallel_items(static_cast<std::int64_t>(video.files.size()), at::get_num_threads(),
                   [&](std::int64_t, std::int64_t i) {
                     const auto k = static_cast<std::size_t>(i);
                     try {
                       const auto image = read_annotated_image(video.files[k]);
                       size[k] = {image.size(1), image.size(0)};
                     } catch (const Error& error) {
                       found[k] = Issue{.where = video.files[k].string(),
                                        .what = error.problem(),
                                        .fix = error.fix()};
                     }
                   });
    std::optional<std::size_t> first;
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found[k]) {
        issues.push_back(*found[k]);
        continue;
      }
      // The first readable picture is the reference for the others.
      if (!first) first = k;
      if (size[k] != size[*first])
        issues.push_back({.where = video.files[k].string(),
                          .what = fmt::format(
                              "the picture has {} x {} pixels, the first of its sequence {} x {}",
                              size[k][0], size[k][1], size[*first][0], size[*first][1]),
                          .fix = "fetch the set again"});
    }
  }
}

std::vector<fs::path> list_folders(const fs::path& folder, const std::string& fix) {
  auto found = list_entries(folder, Depth::OneFolder, fix);
  std::erase_if(found, [](const fs::path& path) { return !fs::is_directory(path); });
  std::ranges::sort(found);
  return found;
}

std::vector<Issue> verify_pose_videos(
    const std::function<std::vector<PoseVideo>(std::vector<Issue>& issues)>& scan,
    const fs::path& folder) {
  return collect_issues([&](std::vector<Issue>& issues) { check_pictures(scan(issues), issues); },
                        folder, "make the folder readable");
}

}  // namespace reprise::datasets
