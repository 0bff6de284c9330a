// Messages between a run and its workers: JSON, one object per line.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/json.h"

namespace reprise::reproduce {

/// Parses a message. UsageError: not JSON.
inline nlohmann::json read_message(const std::string& line) {
  return parse_json(line, "a message between a run and its worker",
                    "run again; finished cells are kept");
}

/// Writes a path's bytes: a file name need not be UTF-8, but JSON text must be.
inline nlohmann::json path_json(const std::filesystem::path& path) {
  return std::vector<std::uint8_t>(path.native().begin(), path.native().end());
}
inline std::filesystem::path path_in(const nlohmann::json& bytes) {
  const auto name = bytes.get<std::vector<std::uint8_t>>();
  return std::string(name.begin(), name.end());
}

}  // namespace reprise::reproduce
