#include "core/compression.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "core/error.h"

namespace reprise {
namespace {

constexpr int gzip_window = 15 + 16;  // zlib's largest window, and a gzip header
constexpr std::size_t most_at_once = std::numeric_limits<uInt>::max();  // zlib counts in 32 bits

/// Largest content of a compressed file of `packed` bytes. The limit depends on the bytes of the
/// file, not on the size that it states.
std::size_t most_bytes(std::size_t packed, std::size_t free_bytes) {
  return 64 * packed + free_bytes;
}

/// Content of one or more consecutive gzip members. Uses zlib, because libarchive does not check
/// the CRC-32 and the length of a member. `damaged(reason)` and `expect_size(bytes)` throw.
template <typename Damaged, typename ExpectSize>
std::string gunzip(std::string_view bytes, const Damaged& damaged, const ExpectSize& expect_size) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window) != Z_OK)
    throw Error("no memory to decompress a file", "free some memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  std::size_t left = bytes.size();  // not passed to zlib yet
  std::string text, piece(std::size_t{1} << 16, '\0');
  for (;;) {
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(std::min(left, most_at_once));
      left -= stream.avail_in;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    // One piece at a time, so that the size is checked before the memory is full.
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) damaged(stream.msg);
    text.append(piece, 0, piece.size() - stream.avail_out);
    expect_size(text.size());
    if (status != Z_STREAM_END) continue;
    if (stream.avail_in == 0 && left == 0) return text;
    inflateReset(&stream);  // the next member
  }
}

}  // namespace

std::string gzip(std::string_view text, std::size_t free_bytes) {
  z_stream stream{};
  constexpr int best = 9, most_memory = 9;
  if (deflateInit2(&stream, best, Z_DEFLATED, gzip_window, most_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("no memory to compress a file", "free some memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, deflateEnd);
  // The output buffer has the largest possible size, so that one call of deflate() suffices.
  const auto bound = deflateBound(&stream, text.size());
  if (std::max<std::size_t>(text.size(), bound) > most_at_once)
    throw Error(fmt::format("{} bytes are more than is compressed at once", text.size()),
                "write several files");
  std::string packed(bound, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (const int status = deflate(&stream, Z_FINISH); status != Z_STREAM_END)
    throw Error(fmt::format("zlib does not compress {} bytes (status {})", text.size(), status),
                "free some memory");
  packed.resize(stream.total_out);
  // decompress() would refuse this file, so it must not be written.
  if (text.size() > most_bytes(packed.size(), free_bytes))
    throw Error(fmt::format("{} bytes are compressed to {}, which no reader accepts", text.size(),
                            packed.size()),
                "write several files");
  return packed;
}

std::string decompress(std::string bytes, const std::string& name, const std::string& fix,
                       std::size_t free_bytes) {
  struct Close {
    void operator()(archive* file) const { archive_read_free(file); }
  };
  const std::unique_ptr<archive, Close> file(archive_read_new());
  const auto refuse = [&](const std::string& problem) {
    throw UsageError(name + ": " + problem, fix);
  };
  const auto damaged_by = [&](const char* reason) {
    refuse(fmt::format("the compressed file is damaged or cut short{}",
                       reason ? fmt::format(": {}", reason) : ""));
  };
  const auto damaged = [&] { damaged_by(archive_error_string(file.get())); };
  const auto most = most_bytes(bytes.size(), free_bytes);
  const auto expect_size = [&](std::size_t size) {
    if (size > most)
      refuse(
          fmt::format("{} bytes hold more than {} when they are decompressed", bytes.size(), most));
  };
  if (bytes.starts_with("\x1f\x8b")) return gunzip(bytes, damaged_by, expect_size);
  // The "raw" format delivers the decompressed bytes of a file that is no archive; "empty" accepts
  // a file without content.
  archive_read_support_filter_bzip2(file.get());
  archive_read_support_filter_xz(file.get());
  archive_read_support_format_raw(file.get());
  archive_read_support_format_empty(file.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_memory(file.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) damaged();
  const auto begun = archive_read_next_header(file.get(), &entry);
  if (begun != ARCHIVE_OK && begun != ARCHIVE_EOF) damaged();
  // No filter recognised the bytes: the file is not compressed.
  if (archive_filter_code(file.get(), 0) == ARCHIVE_FILTER_NONE) return bytes;

  std::string text, piece(std::size_t{1} << 16, '\0');
  while (begun == ARCHIVE_OK) {
    const auto count = archive_read_data(file.get(), piece.data(), piece.size());
    if (count == 0) break;
    if (count < 0) damaged();
    text.append(piece.data(), static_cast<std::size_t>(count));
    expect_size(text.size());
  }
  return text;
}

}  // namespace reprise
