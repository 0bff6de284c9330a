// Ranks of a training (training/data_parallel.h): each is this test program again, with other arguments.
#pragma once
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace reprise {

/// A port that the system gives to nobody else: test programs run side by side.
inline int free_port() {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  const bool bound = ::bind(listening, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  EXPECT_TRUE(bound);
  ::close(listening);
  return ntohs(address.sin_port);
}

/// Starts this program as these ranks of `size`, with these arguments and variables, and waits for them. Their exit statuses.
/// Ranks that hang would hold the whole test run: they are killed after three minutes.
inline std::vector<int> run_ranks(const std::vector<int>& ranks, int size,
                                  std::vector<std::string> arguments,
                                  std::map<std::string, std::string> variables = {}) {
  variables.insert({{"WORLD_SIZE", std::to_string(size)},
                    {"MASTER_ADDR", "127.0.0.1"},
                    {"MASTER_PORT", std::to_string(free_port())}});
  arguments.insert(arguments.begin(), "test");
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<pid_t> children;
  for (const int rank : ranks) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("RANK", std::to_string(rank).c_str(), 1);
      for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
      ::execv("/proc/self/exe", argv.data());
      ::_exit(127);
    }
    children.push_back(child);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(3);
  std::vector<int> statuses;
  for (const auto child : children) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(child, &status, WNOHANG)) == 0) {
      if (std::chrono::steady_clock::now() > deadline) ::kill(child, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(ended, child);
    statuses.push_back(status);
  }
  return statuses;
}

}  // namespace reprise
