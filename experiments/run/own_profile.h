// A user's profile: a TOML file that names a profile of the study and overrides some settings. All
// profiles of a study but its base profile have this form.
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

/// Returns the base that a profile's text names; nothing without one. UsageError: no TOML.
std::optional<std::string> base_in(std::string_view text, const std::string& name);

/// Reads a user's profile. UsageError: it cannot be read, is no TOML, or names no base.
OwnProfile read_own_profile(const std::string& file);

/// Returns a profile's name in records: "mine" of "folder/mine.toml"; a study's own profile is its
/// own name. UsageError: no name for a folder.
std::string profile_name(const std::string& profile);
/// Returns the study's profile below a user's; a study's own profile itself.
std::string base_profile(const std::string& profile);

}  // namespace reprise::reproduce
