#include "reproduce/run/own_profile.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "core/files.h"

namespace reprise::reproduce {

OwnProfile read_own_profile(const std::string& file) {
  toml::table table;
  try {
    table = toml::parse(read_file(file), file);
  } catch (const toml::parse_error& error) {
    throw UsageError(fmt::format("{}, line {}: {}", file, error.source().begin.line, error.description()),
                     "correct that line; the format is TOML (https://toml.io)");
  }
  const auto base = table["base"].value<std::string>();
  if (!base) throw UsageError(file + " does not say which profile it changes", "begin it with a line such as base = \"desk\"");
  table.erase("base");
  std::ostringstream text;
  text << table;
  return {*base, text.str()};
}

std::string profile_name(const std::string& profile) {
  if (!profile.ends_with(".toml")) return profile;
  auto name = std::filesystem::path(profile).stem().string();
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  if (name.empty() || name.front() == '.' || !std::all_of(name.begin(), name.end(), plain))
    throw UsageError("the profile " + profile + " has no name that a folder may have", "use letters, digits, _ - and . in the file's name");
  return name;
}

std::string base_profile(const std::string& profile) { return profile.ends_with(".toml") ? read_own_profile(profile).base : profile; }

}  // namespace reprise::reproduce
