#include "experiments/run/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/links.h"
#include "core/outputs.h"
#include "core/text.h"
#include "records/old_names.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr auto remake = "remove the folder and run the study again";

/// Lists values of `before` that differ now: "cnn.epochs 10 -> 12".
std::vector<std::string> differences(const json& before, const json& now) {
  std::vector<std::string> found;
  for (const auto& [key, value] : before.items()) {
    if (!now.contains(key))
      found.push_back(key + " " + json_text(value) + " -> none");
    else if (now[key] != value)
      found.push_back(key + " " + json_text(value) + " -> " + json_text(now[key]));
  }
  return found;
}

/// Returns the options that all cells of a run share.
json shared_part(const RunDescription& description) {
  return {{"study", description.study},
          {"profile", description.profile},
          {"run.device", description.device}};
}

/// Erases the options that a cell with these `reads` does not read.
void keep_read(const std::vector<std::string>& reads, json& options) {
  const auto is_read = [&](const std::string& key) {
    const auto has = [&](const std::string& section) {
      return key == section || key.starts_with(section + ".");
    };
    // A cell without a list reads everything.
    return reads.empty() || key == "run.device" || key == "metrics" || key == "purpose" ||
           std::ranges::any_of(reads, has);
  };
  for (auto item = options.begin(); item != options.end();)
    item = is_read(item.key()) ? std::next(item) : options.erase(item);
}

void expect_same(const json& before, const json& now, const fs::path& results, bool copied) {
  const auto found = differences(before, now);
  if (found.empty()) return;
  if (copied)
    throw UsageError(
        fmt::format("the results that --from names have other settings (there -> here): {}",
                    first_few(found)),
        "leave these out of --set; or leave out --from and run every cell with them in another folder (--out)");
  throw UsageError(
      results.string() + " already holds a run with other options: " + first_few(found),
      "choose another folder with --out, or remove " + results.string() + " to start over");
}

/// The lock's file, in the folder, which is made.
fs::path lock_file(const fs::path& results) {
  std::error_code reason;
  fs::create_directories(results, reason);
  if (reason)
    throw UsageError("cannot make " + results.string() + ": " + reason.message(),
                     "choose a folder you may write in with --out");
  return results / ".lock";
}

}  // namespace

json RunDescription::options() const {
  json options = settings;
  // These three only count cells: more seeds or trials continue the same run.
  options.erase("seeds");
  // A smoke test does not check its base networks, so its records must not pass for a full run.
  if (options.value("purpose", "") == "full_experiment") options.erase("purpose");
  options.erase("confirm.seeds");
  options.erase("search.widen");
  if (const auto named = options.find("metrics"); named != options.end() && named->empty())
    options.erase(named);
  options["run.device"] = device;
  return options;
}

json RunDescription::options(const std::vector<std::string>& reads) const {
  auto kept = options();
  keep_read(reads, kept);
  return kept;
}

std::vector<std::string> sets_in(const fs::path& data) {
  if (data.empty()) return {};
  if (!fs::is_directory(data))
    throw UsageError("--data " + data.string() + " is not a folder",
                     "give the folder that holds the data sets' folders");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(data))
    if (entry.is_directory()) names.push_back(utf8(entry.path().filename()));
  std::sort(names.begin(), names.end());
  return names;
}

records::Store cells_in(const fs::path& results, records::Damage damage) {
  return records::Store(results, damage);
}

FolderRecords read_records(const fs::path& results) {
  const auto description = read_description(results);
  FolderRecords folder{cells_in(results, records::Damage::Skip), {}};
  folder.records = folder.store.all();
  for (const auto& record : folder.records)
    if (record.cell.study != description.study || record.profile != description.profile)
      throw UsageError(
          fmt::format("{}: cell {} is of study {}, profile {}; the folder is of {}, {}",
                      results.string(), record.cell.id(), record.cell.study, record.profile,
                      description.study, description.profile),
          "give each study and profile its own results folder");
  return folder;
}

RunDescription read_description(const fs::path& results) {
  const fs::path file = results / "run.json";
  if (!fs::exists(file)) {
    std::vector<std::string> known;
    for (const auto& folder : results_below(project_folder() / "runs"))
      known.push_back(folder.string());
    throw UsageError(
        results.string() + " is not a results folder: it has no run.json",
        known.empty() ? "make one: reprise run STUDY" : "results there are: " + join(known, ", "));
  }
  try {
    const json stored = parse_json(read_file(file), file.string(), remake);
    if (!stored.at("settings").is_object())
      throw UsageError(file.string() + ": settings is " + stored.at("settings").type_name() +
                           ", expected an object",
                       remake);
    const auto profile = records::current_profile(stored.at("profile").get<std::string>());
    Settings settings;
    settings.lay_over_stored(stored.at("settings"), file.string());
    return {.study = stored.at("study").get<std::string>(),
            .profile = profile,
            .base = records::current_profile(stored.value("base", profile)),
            .settings = settings.all(),
            .device = stored.at("device").get<std::string>(),
            .data = stored.at("data").get<std::vector<std::string>>()};
  } catch (const json::exception& error) {
    throw UsageError(file.string() + " cannot be read: " + error.what(), remake);
  }
}

