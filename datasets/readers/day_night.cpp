#include "datasets/readers/day_night.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"
#include "datasets/formats/images.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* day_night_fix = "point to a folder with day/NAME.jpg and night/NAME.jpg";

struct PhotoFile {
  fs::path path;
  std::string item;
  std::int64_t label;
};

std::vector<PhotoFile> photo_files(const fs::path& folder) {
  std::vector<PhotoFile> files;
  for (const std::int64_t label : {0, 1}) {
    const std::string name = label == 0 ? "day" : "night";
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator entry(folder / name, error), end; !error && entry != end; entry.increment(error)) {
      const auto ending = entry->path().extension();
      if (ending == ".jpg" || ending == ".jpeg" || ending == ".png") paths.push_back(entry->path());
    }
    if (error) throw UsageError(fmt::format("{}: the folder cannot be read: {}", (folder / name).string(), error.message()), day_night_fix);
    if (paths.empty()) throw UsageError((folder / name).string() + ": no photograph is in this folder", day_night_fix);
    std::ranges::sort(paths);
    for (const auto& path : paths) files.push_back({path, name + "/" + path.stem().string(), label});
  }
  return files;
}

at::Tensor resized(const at::Tensor& image, std::int64_t shorter) {
  const auto height = image.size(0), width = image.size(1), side = std::min(height, width);
  const auto scaled = [&](std::int64_t length) { return (length * shorter + side / 2) / side; };
  auto small = at::empty({scaled(height), scaled(width), 3}, at::kByte);
  const cv::Mat from(static_cast<int>(height), static_cast<int>(width), CV_8UC3, image.data_ptr());
  cv::Mat to(static_cast<int>(small.size(0)), static_cast<int>(small.size(1)), CV_8UC3, small.data_ptr());
  cv::resize(from, to, to.size(), 0, 0, shorter < side ? cv::INTER_AREA : cv::INTER_LINEAR);
  return small;
}

/// Calls use(i, image) for every photograph that can be read, on several threads; the others become problems, in order.
template <typename Use>
void for_each_photo(const std::vector<PhotoFile>& files, std::vector<Problem>& problems, const Use& use) {
  std::vector<std::optional<Problem>> found(files.size());
  parallel_items(static_cast<std::int64_t>(files.size()), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    try {
      use(place, read_image(files[place].path));
    } catch (const Error& error) {
      found[place] = Problem{files[place].item, error.problem(), error.fix()};
    }
  });
  for (auto& problem : found)
    if (problem) problems.push_back(std::move(*problem));
}

}  // namespace

LandscapePhotos read_day_night(const fs::path& folder, std::int64_t shorter) {
  if (shorter < 1) throw UsageError(fmt::format("photographs of {} pixels were asked for", shorter), "ask for at least 1");
  const auto files = photo_files(folder);
  LandscapePhotos photos;
  photos.images.resize(files.size());
  std::vector<Problem> problems;
  for_each_photo(files, problems, [&](std::size_t i, const at::Tensor& image) { photos.images[i] = resized(image, shorter); });
  require_none(problems, "day_night");
  photos.labels = at::empty({static_cast<std::int64_t>(files.size())}, at::kLong);
  for (std::size_t i = 0; i < files.size(); ++i) {
    photos.item.push_back(files[i].item);
    photos.labels[static_cast<std::int64_t>(i)] = files[i].label;
  }
  return photos;
}

std::vector<Problem> verify_day_night(const fs::path& folder) {
  return collected_problems(
      [&](std::vector<Problem>& problems) { for_each_photo(photo_files(folder), problems, [](std::size_t, const at::Tensor&) {}); }, folder,
      day_night_fix);
}

Pictures landscape_crops(const LandscapePhotos& photos, const std::vector<std::int64_t>& indices, std::int64_t n, std::int64_t size,
                         const Random& random) {
  if (n < 0) throw UsageError(fmt::format("{} pieces were asked for", n), "ask for 0 or more");
  if (indices.empty()) throw UsageError("no photograph was given to cut from", "give at least one index");
  for (const auto i : indices) {
    if (i < 0 || i >= photos.size())
      throw UsageError(fmt::format("there is no photograph {} in a set of {}", i, photos.size()), "use indices made for this very set");
    const auto& image = photos.images[static_cast<std::size_t>(i)];
    if (size < 1 || size > std::min(image.size(0), image.size(1)))
      throw UsageError(fmt::format("a square of {} pixels cannot be cut from {}, which has {} x {}", size,
                                   photos.item[static_cast<std::size_t>(i)], image.size(1), image.size(0)),
                       "read the photographs larger, or cut smaller squares");
  }
  Pictures set{at::empty({n, size, size, 3}, at::kByte), at::empty({n}, at::kLong)};
  for (std::int64_t i = 0; i < n; ++i) {
    auto draw = random.split("piece", i);
    const auto photo = indices[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(indices.size())))];
    const auto& image = photos.images[static_cast<std::size_t>(photo)];
    const auto top = draw.below(image.size(0) - size + 1), left = draw.below(image.size(1) - size + 1);
    set.images[i].copy_(image.narrow(0, top, size).narrow(1, left, size));
    set.labels[i] = photos.labels[photo];
  }
  return set;
}

}  // namespace reprise::datasets
