// A command of the command line that SIGKILL ends.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace reprise::reproduce {

/// A run in a process of its own, killed when it has stored a state.
inline void run_and_kill(const std::vector<std::string>& words,
                         const std::filesystem::path& partial) {
  std::vector<std::string> all{std::filesystem::read_symlink("/proc/self/exe"), "cli"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (auto& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("OMP_NUM_THREADS", "1", 1);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  for (int i = 0; i < 60'000 && !std::filesystem::exists(partial); ++i) {
    ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "it ended before it stored anything";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it was too fast to be killed";
  ASSERT_TRUE(std::filesystem::exists(partial));
}

}  // namespace reprise::reproduce
