#include "core/links.h"

#include "core/error.h"

namespace reprise {
namespace fs = std::filesystem;
namespace {

bool is_link(const fs::path& path) {
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(path, ignored));
}

[[noreturn]] void refuse(const fs::path& link) {
  throw UsageError(link.string() + " is a symbolic link, which can lead to another folder",
                   "remove the link, or replace it by its target");
}

}  // namespace

fs::path find_link_below(const fs::path& root, const fs::path& path) {
  fs::path at = root;
  // Each folder on the way is checked: a link in the middle leads elsewhere just as the last one
  // does.
  for (const auto& part : path.lexically_relative(root)) {
    at /= part;
    if (is_link(at)) return at;
  }
  return {};
}

void refuse_links_below(const fs::path& root, const fs::path& path) {
  if (const auto link = find_link_below(root, path); !link.empty()) refuse(link);
}

void refuse_links_in(const fs::path& folder) {
  std::error_code none;
  for (fs::recursive_directory_iterator entry(folder, none), end; !none && entry != end;
       entry.increment(none))
    if (entry->is_symlink()) refuse(entry->path());
}

}  // namespace reprise
