// No output of a command takes the place of what the user had.
#include <sys/stat.h>
#include <sys/xattr.h>

#include <fstream>

#include "core/files.h"
#include "core/growing_file.h"
#include "core/outputs.h"
#include "tests/support.h"

namespace reprise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder of the user's: TemporaryFolder is the program's own while rules are in force, so it is
/// made before.
struct Outputs : testing::Test {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "poses.csv", other = folder.path() / "other.csv";

  void SetUp() override {
    write_file(other, "");
    if (::setxattr(other.c_str(), output_attribute, "", 0, 0) != 0)
      GTEST_SKIP() << "this file system has no extended attributes";
    fs::remove(other);
  }

  /// One call of a command that writes `bytes`.
  void write_by(const std::string& command, const fs::path& path, const std::string& bytes,
                bool overwrite = false) const {
    OutputRules rules(command);
    if (overwrite) rules.allow_overwriting();
    write_file(path, bytes);
  }
};

TEST_F(Outputs, AFileThatTheCommandReadIsNotWrittenOverByAnyName) {
  write_file(file, "mine");
  fs::create_symlink(file, folder.path() / "link.csv");
  fs::create_hard_link(file, folder.path() / "hard.csv");
  OutputRules rules("track");
  rules.allow_overwriting();  // which does not lift this rule
  read_file(file);
  for (const auto* name : {"poses.csv", "./poses.csv", "link.csv", "hard.csv"})
    EXPECT_THAT([&] { write_file(folder.path() / name, "new"); },
                ThrowsUsageError(HasSubstr(name), HasSubstr("input")))
        << name;
  EXPECT_EQ(read_file(file), "mine");
}

TEST_F(Outputs, AFileThatNoEarlierCallWroteIsKept) {
  write_file(file, "mine");
  EXPECT_THAT([&] { write_by("track", file, "new"); },
              ThrowsUsageError(HasSubstr("no earlier 'reprise track'"), HasSubstr("--overwrite")));
  EXPECT_EQ(read_file(file), "mine");
  write_by("track", file, "new", /*overwrite=*/true);
  EXPECT_EQ(read_file(file), "new");
}

TEST_F(Outputs, TheSameCommandReplacesItsOwnOutputUnlessSomebodyChangedIt) {
  write_by("track", file, "first");
  write_by("track", file, "second");
  EXPECT_EQ(read_file(file), "second");
  EXPECT_THAT([&] { write_by("compare", file, "third"); },
              ThrowsUsageError(HasSubstr("no earlier 'reprise compare'")));
  std::ofstream(file) << "edited by hand";  // in place, as editors do
  EXPECT_THAT([&] { write_by("track", file, "third"); },
              ThrowsUsageError(HasSubstr("changed since")));
  EXPECT_EQ(read_file(file), "edited by hand");
}

TEST_F(Outputs, TheWorkDoesNotBeginForAnOutputThatIsForbidden) {
  write_file(file, "mine");
  OutputRules rules("track");
  EXPECT_THROW(expect_output(file), UsageError);
  EXPECT_THROW(GrowingFile{file}, UsageError);
  EXPECT_NO_THROW(expect_output(other));
  EXPECT_NO_THROW(expect_output(other)) << "asking twice is not writing twice";
}

TEST_F(Outputs, TwoOutputsOfOneNameAreRefused) {
  OutputRules rules("translate");
  write_file(file, "of a.jpg");
  EXPECT_THAT([&] { write_file(file, "of a.png"); },
              ThrowsUsageError(HasSubstr("two outputs"), HasSubstr("poses.csv")));
  EXPECT_EQ(read_file(file), "of a.jpg");
  note_rewritten(other);
  for (const auto* bytes : {"preview", "next preview"}) write_file(other, bytes);
  EXPECT_EQ(read_file(other), "next preview");
}

TEST_F(Outputs, FilesOfTheProgramItselfAreExemptAndNotMarked) {
  write_file(folder.path() / "results" / "run.json", "old");
  OutputRules rules("run");
  note_own(folder.path() / "results/");
  for (const auto* bytes : {"new", "newer"})
    write_file(folder.path() / "results" / "run.json", bytes);
  EXPECT_EQ(read_file(folder.path() / "results" / "run.json"), "newer");
  EXPECT_EQ(
      ::getxattr((folder.path() / "results" / "run.json").c_str(), output_attribute, nullptr, 0),
      -1);
  EXPECT_NO_THROW(write_file(folder.path() / "results2", "no folder of the program's, and new"));
}

TEST_F(Outputs, ALinkStaysAndItsTargetIsReplaced) {
  fs::create_directory(folder.path() / "shared");
  const auto target = folder.path() / "shared" / "reference.json",
             link = folder.path() / "link.json";
  write_file(target, "old");
  fs::create_symlink(target, link);
  write_by("check", link, "new", /*overwrite=*/true);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(target), "new");
  // In a folder of the program's own a link may come from a stranger: it is not followed.
  fs::create_directory(folder.path() / "results");
  fs::create_symlink(target, folder.path() / "results" / "record.json");
  OutputRules rules("run");
  note_own(folder.path() / "results");
  write_file(folder.path() / "results" / "record.json", "a record");
  EXPECT_EQ(read_file(target), "new");
}

TEST_F(Outputs, TheModeOfAReplacedFileIsKept) {
  write_file(file, "private");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  write_by("track", file, "new", /*overwrite=*/true);
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST_F(Outputs, AMarkThatIsNotOfThisFileAllowsNothing) {
  write_file(file, "mine");
  for (const std::string& mark : std::vector<std::string>{
           "", "track", "track ", "track 00", "trackers 00", "x", std::string(300, 'x')}) {
    ASSERT_EQ(::setxattr(file.c_str(), output_attribute, mark.data(), mark.size(), 0), 0);
    EXPECT_THROW(write_by("track", file, "new"), UsageError) << mark;
  }
  EXPECT_EQ(read_file(file), "mine");
}

TEST_F(Outputs, NothingElseAppearsInTheFolder) {
  write_by("track", file, "first");
  write_by("track", file, "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace reprise