void write_description(const fs::path& results, const RunDescription& description) {
  const json stored = {{"study", description.study},   {"profile", description.profile},
                       {"base", description.base},     {"settings", description.settings},
                       {"device", description.device}, {"data", description.data}};
  refuse_links_below(results, results / "run.json");
  write_file(results / "run.json", json_text(stored, 1) + "\n");
}

void expect_same_run(const fs::path& results, const RunDescription& description,
                     const std::vector<PlannedCell>& plan, bool copied) {
  using Row = std::tuple<std::string, std::string, std::string>;
  const auto row = [](const records::Cell& cell) {
    return Row{cell.table, cell.dataset, cell.method};
  };
  std::map<Row, std::vector<std::string>> reads;
  for (const auto& planned : plan) reads[row(planned.cell)] = planned.reads;
  // For a row that the plan no longer has, only settings that some planned cell reads are compared.
  std::set<std::string> of_any;
  for (const auto& planned : plan) of_any.insert(planned.reads.begin(), planned.reads.end());
  if (std::ranges::any_of(plan, [](const PlannedCell& planned) { return planned.reads.empty(); }))
    of_any.clear();
  if (fs::exists(results / "run.json"))
    expect_same(shared_part(read_description(results)), shared_part(description), results, copied);
  auto now = description.options();
  now.emplace("purpose", "full_experiment");  // of a full run, which leaves it out
  now["study"] = description.study;
  now["profile"] = description.profile;
  for (const auto& record : cells_in(results).all()) {
    json before = *record.options;
    // Older records hold run.data, the names of all sets in --data, instead of the sets they read.
    const auto found = reads.find(row(record.cell));
    keep_read(found != reads.end() ? found->second : std::vector(of_any.begin(), of_any.end()),
              before);
    // The file of an external method is compared by its hash (survey.cpp); data are by hash too.
    for (const auto* own : {"method.kind", "method.file", "method.sha256", "run.data"})
      before.erase(own);
    before["study"] = record.cell.study;
    before["profile"] = record.profile;
    expect_same(before, now, results, copied);
  }
}

void copy_results(const fs::path& from, const fs::path& to) {
  if (fs::exists(to / "run.json")) return;
  if (fs::exists(to) && !fs::is_empty(to))
    throw UsageError(to.string() + " is not empty, and holds no results",
                     "choose a new folder with --out");
  std::error_code reason;
  fs::create_directories(to, reason);
  // run.json comes last: a copy without it is incomplete.
  for (const auto& entry : fs::directory_iterator(from))
    if (const auto name = entry.path().filename();
        !reason && name != "run.json" && name != ".lock" && name != ".leases")
      fs::copy(entry.path(), to / name, fs::copy_options::recursive, reason);
  if (!reason) fs::copy_file(from / "run.json", to / "run.json", reason);
  if (reason)
    throw Error(
        fmt::format("cannot copy {} to {}: {}", from.string(), to.string(), reason.message()),
        "choose another folder with --out");
}

std::vector<fs::path> results_below(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::is_directory(folder)) return found;
  for (auto entry = fs::recursive_directory_iterator(folder);
       entry != fs::recursive_directory_iterator(); ++entry) {
    if (!entry->is_directory() || !fs::exists(entry->path() / "run.json")) continue;
    found.push_back(entry->path());
    // A results folder contains no other one.
    entry.disable_recursion_pending();
  }
  std::sort(found.begin(), found.end());
  return found;
}

FolderLock::FolderLock(const fs::path& results, std::chrono::milliseconds wait)
    : FileLock(lock_file(results),
               {.name = results.string(),
                .holder = "another run",
                .fix = "wait for it to end, or choose another folder with --out"},
               wait) {
  // The holder of the lock writes records there.
  note_own(results);
}

fs::path project_folder() {
  std::error_code ignored;
  for (fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
       folder.has_relative_path(); folder = folder.parent_path())
    if (fs::exists(folder / "CMakeLists.txt", ignored) &&
        fs::exists(folder / "experiments" / "study.h", ignored))
      return folder;
  return fs::current_path();
}

fs::path committed_results(const std::string& study) {
  return project_folder() / "results" / study;
}

fs::path default_results(const std::string& study, const std::string& profile) {
  return project_folder() / "runs" / study / profile;
}

}  // namespace reprise::reproduce
