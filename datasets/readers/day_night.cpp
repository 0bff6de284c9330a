#include "datasets/readers/day_night.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <compare>
#include <cstdlib>
#include <map>
#include <string>

#include "core/error.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* day_night_fix = "point to a folder with day/NAME.jpg and night/NAME.jpg";

}  // namespace

std::vector<std::string> identify_cameras(const std::vector<std::string>& sizes,
                                          std::int64_t near) {
  struct Size {
    std::int64_t width;
    std::int64_t height;
    auto operator<=>(const Size&) const = default;
  };
  const auto parsed = [](const std::string& text) {
    const auto cross = text.find('x');
    return Size{std::stoll(text.substr(0, cross)), std::stoll(text.substr(cross + 1))};
  };
  // Crops of one camera's pictures differ by a few pixels.
  const auto close = [&](const Size& a, const Size& b) {
    return std::abs(a.width - b.width) <= near && std::abs(a.height - b.height) <= near;
  };
  std::map<Size, Size> first_of;
  for (const auto& text : sizes) first_of.emplace(parsed(text), parsed(text));
  // Merge the groups of two close sizes; the smaller size names the group.
  for (auto& [size, first] : first_of)
    for (const auto& [other, group] : first_of) {
      if (!close(size, other) || first == group) continue;
      const auto from = std::max(first, group);
      const auto to = std::min(first, group);
      // All members of the larger group move, so that closeness is transitive.
      for (auto& [any, its] : first_of)
        if (its == from) its = to;
    }
  std::vector<std::string> out;
  for (const auto& text : sizes) {
    const auto& first = first_of.at(parsed(text));
    out.push_back(fmt::format("{}x{}", first.width, first.height));
  }
  return out;
}

LandscapePhotos read_day_night(const fs::path& folder, std::int64_t shorter) {
  LandscapePhotos all;
  std::vector<std::int64_t> labels;
  for (const std::string name : {"day", "night"}) {
    if (!fs::is_directory(folder / name))
      throw UsageError((folder / name).string() + ": there is no such folder", day_night_fix);
    auto photos = read_photos(folder / name, shorter);
    // Names repeat in both folders.
    for (auto& item : photos.item) item = name + "/" + item;
    // 0 is day, 1 is night.
    labels.insert(labels.end(), photos.images.size(), name == "night");
    const auto append = [](auto& to, const auto& what) {
      to.insert(to.end(), what.begin(), what.end());
    };
    append(all.images, photos.images);
    append(all.item, photos.item);
    append(all.photo_size, photos.photo_size);
  }
  all.labels = at::tensor(labels, at::kLong);
  return all;
}

std::vector<Issue> verify_day_night(const fs::path& folder) {
  std::vector<Issue> found;
  for (const std::string name : {"day", "night"})
    for (auto problem : verify_photos(folder / name)) {
      problem.where = (fs::path(name) / problem.where)
                          .generic_string();  // that of a whole folder stays as it is
      found.push_back(std::move(problem));
    }
  return found;
}

Pictures crop_landscapes(const LandscapePhotos& photos, const std::vector<std::int64_t>& indices,
                         std::int64_t n, std::int64_t size, const Random& random) {
  const auto crops = crop_photos(photos, indices, n, size, random);
  return {.images = crops.images, .labels = photos.labels.index_select(0, crops.photo)};
}

}  // namespace reprise::datasets
