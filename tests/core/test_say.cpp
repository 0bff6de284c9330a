#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>

#include "core/files.h"
#include "core/say.h"
#include "tests/support.h"

namespace reprise {
namespace {

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

TEST(Say, WritesAndGoesOnWhenNothingIsTaken) {
  const TemporaryFolder folder;
  say("told\n", Stream(std::fopen((folder.path() / "said").c_str(), "w"), std::fclose).get());
  EXPECT_EQ(read_file(folder.path() / "said"), "told\n");
  for (const char* closed : {"/dev/full", "/dev/null"}) {
    const Stream full(std::fopen(closed, std::string(closed) == "/dev/null" ? "r" : "w"),
                      std::fclose);
    say("not told\n", full.get());
    say(std::string(100000, 'x'), full.get());
  }
}

TEST(Say, WhatAFileSaysIsNotObeyedByTheTerminal) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "said";
  say("name: \x1b[31mred ü\n", Stream(std::fopen(file.c_str(), "w"), std::fclose).get());
  EXPECT_EQ(read_file(file), "name: \\x1b[31mred ü\n");
  say_exactly("\r\x1b[K", Stream(std::fopen(file.c_str(), "w"), std::fclose).get());
  EXPECT_EQ(read_file(file), "\r\x1b[K");
}

TEST(Say, APipeThatNobodyReadsEndsNoProcess) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const Stream pipe(::fdopen(ends[1], "w"), std::fclose);
  say("not told\n", pipe.get());
  sigset_t waiting;
  sigpending(&waiting);
  EXPECT_EQ(sigismember(&waiting, SIGPIPE), 0);
}

TEST(FailingOutput, TheFirstFileThatIsOpenedIsNotTakenForAClosedStandardError) {
  EXPECT_EXIT(
      {
        ::close(STDERR_FILENO);
        expect_failing_output();
        const int file = ::open("/dev/null", O_WRONLY);
        ::_exit(file > STDERR_FILENO && ::write(STDERR_FILENO, "x", 1) < 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(FailingOutput, AFileBeyondTheLimitOfTheProcessIsAnErrorWithItsFix) {
  const TemporaryFolder folder;
  const auto refused = [&] {
    expect_failing_output();
    const rlimit limit{100, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_file(folder.path() / "file", std::string(1000, 'x'));
    } catch (const Error& error) {
      std::_Exit(error.fix().find("ulimit -f") != std::string::npos &&
                         std::filesystem::is_empty(folder.path())
                     ? 0
                     : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(refused(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace reprise
