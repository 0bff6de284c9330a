#include "datasets/export.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/csv.h"
#include "core/error.h"
#include "core/file_lock.h"
#include "core/files.h"
#include "core/outputs.h"
#include "core/parallel.h"
#include "core/rename.h"
#include "core/sha256.h"
#include "datasets/formats/npy.h"
#include "datasets/predictions.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

/// UsageError: the item would leave the folder or break a line of SHA256SUMS.
void require_safe(const std::string& item) {
  const fs::path path(item);
  // Only names below the folder are safe: "..", "." and absolute paths lead elsewhere.
  const bool climbs =
      std::ranges::any_of(path, [](const fs::path& part) { return part == ".." || part == "."; });
  if (item.empty() || path.is_absolute() || climbs || path.lexically_normal() != path ||
      item.find('\n') != std::string::npos)
    throw UsageError("the item '" + item + "' cannot be a file name below the folder",
                     "name items without '..', leading slashes or line breaks");
}

/// Writes FOLDER/PART.csv: items and, unless they are held back, their values.
void write_table(const Predictions& truth, PredictionKind kind, const std::string& part,
                 const fs::path& folder, bool labelled) {
  std::string text = format_predictions(truth, kind);
  if (!labelled) {
    // Without labels the file still names the items that a prediction must contain.
    text = "item\n";
    for (const auto& item : truth.item) text += csv_line({item}) + "\n";
  }
  write_file(folder / (part + ".csv"), text);
}

void write_part(const LandmarkFrames& frames, const std::string& part, const fs::path& folder,
                bool labelled) {
  for (const auto& item : frames.item) require_safe(item);
  parallel_items(frames.size(), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    write_png(folder / part / "images" / (frames.item[k] + ".png"), frames.images[k]);
  });
  write_table({.item = frames.item, .values = frames.landmarks}, PredictionKind::Landmarks, part,
              folder, labelled);
}

/// Joins frames [T, H, W, C] side by side into one image.
at::Tensor join_frames(const at::Tensor& frames) {
  // [H, T, W, C] read as [H, T W, C] puts the frames next to each other.
  const auto strip = frames.permute({1, 0, 2, 3}).flatten(1, 2);
  return (strip.size(2) == 1 ? strip.squeeze(2) : strip).contiguous();
}

void write_part(const LabelledClips& clips, const std::string& part, const fs::path& folder,
                bool labelled) {
  for (const auto& item : clips.item) require_safe(item);
  parallel_items(clips.size(), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    const auto path = [&](const char* modality) {
      return folder / part / "clips" /
             fmt::format("{}.{}.png", clips.item[static_cast<std::size_t>(i)], modality);
    };
    write_png(path("colour"), join_frames(clips.colour[i]));
    if (clips.depth.defined()) write_png(path("depth"), join_frames(clips.depth[i]));
    if (clips.flow.defined()) write_png(path("flow"), join_frames(clips.flow[i]));
  });
  write_table({.item = clips.item, .values = clips.labels}, PredictionKind::Labels, part, folder,
              labelled);
}

void write_part(const PoseFrames& frames, const std::string& part, const fs::path& folder,
                bool labelled) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < frames.images.size(); ++i) {
    items.push_back(frames.item(i));
    require_safe(items.back());
  }
  parallel_items(frames.size(), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    write_png(
        folder / part / "images" / frames.sequence[k] / fmt::format("{:05}.png", frames.frame[k]),
        frames.images[k]);
  });
  // Items of poses have two columns, as in the table with their angles.
  if (!labelled) {
    std::string text = "sequence,frame\n";
    for (std::size_t i = 0; i < items.size(); ++i)
      text += csv_line({frames.sequence[i], std::to_string(frames.frame[i])}) + "\n";
    return write_file(folder / (part + ".csv"), text);
  }
  write_table({.item = items, .values = frames.pose.to(at::kDouble)}, PredictionKind::Pose, part,
              folder, true);
  write_table({.item = items, .values = frames.landmarks}, PredictionKind::Landmarks,
              part + "_landmarks", folder, true);
}

void write_part(const NamedPictures& pictures, const std::string& part, const fs::path& folder,
                bool labelled) {
  for (const auto& item : pictures.item) require_safe(item);
  parallel_items(pictures.size(), at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    write_png(folder / part / "images" / (pictures.item[static_cast<std::size_t>(i)] + ".png"),
              pictures.images[i].contiguous());
  });
  write_npy(folder / (part + ".npy"), pictures.images);
  write_table({.item = pictures.item, .values = pictures.labels}, PredictionKind::Labels, part,
              folder, labelled);
}

void write_classes(const std::vector<std::string>& names, const fs::path& folder) {
  std::string classes = "label,name\n";
  for (std::size_t label = 0; label < names.size(); ++label)
    classes += csv_line({std::to_string(label), names[label]}) + "\n";
  write_file(folder / "classes.csv", classes);
}

constexpr const char* another_folder = "export into a new folder, or empty this one";

