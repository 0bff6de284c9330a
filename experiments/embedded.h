// The TOML files of the studies (profiles, claims, published values), part of the binary.
// cmake/embed.cmake generates their text from reproduce/STUDY/*.toml whenever a file changes.
#pragma once
#include <string_view>

namespace reprise::reproduce::embedded {

/// Returns the text of "STUDY/FILE.toml" ("prernn/smoke.toml"). Error: no such file; lists the
/// known ones.
std::string_view file(std::string_view name);

}  // namespace reprise::reproduce::embedded
