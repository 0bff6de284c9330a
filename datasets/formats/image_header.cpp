#include "datasets/formats/image_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "core/error.h"

namespace reprise::datasets {
namespace {

/// Largest picture that is decoded, pixels; no photograph of a set is larger.
constexpr std::int64_t most_pixels = 100'000'000;

/// Reads numbers from the head of a file; bytes beyond the end are 0.
class Head {
 public:
  explicit Head(std::string_view bytes) : bytes_(bytes) {}
  std::size_t size() const { return bytes_.size(); }
  std::uint32_t byte(std::size_t i) const {
    return i < bytes_.size() ? static_cast<unsigned char>(bytes_[i]) : 0U;
  }
  /// Returns `count` bytes from i on, least significant first.
  std::int64_t little(std::size_t i, std::size_t count) const {
    std::int64_t value = 0;
    for (std::size_t k = count; k-- > 0;) value = value << 8 | byte(i + k);
    return value;
  }
  /// Returns `count` bytes from i on, most significant first.
  std::int64_t big(std::size_t i, std::size_t count) const {
    std::int64_t value = 0;
    for (std::size_t k = 0; k < count; ++k) value = value << 8 | byte(i + k);
    return value;
  }

 private:
  std::string_view bytes_;
};

/// Finds the frame header as libjpeg does: bytes between segments are skipped.
PictureSize jpeg_size(std::string_view bytes) {
  const Head head(bytes);
  // Markers and segments as in ITU T.81, annex B.
  for (std::size_t at = 2; at < bytes.size();) {
    at = std::min(bytes.find('\xFF', at), bytes.size());
    while (head.byte(at) == 0xFF) ++at;
    const auto marker = head.byte(at++);
    // The scan or the end of the image comes before a frame header: there is no size.
    if (marker == 0xD9 || marker == 0xDA) break;
    if (marker == 0 || marker == 1 || (marker >= 0xD0 && marker <= 0xD8)) continue;  // stand alone
    // Start of frame, except for tables of Huffman codes, extensions and arithmetic coding.
    if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC)
      // Segment: length (2 bytes), precision (1), height (2), width (2).
      return {head.big(at + 5, 2), head.big(at + 3, 2)};
    at += static_cast<std::size_t>(head.big(at, 2));
  }
  return {};
}

PictureSize bmp_size(const Head& head) {
  // Byte 14 holds the size of the info header; 12 is the old OS/2 header with sides of 16 bits.
  if (head.little(14, 4) == 12) return {head.little(18, 2), head.little(20, 2)};  // OS/2
  const auto side = [&](std::size_t at) {
    return std::abs(static_cast<std::int64_t>(static_cast<std::int32_t>(head.little(at, 4))));
  };
  return {side(18), side(22)};  // below 0: the rows run from the top
}

/// Whether the extended header has the animation flag, 0x02 (RFC 9649, 2.7).
bool is_animated_webp(std::string_view bytes) {
  return bytes.size() > 20 && bytes.starts_with("RIFF") && bytes.substr(8, 8) == "WEBPVP8X" &&
         (bytes[20] & 0x02) != 0;
}

PictureSize webp_size(std::string_view bytes) {
  const Head head(bytes);
  const auto kind = bytes.substr(12, 4);
  // Extended format: sides minus 1, of 24 bits each (RFC 9649).
  if (kind == "VP8X") return {head.little(24, 3) + 1, head.little(27, 3) + 1};
  // Lossless: 14 bits of width minus 1, then 14 bits of height minus 1, after the signature byte
  // 2F.
  if (kind == "VP8L")
    return {(head.little(21, 4) & 0x3FFF) + 1, (head.little(21, 4) >> 14 & 0x3FFF) + 1};
  // Lossy: 14 bits of each side after the frame tag and the start code 9D 01 2A (RFC 6386, 9.1).
  if (kind == "VP8 ") return {head.little(26, 2) & 0x3FFF, head.little(28, 2) & 0x3FFF};
  return {};
}

/// Two numbers as text, after spaces and comments.
PictureSize pnm_size(const Head& head) {
  std::size_t at = 2;
  const auto number = [&]() -> std::int64_t {
    while (std::isspace(static_cast<int>(head.byte(at))) || head.byte(at) == '#') {
      if (head.byte(at) == '#')
        while (at < head.size() && head.byte(at) != '\n' && head.byte(at) != '\r') ++at;
      ++at;
    }
    std::int64_t value = 0;
    // The limit keeps a hostile number of many digits from overflowing.
    for (; std::isdigit(static_cast<int>(head.byte(at))) && value <= most_pixels; ++at)
      value = 10 * value + head.byte(at) - '0';
    return value;
  };
  const auto width = number();
  const auto height = number();
  return {width, height};
}

bool is_webp(std::string_view bytes) {
  return bytes.starts_with("RIFF") && bytes.size() > 24 && bytes.substr(8, 4) == "WEBP";
}

/// Flags of an extended WebP's head; 0 of others.
std::uint32_t webp_flags(std::string_view bytes) {
  return is_webp(bytes) && bytes.substr(12, 4) == "VP8X" ? static_cast<unsigned char>(bytes[20])
                                                         : 0U;
}
/// Bit of the flags: the picture has transparency (RFC 9649, 2.7).
constexpr std::uint32_t webp_alpha = 0x10;

/// The content of a PNG's tRNS, which stands before its pixels; empty where there is none.
std::string_view png_transparency(std::string_view bytes) {
  const Head head(bytes);
  for (std::size_t at = 8; at + 8 <= bytes.size();) {
    const auto name = bytes.substr(at + 4, 4);
    const auto size = static_cast<std::size_t>(head.big(at, 4));
    if (name == "IDAT") break;
    if (name == "tRNS") return bytes.substr(at + 8, size);
    // A chunk is length (4 bytes), name (4), data, and check sum (4).
    at += 12 + size;
  }
  return {};
}

// Types of colour of a PNG, at byte 25.
constexpr std::uint32_t png_gray = 0;
constexpr std::uint32_t png_rgb = 2;
constexpr std::uint32_t png_palette = 3;
constexpr std::uint32_t png_gray_alpha = 4;
constexpr std::uint32_t png_rgb_alpha = 6;

std::optional<PictureSize> claimed_size(std::string_view bytes) {
  const Head head(bytes);
  if (bytes.starts_with("\xFF\xD8")) return jpeg_size(bytes);
  // IHDR is the first chunk: width at byte 16, height at byte 20.
  if (bytes.starts_with("\x89PNG")) return PictureSize{head.big(16, 4), head.big(20, 4)};
  if (bytes.starts_with("BM")) return bmp_size(head);
  if (bytes.starts_with("RIFF") && bytes.size() > 16 && bytes.substr(8, 4) == "WEBP")
    return webp_size(bytes);
  if (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
      std::isspace(static_cast<int>(head.byte(2))))
    return pnm_size(head);
  return std::nullopt;
}

}  // namespace

