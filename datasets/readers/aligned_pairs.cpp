#include "datasets/readers/aligned_pairs.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"
#include "datasets/formats/images.h"
#include "datasets/readers/photos.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* pairs_fix =
    "point to a folder with pairs side by side in one file, as maps/train of pix2pix has them";

/// Splits an image into its left and right half. UsageError: its width is odd.
std::pair<at::Tensor, at::Tensor> split_halves(const at::Tensor& image) {
  const auto width = image.size(1);
  if (width % 2 != 0)
    throw UsageError(fmt::format("{} pixels wide, and two halves were expected", width), pairs_fix);
  return {image.narrow(1, 0, width / 2), image.narrow(1, width / 2, width / 2)};
}

}  // namespace

AlignedPairs read_aligned_pairs(const fs::path& folder, std::int64_t size) {
  if (size < 1)
    throw UsageError(fmt::format("pictures of {} pixels were requested", size),
                     "request at least 1");
  const auto files = list_photos(folder);
  const auto n = static_cast<std::int64_t>(files.size());
  AlignedPairs pairs{
      at::empty({n, size, size, 3}, at::kByte), at::empty({n, size, size, 3}, at::kByte), {}};
  for (const auto& [path, item] : files) pairs.item.push_back(item);
  // Threads write to their own rows.
  require_no_issues(collect_photo_issues(files,
                                         [&](std::int64_t i, const at::Tensor& image) {
                                           const auto [left, right] = split_halves(image);
                                           pairs.left[i].copy_(squeeze_image(left, size));
                                           pairs.right[i].copy_(squeeze_image(right, size));
                                         }),
                    folder.filename().string());
  return pairs;
}

std::vector<Issue> verify_aligned_pairs(const fs::path& folder) {
  return collect_issues(
      [&](std::vector<Issue>& issues) {
        issues = collect_photo_issues(
            list_photos(folder),
            [](std::int64_t, const at::Tensor& image) { split_halves(image); });
      },
      folder, pairs_fix);
}

}  // namespace reprise::datasets
