// Symbolic links below a folder, which may come from a stranger: what is written through one lands
// in somebody else's folder.
#pragma once
#include <filesystem>

namespace reprise {

/// The first symbolic link on the way from `root` down to `path`, which lies below it; `root`
/// itself may be one. "" without any.
std::filesystem::path find_link_below(const std::filesystem::path& root,
                                 const std::filesystem::path& path);

/// UsageError: there is such a link (named).
void refuse_links_below(const std::filesystem::path& root, const std::filesystem::path& path);

/// UsageError: a symbolic link lies in the folder, at any depth (named). Nothing where there is no
/// folder.
void refuse_links_in(const std::filesystem::path& folder);

}  // namespace reprise
