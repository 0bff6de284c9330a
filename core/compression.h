// Files that are compressed as a whole: gzip, bzip2, xz.
#pragma once
#include <string>
#include <string_view>

namespace reprise {

/// A gzip file of `text`, without a time stamp: the same text gives the same bytes. Error: more
/// than 4 GiB, or more than decompress() accepts with these `free_bytes`.
std::string gzip(std::string_view text, std::size_t free_bytes = std::size_t{1} << 32);

/// The content, if `bytes` begin as a compressed file (gzip also with several members); else
/// `bytes` as they are. `name` is the file's, for messages. UsageError: damaged, cut short,
/// followed by other bytes, or more than 64 times its size and `free_bytes`: images are packed to a
/// fifth or a twentieth, and a file of zeros to a thousandth.
std::string decompress(std::string bytes, const std::string& name, const std::string& fix,
                         std::size_t free_bytes = std::size_t{16} << 20);

}  // namespace reprise
