#include "datasets/predicted_pictures.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/video_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

bool is_array(const fs::path& path) { return path.extension() == ".npy"; }

void require_there(const fs::path& path, const char* what) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw UsageError(fmt::format("{}: there is no such file or folder", path.string()),
                     fmt::format("give a folder of {}, or a .npy of uint8 pixels", what));
  if (!is_array(path) && !fs::is_directory(path, ignored))
    throw UsageError(fmt::format("{} is neither a folder nor a .npy", path.string()),
                     fmt::format("give a folder of {}, or a .npy of uint8 pixels", what));
}

std::string shape_text(const at::Tensor& x) { return fmt::format("[{}]", fmt::join(x.sizes(), ", ")); }

/// One stack of items that must all have the first one's shape.
class Stack {
 public:
  explicit Stack(fs::path source) : source_(std::move(source)) {}
  void add(const at::Tensor& item, const std::string& name) {
    if (!items_.empty() && item.sizes() != items_.front().sizes())
      throw UsageError(
          fmt::format("{}: {} has the shape {}, and those before it {}", source_.string(), name, shape_text(item), shape_text(items_[0])),
          "give all items one size");
    items_.push_back(item.clone());
  }
  at::Tensor all() const { return at::stack(items_); }

 private:
  fs::path source_;
  std::vector<at::Tensor> items_;
};

/// uint8 with `dimensions` dimensions, the last of them 3 colours.
at::Tensor read_array(const fs::path& path, std::int64_t dimensions, const char* expected) {
  auto x = read_npy(path);
  if (x.dim() == dimensions - 1 && dimensions == 4 && x.scalar_type() == at::kByte) x = x.unsqueeze(3).expand({-1, -1, -1, 3}).contiguous();
  if (x.scalar_type() != at::kByte || x.dim() != dimensions || x.size(-1) != 3 || x.numel() == 0)
    throw UsageError(fmt::format("{} holds {} {}", path.string(), at::toString(x.scalar_type()), shape_text(x)),
                     fmt::format("give uint8 {}, pixels from 0 to 255", expected));
  return x;
}

at::Tensor read_picture_stack(const fs::path& source) {
  Stack stack(source);
  std::int64_t number = 0;
  read_frames(source, [&](const at::Tensor& picture) { stack.add(picture, fmt::format("picture {}", number++)); });
  return stack.all();
}

}  // namespace

at::Tensor read_predicted_pictures(const fs::path& path) {
  require_there(path, "images");
  return is_array(path) ? read_array(path, 4, "[N, H, W] or [N, H, W, 3]") : read_picture_stack(path);
}

at::Tensor read_predicted_clips(const fs::path& path) {
  require_there(path, "videos");
  if (is_array(path)) return read_array(path, 5, "[N, T, H, W, 3]");
  std::vector<fs::path> clips;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.is_directory() || is_video(entry.path())) clips.push_back(entry.path());
  if (clips.empty())
    throw UsageError(path.string() + ": there is no video in this folder", "give one video or one folder of images per clip");
  std::ranges::sort(clips);
  Stack stack(path);
  for (const auto& clip : clips) stack.add(read_picture_stack(clip), clip.filename().string());
  return stack.all();
}

}  // namespace reprise::datasets
