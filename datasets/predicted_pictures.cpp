#include "datasets/predicted_pictures.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/video_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

bool is_array(const fs::path& path) { return is_npy(path) || path.extension() == ".npy"; }

void require_there(const fs::path& path, const char* what) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw UsageError(fmt::format("{}: there is no such file or folder", path.string()),
                     fmt::format("give a folder of {}, or a .npy of uint8 pixels", what));
  if (!is_array(path) && !fs::is_directory(path, ignored))
    throw UsageError(fmt::format("{} is neither a folder nor a .npy", path.string()),
                     fmt::format("give a folder of {}, or a .npy of uint8 pixels", what));
}

/// Stack of items that must share the first one's shape.
class Stack {
 public:
  explicit Stack(fs::path source) : source_(std::move(source)) {}
  void add(const at::Tensor& item, const std::string& name) {
    if (!items_.empty() && item.sizes() != items_.front().sizes())
      throw UsageError(
          fmt::format("{}: {} has the shape {}, and those before it {}", source_.string(), name,
                      shape_text(item.sizes()), shape_text(items_[0].sizes())),
          "give all items one size");
    items_.push_back(item.clone());
  }
  at::Tensor all() const { return at::stack(items_); }

 private:
  fs::path source_;
  std::vector<at::Tensor> items_;
};

/// Reads a uint8 array with this number of dimensions, the last of them 3 colours.
at::Tensor read_array(const fs::path& path, std::int64_t dimensions, const char* expected) {
  auto x = read_npy(path, "uint8");
  // Gray pictures [N, H, W] get three equal channels, as read_image() gives them.
  if (x.dim() == dimensions - 1 && dimensions == 4 && x.scalar_type() == at::kByte)
    x = x.unsqueeze(3).expand({-1, -1, -1, 3}).contiguous();
  if (x.scalar_type() != at::kByte || x.dim() != dimensions || x.size(-1) != 3 || x.numel() == 0)
    throw UsageError(fmt::format("{} holds {} {}", path.string(), at::toString(x.scalar_type()),
                                 shape_text(x.sizes())),
                     fmt::format("give uint8 {}, pixels from 0 to 255", expected));
  return x;
}

at::Tensor read_picture_stack(const fs::path& source) {
  Stack stack(source);
  std::int64_t number = 0;
  const auto read = read_frames(source, [&](const at::Tensor& picture) {
    stack.add(picture, fmt::format("picture {}", number++));
  });
  // A metric over part of a video would look like one over all of it.
  if (!read.problems.empty()) throw UsageError(read.problems.front());
  return stack.all();
}

/// Lists the pictures of a folder by name without ending, optionally in lower case.
std::map<std::string, fs::path> pictures_by_name(const fs::path& folder, bool lower_case) {
  std::map<std::string, fs::path> files;
  for (const auto& file : list_media(folder, Media::Pictures, Depth::OneFolder).files) {
    auto name = file.stem().string();
    if (lower_case) name = to_lower(name);
    const auto [other, added] = files.emplace(name, file);
    if (!added)
      throw UsageError(fmt::format("{} and {} have one name, and pairs are made by name",
                                   other->second.string(), file.string()),
                       "keep one of the two");
  }
  return files;
}

/// Returns the names of `files` that `others` lacks.
std::vector<std::string> names_without_partner(const std::map<std::string, fs::path>& files,
                                               const std::map<std::string, fs::path>& others) {
  std::vector<std::string> names;
  for (const auto& [name, file] : files)
    if (!others.contains(name)) names.push_back(file.filename().string());
  return names;
}

at::Tensor read_named_pictures(const fs::path& folder,
                               const std::map<std::string, fs::path>& files) {
  Stack stack(folder);
  for (const auto& [name, file] : files) stack.add(read_image(file), file.filename().string());
  return stack.all();
}

}  // namespace

at::Tensor read_predicted_pictures(const fs::path& path) {
  require_there(path, "images");
  return is_array(path) ? read_array(path, 4, "[N, H, W] or [N, H, W, 3]")
                        : read_picture_stack(path);
}

PairedPictures read_paired_pictures(const fs::path& predictions, const fs::path& truth) {
  require_there(predictions, "images");
  require_there(truth, "images");
  const auto by_order = [&](bool stated) {
    return PairedPictures{.predicted = read_predicted_pictures(predictions),
                          .truth = read_predicted_pictures(truth),
                          .by_order = stated};
  };
  if (is_array(predictions) || is_array(truth))
    // Two arrays are meant to be in the same order. An array and a folder are paired by assumption,
    // which the caller states.
    return by_order(is_array(predictions) != is_array(truth));
  const auto shared = [](const auto& a, const auto& b) {
    return a.size() - names_without_partner(a, b).size();
  };
  auto mine = pictures_by_name(predictions, /*lower_case=*/false);
  auto known = pictures_by_name(truth, /*lower_case=*/false);
  // Names differ in places; perhaps only by upper and lower case.
  if (shared(mine, known) < std::max(mine.size(), known.size())) {
    // IMG_1.png belongs to img_1.png, unless one folder has both.
    try {
      mine = pictures_by_name(predictions, /*lower_case=*/true);
      known = pictures_by_name(truth, /*lower_case=*/true);
    } catch (const UsageError&) {
      mine = pictures_by_name(predictions, /*lower_case=*/false);
      known = pictures_by_name(truth, /*lower_case=*/false);
    }
  }
  // No shared name: the folders use different naming schemes.
  if (mine.empty() || known.empty() || shared(mine, known) == 0) return by_order(true);
  const auto extra = names_without_partner(mine, known);
  const auto lacking = names_without_partner(known, mine);
  if (!extra.empty() || !lacking.empty()) {
    std::vector<std::string> parts;
    if (!lacking.empty())
      parts.push_back(fmt::format("{} lacks {}", predictions.string(), first_few(lacking)));
    if (!extra.empty())
      parts.push_back(fmt::format("{} lacks {}", truth.string(), first_few(extra)));
    throw UsageError("pictures are paired by name, and some have no partner: " + join(parts, "; "),
                     "add the pictures that are lacking, or remove those without a partner");
  }
  return {.predicted = read_named_pictures(predictions, mine),
          .truth = read_named_pictures(truth, known),
          .by_order = false};
}

at::Tensor read_predicted_clips(const fs::path& path) {
  require_there(path, "videos");
  if (is_array(path)) return read_array(path, 5, "[N, T, H, W, 3]");
  std::vector<fs::path> clips;
  for (const auto& entry : list_entries(path))
    if (fs::is_directory(entry) || is_video(entry)) clips.push_back(entry);
  if (clips.empty())
    throw UsageError(path.string() + ": there is no video in this folder",
                     "give one video or one folder of images per clip");
  std::ranges::sort(clips);
  Stack stack(path);
  for (const auto& clip : clips) stack.add(read_picture_stack(clip), clip.filename().string());
  return stack.all();
}

}  // namespace reprise::datasets
