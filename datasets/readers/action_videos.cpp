#include "datasets/readers/action_videos.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "datasets/formats/media_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

/// Whether a file is a video of the set.
using IsVideo = bool (*)(const fs::path& file);
bool is_strip(const fs::path& file) {
  return file.extension() == ".png" || file.extension() == ".PNG";
}
bool is_video_or_strip(const fs::path& file) { return is_video(file) || is_strip(file); }

constexpr const char* folders_fix =
    "put the videos into one folder per class: CLASS/NAME.avi, or CLASS/NAME.png for a strip of "
    "square frames";
constexpr const char* strips_fix = "put the strips into one folder per class: CLASS/NAME.png";
constexpr const char* weizmann_fix =
    "name the videos PERSON_ACTION.avi, as in daria_walk.avi or lena_run2.avi";
constexpr const char* mug_fix =
    "point to a folder with PERSON/EXPRESSION/TAKE/img_0000.jpg, ... (or to one with subjects3/)";
constexpr const char* ucf101_fix =
    "point to a folder with CLASS/v_CLASS_gGG_cCC.avi (or UCF-101/CLASS/...) and classInd.txt, "
    "trainlist01.txt, testlist01.txt (or those "
    "in ucfTrainTestlist/)";
constexpr const char* hmdb51_fix =
    "point to a folder with CLASS/NAME.avi and CLASS_test_split1.txt, ... (or those in "
    "testTrainMulti_7030_splits/)";

std::vector<fs::path> sorted_entries(const fs::path& folder, const char* fix) {
  auto entries = list_entries(folder, Depth::OneFolder, fix);
  std::ranges::sort(entries);
  return entries;
}

/// Converts to lower case, ASCII only: class names of UCF101 are ASCII.
/// Scans CLASS/NAME.ENDING, with classes and names in alphabetical order. Folders without such a
/// file are no class.
VideoSet scan_folders(const fs::path& folder, IsVideo is_wanted, const char* fix) {
  VideoSet set;
  std::set<std::string> items;
  for (const auto& action : sorted_entries(folder, fix)) {
    if (!fs::is_directory(action)) continue;
    const auto name = action.filename().string();
    // A folder without videos must not take a label, so the class is added after its first video.
    const auto before = set.videos.size();
    for (const auto& file : sorted_entries(action, fix)) {
      if (!is_wanted(file) || !fs::is_regular_file(file)) continue;
      const auto stem = file.stem().string();
      LabelledVideo video{.item = name + "/" + stem,
                          .person = parse_video_person(name, stem),
                          .label = static_cast<std::int64_t>(set.classes.size()),
                          .colour = {.file = file, .end = {}},
                          .depth = {}};
      // The item has no ending, so NAME.avi and NAME.mp4 would be one item.
      if (!items.insert(video.item).second)
        throw UsageError(fmt::format("{}: two videos have this name, but for its ending",
                                     (action / stem).string()),
                         "keep one of the two");
      set.videos.push_back(std::move(video));
    }
    if (set.videos.size() > before) set.classes.push_back(name);
  }
  if (set.videos.empty())
    throw UsageError(folder.string() + ": no folder with videos is in this folder", fix);
  return set;
}

/// Lists the folders in a folder by name, without files.
std::vector<fs::path> sorted_folders(const fs::path& folder, const char* fix) {
  auto entries = sorted_entries(folder, fix);
  std::erase_if(entries, [](const fs::path& entry) { return !fs::is_directory(entry); });
  return entries;
}

/// Returns `folder`/inner if that is a folder, else `folder`.
fs::path prefer_inner(const fs::path& folder, const char* inner) {
  return fs::is_directory(folder / inner) ? folder / inner : folder;
}

