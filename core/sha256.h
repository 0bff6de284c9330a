// SHA-256 hashes, as 64 lower-case hexadecimal digits.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace reprise {

std::string sha256(std::string_view bytes);

/// Hash of a file, which is read in pieces. Error: it cannot be read.
std::string sha256_file(const std::filesystem::path& path);

/// Hashes of all files below a folder, sorted by path, one "HASH  PATH" per line. The text is valid
/// input for `sha256sum -c` in the folder. Error: a file cannot be read.
std::string sha256_list(const std::filesystem::path& folder);

/// Hash of a file, or of the sha256_list() of a folder. Error: a file cannot be read.
std::string sha256_path(const std::filesystem::path& path);

}  // namespace reprise
