// A report on disk: which files it may write and delete, and its comparison with the records.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/links.h"
#include "core/outputs.h"
#include "core/sha256.h"
#include "reports/report.h"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Names = std::set<fs::path>;

constexpr const char* manifest = ".report.json";
constexpr const char* choose =
    "choose a new or empty folder with --out, or one that holds a report of these results";
constexpr const char* parts[] = {"tables", "figures", "pictures"};

/// SHA-256 of each file of a report. While a report is written a file has two: that of the last
/// report and that of this one.
using Hashes = std::map<fs::path, std::set<std::string>>;

/// Content of .report.json. Older lists have names without hashes, and no source.
struct Manifest {
  std::string study, profile, results;
  bool has_source = false;
  Hashes files;
};

Hashes hash_files(const Files& files) {
  Hashes hashes;
  for (const auto& [path, bytes] : files) hashes[path] = {sha256(bytes)};
  return hashes;
}

json files_json(const Hashes& files) {
  json list = json::object();
  for (const auto& [name, hashes] : files) {
    const bool one = hashes.size() == 1;
    list[name.generic_string()] = one ? json(*hashes.begin()) : json(hashes);
  }
  return list;
}

/// Returns the path of the records relative to the report: "." if both are in one folder.
std::string relative_results(const fs::path& folder, const fs::path& results) {
  return fs::weakly_canonical(fs::absolute(results))
      .lexically_relative(fs::weakly_canonical(fs::absolute(folder)))
      .generic_string();
}

bool holds_records(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "run.json", ignored) || fs::exists(folder / "records", ignored) ||
         fs::exists(folder / "cells", ignored);
}

std::string manifest_text(const Hashes& files, const ReportSource& source, const fs::path& folder) {
  const json manifest = {{"study", source.study},
                         {"profile", source.profile},
                         {"results", relative_results(folder, source.results)},
                         {"holds_records", holds_records(folder)},
                         {"files", files_json(files)}};
  return json_text(manifest, 1) + "\n";
}

/// Whether a report may have written the file: one of the folder itself, or one below tables/,
/// figures/ or pictures/.
bool may_be_of_a_report(const fs::path& name) {
  if (name == "index.html" || name == "details.html" || name == "claims.md") return true;
  return name.is_relative() && name == name.lexically_normal() && name.has_filename() &&
         std::distance(name.begin(), name.end()) > 1 &&
         std::find(std::begin(parts), std::end(parts), *name.begin()) != std::end(parts);
}

bool is_link(const fs::path& path) {
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(path, ignored));
}

/// Reads the list of the last report; nothing without one. The list may be a stranger's, and
/// decides which files are deleted.
std::optional<Manifest> read_manifest(const fs::path& folder) {
  std::error_code ignored;
  const auto file = folder / manifest;
  // A link could point to any file, so its target is not followed.
  const auto status = fs::symlink_status(file, ignored);
  if (!fs::exists(status)) return std::nullopt;
  const auto refuse = [&] {
    throw UsageError(file.string() + " is not the list of files that a report leaves", choose);
  };
  if (!fs::is_regular_file(status)) refuse();
  const auto read = parse_json(read_file(file), file.string(), choose);
  if (!read.is_object() || !read.contains("files")) refuse();
  Manifest found;
  const auto add = [&](const json& name, const json& hashes) {
    if (!name.is_string() || !may_be_of_a_report(name.get<std::string>())) refuse();
    auto& listed = found.files[name.get<std::string>()];
    if (hashes.is_string()) listed.insert(hashes.get<std::string>());
    if (!hashes.is_array()) return;
    for (const auto& hash : hashes) {
      if (!hash.is_string()) refuse();
      listed.insert(hash.get<std::string>());
    }
  };
  const auto& files = read["files"];
  if (files.is_array())
    for (const auto& name : files) add(name, {});
  else if (files.is_object())
    for (const auto& [name, hashes] : files.items()) add(name, hashes);
  else
    refuse();
  const auto text = [&](const char* key) {
    return read.contains(key) && read[key].is_string() ? read[key].get<std::string>() : "";
  };
  found.has_source = read.contains("results");
  found.study = text("study");
  found.profile = text("profile");
  found.results = text("results");
  return found;
}

/// Whether the file on disk is the one that a report wrote. A list of an older version has names
/// without hashes: then every listed file counts as unchanged.
bool is_as_written(const fs::path& file, const std::set<std::string>& hashes) {
  std::error_code ignored;
  if (hashes.empty()) return true;
  return fs::is_regular_file(fs::symlink_status(file, ignored)) &&
         hashes.contains(sha256_file(file));
}

/// Throws a UsageError for a file that a report would replace although no report wrote it.
void expect_replaceable(const Files& files, const Hashes& before, const fs::path& folder) {
  if (overwriting_allowed()) return;
  std::error_code ignored;
  for (const auto& [name, bytes] : files) {
    const auto file = folder / name;
    if (!fs::exists(fs::symlink_status(file, ignored))) continue;
    const auto listed = before.find(name);
    if (listed != before.end() && is_as_written(file, listed->second)) continue;
    if (fs::is_regular_file(fs::symlink_status(file, ignored)) && read_file(file) == bytes)
      continue;
    throw UsageError(fmt::format("{} {}", file.string(),
                                 listed == before.end() ? "exists, and no report wrote it"
                                                        : "was changed since a report wrote it"),
                     "move it away, choose another folder with --out, or add --overwrite");
  }
}

