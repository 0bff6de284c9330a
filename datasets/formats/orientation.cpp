#include "datasets/formats/orientation.h"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/regular_file.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

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
  const bool little = tiff.starts_with("II");
  if (!little && !tiff.starts_with("MM")) return 1;
  const std::size_t directory = number_at(tiff, 4, 4, little);
  const auto entries = number_at(tiff, directory, 2, little);
  for (std::size_t i = 0; i < entries; ++i) {
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
    if (bytes[at + 1] == '\xE1' && content.starts_with("Exif\0\0"sv)) return content;
    at += 2 + length;
  }
  return {};
}

/// The content of the chunk `name` of a PNG (size, name, content, checksum) or a WebP (name, size, content, padding).
std::string_view chunk_content(std::string_view bytes, std::string_view name, bool png) {
  for (std::size_t at = png ? 8 : 12; at + 8 <= bytes.size();) {
    const std::size_t size = number_at(bytes, at + (png ? 0 : 4), 4, !png);
    if (bytes.substr(at + (png ? 4 : 0), 4) == name) return bytes.substr(at + 8, size);
    at += 8 + size + (png ? 4 : size % 2);
  }
  return {};
}

/// The upper left 2 x 2 part {a, b, c, d} of a matrix: stored (x, y) is shown at (a x + c y, b x + d y).
using Turn = std::array<double, 4>;

Turn product(const Turn& first, const Turn& then) {
  return {first[0] * then[0] + first[1] * then[2], first[0] * then[1] + first[1] * then[3], first[2] * then[0] + first[3] * then[2],
          first[2] * then[1] + first[3] * then[3]};
}

int orientation_of_turn(const Turn& turn) {
  const auto [a, b, c, d] = turn;
  if (std::abs(b) + std::abs(c) <= std::abs(a) + std::abs(d)) {
    if (a >= 0) return d >= 0 ? 1 : 4;
    return d >= 0 ? 2 : 3;
  }
  if (b >= 0) return c >= 0 ? 5 : 6;
  return c >= 0 ? 8 : 7;
}

/// Walks the boxes of an .mp4 or .mov: size, name, content.
class BoxWalk {
 public:
  explicit BoxWalk(const fs::path& file) : bytes_(file), size_(bytes_.size()) {}

  std::optional<int> orientation() {
    const auto first = text(4, 4);
    // Names that a file of this kind begins with; old QuickTime files have no ftyp.
    constexpr std::array<std::string_view, 7> firsts{"ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"};
    bool known = false;
    for (const auto name : firsts) known = known || first == name;
    if (!known) return std::nullopt;
    walk(0, size_, 0);
    if (!found_) return std::nullopt;
    return orientation_of_turn(product(*found_, movie_));
  }

 private:
  std::string text(std::uint64_t at, std::size_t count) {
    std::string bytes(count, '\0');
    bytes_.seek(at);
    bytes.resize(bytes_.read(bytes.data(), count));
    return bytes;
  }

  /// A matrix at `at`: nine numbers of 32 bits, the first two of a row with 16 bits behind the point.
  Turn turn_at(std::uint64_t at) {
    const auto bytes = text(at, 20);
    Turn turn{};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto value = static_cast<std::int32_t>(number_at(bytes, k / 2 * 12 + k % 2 * 4, 4, false));
      turn[k] = static_cast<double>(value) / 65536;
    }
    return turn;
  }

  void walk(std::uint64_t at, std::uint64_t end, int depth) {
    constexpr std::uint64_t head = 8;
    while (at + head <= end && !found_) {
      const auto bytes = text(at, 16);
      const auto name = std::string_view(bytes).substr(4, 4);
      std::uint64_t size = number_at(bytes, 0, 4, false), begin = at + head;
      if (size == 0) size = end - at;  // up to the end
      if (size == 1) size = std::uint64_t{number_at(bytes, 8, 4, false)} << 32 | number_at(bytes, 12, 4, false), begin += 8;
      if (size < begin - at || size > end - at) return;
      use(std::string(name), begin, at + size, depth);
      at += size;
    }
  }

  void use(const std::string& name, std::uint64_t begin, std::uint64_t end, int depth) {
    // Version 1 has three numbers of 64 bits in place of 32 before the matrix.
    const auto version_1 = [&] { return text(begin, 1) == std::string(1, '\1'); };
    if (name == "moov" && depth == 0) walk(begin, end, 1);
    if (name == "mvhd" && depth == 1) movie_ = turn_at(begin + (version_1() ? 48 : 36));
    if (name == "trak" && depth == 1) track_.reset(), walk(begin, end, 2);
    if (name == "tkhd" && depth == 2) track_ = turn_at(begin + (version_1() ? 52 : 40));
    if (name == "mdia" && depth == 2) walk(begin, end, 3);
    if (name == "hdlr" && depth == 3 && text(begin + 8, 4) == "vide" && track_) found_ = track_;
  }

  RegularFile bytes_;
  std::uint64_t size_;
  Turn movie_{1, 0, 0, 1};
  std::optional<Turn> track_, found_;
};

}  // namespace

at::Tensor orient(const at::Tensor& picture, int orientation) {
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
  if (bytes.starts_with("\x89PNG")) return tiff_orientation(chunk_content(bytes, "eXIf", /*png=*/true));
  if (bytes.starts_with("RIFF")) return tiff_orientation(chunk_content(bytes, "EXIF", /*png=*/false));
  return 1;
}

std::optional<int> video_orientation(const fs::path& file) {
  try {
    return BoxWalk(file).orientation();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace reprise::datasets
