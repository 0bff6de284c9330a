// What the tests of every room share: the matcher for our errors, and the fixtures.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/files.h"

namespace reprise {

/// Matches a callable that throws reprise::Error (or UsageError) whose what() satisfies every matcher given:
///   EXPECT_THAT([] { read_file("/none"); }, ThrowsError(HasSubstr("/none"), HasSubstr("No such file")));
template <typename... Matchers>
auto ThrowsError(Matchers... matchers) {
  if constexpr (sizeof...(matchers) == 0)
    return testing::Throws<Error>();
  else
    return testing::ThrowsMessage<Error>(testing::AllOf(matchers...));
}

/// As ThrowsError, and the error is of the kind that ends a command with exit status 2.
template <typename... Matchers>
auto ThrowsUsageError(Matchers... matchers) {
  if constexpr (sizeof...(matchers) == 0)
    return testing::Throws<UsageError>();
  else
    return testing::ThrowsMessage<UsageError>(testing::AllOf(matchers...));
}

/// The settings of a text "seeds=1; rates=[1, 2]".
inline std::vector<std::string> split_settings(const std::string& text) {
  std::vector<std::string> settings;
  std::istringstream stream(text);
  for (std::string setting; std::getline(stream >> std::ws, setting, ';');)
    settings.push_back(setting);
  return settings;
}

inline std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(REPRISE_FIXTURES) / name;
}

/// Kept until the program ends, so that a loop over a part of it (for (auto& c : fixture_json(NAME).at("cases"))) has something to go over.
inline const nlohmann::json& fixture_json(const std::string& name) {
  static std::map<std::string, nlohmann::json> read;
  if (!read.contains(name)) read[name] = nlohmann::json::parse(read_file(fixture(name)));
  return read.at(name);
}

}  // namespace reprise
