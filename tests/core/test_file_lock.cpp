// A lock is one process's, ends with it, and is never taken through a link.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/file_lock.h"
#include "core/files.h"
#include "tests/support.h"

namespace reprise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const LockedThing thing{
    .name = "model.safetensors", .holder = "another training", .fix = "wait for it to end"};

TEST(FileLock, IsOnesUntilItEndsAndLeavesNothing) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "model.lock";
  {
    const FileLock lock(file, thing);
    EXPECT_THAT([&] { FileLock(file, thing); },
                ThrowsUsageError(
                    testing::AllOf(HasSubstr("model.safetensors is in use by another training"),
                                   HasSubstr("process " + std::to_string(::getpid()))),
                    HasSubstr("wait for it")));
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_NO_THROW(FileLock(file, thing));
}

TEST(FileLock, OfAKilledProcessBlocksNobody) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "model.lock";
  const pid_t child = ::fork();
  if (child == 0) {
    const FileLock lock(file, thing);
    write_file(folder.path() / "held", "");
    for (;;) ::pause();
  }
  while (!fs::exists(folder.path() / "held"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_THAT([&] { FileLock(file, thing); }, ThrowsUsageError(HasSubstr("in use")));
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(fs::exists(file)) << "it was killed, and removed nothing";
  EXPECT_NO_THROW(FileLock(file, thing));
}

}  // namespace
}  // namespace reprise
