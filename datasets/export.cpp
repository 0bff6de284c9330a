#include "datasets/export.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/csv.h"
#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "datasets/parallel.h"
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

void write_part(const LandmarkFrames& frames, const std::string& part, const fs::path& folder, bool labelled) {
  for (const auto& item : frames.item) require_safe(item);
  const Predictions truth{.item = frames.item, .values = frames.landmarks};
  std::string text = predictions_csv(truth, PredictionKind::Landmarks);
  if (!labelled) {
    text = "item\n";
    for (const auto& item : frames.item) text += csv_line({item}) + "\n";
  }
  parallel_items(frames.size(), [&](std::int64_t, std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    write_png(folder / part / "images" / (frames.item[k] + ".png"), frames.images[k]);
  });
  write_file(folder / (part + ".csv"), text);
}

/// Every file below the folder, by its path from there.
std::string checksums(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(folder).generic_string());
  std::ranges::sort(files);
  std::string text;
  for (const auto& file : files) text += fmt::format("{}  {}\n", sha256_file(folder / file), file);
  return text;
}

}  // namespace

void export_split(const LandmarkFrames& frames, const Split& split, const fs::path& folder, TestLabels labels) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw UsageError(folder.string() + ": the folder is not empty", "export into a new folder, or empty this one");
  if (static_cast<std::int64_t>(split.train.size() + split.validation.size() + split.test.size()) != frames.size())
    throw UsageError(fmt::format("the split is of {} items, the set of {}",
                                 split.train.size() + split.validation.size() + split.test.size(), frames.size()),
                     "export a split that was made for this very set");
  write_part(frames.at(split.train), "train", folder, true);
  write_part(frames.at(split.validation), "validation", folder, true);
  write_part(frames.at(split.test), "test", folder, labels == TestLabels::Written);
  write_file(folder / "SHA256SUMS", checksums(folder));
}

}  // namespace reprise::datasets
