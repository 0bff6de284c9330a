#include "datasets/formats/media_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace reprise::datasets {

namespace fs = std::filesystem;

namespace {

// The kinds of image_header.h under every ending that is in use for them.
constexpr std::array<std::string_view, 12> picture_endings{".bmp",  ".dib", ".jfif", ".jpe",
                                                           ".jpeg", ".jpg", ".pbm",  ".pgm",
                                                           ".png",  ".pnm", ".ppm",  ".webp"};
constexpr std::array<std::string_view, 9> known_video_endings{
    ".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".webm", ".wmv"};
// Folders of macOS's archives, Synology's and QNAP's previews, and Windows.
constexpr std::array<std::string_view, 6> system_folders{
    "__MACOSX", "@eaDir", "@__thumb", "$RECYCLE.BIN", "#recycle", "System Volume Information"};

std::string lower_ending(const fs::path& path) { return to_lower(path.extension().string()); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// frame2 before frame10: digits by the number that they make, all else by its characters.
bool in_order(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() && k < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[k])) {
      if (a[i] != b[k]) return a[i] < b[k];
      ++i, ++k;
      continue;
    }
    const auto digits = [](const std::string& text, std::size_t& at) {
      // Leading zeros do not count: frame007 is frame 7.
      while (at < text.size() && text[at] == '0') ++at;
      const auto first = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(first, at - first);
    };
    const auto from_a = digits(a, i);
    const auto from_b = digits(b, k);
    if (from_a != from_b)
      // Without leading zeros, the longer number is the larger one, of any length.
      return from_a.size() != from_b.size() ? from_a.size() < from_b.size() : from_a < from_b;
  }
  // Equal up to the end of one: the shorter name comes first.
  if ((i < a.size()) != (k < b.size())) return k < b.size();
  return a < b;
}

struct Entries {
  std::vector<fs::path> kept;
  std::vector<fs::path> skipped;
};

/// Collects the entries of a folder and, with AllBelow, of the folders in it. A linked folder is
/// not entered: it may lead back here.
void collect_entries(const fs::path& folder, Depth depth, const std::string& fix,
                     Entries& entries) {
  std::error_code error, ignored;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto& path = entry->path();
    // An entry that vanishes meanwhile, or cannot be read, counts as a file.
    const bool is_folder = entry->is_directory(ignored);
    if (is_system_file(path))
      entries.skipped.push_back(path);
    else if (is_folder && depth == Depth::AllBelow && !entry->is_symlink(ignored))
      collect_entries(path, depth, fix, entries);
    else if (is_folder && depth == Depth::AllBelow)
      entries.skipped.push_back(path);
    else
      entries.kept.push_back(path);
  }
  if (error)
    throw UsageError(
        fmt::format("{}: the folder cannot be read: {}", folder.string(), error.message()), fix);
}

Entries entries_in(const fs::path& folder, Depth depth, const std::string& fix) {
  Entries entries;
  collect_entries(folder, depth, fix, entries);
  for (auto* part : {&entries.kept, &entries.skipped})
    std::ranges::sort(*part, [](const fs::path& a, const fs::path& b) {
      return in_order(a.generic_string(), b.generic_string());
    });
  return entries;
}

bool is_wanted(const fs::path& path, Media media) {
  const bool wanted =
      (media != Media::Videos && is_picture(path)) || (media != Media::Pictures && is_video(path));
  std::error_code ignored;
  return wanted && !fs::is_directory(path, ignored);
}

/// How a skipped entry is counted: "hidden", "folder", ".txt", "without ending".
std::string kind_of_entry(const fs::path& path) {
  if (is_system_file(path)) return "hidden or of the system";
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return fs::is_symlink(path, ignored) ? "links to folders" : "folders";
  const auto ending = lower_ending(path);
  return ending.empty() ? "without an ending" : ending;
}

}  // namespace

bool is_picture(const fs::path& path) {
  return std::ranges::find(picture_endings, lower_ending(path)) != picture_endings.end();
}

bool is_video(const fs::path& path) {
  return std::ranges::find(known_video_endings, lower_ending(path)) != known_video_endings.end();
}

bool is_system_file(const fs::path& path) {
  const auto name = path.filename().string();
  return name.starts_with('.') || std::ranges::find(system_folders, name) != system_folders.end();
}

std::string list_endings(Media media) {
  std::vector<std::string> all;
  if (media != Media::Videos) all.insert(all.end(), picture_endings.begin(), picture_endings.end());
  if (media != Media::Pictures)
    all.insert(all.end(), known_video_endings.begin(), known_video_endings.end());
  return join(all, ", ");
}

std::vector<fs::path> list_entries(const fs::path& folder, Depth depth, const std::string& fix) {
  return entries_in(folder, depth, fix).kept;
}

FolderMedia list_media(const fs::path& folder, Media media, Depth depth) {
  auto [kept, skipped] = entries_in(folder, depth, "check the path");
  FolderMedia found{.files = {}, .skipped = std::move(skipped)};
  for (auto& path : kept)
    (is_wanted(path, media) ? found.files : found.skipped).push_back(std::move(path));
  return found;
}

std::string describe_skipped(const fs::path& folder, const FolderMedia& found, Media media) {
  if (found.skipped.empty()) return "";
  std::map<std::string, std::int64_t> counts;
  std::vector<std::string> names;
  std::vector<std::string> kinds;
  for (const auto& path : found.skipped) {
    ++counts[kind_of_entry(path)];
    names.push_back(path.lexically_relative(folder).generic_string());
  }
  for (const auto& [kind, count] : counts) kinds.push_back(fmt::format("{} {}", count, kind));
  constexpr std::size_t named = 3;
  return fmt::format("{}: {} of {} entries {} skipped: {} ({}). Read are {}\n", folder.string(),
                     names.size(), names.size() + found.files.size(),
                     names.size() == 1 ? "is" : "are", join(kinds, ", "), first_few(names, named),
                     list_endings(media));
}

}  // namespace reprise::datasets
