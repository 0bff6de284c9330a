#include "datasets/export.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/csv.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "datasets/formats/npy.h"
#include "datasets/predictions.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

void require_safe(const std::string& item) {
  const fs::path path(item);
  const bool climbs = std::ranges::any_of(path, [](const fs::path& part) { return part == ".." || part == "."; });
  if (item.empty() || path.is_absolute() || climbs || path.lexically_normal() != path || item.find('\n') != std::string::npos)
    throw UsageError("the item '" + item + "' cannot be a file name below the folder",
                     "name items without '..', leading slashes or line breaks");
}

/// FOLDER/PART.csv: items and, unless they are held back, their values.
void write_table(const Predictions& truth, PredictionKind kind, const std::string& part, const fs::path& folder, bool labelled) {
  std::string text = predictions_csv(truth, kind);
  if (!labelled) {
    text = "item\n";
    for (const auto& item : truth.item) text += csv_line({item}) + "\n";
  }
  write_file(folder / (part + ".csv"), text);
}

void write_part(const LandmarkFrames& frames, const std::string& part, const fs::path& folder, bool labelled) {
  for (const auto& item : frames.item) require_safe(item);
  parallel_items(frames.size(), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    write_png(folder / part / "images" / (frames.item[k] + ".png"), frames.images[k]);
  });
  write_table({.item = frames.item, .values = frames.landmarks}, PredictionKind::Landmarks, part, folder, labelled);
}

/// [T, H, W, C] -> the frames side by side, as an image.
at::Tensor strip_of(const at::Tensor& frames) {
  const auto strip = frames.permute({1, 0, 2, 3}).flatten(1, 2);
  return (strip.size(2) == 1 ? strip.squeeze(2) : strip).contiguous();
}

void write_part(const LabelledClips& clips, const std::string& part, const fs::path& folder, bool labelled) {
  for (const auto& item : clips.item) require_safe(item);
  parallel_items(clips.size(), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    const auto path = [&](const char* modality) {
      return folder / part / "clips" / fmt::format("{}.{}.png", clips.item[static_cast<std::size_t>(i)], modality);
    };
    write_png(path("colour"), strip_of(clips.colour[i]));
    if (clips.depth.defined()) write_png(path("depth"), strip_of(clips.depth[i]));
    if (clips.flow.defined()) write_png(path("flow"), strip_of(clips.flow[i]));
  });
  write_table({.item = clips.item, .values = clips.labels}, PredictionKind::Labels, part, folder, labelled);
}

void write_part(const PoseFrames& frames, const std::string& part, const fs::path& folder, bool labelled) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < frames.images.size(); ++i) {
    items.push_back(frames.item(i));
    require_safe(items.back());
  }
  parallel_items(frames.size(), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    write_png(folder / part / "images" / frames.sequence[k] / fmt::format("{:05}.png", frames.frame[k]), frames.images[k]);
  });
  if (!labelled) {
    std::string text = "sequence,frame\n";
    for (std::size_t i = 0; i < items.size(); ++i) text += csv_line({frames.sequence[i], std::to_string(frames.frame[i])}) + "\n";
    return write_file(folder / (part + ".csv"), text);
  }
  write_table({.item = items, .values = frames.pose.to(at::kDouble)}, PredictionKind::Pose, part, folder, true);
  write_table({.item = items, .values = frames.landmarks}, PredictionKind::Landmarks, part + "_landmarks", folder, true);
}

void write_part(const NamedPictures& pictures, const std::string& part, const fs::path& folder, bool labelled) {
  for (const auto& item : pictures.item) require_safe(item);
  parallel_items(pictures.size(), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    write_png(folder / part / "images" / (pictures.item[static_cast<std::size_t>(i)] + ".png"), pictures.images[i].contiguous());
  });
  write_npy(folder / (part + ".npy"), pictures.images);
  write_table({.item = pictures.item, .values = pictures.labels}, PredictionKind::Labels, part, folder, labelled);
}

void write_classes(const std::vector<std::string>& names, const fs::path& folder) {
  std::string classes = "label,name\n";
  for (std::size_t label = 0; label < names.size(); ++label) classes += csv_line({std::to_string(label), names[label]}) + "\n";
  write_file(folder / "classes.csv", classes);
}

void require_fit(const Split& split, std::int64_t items, const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw UsageError(folder.string() + ": the folder is not empty", "export into a new folder, or empty this one");
  const auto count = split.train.size() + split.validation.size() + split.test.size();
  if (static_cast<std::int64_t>(count) != items)
    throw UsageError(fmt::format("the split is of {} items, the set of {}", count, items),
                     "export a split that was made for this very set");
}

template <typename Set>
void write_parts(const Set& set, const Split& split, const fs::path& folder, TestLabels labels) {
  if (!split.train.empty()) write_part(set.at(split.train), "train", folder, true);
  if (!split.validation.empty()) write_part(set.at(split.validation), "validation", folder, true);
  if (!split.test.empty()) write_part(set.at(split.test), "test", folder, labels == TestLabels::Written);
}

}  // namespace

void export_split(const LandmarkFrames& frames, const Split& split, const fs::path& folder, TestLabels labels) {
  require_fit(split, frames.size(), folder);
  write_parts(frames, split, folder, labels);
  write_file(folder / "SHA256SUMS", sha256_list(folder));
}

void export_split(const PoseFrames& frames, const Split& split, const fs::path& folder, TestLabels labels) {
  require_fit(split, frames.size(), folder);
  write_parts(frames, split, folder, labels);
  write_file(folder / "SHA256SUMS", sha256_list(folder));
}

void export_split(const LabelledClips& clips, const Split& split, const fs::path& folder, TestLabels labels) {
  require_fit(split, clips.size(), folder);
  write_parts(clips, split, folder, labels);
  write_classes(clips.classes, folder);
  std::map<std::int64_t, std::int64_t> first;  // of each class, a training clip
  for (const auto i : split.train) first.emplace(clips.labels[i].item<std::int64_t>(), i);
  std::vector<std::int64_t> shown;
  for (const auto& [label, clip] : first) shown.push_back(clip);
  if (!shown.empty()) write_png(folder / "sheet.png", clip_sheet(clips, shown));
  write_file(folder / "SHA256SUMS", sha256_list(folder));
}

void export_split(const NamedPictures& pictures, const Split& split, const fs::path& folder, TestLabels labels) {
  require_fit(split, pictures.size(), folder);
  write_parts(pictures, split, folder, labels);
  write_classes(pictures.classes, folder);
  write_file(folder / "SHA256SUMS", sha256_list(folder));
}

}  // namespace reprise::datasets
