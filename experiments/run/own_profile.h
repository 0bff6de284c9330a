// A profile of one's own: a TOML file that names a profile of the study and gives other values for some of its settings. All profiles of a
// study but its base profile have the same form.
//
//     base = "small"          # the profile that gives every other value
//     seeds = 5
//     [cnn]
//     epochs = 20
//
// Results are kept under the file's name without its ending.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace reprise::reproduce {

struct OwnProfile {
  std::string base;
  std::string text;  ///< the whole file's; Settings::lay_over() passes over its base
};

/// The profile that a profile's text names as its base; nothing where it names none. UsageError: no TOML.
std::optional<std::string> base_in(std::string_view text, const std::string& name);

/// UsageError: the file cannot be read, is no TOML, or names no base.
OwnProfile read_own_profile(const std::string& file);

/// The name that records bear: "mine" of "folder/mine.toml"; that of a study's own profile is itself. UsageError: no name for a folder.
std::string profile_name(const std::string& profile);
/// The study's profile beneath; itself where it is one.
std::string base_profile(const std::string& profile);

}  // namespace reprise::reproduce