/// An export in progress, in a separate folder:
///
///     .NAME.unfinished/export/    the files; renamed to NAME at the end
///     .NAME.unfinished/.lock      held by the writing process; if it is free, a killed export
///                                 left the folder, and its files are removed
///
/// If NAME exists and is empty, the folder lies inside it, as ".unfinished": NAME may be a mount or
/// the current directory of a shell.
class UnfinishedExport {
 public:
  /// UsageError: the folder is there and not empty; another process exports into it; it cannot be
  /// made.
  explicit UnfinishedExport(const fs::path& folder)
      : to_(fs::weakly_canonical(fs::absolute(folder / "").parent_path())),
        inside_(fs::exists(to_)) {
    beside_ = inside_ ? to_ / inside_name
                      : to_.parent_path() / ("." + to_.filename().string() + inside_name);
    require_empty();
    make_own_folder();
    note_own(beside_);
    // From here on no other export writes to this folder; the lock ends with the process.
    lock_.emplace(beside_ / lock_name,
                  LockedThing{.name = to_.string(),
                              .holder = "another export",
                              .fix = "wait for it to end, or export into another folder"});
    require_empty();  // another export may have ended a moment ago
    // Files of a killed export may be incomplete.
    fs::remove_all(this->folder());
    fs::create_directory(this->folder());
  }
  ~UnfinishedExport() {
    std::error_code ignored;
    fs::remove_all(folder(), ignored);
    // The lock file lies in the folder, so it is released before the folder is removed.
    lock_.reset();
    fs::remove(beside_, ignored);
  }
  UnfinishedExport(const UnfinishedExport&) = delete;
  UnfinishedExport& operator=(const UnfinishedExport&) = delete;

  fs::path folder() const { return beside_ / "export"; }

  /// Writes the checksums and moves everything into place. Error: the system refuses (with its
  /// reason).
  void finish() {
    if (!inside_) {
      write_file(folder() / sums_name, sha256_list(folder()));
      // One rename: NAME appears with all its files or not at all.
      return put(folder(), to_);
    }
    // NAME exists, so files move one by one. The checksums come last and mark a complete export.
    const auto sums = sha256_list(folder());
    for (const auto& entry : fs::directory_iterator(folder()))
      put(entry.path(), to_ / entry.path().filename());
    write_file(to_ / sums_name, sums);  // last: an export without it is not whole
  }

 private:
  static constexpr const char* inside_name = ".unfinished";
  static constexpr const char* lock_name = ".lock";
  static constexpr const char* sums_name = "SHA256SUMS";

  /// UsageError: something else than an unfinished export stands where this one goes.
  void require_empty() const {
    if (!fs::exists(to_)) return;
    if (!fs::is_directory(to_)) throw UsageError(to_.string() + " is not a folder", another_folder);
    for (const auto& entry : fs::directory_iterator(to_))
      if (entry.path() != beside_)
        throw UsageError(to_.string() + ": the folder is not empty", another_folder);
  }

  void make_own_folder() const {
    std::error_code reason;
    fs::create_directories(beside_, reason);
    if (reason)
      throw UsageError(fmt::format("cannot make {}: {}", beside_.string(), reason.message()),
                       "choose a folder you may write in");
    // Removing the content of a folder that somebody else made would destroy data.
    if (fs::is_symlink(beside_) || (!fs::is_empty(beside_) && !fs::exists(beside_ / lock_name)))
      throw UsageError(beside_.string() + " is there, and no export made it",
                       "move it away, or export into another folder");
  }

  void put(const fs::path& from, const fs::path& to) const {
    if (const auto reason = rename_with_retries(from, to))
      throw Error(fmt::format("cannot put {} in place: {}", to.string(), reason.message()),
                  "check the path and your rights to it, then export again");
  }

  fs::path to_;
  bool inside_;
  fs::path beside_;
  std::optional<FileLock> lock_;
};

void require_fit(const Split& split, std::int64_t items) {
  const auto count = split.train.size() + split.validation.size() + split.test.size();
  if (static_cast<std::int64_t>(count) != items)
    throw UsageError(fmt::format("the split is of {} items, the set of {}", count, items),
                     "export a split that was made for this very set");
}

void write_more(const LandmarkFrames&, const Split&, const fs::path&) {}
void write_more(const PoseFrames&, const Split&, const fs::path&) {}
void write_more(const NamedPictures& pictures, const Split&, const fs::path& folder) {
  write_classes(pictures.classes, folder);
}

/// Writes the classes, and a sheet with one training clip per class.
void write_more(const LabelledClips& clips, const Split& split, const fs::path& folder) {
  write_classes(clips.classes, folder);
  // emplace() keeps the first clip of each label.
  std::map<std::int64_t, std::int64_t> first;
  for (const auto i : split.train) first.emplace(clips.labels[i].item<std::int64_t>(), i);
  std::vector<std::int64_t> shown;
  for (const auto& [label, clip] : first) shown.push_back(clip);
  if (!shown.empty()) write_png(folder / "sheet.png", draw_clip_sheet(clips, shown));
}

}  // namespace

template <typename Set>
void export_split(const Set& set, const Split& split, const fs::path& folder, TestLabels labels,
                  const std::string& readme) {
  require_fit(split, set.size());
  UnfinishedExport unfinished(folder);
  // Empty parts are not written, and only the labels of the test part may be held back.
  if (!split.train.empty()) write_part(set.at(split.train), "train", unfinished.folder(), true);
  if (!split.validation.empty())
    write_part(set.at(split.validation), "validation", unfinished.folder(), true);
  if (!split.test.empty())
    write_part(set.at(split.test), "test", unfinished.folder(), labels == TestLabels::Written);
  write_more(set, split, unfinished.folder());
  if (!readme.empty()) write_file(unfinished.folder() / "README.md", readme);
  unfinished.finish();
}

template void export_split(const LandmarkFrames&, const Split&, const fs::path&, TestLabels,
                           const std::string&);
template void export_split(const LabelledClips&, const Split&, const fs::path&, TestLabels,
                           const std::string&);
template void export_split(const PoseFrames&, const Split&, const fs::path&, TestLabels,
                           const std::string&);
template void export_split(const NamedPictures&, const Split&, const fs::path&, TestLabels,
                           const std::string&);

}  // namespace reprise::datasets
