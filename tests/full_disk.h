// Disks without room, for the tests of whatever writes a file. Two kinds, since neither can be had everywhere:
//   FileLimit    no file may grow beyond a limit of the process (RLIMIT_FSIZE): writes stop half way with EFBIG
//   SmallDisk    a tmpfs of 1 MiB in a mount namespace of its own, filled to the brim: ENOSPC. The test's body runs in a child process;
//                it is skipped where the kernel gives ordinary users no namespaces.
#pragma once
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "core/error.h"
#include "core/files.h"

namespace reprise {

class Disk {
 public:
  enum class Kind { FileLimit, SmallDisk };
  Disk(Kind kind, std::filesystem::path folder) : kind_(kind), folder_(std::move(folder)) {}
  ~Disk() { make_room(); }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

  /// From here on every write fails: at once on the small disk, after `left` bytes of each file under the limit.
  void fill(rlim_t left = 16) {
    if (kind_ == Kind::FileLimit) {
      ::getrlimit(RLIMIT_FSIZE, &before_);
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{left, before_.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    } else {
      std::ofstream filler(folder_ / ".filler", std::ios::binary);
      while (filler << std::string(4096, 'x') << std::flush) {
      }
    }
    full_ = true;
  }
  void make_room() {
    if (!full_) return;
    if (kind_ == Kind::FileLimit) {
      ::setrlimit(RLIMIT_FSIZE, &before_);
      ::signal(SIGXFSZ, SIG_DFL);
    } else {
      std::filesystem::remove(folder_ / ".filler");
    }
    full_ = false;
  }

 private:
  Kind kind_;
  std::filesystem::path folder_;
  rlimit before_{};
  bool full_ = false;
};

/// All files below a folder and their bytes, but for the filler.
inline std::map<std::string, std::string> files_below(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != ".filler")
      files[entry.path().lexically_relative(folder).string()] = read_file(entry.path());
  return files;
}

/// On a full disk, `write` throws our Error that names a file of the folder, the system's reason, and says to free space; it leaves the
/// files there as they were, and none beside them, half-written or temporary.
inline void expect_refused_without_a_trace(Disk& disk, const std::function<void()>& write) {
  const auto before = files_below(disk.folder());
  disk.fill();
  EXPECT_THAT(write, testing::ThrowsMessage<Error>(
                         testing::AllOf(testing::HasSubstr(disk.folder().string()),
                                        testing::ContainsRegex("No space left|File too large"),
                                        testing::HasSubstr("free some space"))));
  EXPECT_EQ(files_below(disk.folder()), before);
  disk.make_room();
}

class FullDisk : public testing::TestWithParam<Disk::Kind> {
 protected:
  /// Last in a test.
  void on_disk(const std::function<void(Disk&)>& body) {
    const TemporaryFolder folder;
    if (GetParam() == Disk::Kind::FileLimit) {
      Disk disk(GetParam(), folder.path());
      body(disk);
      return;
    }
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run_on_small_disk(folder.path(), body));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == no_namespace)
      GTEST_SKIP() << "the kernel mounts no tmpfs for this user";
    EXPECT_EQ(WEXITSTATUS(status), 0) << "see what the child process printed above";
  }

 private:
  static constexpr int no_namespace = 77;

  static void write_line(const char* file, const std::string& line) {
    const int number = ::open(file, O_WRONLY | O_CLOEXEC);
    if (number < 0) return;
    if (::write(number, line.data(), line.size()) < 0) std::perror(file);
    ::close(number);
  }

  static int run_on_small_disk(const std::filesystem::path& folder,
                               const std::function<void(Disk&)>& body) {
    const auto user = std::to_string(::getuid()), group = std::to_string(::getgid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return no_namespace;
    write_line("/proc/self/setgroups", "deny");
    write_line("/proc/self/uid_map", user + " " + user + " 1");
    write_line("/proc/self/gid_map", group + " " + group + " 1");
    if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") != 0) return no_namespace;
    try {
      Disk disk(Disk::Kind::SmallDisk, folder);
      body(disk);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    std::fflush(nullptr);
    return testing::Test::HasFailure() ? 1 : 0;
  }
};

/// INSTANTIATE_TEST_SUITE_P(Kind, FullDisk, every_disk, name_of_disk);
inline const auto every_disk = testing::Values(Disk::Kind::FileLimit, Disk::Kind::SmallDisk);
inline std::string name_of_disk(const testing::TestParamInfo<Disk::Kind>& info) {
  return info.param == Disk::Kind::FileLimit ? "FileLimit" : "SmallDisk";
}

}  // namespace reprise