/// Calls use(line) for each line that is not blank. An exception becomes an issue of that line.
template <typename Use>
void for_each_line(const fs::path& file, std::vector<Issue>& issues, const Use& use) {
  // Reading continues after a bad line, so that one run lists all issues.
  std::istringstream lines(read_file(file));
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    // The official lists end their lines with CR LF or spaces in places.
    const auto last = line.find_last_not_of(" \t\r");
    if (last == std::string::npos) continue;
    line.resize(last + 1);
    try {
      use(line);
    } catch (const Error& error) {
      issues.push_back({.where = fmt::format("{}, line {}", file.filename().string(), number),
                        .what = error.problem(),
                        .fix = error.fix()});
    }
  }
}

void require_file(const fs::path& file, const char* fix) {
  if (!fs::is_regular_file(file)) throw UsageError(file.string() + ": the file is missing", fix);
}

int parse_number(const std::string& text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

using ItemIndex = std::map<std::string, std::int64_t>;  // item -> its place in the set

ItemIndex index_items(const VideoSet& set) {
  ItemIndex places;
  for (std::size_t i = 0; i < set.videos.size(); ++i)
    places[set.videos[i].item] = static_cast<std::int64_t>(i);
  return places;
}

std::int64_t find_item(const ItemIndex& places, const std::string& item) {
  const auto found = places.find(item);
  if (found == places.end())
    throw UsageError(fmt::format("the video {} is not there", item),
                     "fetch it, or remove its line from the split file");
  return found->second;
}

/// Renumbers the set's labels by classInd.txt, whose lines are "1 ApplyEyeMakeup".
void order_classes(VideoSet& set, const fs::path& file, std::vector<Issue>& issues) {
  require_file(file, ucf101_fix);
  // Sorted by the number, which fixes the order of the labels whatever the order of the lines.
  std::map<int, std::string> names;
  for_each_line(file, issues, [&](const std::string& line) {
    const auto space = line.find(' ');
    const int number = parse_number(line.substr(0, space));
    if (space == std::string::npos || number < 1 ||
        !names.emplace(number, line.substr(space + 1)).second)
      throw UsageError(fmt::format("'{}' is not a class, or its number occurs twice", line),
                       "write lines as '1 ApplyEyeMakeup'");
  });
  std::map<std::string, std::int64_t> labels;
  std::vector<std::string> classes;
  for (const auto& [number, name] : names) {
    labels[name] = static_cast<std::int64_t>(classes.size());
    classes.push_back(name);
  }
  for (const auto& name : set.classes)
    if (!labels.contains(name))
      issues.push_back({.where = file.filename().string(),
                        .what = fmt::format("the class {} is not in it", name),
                        .fix = "restore the official file"});
  for (auto& video : set.videos) {
    const auto found = labels.find(set.classes[static_cast<std::size_t>(video.label)]);
    // An unknown class is an issue already; label 0 only keeps the set valid until it is reported.
    video.label = found == labels.end() ? 0 : found->second;
  }
  set.classes = std::move(classes);
}

/// Reads a split list with lines "CLASS/NAME.avi" or "CLASS/NAME.avi 1".
void read_part(const fs::path& file, const ItemIndex& places, std::vector<std::int64_t>& part,
               std::vector<Issue>& issues) {
  require_file(file, ucf101_fix);
  for_each_line(file, issues, [&](const std::string& line) {
    // The label after the space repeats the class's folder and is not needed.
    const fs::path path(line.substr(0, line.find(' ')));
    part.push_back(find_item(places, (path.parent_path() / path.stem()).generic_string()));
  });
}

/// Adds an issue for each video that occurs twice, in one part or in both.
void require_disjoint(VideoSet& set, std::vector<Issue>& issues) {
  std::set<std::int64_t> seen;
  for (auto* part : {&set.train, &set.test}) {
    std::ranges::sort(*part);
    for (const auto i : *part)
      if (!seen.insert(i).second)
        issues.push_back({.where = set.videos[static_cast<std::size_t>(i)].item,
                          .what = "the video occurs twice in the split",
                          .fix = "keep one of its lines"});
  }
}

VideoSet scan_ucf101(const fs::path& folder, int split, std::vector<Issue>& issues) {
  auto set = scan_folders(prefer_inner(folder, "UCF-101"), is_video, ucf101_fix);
  const auto lists = prefer_inner(folder, "ucfTrainTestlist");
  const auto places = index_items(set);
  order_classes(set, lists / "classInd.txt", issues);
  read_part(lists / fmt::format("trainlist{:02}.txt", split), places, set.train, issues);
  read_part(lists / fmt::format("testlist{:02}.txt", split), places, set.test, issues);
  require_disjoint(set, issues);
  return set;
}

VideoSet scan_hmdb51(const fs::path& folder, int split, std::vector<Issue>& issues) {
  auto set = scan_folders(folder, is_video, hmdb51_fix);
  const auto lists = prefer_inner(folder, "testTrainMulti_7030_splits");
  const auto places = index_items(set);
  for (const auto& action : set.classes) {
    const auto file = lists / fmt::format("{}_test_split{}.txt", action, split);
    require_file(file, hmdb51_fix);
    for_each_line(file, issues, [&](const std::string& line) {
      const auto space = line.rfind(' ');
      // The official lists write "NAME.avi 1 " with a space at the end; for_each_line() has removed
      // it.
      const int use = space == std::string::npos ? -1 : parse_number(line.substr(space + 1));
      if (use < 0 || use > 2)
        throw UsageError(fmt::format("'{}' does not end in 0, 1 or 2", line),
                         "write lines as 'NAME.avi 1'");
      // NAME may contain spaces, so it ends at the last run of them.
      const fs::path name(line.substr(0, line.find_last_not_of(' ', space) + 1));
      const auto place = find_item(places, action + "/" + name.stem().string());
      // 0 marks videos that belong to neither part.
      if (use > 0) (use == 1 ? set.train : set.test).push_back(place);
    });
  }
  require_disjoint(set, issues);
  return set;
}

/// Returns the scanned set. UsageError: the scan found issues.
template <typename Scan>
VideoSet require_complete(const Scan& scan, const std::string& name) {
  std::vector<Issue> issues;
  auto set = scan(issues);
  require_no_issues(issues, name);
  return set;
}

}  // namespace