PictureSize picture_size(std::string_view bytes, const std::string& name) {
  if (is_animated_webp(bytes))
    throw UsageError(name + ": an animated WebP holds several pictures, and one is expected",
                     "save one of them: webpmux -get frame 1 IN.webp -o ONE.webp");
  const auto size = claimed_size(bytes);
  if (!size)
    throw UsageError(
        fmt::format(
            "{}: no image that can be read: damaged, cut short, or another format ({} bytes)", name,
            bytes.size()),
        fmt::format("fetch the file again, remove the item, or convert it; read are {}",
                    image_kinds));
  if (size->width > 0 && size->height > most_pixels / size->width)
    throw UsageError(
        fmt::format("{}: {} x {} pixels are beyond what is read", name, size->width, size->height),
        "fetch the file again, or make the image smaller");
  return *size;
}

bool has_alpha(std::string_view bytes) {
  const Head head(bytes);
  if (bytes.starts_with("\x89PNG")) {
    const auto colours = head.byte(25);
    return colours == png_gray_alpha || colours == png_rgb_alpha ||
           (colours == png_palette && !png_transparency(bytes).empty());
  }
  // The lossless kind has its flag behind two sides of 14 bits.
  if (is_webp(bytes) && bytes.substr(12, 4) == "VP8L") return (head.little(21, 4) >> 28 & 1) != 0;
  return (webp_flags(bytes) & webp_alpha) != 0;
}

std::optional<TransparentColour> transparent_colour(std::string_view bytes) {
  const Head head(bytes);
  if (!bytes.starts_with("\x89PNG") || (head.byte(25) != png_gray && head.byte(25) != png_rgb))
    return std::nullopt;
  const Head declared(png_transparency(bytes));
  const std::size_t channels = head.byte(25) == png_rgb ? 3 : 1;
  if (declared.size() < 2 * channels) return std::nullopt;
  TransparentColour colour{.values = {}, .most = (1 << std::min(head.byte(24), 16U)) - 1};
  for (std::size_t c = 0; c < channels; ++c)
    colour.values.push_back(static_cast<int>(declared.big(2 * c, 2)));
  return colour;
}

}  // namespace reprise::datasets
