// Processes that train together: each is this test program again, with one disabled test that is told what to do by its environment.
#pragma once
#include <ATen/Parallel.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files.h"
#include "tests/support.h"
#include "training/torch_generator.h"

namespace reprise {

/// What a training reports: curves, losses, weights.
using Numbers = std::map<std::string, std::vector<double>>;
using Trainings = std::map<std::string, std::function<Numbers()>>;

struct Worlds : testing::Test {
  TemporaryFolder folder;

  /// Starts `size` ranks of `test` ("Suite.DISABLED_Name") with FOLDER and these variables, and waits for them. Their exit statuses.
  std::vector<int> start(int size, const std::string& test, std::map<std::string, std::string> variables = {}) const {
    static int port = 20000 + ::getpid() % 20000;
    variables.insert({{"WORLD_SIZE", std::to_string(size)},
                      {"MASTER_ADDR", "127.0.0.1"},
                      {"MASTER_PORT", std::to_string(++port)},
                      {"FOLDER", folder.path().string()}});
    std::vector<pid_t> children;
    for (int rank = 0; rank < size; ++rank) {
      const auto filter = "--gtest_filter=" + test;
      const pid_t child = ::fork();
      if (child == 0) {
        ::setenv("RANK", std::to_string(rank).c_str(), 1);
        for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
        ::execl("/proc/self/exe", "test", "--gtest_also_run_disabled_tests", filter.c_str(), "--gtest_brief=1", nullptr);
        ::_exit(127);
      }
      children.push_back(child);
    }
    std::vector<int> statuses;
    for (const auto child : children) {
      int status = 0;
      EXPECT_EQ(::waitpid(child, &status, 0), child);
      statuses.push_back(status);
    }
    return statuses;
  }

  nlohmann::json result(int rank) const {
    const auto file = folder.path() / ("rank" + std::to_string(rank));
    return std::filesystem::exists(file) ? nlohmann::json::parse(read_file(file)) : nlohmann::json();
  }

  /// To 1e-5 of what is greater, the value or 1.
  static void expect_alike(const nlohmann::json& found, const Numbers& one, const std::string& where) {
    for (const auto& [curve, values] : one) {
      ASSERT_TRUE(found.contains(curve)) << where << ": " << found.dump().substr(0, 500);
      const auto others = found[curve].get<std::vector<double>>();
      ASSERT_EQ(others.size(), values.size()) << where << " " << curve;
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(others[i], values[i], 1e-5 * std::max(1.0, std::abs(values[i]))) << where << " " << curve << " " << i;
    }
  }

  /// Each of the trainings by worlds of these sizes, whose ranks are `test`: every rank reports what one process does.
  void expect_as_one(const Trainings& trainings, const std::vector<int>& sizes, const std::string& test) const {
    at::set_num_threads(1);
    std::map<std::string, Numbers> one;
    for (const auto& [name, train] : trainings) one[name] = train();
    for (const int size : sizes) {
      for (const int status : start(size, test)) EXPECT_EQ(status, 0);
      for (int rank = 0; rank < size; ++rank) {
        const auto found = result(rank);
        ASSERT_FALSE(found.contains("error")) << found["error"];
        for (const auto& [name, numbers] : one) {
          const auto where = name + ", rank " + std::to_string(rank) + " of " + std::to_string(size);
          ASSERT_TRUE(found.contains(name)) << where;
          expect_alike(found[name], numbers, where);
        }
      }
    }
  }
};

/// Values in [-1, 1), the same in every process.
inline at::Tensor drawn_values(at::IntArrayRef shape, std::uint64_t seed) {
  return at::rand(shape, training::torch_generator(seed)) * 2 - 1;
}

/// What a rank that expect_as_one() starts does.
inline void train_as_rank(const Trainings& trainings) {
  at::set_num_threads(1);
  const auto file = std::filesystem::path(std::getenv("FOLDER")) / ("rank" + std::string(std::getenv("RANK")));
  nlohmann::json all;
  try {
    for (const auto& [name, train] : trainings) all[name] = train();
  } catch (const std::exception& error) {
    all = {{"error", error.what()}};
  }
  write_file(file, all.dump());
}

}  // namespace reprise