std::string parse_video_person(std::string_view action, std::string_view name) {
  // UCF101 spells a class in two ways: HandstandPushups/v_HandStandPushups_g01_c01.avi.
  // The group (gGG) holds clips of one video, so CLASS_gGG serves as the person.
  const std::string ucf = to_lower(fmt::format("v_{}_g", action));
  if (to_lower(std::string(name)).starts_with(ucf)) {
    const auto end = name.find('_', ucf.size());
    return std::string(name.substr(2, end == std::string_view::npos ? end : end - 2));
  }
  // Weizmann: PERSON_ACTION.
  const auto place = name.find(fmt::format("_{}", action));
  if (place != std::string_view::npos && place > 0) return std::string(name.substr(0, place));
  // No person is known, so each video is one: splits by person then never share a video.
  return fmt::format("{}/{}", action, name);
}

VideoSet read_video_folders(const fs::path& folder) {
  return scan_folders(folder, is_video_or_strip, folders_fix);
}
VideoSet read_shape_motion(const fs::path& folder) {
  return scan_folders(folder, is_strip, strips_fix);
}

VideoSet read_weizmann(const fs::path& folder) {
  // All videos lie in one folder, so they are grouped first: labels follow the alphabet.
  std::map<std::string, std::vector<LabelledVideo>> by_action;
  for (const auto& file : sorted_entries(folder, weizmann_fix)) {
    if (!is_video(file) || !fs::is_regular_file(file)) continue;
    const auto stem = file.stem().string();
    // Digits at the end number the takes of one person: lena_run1.avi and lena_run2.avi.
    const auto dash = stem.find('_');
    const auto last = stem.find_last_not_of("0123456789");
    if (dash == 0 || dash == std::string::npos || last <= dash)
      throw UsageError(file.string() + ": the name does not tell a person and an action",
                       weizmann_fix);
    const auto action = stem.substr(dash + 1, last - dash);
    auto& videos = by_action[action];
    videos.push_back({.item = action + "/" + stem,
                      .person = stem.substr(0, dash),
                      .colour = {.file = file, .end = {}},
                      .depth = {}});
  }
  VideoSet set;
  for (auto& [action, videos] : by_action) {
    for (auto& video : videos) {
      video.label = static_cast<std::int64_t>(set.classes.size());
      // Files are sorted, so two endings of one name follow each other.
      if (!set.videos.empty() && set.videos.back().item == video.item)
        throw UsageError(fmt::format("{}: two videos have this name, but for its ending",
                                     (folder / video.item).string()),
                         "keep one of the two");
      set.videos.push_back(std::move(video));
    }
    set.classes.push_back(action);
  }
  if (set.videos.empty())
    throw UsageError(folder.string() + ": no video is in this folder", weizmann_fix);
  return set;
}

