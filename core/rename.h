// A rename over a network may fail once: the server was away for a moment (ESTALE, EIO), or a
// signal came (EINTR).
#pragma once
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace reprise {

/// Renames `from`; a failure that may pass is tried again, three times in all. A rename that was
/// done and reported as failed counts as done. Returns the system's reason where it failed for
/// good. `rename`: that of the system; a test's own fails when it is told to.
std::error_code rename_with_retries(const std::filesystem::path& from,
                                    const std::filesystem::path& to,
                                    int (*rename)(const char*, const char*) = std::rename);

}  // namespace reprise
