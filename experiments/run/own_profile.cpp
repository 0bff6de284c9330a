#include "experiments/run/own_profile.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/error.h"
#include "core/files.h"
#include "core/toml.h"
#include "experiments/settings.h"
#include "records/old_names.h"

namespace reprise::reproduce {

std::optional<std::string> base_in(std::string_view text, const std::string& name) {
  return read_toml(text, name)[base_key].value<std::string>();
}

OwnProfile read_own_profile(const std::string& file) {
  OwnProfile own{.base = "", .text = read_file(file)};
  const auto base = base_in(own.text, file);
  if (!base)
    throw UsageError(file + " does not say which profile it changes",
                     "begin it with a line such as base = \"small\"");
  // The base may have a name of version 0.1.
  own.base = records::current_profile(*base);
  return own;
}

std::string profile_name(const std::string& profile) {
  // A name of the study, perhaps one of version 0.1.
  if (!profile.ends_with(".toml")) return records::current_profile(profile);
  auto name = std::filesystem::path(profile).stem().string();
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  // The name becomes a folder of results, which may not be hidden.
  if (name.empty() || name.front() == '.' || !std::all_of(name.begin(), name.end(), plain))
    throw UsageError("the profile " + profile + " has no name that a folder may have",
                     "use letters, digits, _ - and . in the file's name");
  return name;
}

std::string base_profile(const std::string& profile) {
  return profile.ends_with(".toml") ? read_own_profile(profile).base : profile_name(profile);
}

}  // namespace reprise::reproduce
