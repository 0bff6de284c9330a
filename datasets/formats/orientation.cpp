#include "datasets/formats/orientation.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <string>

namespace reprise::datasets {
namespace {

/// A number of `count` bytes; bytes beyond the end are 0.
std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t count, bool little) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto place = at + (little ? count - 1 - k : k);
    value = value << 8 | (place < bytes.size() ? static_cast<unsigned char>(bytes[place]) : 0U);
  }
  return value;
}

/// Tag 0x0112 of the first directory of a TIFF structure, which is what EXIF is.
int tiff_orientation(std::string_view tiff) {
  using namespace std::string_view_literals;
  if (tiff.starts_with("Exif\0\0"sv)) tiff.remove_prefix(6);
  // TIFF 6.0: "II" is little endian and "MM" big endian; byte 4 holds the offset of the first
  // directory.
  const bool little = tiff.starts_with("II");
  if (!little && !tiff.starts_with("MM")) return 1;
  const std::size_t directory = number_at(tiff, 4, 4, little);
  const auto entries = number_at(tiff, directory, 2, little);
  for (std::size_t i = 0; i < entries; ++i) {
    // An entry is tag (2 bytes), type (2), count (4), value (4).
    const auto entry = directory + 2 + 12 * i;
    if (entry + 12 > tiff.size()) break;
    if (number_at(tiff, entry, 2, little) != 0x0112) continue;
    const auto value = number_at(tiff, entry + 8, 2, little);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

std::string_view jpeg_exif(std::string_view bytes) {
  using namespace std::string_view_literals;
  for (std::size_t at = 2; at + 4 <= bytes.size() && bytes[at] == '\xFF';) {
    if (bytes[at + 1] == '\xFF') {  // padding
      ++at;
      continue;
    }
    if (bytes[at + 1] == '\xDA') break;  // the picture itself
    const auto length = number_at(bytes, at + 2, 2, false);
    const auto content = bytes.substr(at + 4, length < 2 ? 0 : length - 2);
    // APP1 holds EXIF, and also XMP under another title.
    if (bytes[at + 1] == '\xE1' && content.starts_with("Exif\0\0"sv)) return content;
    at += 2 + length;
  }
  return {};
}

/// The content of the chunk `name` of a PNG (size, name, content, checksum) or a WebP (name, size,
/// content, padding).
std::string_view chunk_content(std::string_view bytes, std::string_view name, bool png) {
  for (std::size_t at = png ? 8 : 12; at + 8 <= bytes.size();) {
    const std::size_t size = number_at(bytes, at + (png ? 0 : 4), 4, !png);
    if (bytes.substr(at + (png ? 4 : 0), 4) == name) return bytes.substr(at + 8, size);
    at += 8 + size + (png ? 4 : size % 2);
  }
  return {};
}

}  // namespace

at::Tensor orient(const at::Tensor& picture, int orientation) {
  // Values 1 to 8 of EXIF's Orientation: 2 to 4 flip, 5 to 8 exchange rows and columns as well.
  const auto swapped = [&] { return picture.transpose(0, 1); };
  switch (orientation) {
    case 2:
      return picture.flip({1}).contiguous();
    case 3:
      return picture.flip({0, 1}).contiguous();
    case 4:
      return picture.flip({0}).contiguous();
    case 5:
      return swapped().contiguous();
    case 6:
      return swapped().flip({1}).contiguous();
    case 7:
      return swapped().flip({0, 1}).contiguous();
    case 8:
      return swapped().flip({0}).contiguous();
    default:
      return picture;
  }
}

int picture_orientation(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xD8")) return tiff_orientation(jpeg_exif(bytes));
  if (bytes.starts_with("\x89PNG"))
    return tiff_orientation(chunk_content(bytes, "eXIf", /*png=*/true));
  if (bytes.starts_with("RIFF"))
    return tiff_orientation(chunk_content(bytes, "EXIF", /*png=*/false));
  return 1;
}

}  // namespace reprise::datasets
