// SHA-256, as 64 lower-case hexadecimal digits.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace reprise {

std::string sha256(std::string_view bytes);

/// The file is read in pieces. Error: the file cannot be read.
std::string sha256_file(const std::filesystem::path& path);

}  // namespace reprise
