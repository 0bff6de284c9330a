// What the command line answers to words, run in this process.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "experiments/study.h"

namespace reprise::reproduce {

struct Answer {
  int status = -1;
  std::string out{}, err{};
  nlohmann::json object() const { return nlohmann::json::parse(out); }
};

inline Answer call(const std::vector<std::string>& words, const std::vector<Study>& studies = {}) {
  std::vector<const char*> arguments{"reprise"};
  for (const auto& word : words) arguments.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status =
      run_command_line(static_cast<int>(arguments.size()), arguments.data(), studies);
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

}  // namespace reprise::reproduce
