// SHA-256, as 64 lower-case hexadecimal digits.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace reprise {

std::string sha256(std::string_view bytes);

/// The file is read in pieces. Error: the file cannot be read.
std::string sha256_file(const std::filesystem::path& path);

/// Every file below the folder as `sha256sum -c` reads it there, "HASH  PATH" per line, sorted by path. Error: a file cannot be read.
std::string sha256_list(const std::filesystem::path& folder);

/// Of a file, its hash; of a folder, that of its list, so that a file that changes, comes or goes
/// makes another hash. Error: as above.
std::string sha256_path(const std::filesystem::path& path);

}  // namespace reprise
