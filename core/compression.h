// Compressed files: gzip, bzip2, xz.
#pragma once
#include <string>
#include <string_view>

namespace reprise {

/// Compresses `text` to a gzip file without a time stamp, so that equal texts give equal bytes.
/// Error: more than 4 GiB, or more than decompress() accepts with these `free_bytes`.
std::string gzip(std::string_view text, std::size_t free_bytes = std::size_t{1} << 32);

/// Decompresses `bytes`; returns them unchanged if they are not compressed. Gzip files may have
/// several members. `name` is the name of the file for messages.
///
/// UsageError: damaged or truncated data; other bytes after the end; a content of more than 64
/// times the file plus `free_bytes`. Committed records compress at most 33 times; a file of zeros,
/// which could fill the memory, 1000 times.
std::string decompress(std::string bytes, const std::string& name, const std::string& fix,
                       std::size_t free_bytes = std::size_t{16} << 20);

}  // namespace reprise
