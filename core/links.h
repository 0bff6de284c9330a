// Symbolic links below a folder. A folder can come from a stranger, and a file written through a
// link lands outside it.
#pragma once
#include <filesystem>

namespace reprise {

/// First symbolic link on the path from `root` to `path` below it; "" without any. `root` itself
/// may be a link.
std::filesystem::path find_link_below(const std::filesystem::path& root,
                                      const std::filesystem::path& path);

/// UsageError: there is such a link (names it).
void refuse_links_below(const std::filesystem::path& root, const std::filesystem::path& path);

/// UsageError: the folder contains a symbolic link at any depth (names it). Accepts a missing
/// folder.
void refuse_links_in(const std::filesystem::path& folder);

}  // namespace reprise
