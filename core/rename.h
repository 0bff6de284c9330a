// Renaming on network file systems, where it can fail temporarily: the server was unavailable
// (ESTALE, EIO), or a signal interrupted the call (EINTR).
#pragma once
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace reprise {

/// Renames a file, with up to three attempts after temporary failures. A rename that succeeded but
/// was reported as failed counts as success. Returns the system's reason for a final failure.
/// `rename` is the system's function; tests replace it.
std::error_code rename_with_retries(const std::filesystem::path& from,
                                    const std::filesystem::path& to,
                                    int (*rename)(const char*, const char*) = std::rename);

}  // namespace reprise
