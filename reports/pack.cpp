#include "reports/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/links.h"
#include "core/outputs.h"
#include "core/sha256.h"
#include "records/packed.h"
#include "reports/report.h"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* choose =
    "choose a new folder, or one that holds packed results of this study and profile and nothing "
    "else";

void refuse_other_run(const StudyView& view, const fs::path& file) {
  const auto run = parse_json(read_file(file), file.string(), choose);
  const auto text = [&](const char* key) {
    return run.is_object() && run.contains(key) && run[key].is_string()
               ? run[key].get<std::string>()
               : "";
  };
  if (text("study") != view.name || text("profile") != view.profile)
    throw UsageError(
        fmt::format("{} is of study \"{}\", profile \"{}\", and the results to pack are of {}, {}",
                    file.string(), text("study"), text("profile"), view.name, view.profile),
        choose);
}

/// Refuses a folder with anything but an older pack, complete or not. Other files would look like
/// part of this one.
void refuse_foreign(const StudyView& view, const std::map<fs::path, std::string>& packed,
                    const fs::path& folder) {
  static constexpr std::array<std::string_view, 11> own = {
      "run.json",   "preregistered.json", "records",     "checkpoints",
      "index.html", "details.html",       "claims.md",   "tables",
      "figures",    "pictures",           ".report.json"};
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) throw UsageError(folder.string() + " is not a folder", choose);
  // Files are written and deleted there, and a link could lead out of the folder.
  refuse_links_in(folder);
  const bool has_run = fs::exists(folder / "run.json");
  // Without run.json the folder may hold an interrupted pack, which writes the records first.
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (std::find(own.begin(), own.end(), name) == own.end() || (!has_run && name != "records"))
      throw UsageError(entry.path().string() + " is not part of packed results", choose);
  }
  if (has_run) refuse_other_run(view, folder / "run.json");
  // Tables that are gone must not come back: whatever lies in records/ is read as a part of the
  // run.
  if (!fs::exists(folder / "records")) return;
  for (const auto& entry : fs::directory_iterator(folder / "records"))
    if (!packed.contains(entry.path().lexically_relative(folder)))
      throw UsageError(
          entry.path().string() + " holds nothing that is packed now, and would be read with it",
          "delete it, or choose another folder");
}

}  // namespace

void write_packed(const StudyView& view, const records::Store& store, const fs::path& folder) {
  // Of the files of cells only those are packed that the report shows.
  const auto report = render(view, store);
  std::set<std::string> shown;
  for (const auto& [path, bytes] : report)
    if (*path.begin() == "pictures") shown.insert(sha256(bytes));
  // Checkpoints that somebody put there are kept, and the records of their cells name them.
  if (fs::is_directory(folder / "checkpoints"))
    for (const auto& entry : fs::recursive_directory_iterator(folder / "checkpoints"))
      if (entry.is_regular_file()) shown.insert(sha256_file(entry.path()));
  const auto packed = records::pack(store, shown);
  const auto run = read_file(store.results() / "run.json");
  // All checks come before the first write.
  refuse_foreign(view, packed, folder);
  records::refuse_uncommitted(store, folder);
  const ReportSource source{
      .study = view.name, .profile = view.profile, .results = folder, .packs_records = true};
  expect_report(report, folder, source);
  note_own(folder);
  // run.json comes after the records: a folder with it has all of them.
  for (const auto& [path, bytes] : packed) write_file(folder / path, bytes);
  write_file(folder / "run.json", run);
  if (const auto registry = store.results() / "preregistered.json"; fs::exists(registry))
    write_file(folder / "preregistered.json", read_file(registry));
  write_report(report, folder, source);
  // The packed records are what others will draw the pages from.
  if (const auto differences = check_report(render(view, records::Store(folder)), folder);
      !differences.empty())
    throw Error(
        fmt::format(
            "the packed records of {} do not give the report of the run: {} files differ, first {}",
            folder.string(), differences.size(), differences.front().file.string()),
        "does a run still write there? If none does, this is a mistake of the program: please "
        "report it with the records");
}

}  // namespace reprise::reports
