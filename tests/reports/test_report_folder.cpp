// What a report may write and delete on disk.
#include "core/outputs.h"
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
  const fs::path results = folder.path() / "results", out = folder.path() / "out",
                 theirs = folder.path() / "theirs";
  const Files first =
      some({"index.html", "details.html", "tables/a.md", "tables/old.md", "figures/old.svg"});
  const Files second = some({"index.html", "tables/a.md"});

  void write(const Files& files, const fs::path& where) const {
    write_report(files, where, {.results = results});
  }
  void add(const fs::path& file) const { write_file(file, "mine"); }
};

TEST_F(ReportFolder, DeletesWhatTheLastReportWroteAndNothingElse) {
  write(first, out);
  for (const auto* name :
       {"tables/own.tex", "figures/deep/er.tex", "pictures/photo.jpg", "notes.txt"})
    add(out / name);
  write(second, out);
  for (const auto* name : {"details.html", "tables/old.md", "figures/old.svg"})
    EXPECT_FALSE(fs::exists(out / name)) << name;
  for (const auto* name :
       {"tables/own.tex", "figures/deep/er.tex", "pictures/photo.jpg", "notes.txt"})
    EXPECT_EQ(read_file(out / name), "mine");
  EXPECT_EQ(check_report(second, out).size(), 3U) << "the check names them";
}

TEST_F(ReportFolder, AFolderThatHoldsSomethingElseIsRefusedAndLeftAsItIs) {
  add(theirs / "figures" / "mine.pdf");
  EXPECT_THAT([&] { write(first, theirs); },
              ThrowsUsageError(HasSubstr("figures"), HasSubstr("--out")));
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
  for (const auto& files : {first, second})
    EXPECT_THAT([&] { write(files, out); }, ThrowsUsageError(HasSubstr("symbolic link")));
  EXPECT_EQ(read_file(theirs / "old.svg"), "mine");
  EXPECT_EQ(fs::directory_iterator(theirs)->path().filename(), "old.svg");
  fs::remove(out / "figures");
  fs::create_directory(out / "figures");
  fs::create_symlink(theirs / "old.svg", out / "figures" / "old.svg");
  write(second, out);
  EXPECT_EQ(read_file(theirs / "old.svg"), "mine") << "the link is deleted, not what it names";
}

TEST_F(ReportFolder, AListFromAStrangerNamesNothingThatNoReportWrites) {
  for (const std::string name : {"../theirs/x", "tables/../run.json", "cells/x/record.json",
                                 "/etc/passwd", "run.json", "tables", ""}) {
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

TEST_F(ReportFolder, AFolderWithRecordsOfItsOwnIsNotAFolderForAnotherReportSlow) {
  for (const auto* records : {"run.json", "records/table1.jsonl.gz", "cells/x/record.json"}) {
    const auto packed = folder.path() / "packed";
    write_report(first, packed, {.results = packed});
    add(packed / records);
    EXPECT_THAT([&] { write(second, packed); },
                ThrowsUsageError(HasSubstr("records of its own"), HasSubstr("--out")))
        << records;
    EXPECT_TRUE(fs::exists(packed / "figures/old.svg"));
    fs::remove_all(packed);
  }
}

TEST_F(ReportFolder, TheReportOfOtherResultsIsKept) {
  const ReportSource prernn{.study = "prernn", .profile = "smoke", .results = results};
  write_report(first, out, prernn);
  for (const ReportSource& other :
       {ReportSource{.study = "unit", .profile = "smoke", .results = results},
        ReportSource{.study = "prernn", .profile = "small", .results = results},
        ReportSource{.study = "prernn", .profile = "smoke", .results = theirs}}) {
    EXPECT_THAT([&] { write_report(second, out, other); },
                ThrowsUsageError(HasSubstr("prernn"), HasSubstr("--overwrite")));
    EXPECT_TRUE(fs::exists(out / "figures/old.svg"));
  }
  OutputRules rules("report");
  rules.allow_overwriting();
  write_report(second, out, {.study = "unit", .profile = "smoke", .results = results});
  EXPECT_FALSE(fs::exists(out / "figures/old.svg"));
}

TEST_F(ReportFolder, AFileOfTheUsersIsNeitherReplacedNorDeleted) {
  add(results / "index.html");
  EXPECT_THAT([&] { write(first, results); },
              ThrowsUsageError(HasSubstr("index.html"), HasSubstr("no report wrote it")));
  write(first, out);
  add(out / "figures/old.svg");  // which the next report would delete
  write(second, out);
  EXPECT_EQ(read_file(out / "figures/old.svg"), "mine");
  add(out / "tables/a.md");  // which the next report would replace
  EXPECT_THAT([&] { write(second, out); },
              ThrowsUsageError(HasSubstr("a.md"), HasSubstr("changed since")));
  EXPECT_EQ(read_file(out / "tables/a.md"), "mine");
}

TEST_F(ReportFolder, APictureOfPackedRecordsIsDeletedByPackingAlone) {
  const auto packed = folder.path() / "packed";
  add(packed / "records" / "table1.jsonl.gz");
  write_report(some({"index.html", "pictures/clip-1.png"}), packed, {.results = packed});
  write_report(second, packed, {.results = packed});
  EXPECT_TRUE(fs::exists(packed / "pictures/clip-1.png"));
  write_report(some({"index.html", "pictures/clip-1.png"}), packed, {.results = packed});
  write_report(second, packed, {.results = packed, .packs_records = true});
  EXPECT_FALSE(fs::exists(packed / "pictures/clip-1.png"));
}

TEST_F(ReportFolder, AListOfAnOlderVersionIsTakenAtItsWord) {
  write(first, out);
  write_file(out / ".report.json",
             R"({"files": ["index.html", "tables/a.md", "tables/old.md", "figures/old.svg"]})");
  write(second, out);
  EXPECT_FALSE(fs::exists(out / "figures/old.svg"));
  EXPECT_THAT(check_report(second, out), IsEmpty());
}

}  // namespace
}  // namespace reprise::reports
