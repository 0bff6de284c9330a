#include "datasets/readers/nvgesture.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* nvgesture_fix =
    "point to a folder with the official layout of NVGesture: "
    "nvgesture_train_correct_cvpr2016_v2.lst, "
    "nvgesture_test_correct_cvpr2016_v2.lst "
    "and Video_data/class_NN/subjectMM_rK/sk_color.avi, sk_depth.avi";
constexpr const char* line_form =
    "path:./Video_data/class_01/subject13_r0 depth:sk_depth:17:97 color:sk_color:17:97 label:1";

/// Returns the split list of a part, preferring version v2.
fs::path find_list(const fs::path& folder, const std::string& part) {
  // Where both versions exist, v2 replaces the first one.
  for (const char* ending : {"_v2.lst", ".lst"}) {
    const auto file = folder / ("nvgesture_" + part + "_correct_cvpr2016" + ending);
    if (fs::is_regular_file(file)) return file;
  }
  throw UsageError(fmt::format("{}: the list nvgesture_{}_correct_cvpr2016_v2.lst is missing",
                               folder.string(), part),
                   nvgesture_fix);
}

std::int64_t whole_number(const std::string& text, const std::string& what) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw UsageError(fmt::format("{} is '{}', expected a whole number", what, text),
                     "restore the official list");
  return value;
}

std::vector<std::string> split_text(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, between);) parts.push_back(part);
  return parts;
}

/// "sk_color:17:97" of the sensor `name`, below the gesture's folder.
FrameRange parse_range(const std::map<std::string, std::string>& fields, const std::string& name,
                       const fs::path& folder) {
  const auto field = fields.find(name);
  // FILE:FIRST:END; the file may not lead to another folder.
  const auto parts =
      field == fields.end() ? std::vector<std::string>{} : split_text(field->second, ':');
  if (parts.size() != 3 || parts[0].empty() || fs::path(parts[0]).has_parent_path())
    throw UsageError(fmt::format("there is no {}:FILE:FIRST:END", name),
                     fmt::format("write lines as {}", line_form));
  FrameRange range{.file = folder / (parts[0] + ".avi"),
                   .first = whole_number(parts[1], name + "'s first frame"),
                   .end = whole_number(parts[2], name + "'s end")};
  // END is the frame after the last one.
  if (*range.end <= range.first)
    throw UsageError(fmt::format("{} has no frames from {} to {}", name, range.first, *range.end),
                     "restore the official list");
  if (!fs::is_regular_file(range.file))
    throw UsageError(range.file.string() + ": the video is missing",
                     "fetch it, or remove its line from the list");
  return range;
}

/// Parses one line of a list.
LabelledVideo parse_gesture(const std::string& line, const fs::path& folder) {
  std::map<std::string, std::string> fields;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto colon = word.find(':');
    if (colon == std::string::npos ||
        !fields.emplace(word.substr(0, colon), word.substr(colon + 1)).second)
      throw UsageError(fmt::format("'{}' is not NAME:VALUE, or occurs twice", word),
                       fmt::format("write lines as {}", line_form));
  }
  const auto text = [&](const std::string& name) {
    if (!fields.contains(name))
      throw UsageError(fmt::format("there is no {}:VALUE", name),
                       fmt::format("write lines as {}", line_form));
    return fields.at(name);
  };
  // A list from elsewhere must not read files outside the set.
  const fs::path path = fs::path(text("path")).lexically_normal();
  if (path.is_absolute() || path.empty() || *path.begin() == "..")
    throw UsageError(fmt::format("the path '{}' leaves the set's folder", path.string()),
                     fmt::format("write lines as {}", line_form));
  LabelledVideo video;
  // The lists count labels from 1.
  video.label = whole_number(text("label"), "label") - 1;
  if (video.label < 0 || video.label >= 1000)
    throw UsageError(fmt::format("there is no label {}", video.label + 1),
                     "number labels from 1, as the official lists do");
  // The folder is named subjectMM_rK: person and recording.
  const auto subject = path.filename().string();
  video.person = subject.substr(0, subject.find('_'));
  video.item = (path.parent_path().filename() / path.filename()).generic_string();
  video.colour = parse_range(fields, "color", folder / path);
  video.depth = parse_range(fields, "depth", folder / path);
  return video;
}

struct Entry {
  LabelledVideo video;
  bool test = false;
};

void read_list(const fs::path& folder, bool test, std::vector<Entry>& entries,
               std::vector<Issue>& issues) {
  const auto file = find_list(folder, test ? "test" : "train");
  std::istringstream lines(read_file(file));
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      entries.push_back({.video = parse_gesture(line, folder), .test = test});
    } catch (const Error& error) {
      issues.push_back({.where = fmt::format("{}, line {}", file.filename().string(), number),
                        .what = error.problem(),
                        .fix = error.fix()});
    }
  }
}

/// Appends the first frame to items of folders with several gestures. A repeated gesture is an
/// issue.
void make_items_unique(std::vector<Entry>& entries, std::vector<Issue>& issues) {
  // Only ambiguous items get the frame, so that the others keep their short names.
  std::map<std::string, int> counts;
  for (const auto& entry : entries) ++counts[entry.video.item];
  std::set<std::string> known;
  for (auto& entry : entries) {
    auto& item = entry.video.item;
    if (counts[item] > 1) item = fmt::format("{}/{:06}", item, entry.video.colour.first);
    if (!known.insert(item).second)
      issues.push_back({.where = item,
                        .what = "the same gesture occurs twice in the lists",
                        .fix = "keep one line, in one of the two lists"});
  }
}

VideoSet scan_nvgesture(const fs::path& folder, std::vector<Issue>& issues) {
  if (!fs::is_directory(folder))
    throw UsageError(folder.string() + ": there is no such folder", nvgesture_fix);
  std::vector<Entry> entries;
  read_list(folder, false, entries, issues);
  read_list(folder, true, entries, issues);
  make_items_unique(entries, issues);
  if (entries.empty() && issues.empty())
    throw UsageError(folder.string() + ": the lists name no gesture", nvgesture_fix);
  // The order of videos is that of the items, whatever the order of the lists.
  std::ranges::sort(entries, {}, [](const Entry& entry) { return entry.video.item; });
  VideoSet set;
  std::int64_t labels = 0;
  for (const auto& entry : entries) {
    (entry.test ? set.test : set.train).push_back(static_cast<std::int64_t>(set.videos.size()));
    labels = std::max(labels, entry.video.label + 1);
    set.videos.push_back(entry.video);
  }
  for (std::int64_t label = 1; label <= labels; ++label)
    set.classes.push_back(fmt::format("class_{:02}", label));
  return set;
}

}  // namespace

VideoSet read_nvgesture(const fs::path& folder) {
  std::vector<Issue> issues;
  auto set = scan_nvgesture(folder, issues);
  require_no_issues(issues, "nvgesture");
  return set;
}

std::vector<Issue> verify_nvgesture(const fs::path& folder) {
  return verify_videos([&](std::vector<Issue>& issues) { return scan_nvgesture(folder, issues); },
                       folder);
}

}  // namespace reprise::datasets
