#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>

#include "core/files.h"
#include "core/growing_file.h"
#include "core/links.h"
#include "core/rename.h"
#include "core/sha256.h"
#include "tests/support.h"

namespace reprise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Files, WhatIsWrittenIsReadBackInAFolderThatDidNotExist) {
  const TemporaryFolder folder;
  const std::string bytes("\0\xff line\r\n", 9);
  write_file(folder.path() / "a" / "b" / "file", bytes);
  EXPECT_EQ(read_file(folder.path() / "a" / "b" / "file"), bytes);
  write_file(folder.path() / "a" / "b" / "file", "");
  EXPECT_EQ(read_file(folder.path() / "a" / "b" / "file"), "");
}

TEST(Files, WhatAKilledWriterLeavesIsKnownByItsName) {
  EXPECT_TRUE(is_unfinished("tables/.table1.csv.31073.32.tmp"));
  for (const char* other : {"table1.csv.31073.32.tmp", ".table1.csv.tmp", ".table1.csv.31073.tmp",
                            ".31073.32.tmp.csv", "notes.tmp"})
    EXPECT_FALSE(is_unfinished(other)) << other;
}

TEST(Files, WritingLeavesNoTemporaryNameBehind) {
  const TemporaryFolder folder;
  write_file(folder.path() / "file", "old");
  write_file(folder.path() / "file", "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Files, WritingOverAFolderFailsNamesItAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "taken" / "inner");
  EXPECT_THAT([&] { write_file(folder.path() / "taken", "x"); },
              ThrowsError(HasSubstr("taken"), HasSubstr("fix:")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Files, APipeIsNotReplacedByAFile) {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT([&] { write_file(pipe, "x"); },
              ThrowsError(HasSubstr(pipe.string()), HasSubstr("device or a pipe")));
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Files, APipeOrADeviceIsNotRead) {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const fs::path& path : {pipe, fs::path("/dev/zero"), fs::path("/dev/null")}) {
    EXPECT_THAT([&] { read_file(path); },
                ThrowsUsageError(HasSubstr(path.string()), HasSubstr("not a regular file"),
                                 HasSubstr("fix:")));
    EXPECT_THAT([&] { sha256_file(path); },
                ThrowsUsageError(HasSubstr(path.string()), HasSubstr("not a regular file")));
  }
  EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Pid:"));
}

TEST(Files, OneThatIsLargerThanMemoryIsRefusedBeforeItIsRead) {
  const TemporaryFolder folder;
  write_file(folder.path() / "huge", "");
  fs::resize_file(folder.path() / "huge", std::uintmax_t{1} << 43);
  EXPECT_THAT([&] { read_file(folder.path() / "huge"); },
              ThrowsUsageError(HasSubstr("huge"), HasSubstr("memory")));
}

TEST(Files, AReaderNeverSeesAHalfWrittenFileSlow) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  const std::string a(1 << 16, 'a'), b(1 << 16, 'b');
  write_file(path, a);
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) write_file(path, i % 2 ? a : b);
  });
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string seen = read_file(path);
    wrong += seen != a && seen != b;
  }
  writer.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Files, AMissingFileIsNamedWithTheSystemsReason) {
  EXPECT_THAT([] { read_file("/no/such/file"); },
              ThrowsError(HasSubstr("/no/such/file"), HasSubstr("No such file")));
  const TemporaryFolder folder;
  EXPECT_THAT([&] { read_file(folder.path()); }, ThrowsError(HasSubstr("Is a directory")));
}

TEST(Files, AFolderThatCannotBeMadeIsNamed) {
  const TemporaryFolder folder;
  write_file(folder.path() / "file", "x");
  EXPECT_THAT([&] { write_file(folder.path() / "file" / "below", "x"); },
              ThrowsError(HasSubstr((folder.path() / "file").string())));
}

