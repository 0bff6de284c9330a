#include "datasets/readers/photos.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "core/error.h"
#include "datasets/formats/images.h"
#include "datasets/formats/media_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* photos_fix = "point to a folder with photographs (.jpg, .png, ...)";

}  // namespace

at::Tensor resize_shorter_side(const at::Tensor& image, std::int64_t shorter) {
  const auto height = image.size(0);
  const auto width = image.size(1);
  const auto side = std::min(height, width);
  // Rounded to the nearest pixel; the shorter side becomes exactly `shorter`.
  const auto scaled = [&](std::int64_t length) { return (length * shorter + side / 2) / side; };
  auto small = at::empty({scaled(height), scaled(width), 3}, at::kByte);
  const cv::Mat from(static_cast<int>(height), static_cast<int>(width), CV_8UC3, image.data_ptr());
  cv::Mat to(static_cast<int>(small.size(0)), static_cast<int>(small.size(1)), CV_8UC3,
             small.data_ptr());
  // Averaging prevents aliasing when the picture shrinks.
  cv::resize(from, to, to.size(), 0, 0, shorter < side ? cv::INTER_AREA : cv::INTER_LINEAR);
  return small;
}

std::vector<PhotoFile> list_photos(const fs::path& folder) {
  auto found = list_media(folder, Media::Pictures, Depth::AllBelow);
  if (found.files.empty())
    throw UsageError(folder.string() + ": no photograph is in this folder",
                     "point to a folder with pictures: " + list_endings(Media::Pictures));
  std::ranges::sort(found.files);
  std::vector<PhotoFile> files;
  for (const auto& path : found.files)
    files.push_back({.path = path,
                     .item = path.lexically_relative(folder).replace_extension().generic_string()});
  return files;
}

std::vector<Issue> collect_photo_issues(
    const std::vector<PhotoFile>& files,
    const std::function<void(std::int64_t i, const at::Tensor& image)>& use) {
  return collect_item_issues(
      static_cast<std::int64_t>(files.size()),
      [&](std::int64_t i) { return files[static_cast<std::size_t>(i)].item; },
      [&](std::int64_t, std::int64_t i) {
        use(i, read_image(files[static_cast<std::size_t>(i)].path));
      });
}

Photos read_photos(const fs::path& folder, std::int64_t shorter) {
  if (shorter < 1)
    throw UsageError(fmt::format("photographs of {} pixels were requested", shorter),
                     "request at least 1");
  const auto files = list_photos(folder);
  Photos photos;
  for (const auto& [path, item] : files) photos.item.push_back(item);
  // Both lists are filled by several threads.
  photos.images.resize(files.size());
  // Threads write to their own places, so that the order is that of the files.
  photos.photo_size.resize(files.size());
  require_no_issues(collect_photo_issues(files,
                                         [&](std::int64_t i, const at::Tensor& image) {
                                           const auto place = static_cast<std::size_t>(i);
                                           photos.photo_size[place] =
                                               fmt::format("{}x{}", image.size(1), image.size(0));
                                           photos.images[place] =
                                               resize_shorter_side(image, shorter);
                                         }),
                    folder.filename().string());
  return photos;
}

std::vector<Issue> verify_photos(const fs::path& folder) {
  // Each picture is decoded once and dropped.
  return collect_issues(
      [&](std::vector<Issue>& issues) {
        issues = collect_photo_issues(list_photos(folder), [](std::int64_t, const at::Tensor&) {});
      },
      folder, photos_fix);
}

PhotoCrops crop_photos(const Photos& photos, const std::vector<std::int64_t>& indices,
                       std::int64_t n, std::int64_t size, const Random& random) {
  if (n < 0) throw UsageError(fmt::format("{} pieces were requested", n), "request 0 or more");
  if (indices.empty())
    throw UsageError("no photograph was given to cut from", "give at least one index");
  for (const auto i : indices) {
    if (i < 0 || i >= photos.size())
      throw UsageError(fmt::format("there is no photograph {} in a set of {}", i, photos.size()),
                       "use indices made for this very set");
    const auto& image = photos.images[static_cast<std::size_t>(i)];
    // Checked for all photographs first, because which of them are drawn depends on the seed.
    if (size < 1 || size > std::min(image.size(0), image.size(1)))
      throw UsageError(
          fmt::format("a square of {} pixels cannot be cut from {}, which has {} x {}", size,
                      photos.item[static_cast<std::size_t>(i)], image.size(1), image.size(0)),
          "read the photographs larger, or cut smaller squares");
  }
  PhotoCrops set{.images = at::empty({n, size, size, 3}, at::kByte),
                 .photo = at::empty({n}, at::kLong)};
  for (std::int64_t i = 0; i < n; ++i) {
    // A stream per piece: piece i does not depend on n.
    auto draw = random.split("piece", i);
    const auto photo =
        indices[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(indices.size())))];
    const auto& image = photos.images[static_cast<std::size_t>(photo)];
    const auto top = draw.below(image.size(0) - size + 1);
    const auto left = draw.below(image.size(1) - size + 1);
    set.images[i].copy_(image.narrow(0, top, size).narrow(1, left, size));
    set.photo[i] = photo;
  }
  return set;
}

}  // namespace reprise::datasets