/// Lists the files below tables/, figures/ and pictures/, including unfinished ones of a killed
/// report.
Names files_in_parts(const fs::path& folder) {
  Names out;
  for (const char* part : parts) {
    if (is_link(folder / part) || !fs::is_directory(folder / part)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder / part))
      if (entry.is_symlink() || !entry.is_directory())
        out.insert(entry.path().lexically_relative(folder));
  }
  return out;
}

/// Removes unfinished files of a killed report.
void remove_unfinished(const fs::path& folder) {
  auto found = files_in_parts(folder);
  for (const auto& entry : fs::directory_iterator(folder))
    for (const std::string name : {"index.html", "details.html", "claims.md", manifest})
      if (entry.path().filename().string().starts_with("." + name + "."))
        found.insert(entry.path().filename());
  std::error_code ignored;
  for (const auto& name : found)
    if (is_unfinished(name) && fs::is_regular_file(fs::symlink_status(folder / name, ignored)))
      fs::remove(folder / name, ignored);
}

}  // namespace

void expect_report_folder(const fs::path& folder, const ReportSource& source) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return;
  if (!fs::is_directory(folder, ignored))
    throw UsageError(folder.string() + " is not a folder", choose);
  const auto found = read_manifest(folder);
  // Only the page is checked here. The other files are known and checked once they are drawn.
  expect_replaceable({{"index.html", ""}}, found.value_or(Manifest{}).files, folder);
  if (fs::equivalent(folder, source.results, ignored)) return;
  // Pictures and tables next to other records may be the only copies, even if a list names them.
  if (holds_records(folder))
    throw UsageError(
        folder.string() + " holds records of its own, and a report would replace files of theirs",
        choose);
  if (!found && fs::is_empty(folder, ignored)) return;
  if (!found) {
    std::set<fs::path> there;
    for (const auto& entry : fs::directory_iterator(folder)) there.insert(entry.path().filename());
    throw UsageError(fmt::format("{} holds {}, which no report wrote", folder.string(),
                                 there.empty() ? "files" : there.begin()->string()),
                     choose);
  }
  const bool same = found->study == source.study && found->profile == source.profile &&
                    found->results == relative_results(folder, source.results);
  if (!found->has_source || same || overwriting_allowed()) return;
  throw UsageError(
      fmt::format(
          "{} holds the report of other results: study \"{}\", profile \"{}\", records in {}",
          folder.string(), found->study, found->profile,
          (folder / found->results).lexically_normal().string()),
      std::string(choose) + ", or add --overwrite");
}

void expect_report(const Files& files, const fs::path& folder, const ReportSource& source) {
  expect_report_folder(folder, source);
  const auto before = read_manifest(folder).value_or(Manifest{}).files;
  const auto expect_no_link = [&](const fs::path& name) {
    if (const auto link = find_link_below(folder, (folder / name).parent_path()); !link.empty())
      throw UsageError(
          link.string() + " is a symbolic link, and a report writes into its own folder alone",
          "remove the link, or choose another folder with --out");
  };
  for (const auto& [name, bytes] : files) expect_no_link(name);
  for (const auto& [name, hashes] : before) expect_no_link(name);
  expect_replaceable(files, before, folder);
}

void write_report(const Files& files, const fs::path& folder, const ReportSource& source) {
  expect_report(files, folder, source);
  const auto now = hash_files(files);
  const auto before = read_manifest(folder).value_or(Manifest{}).files;
  // Until all is written, a file may be of the last report or of this one.
  auto both = before;
  for (const auto& [name, hashes] : now) both[name].insert(hashes.begin(), hashes.end());
  note_own(folder);
  // The list comes first. After an interruption it names every written file, so that the next
  // report may replace them.
  write_file(folder / manifest, manifest_text(both, source, folder));
  for (const auto& [path, bytes] : files) write_file(folder / path, bytes);
  // Packed records refer to pictures in the same folder. Only packing, which has just rewritten the
  // records, knows which pictures are not needed any more.
  const bool pictures_are_data = fs::exists(folder / "records") && !source.packs_records;
  std::error_code ignored;
  for (const auto& [name, hashes] : before) {
    if (now.contains(name) || (pictures_are_data && *name.begin() == "pictures")) continue;
    const auto file = folder / name;
    if (!fs::is_directory(fs::symlink_status(file, ignored)) && is_as_written(file, hashes))
      fs::remove(file);
  }
  write_file(folder / manifest, manifest_text(now, source, folder));
  remove_unfinished(folder);
}

std::vector<Difference> check_report(const Files& files, const fs::path& folder) {
  std::vector<Difference> out;
  // The path of the records is not compared, because a report may be moved.
  const auto listed = read_manifest(folder);
  if (!listed)
    out.push_back({.kind = Difference::Kind::Missing, .file = manifest});
  else if (listed->files != hash_files(files))
    out.push_back({.kind = Difference::Kind::Differs, .file = manifest});
  for (const auto& [path, bytes] : files) {
    if (!fs::is_regular_file(folder / path))
      out.push_back({.kind = Difference::Kind::Missing, .file = path});
    else if (read_file(folder / path) != bytes)
      out.push_back({.kind = Difference::Kind::Differs, .file = path});
  }
  for (const auto& path : files_in_parts(folder))
    if (!files.contains(path) && !is_unfinished(path))
      out.push_back({.kind = Difference::Kind::Extra, .file = path});
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return out;
}

}  // namespace reprise::reports