TEST(Files, ATemporaryFolderIsGoneAtTheEndOfItsLife) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    write_file(path / "a" / "b", "x");
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(GrowingFile, IsThereWholeOnceItIsClosedAndNotBefore) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a" / "long.csv";
  std::string all;
  {
    GrowingFile file(path);
    for (int line = 0; line < 20000; ++line) {
      const std::string text = "line " + std::to_string(line) + "\n";
      file.append(text);
      all += text;
    }
    EXPECT_FALSE(fs::exists(path));
    file.close();
  }
  EXPECT_EQ(read_file(path), all);
  {
    GrowingFile left(path);
    left.append("never closed");
  }
  EXPECT_EQ(read_file(path), all);
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1);
  EXPECT_THAT([] { GrowingFile("/dev/null"); },
              ThrowsError(HasSubstr("/dev/null"), HasSubstr("device")));
}

int failures_left = 0, failing_with = 0;

/// The system's, after so many failures.
int failing_rename(const char* from, const char* to) {
  if (failures_left-- > 0) {
    errno = failing_with;
    return -1;
  }
  return std::rename(from, to);
}

/// Done, and reported as failed: a server over a network may do so.
int done_and_failed(const char* from, const char* to) {
  errno = std::rename(from, to) == 0 ? EIO : ENOENT;
  return -1;
}

TEST(Rename, IsTriedAgainWhereAFailureMayPassSlow) {
  const TemporaryFolder folder;
  const auto from = folder.path() / "from", to = folder.path() / "to";
  const auto tried = [&](int reason, int failures) {
    write_file(from, "new");
    write_file(to, "old");
    failures_left = failures;
    failing_with = reason;
    return rename_with_retries(from, to, failing_rename).value();
  };
  for (const int reason : {ESTALE, EIO, EINTR}) {
    EXPECT_EQ(tried(reason, 2), 0);
    EXPECT_EQ(read_file(to), "new");
  }
  EXPECT_EQ(tried(EIO, 3), EIO) << "for good";
  EXPECT_EQ(read_file(to), "old");
  EXPECT_EQ(tried(EACCES, 1), EACCES) << "another try changes nothing";
}

TEST(Rename, ThatWasDoneAndReportedAsFailedIsDone) {
  const TemporaryFolder folder;
  write_file(folder.path() / "from", "new");
  EXPECT_EQ(
      rename_with_retries(folder.path() / "from", folder.path() / "to", done_and_failed).value(),
      0);
  EXPECT_EQ(read_file(folder.path() / "to"), "new");
}

TEST(Links, BelowAFolderAreFoundAndTheFolderItselfMayBeOne) {
  const TemporaryFolder folder;
  const auto real = folder.path() / "real", linked = folder.path() / "linked";
  write_file(real / "a" / "b", "x");
  fs::create_directory_symlink(real, linked);
  EXPECT_NO_THROW(refuse_links_below(linked, linked / "a" / "b"));
  EXPECT_NO_THROW(refuse_links_below(linked, linked / "a" / "new"));
  fs::create_directory_symlink("..", real / "up");
  for (const auto& root : {real, linked})
    for (const auto& path : {root / "up", root / "up" / "b", root / "up" / "b" / "c"})
      EXPECT_THAT(
          [&] { refuse_links_below(root, path); },
          ThrowsUsageError(HasSubstr("up is a symbolic link"), HasSubstr("remove the link")));
  EXPECT_THAT([&] { refuse_links_in(real); }, ThrowsUsageError(HasSubstr("up is a symbolic link")));
  EXPECT_NO_THROW(refuse_links_in(real / "a"));
  EXPECT_NO_THROW(refuse_links_in(real / "none"));
}

TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFileIsThatOfItsBytesAcrossPieces) {
  const TemporaryFolder folder;
  std::string bytes((1 << 20) + 17, 'x');
  bytes[1 << 19] = '\0';
  write_file(folder.path() / "f", bytes);
  EXPECT_EQ(sha256_file(folder.path() / "f"), sha256(bytes));
  EXPECT_THAT([&] { sha256_file(folder.path() / "none"); }, ThrowsError(HasSubstr("none")));
}

}  // namespace
}  // namespace reprise