VideoSet read_mug(const fs::path& folder) {
  std::map<std::string, std::vector<LabelledVideo>> by_expression;
  for (const auto& person : sorted_folders(prefer_inner(folder, "subjects3"), mug_fix))
    for (const auto& expression : sorted_folders(person, mug_fix))
      for (const auto& take : sorted_folders(expression, mug_fix)) {
        // A folder without pictures is not a take.
        if (list_media(take, Media::Pictures, Depth::OneFolder).files.empty()) continue;
        const auto name = expression.filename().string();
        const auto who = person.filename().string();
        by_expression[name].push_back(
            {.item = fmt::format("{}/{}_{}", name, who, take.filename().string()),
             .person = who,
             .colour = {.file = take, .end = {}},
             .depth = {}});
      }
  VideoSet set;
  for (auto& [expression, videos] : by_expression) {
    for (auto& video : videos) {
      video.label = static_cast<std::int64_t>(set.classes.size());
      set.videos.push_back(std::move(video));
    }
    set.classes.push_back(expression);
  }
  if (set.videos.empty())
    throw UsageError(folder.string() + ": no folder with the pictures of a take is in this folder",
                     mug_fix);
  return set;
}

VideoSet read_ucf101(const fs::path& folder, int split) {
  return require_complete(
      [&](std::vector<Issue>& issues) { return scan_ucf101(folder, split, issues); }, "ucf101");
}

VideoSet read_hmdb51(const fs::path& folder, int split) {
  return require_complete(
      [&](std::vector<Issue>& issues) { return scan_hmdb51(folder, split, issues); }, "hmdb51");
}

std::vector<Issue> verify_video_folders(const fs::path& folder) {
  return verify_videos([&](std::vector<Issue>&) { return read_video_folders(folder); }, folder);
}

std::vector<Issue> verify_weizmann(const fs::path& folder) {
  return verify_videos([&](std::vector<Issue>&) { return read_weizmann(folder); }, folder);
}

std::vector<Issue> verify_mug(const fs::path& folder) {
  return verify_videos([&](std::vector<Issue>&) { return read_mug(folder); }, folder);
}

std::vector<Issue> verify_shape_motion(const fs::path& folder) {
  return verify_videos([&](std::vector<Issue>&) { return read_shape_motion(folder); }, folder);
}

std::vector<Issue> verify_ucf101(const fs::path& folder) {
  return verify_videos([&](std::vector<Issue>& issues) { return scan_ucf101(folder, 1, issues); },
                       folder);
}

std::vector<Issue> verify_hmdb51(const fs::path& folder) {
  return verify_videos([&](std::vector<Issue>& issues) { return scan_hmdb51(folder, 1, issues); },
                       folder);
}

}  // namespace reprise::datasets
