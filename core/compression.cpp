#include "core/compression.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>
#include <limits>
#include <memory>

#include "core/error.h"

namespace reprise {
namespace {

/// libarchive reads over the end of a gzip file, which has the CRC-32 and the length of the text: one changed byte of either would show nowhere.
bool gzip_ends_right(const std::string& bytes, const std::string& text) {
  constexpr std::size_t trailer = 8;
  if (bytes.size() < trailer) return false;
  const auto number_at = [&](std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    return number;
  };
  return number_at(bytes.size() - 8) == crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()) &&
         number_at(bytes.size() - 4) == static_cast<std::uint32_t>(text.size());
}

}  // namespace

std::string gzip(std::string_view text) {
  if (text.size() > std::numeric_limits<uInt>::max())  // zlib counts in 32 bits
    throw Error(fmt::format("{} bytes are more than is compressed at once", text.size()), "write several files");
  z_stream stream{};
  constexpr int best = 9, gzip_window = 15 + 16, most_memory = 9;
  if (deflateInit2(&stream, best, Z_DEFLATED, gzip_window, most_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("no memory to compress a file", "free some memory");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);  // all of it: there is room
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string decompressed(std::string bytes, const std::string& name, const std::string& fix, std::size_t free_bytes) {
  struct Close {
    void operator()(archive* file) const { archive_read_free(file); }
  };
  const std::unique_ptr<archive, Close> file(archive_read_new());
  const auto refuse = [&](const std::string& problem) { throw UsageError(name + ": " + problem, fix); };
  const auto damaged = [&] {
    const char* reason = archive_error_string(file.get());
    refuse(fmt::format("the compressed file is damaged or cut short{}", reason ? fmt::format(": {}", reason) : ""));
  };
  archive_read_support_filter_gzip(file.get());
  archive_read_support_filter_bzip2(file.get());
  archive_read_support_filter_xz(file.get());
  archive_read_support_format_raw(file.get());
  archive_read_support_format_empty(file.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_memory(file.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) damaged();
  const auto begun = archive_read_next_header(file.get(), &entry);
  if (begun != ARCHIVE_OK && begun != ARCHIVE_EOF) damaged();
  if (archive_filter_code(file.get(), 0) == ARCHIVE_FILTER_NONE) return bytes;

  // The text grows with what is there, not with what is claimed.
  const auto most = 64 * bytes.size() + free_bytes;
  std::string text, piece(std::size_t{1} << 16, '\0');
  while (begun == ARCHIVE_OK) {
    const auto count = archive_read_data(file.get(), piece.data(), piece.size());
    if (count == 0) break;
    if (count < 0) damaged();
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > most) refuse(fmt::format("{} bytes hold more than {} when they are decompressed", bytes.size(), most));
  }
  if (archive_filter_code(file.get(), 0) == ARCHIVE_FILTER_GZIP && !gzip_ends_right(bytes, text))
    refuse("the gzip file does not end with the check sum and the length of its content");
  return text;
}

}  // namespace reprise
