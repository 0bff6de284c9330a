// A report on disk: what it may write and delete, and how it is held against the records.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "reports/report.h"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Names = std::set<fs::path>;

constexpr const char* manifest = ".report.json";
constexpr const char* choose = "choose a new or empty folder with --out, or one that holds a report";
constexpr const char* parts[] = {"tables", "figures", "pictures"};

Names names_of(const Files& files) {
  Names names;
  for (const auto& [path, bytes] : files) names.insert(path);
  return names;
}

std::string manifest_of(const Names& names) {
  json list = json::array();
  for (const auto& name : names) list.push_back(name.generic_string());
  return json{{"files", list}}.dump(1) + "\n";
}

/// What a report may have written: a file of the folder itself, or one below its tables, figures and pictures.
bool may_be_of_a_report(const fs::path& name) {
  if (name == "index.html" || name == "claims.md") return true;
  return name.is_relative() && name == name.lexically_normal() && name.has_filename() && std::distance(name.begin(), name.end()) > 1 &&
         std::find(std::begin(parts), std::end(parts), *name.begin()) != std::end(parts);
}

bool is_link(const fs::path& path) {
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(path, ignored));
}

/// What the last report wrote; nothing where no report says so. It may be a stranger's, and decides what is deleted.
std::optional<Names> written_before(const fs::path& folder) {
  std::error_code ignored;
  const auto status = fs::symlink_status(folder / manifest, ignored);
  if (!fs::exists(status)) return std::nullopt;
  const auto refuse = [&] { throw UsageError((folder / manifest).string() + " is not the list of files that a report leaves", choose); };
  if (!fs::is_regular_file(status)) refuse();
  const auto list = parse_json(read_file(folder / manifest), (folder / manifest).string(), choose);
  if (!list.is_object() || !list.contains("files") || !list["files"].is_array()) refuse();
  Names names;
  for (const auto& name : list["files"]) {
    if (!name.is_string() || !may_be_of_a_report(name.get<std::string>())) refuse();
    names.insert(name.get<std::string>());
  }
  return names;
}

/// The first symbolic link between `folder` and a file below it; "" without any.
fs::path link_on_the_way(const fs::path& folder, const fs::path& name) {
  fs::path at = folder;
  for (const auto& part : name.parent_path()) {
    at /= part;
    if (is_link(at)) return at;
  }
  return {};
}

/// Those that a report began to write and was killed among them.
Names files_in_parts(const fs::path& folder) {
  Names out;
  for (const char* part : parts) {
    if (is_link(folder / part) || !fs::is_directory(folder / part)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder / part))
      if (entry.is_symlink() || !entry.is_directory()) out.insert(entry.path().lexically_relative(folder));
  }
  return out;
}

/// What a report that was killed had begun to write.
void remove_unfinished(const fs::path& folder) {
  auto found = files_in_parts(folder);
  for (const auto& entry : fs::directory_iterator(folder))
    for (const std::string name : {"index.html", "claims.md", manifest})
      if (entry.path().filename().string().starts_with("." + name + ".")) found.insert(entry.path().filename());
  std::error_code ignored;
  for (const auto& name : found)
    if (is_unfinished(name) && fs::is_regular_file(fs::symlink_status(folder / name, ignored))) fs::remove(folder / name, ignored);
}

}  // namespace

void expect_report_folder(const fs::path& folder, const fs::path& results) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return;
  if (!fs::is_directory(folder, ignored)) throw UsageError(folder.string() + " is not a folder", choose);
  if (written_before(folder) || fs::is_empty(folder, ignored) || fs::equivalent(folder, results, ignored)) return;
  Names there;
  for (const auto& entry : fs::directory_iterator(folder)) there.insert(entry.path().filename());
  throw UsageError(fmt::format("{} holds {}, which no report wrote", folder.string(), there.empty() ? "files" : there.begin()->string()),
                   choose);
}

void write_report(const Files& files, const fs::path& folder, const fs::path& results) {
  expect_report_folder(folder, results);
  const auto now = names_of(files), before = written_before(folder).value_or(Names{});
  Names both = before;
  both.insert(now.begin(), now.end());
  for (const auto& name : both)
    if (const auto link = link_on_the_way(folder, name); !link.empty())
      throw UsageError(link.string() + " is a symbolic link, and a report writes into its own folder alone",
                       "remove the link, or choose another folder with --out");
  // Whenever this is interrupted, the list holds all that was written, and the next report can go on.
  write_file(folder / manifest, manifest_of(both));
  for (const auto& [path, bytes] : files) write_file(folder / path, bytes);
  std::error_code ignored;
  for (const auto& name : before)
    if (!now.contains(name) && !fs::is_directory(fs::symlink_status(folder / name, ignored))) fs::remove(folder / name);
  if (both != now) write_file(folder / manifest, manifest_of(now));
  remove_unfinished(folder);
}

std::vector<Difference> check_report(const Files& files, const fs::path& folder) {
  std::vector<Difference> out;
  auto expected = files;
  expected[manifest] = manifest_of(names_of(files));
  for (const auto& [path, bytes] : expected) {
    if (!fs::is_regular_file(folder / path))
      out.push_back({Difference::Kind::Missing, path});
    else if (read_file(folder / path) != bytes)
      out.push_back({Difference::Kind::Differs, path});
  }
  for (const auto& path : files_in_parts(folder))
    if (!files.contains(path) && !is_unfinished(path)) out.push_back({Difference::Kind::Extra, path});
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return out;
}

}  // namespace reprise::reports
