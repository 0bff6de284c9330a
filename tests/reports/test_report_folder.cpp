// What a report may write and delete on disk.
#include "reports/report.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

Files some(const std::vector<std::string>& names) {
  Files files;
  for (const auto& name : names) files[name] = "bytes of " + name;
  return files;
}

/// A folder of records, one for reports, and one of somebody else.
struct ReportFolder : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results", out = folder.path() / "out", theirs = folder.path() / "theirs";
  const Files first = some({"index.html", "tables/a.md", "tables/old.md", "figures/old.svg"});
  const Files second = some({"index.html", "tables/a.md"});

  void write(const Files& files, const fs::path& where) const { write_report(files, where, results); }
  void add(const fs::path& file) const { write_file(file, "mine"); }
};

TEST_F(ReportFolder, DeletesWhatTheLastReportWroteAndNothingElse) {
  write(first, out);
  for (const auto* name : {"tables/own.tex", "figures/deep/er.tex", "pictures/photo.jpg", "notes.txt"}) add(out / name);
  write(second, out);
  EXPECT_FALSE(fs::exists(out / "tables/old.md"));
  EXPECT_FALSE(fs::exists(out / "figures/old.svg"));
  for (const auto* name : {"tables/own.tex", "figures/deep/er.tex", "pictures/photo.jpg", "notes.txt"})
    EXPECT_EQ(read_file(out / name), "mine");
  EXPECT_EQ(check_report(second, out).size(), 3U) << "the check names them";
}

TEST_F(ReportFolder, AFolderThatHoldsSomethingElseIsRefusedAndLeftAsItIs) {
  add(theirs / "figures" / "mine.pdf");
  EXPECT_THAT([&] { write(first, theirs); }, ThrowsUsageError(HasSubstr("figures"), HasSubstr("--out")));
  EXPECT_FALSE(fs::exists(theirs / "index.html"));
  EXPECT_EQ(read_file(theirs / "figures" / "mine.pdf"), "mine");
}

TEST_F(ReportFolder, TheFolderOfTheRecordsNeedsNoList) {
  add(results / "run.json");
  add(results / "tables" / "of_an_older_version.md");
  write(first, results);
  EXPECT_EQ(read_file(results / "tables" / "of_an_older_version.md"), "mine");
  write(second, results);
  EXPECT_FALSE(fs::exists(results / "tables/old.md"));
}

TEST_F(ReportFolder, NoSymbolicLinkLeadsOutOfIt) {
  write(first, out);
  fs::remove_all(out / "figures");
  add(theirs / "old.svg");
  fs::create_directory_symlink(theirs, out / "figures");
  for (const auto& files : {first, second}) EXPECT_THAT([&] { write(files, out); }, ThrowsUsageError(HasSubstr("symbolic link")));
  EXPECT_EQ(read_file(theirs / "old.svg"), "mine");
  EXPECT_EQ(fs::directory_iterator(theirs)->path().filename(), "old.svg");
  fs::remove(out / "figures");
  fs::create_directory(out / "figures");
  fs::create_symlink(theirs / "old.svg", out / "figures" / "old.svg");
  write(second, out);
  EXPECT_EQ(read_file(theirs / "old.svg"), "mine") << "the link is deleted, not what it names";
}

TEST_F(ReportFolder, AListFromAStrangerNamesNothingThatNoReportWrites) {
  for (const std::string name : {"../theirs/x", "tables/../run.json", "cells/x/record.json", "/etc/passwd", "run.json", "tables", ""}) {
    write_file(out / ".report.json", "{\"files\": [\"" + name + "\"]}");
    EXPECT_THAT([&] { write(second, out); }, ThrowsUsageError(HasSubstr(".report.json"))) << name;
  }
  for (const std::string bytes : {"", "[]", "{\"files\": 3}", "{\"files\": [3]}"}) {
    write_file(out / ".report.json", bytes);
    EXPECT_THAT([&] { write(second, out); }, ThrowsUsageError(HasSubstr(".report.json"))) << bytes;
  }
}

TEST_F(ReportFolder, AReportThatWasCutShortIsGoneOnWith) {
  write(first, out);
  fs::remove(out / "index.html");  // where the list is written first, the files may be missing
  write(second, out);
  EXPECT_THAT(check_report(second, out), IsEmpty());
}

}  // namespace
}  // namespace reprise::reports
