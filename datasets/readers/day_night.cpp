#include "datasets/readers/day_night.h"

#include <ATen/ATen.h>

#include <string>

#include "core/error.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* day_night_fix = "point to a folder with day/NAME.jpg and night/NAME.jpg";

}  // namespace

LandscapePhotos read_day_night(const fs::path& folder, std::int64_t shorter) {
  LandscapePhotos all;
  std::vector<std::int64_t> labels;
  for (const std::string name : {"day", "night"}) {
    if (!fs::is_directory(folder / name)) throw UsageError((folder / name).string() + ": there is no such folder", day_night_fix);
    auto photos = read_photos(folder / name, shorter);
    for (auto& item : photos.item) item = name + "/" + item;
    labels.insert(labels.end(), photos.images.size(), name == "night");
    const auto append = [](auto& to, const auto& what) { to.insert(to.end(), what.begin(), what.end()); };
    append(all.images, photos.images);
    append(all.item, photos.item);
    append(all.taken_at, photos.taken_at);
  }
  all.labels = at::tensor(labels, at::kLong);
  return all;
}

std::vector<Problem> verify_day_night(const fs::path& folder) {
  std::vector<Problem> found;
  for (const std::string name : {"day", "night"})
    for (auto problem : verify_photos(folder / name)) {
      problem.where = (fs::path(name) / problem.where).generic_string();  // that of a whole folder stays as it is
      found.push_back(std::move(problem));
    }
  return found;
}

Pictures landscape_crops(const LandscapePhotos& photos, const std::vector<std::int64_t>& indices, std::int64_t n, std::int64_t size,
                         const Random& random) {
  const auto crops = photo_crops(photos, indices, n, size, random);
  return {crops.images, photos.labels.index_select(0, crops.photo)};
}

}  // namespace reprise::datasets
