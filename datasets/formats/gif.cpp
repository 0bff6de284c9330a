#include "datasets/formats/gif.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/files.h"
#include "datasets/formats/webp.h"

namespace reprise::datasets {
namespace {

// Limits of GIF89a: a colour is one byte, and a side two bytes.
constexpr std::size_t most_colours = 256;
constexpr std::int64_t longest_side = 65535;

struct Colour {
  std::uint32_t rgb = 0;  ///< 0xRRGGBB
  std::int64_t count = 0;
  double channel(int c) const { return rgb >> (16 - 8 * c) & 0xFF; }
};

/// Neighbours in the list of colours that share one entry of the palette.
struct Box {
  std::vector<Colour>::iterator begin, end;
  std::array<double, 3> mean{};
  int axis = 0;          ///< axis of the largest deviation
  double deviation = 0;  ///< sum of squared deviations over all pixels and axes; 0: one colour

  Box(std::vector<Colour>::iterator from, std::vector<Colour>::iterator to) : begin(from), end(to) {
    double count = 0;
    std::array<double, 3> sum{};
    std::array<double, 3> squares{};
    for (auto it = begin; it != end; ++it) {
      const auto n = static_cast<double>(it->count);
      count += n;
      for (int c = 0; c < 3; ++c) {
        sum[c] += n * it->channel(c);
        squares[c] += n * it->channel(c) * it->channel(c);
      }
    }
    double most = -1;
    for (int c = 0; c < 3; ++c) {
      mean[c] = sum[c] / count;
      // Sum of squared deviations along the axis: sum n x^2 - (sum n x)^2 / sum n.
      const double own = squares[c] - sum[c] * mean[c];
      if (own > most) {
        most = own;
        axis = c;
      }
      deviation += own;
    }
    // A single colour cannot be divided; rounding may leave a small deviation.
    if (end - begin == 1) deviation = 0;
  }
};

struct Palette {
  std::vector<std::uint32_t> rgb;
  std::vector<std::uint32_t> known;  ///< every colour of the frames, in order, and
  std::vector<std::uint8_t> entry;   ///< the number of its entry
  std::uint8_t number_of(std::uint32_t colour) const {
    return entry[static_cast<std::size_t>(std::lower_bound(known.begin(), known.end(), colour) -
                                          known.begin())];
  }
};

/// Returns the distinct colours with their counts.
std::vector<Colour> count_colours(std::vector<std::uint32_t> pixels) {
  std::sort(pixels.begin(), pixels.end());
  std::vector<Colour> colours;
  for (const auto rgb : pixels) {
    if (colours.empty() || colours.back().rgb != rgb) colours.push_back({rgb, 0});
    ++colours.back().count;
  }
  return colours;
}

Palette build_palette(const std::vector<std::uint32_t>& pixels) {
  // Repeatedly divide the box with the largest squared deviation, until 256 boxes or no error is
  // left.
  auto colours = count_colours(pixels);
  std::vector<Box> boxes{Box(colours.begin(), colours.end())};
  while (boxes.size() < most_colours) {
    const auto widest =
        std::max_element(boxes.begin(), boxes.end(),
                         [](const Box& a, const Box& b) { return a.deviation < b.deviation; });
    if (widest->deviation <= 0) break;
    // Colours that differ along the axis lie on both sides of their mean.
    const Box whole = *widest;
    const auto cut = std::partition(whole.begin, whole.end, [&](const Colour& c) {
      return c.channel(whole.axis) <= whole.mean[whole.axis];
    });
    if (cut == whole.begin || cut == whole.end) {
      widest->deviation = 0;  // what is left of it is rounding
      continue;
    }
    *widest = Box(whole.begin, cut);
    boxes.emplace_back(cut, whole.end);
  }
  Palette palette;
  std::vector<std::pair<std::uint32_t, std::uint8_t>> entries;
  for (const auto& box : boxes) {
    std::uint32_t rgb = 0;
    for (const double value : box.mean)
      // The entry is the mean colour of its box, weighted by the number of pixels.
      rgb = rgb << 8 | static_cast<std::uint32_t>(std::lround(value));
    for (auto it = box.begin; it != box.end; ++it)
      entries.emplace_back(it->rgb, static_cast<std::uint8_t>(palette.rgb.size()));
    palette.rgb.push_back(rgb);
  }
  // Sorted by colour, so that number_of() can search by bisection.
  std::sort(entries.begin(), entries.end());
  for (const auto& [rgb, number] : entries) {
    palette.known.push_back(rgb);
    palette.entry.push_back(number);
  }
  return palette;
}

void append_pair(std::string& bytes, std::int64_t value) {
  bytes.push_back(static_cast<char>(value & 0xFF));
  bytes.push_back(static_cast<char>(value >> 8 & 0xFF));
}

/// Codes of a growing number of bits, lowest first, in blocks of at most 255 bytes.
class CodeStream {
 public:
  void write(std::uint32_t code, int bits) {
    // Codes do not end at bytes; the rest waits for the next code.
    waiting_ |= static_cast<std::uint64_t>(code) << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, waiting_ >>= 8)
      data_.push_back(static_cast<char>(waiting_ & 0xFF));
  }
  std::string blocks() {
    if (count_ > 0) data_.push_back(static_cast<char>(waiting_ & 0xFF));
    std::string out;
    // A block is its length in a byte and that many bytes; an empty block ends the data.
    for (std::size_t at = 0; at < data_.size(); at += 255) {
      const auto piece = data_.substr(at, 255);
      out.push_back(static_cast<char>(piece.size()));
      out += piece;
    }
    out.push_back('\0');
    return out;
  }

 private:
  std::string data_;
  std::uint64_t waiting_ = 0;
  int count_ = 0;
};

/// LZW as the format has it: `bits` for a pixel, then the codes "clear" and "end", then strings of
/// pixels up to code 4095.
std::string compress_lzw(const std::vector<std::uint8_t>& pixels, int bits) {
  constexpr std::uint32_t last_code = 4095;
  constexpr std::uint16_t none = 0;  // no string's code: a string has two pixels at least
  const std::uint32_t clear = 1U << bits;
  const std::uint32_t end = clear + 1;
  std::vector<std::uint16_t> longer((last_code + 1) * most_colours,
                                    none);  // [code][pixel]: the code of that string and this pixel
  CodeStream out;
  int width = bits + 1;
  auto next = end + 1;
  out.write(clear, width);
  std::uint32_t string = pixels.front();
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    auto& code = longer[string * most_colours + pixels[i]];
    if (code != none) {
      string = code;
      continue;
    }
    out.write(string, width);
    string = pixels[i];
    // The table is full at 12 bits, so both sides begin again.
    if (next > last_code) {
      out.write(clear, width);
      std::fill(longer.begin(), longer.end(), none);
      width = bits + 1;
      next = end + 1;
      continue;
    }
    if (next == 1U << width) ++width;  // the reader knows of this string one code later
    code = static_cast<std::uint16_t>(next++);
  }
  out.write(string, width);
  // The reader adds a string after the last code too, and may widen the end code.
  out.write(end, next == 1U << width && width < 12 ? width + 1 : width);
  return out.blocks();
}

/// A part of a frame, pixels.
struct Rectangle {
  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t width = 1;
  std::int64_t height = 1;
};
/// Returns the rectangle in which two frames differ; one pixel if they are equal.
Rectangle find_changed_rectangle(const std::uint8_t* before, const std::uint8_t* now,
                                 std::int64_t height, std::int64_t width) {
  std::int64_t left = width;
  std::int64_t right = -1;
  std::int64_t top = height;
  std::int64_t bottom = -1;
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      if (before[y * width + x] != now[y * width + x]) {
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = y;
      }
  if (right < 0) return {};
  return {.left = left, .top = top, .width = right - left + 1, .height = bottom - top + 1};
}

}  // namespace

std::string encode_gif(const at::Tensor& frames, double frames_per_second) {
  check_animation(frames, frames_per_second, longest_side);
  const auto whole = frames.contiguous().cpu();
  const auto count = whole.size(0);
  const auto height = whole.size(1);
  const auto width = whole.size(2);
  const auto size = height * width;
  // All frames share one palette: colours do not flicker from frame to frame.
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(count * size));
  const auto* byte = whole.data_ptr<std::uint8_t>();
  for (auto& pixel : pixels) {
    pixel = std::uint32_t{byte[0]} << 16 | std::uint32_t{byte[1]} << 8 | byte[2];
    byte += 3;
  }
  const auto palette = build_palette(pixels);
  std::vector<std::uint8_t> numbers(pixels.size());
  std::transform(pixels.begin(), pixels.end(), numbers.begin(),
                 [&](std::uint32_t rgb) { return palette.number_of(rgb); });

  int bits = 2;  // LZW has no fewer
  while (palette.rgb.size() > std::size_t{1} << bits) ++bits;
  std::string bytes = "GIF89a";
  append_pair(bytes, width);
  append_pair(bytes, height);
  // Flags: 0x80 a global palette, 0x70 eight bits per channel, then log2 of its entries minus 1.
  bytes.push_back(static_cast<char>(0x80 | 0x70 | (bits - 1)));
  // Then the background's entry and the pixels' aspect ratio (0: unknown).
  bytes.append(2, '\0');
  // The table has 2^bits entries; unused ones are black.
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i)
    for (int c = 0; c < 3; ++c)
      bytes.push_back(
          i < palette.rgb.size() ? static_cast<char>(palette.rgb[i] >> (16 - 8 * c) & 0xFF) : '\0');
  // Application extension: 0 repetitions means for ever.
  bytes += std::string("\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00", 19);
  // Delays are whole hundredths of a second. Browsers replace those below 2 by a slow default.
  const auto hundredths = std::max<std::int64_t>(2, std::llround(100 / frames_per_second));
  for (std::int64_t t = 0; t < count; ++t) {
    const auto* now = numbers.data() + t * size;
    // Only the changed rectangle is stored; the rest of the earlier frame stays visible.
    const auto part = t == 0 ? Rectangle{.left = 0, .top = 0, .width = width, .height = height}
                             : find_changed_rectangle(now - size, now, height, width);
    // Graphic control extension of 4 bytes: disposal method 1, delay, no transparent colour.
    bytes += std::string("\x21\xF9\x04\x04", 4);
    append_pair(bytes, hundredths);
    // End of the extension, then the image descriptor: left, top, width, height, no local palette.
    bytes += std::string("\x00\x00\x2C", 3);
    for (const auto value : {part.left, part.top, part.width, part.height})
      append_pair(bytes, value);
    bytes.push_back('\0');
    bytes.push_back(static_cast<char>(bits));
    std::vector<std::uint8_t> inside;
    for (auto y = part.top; y < part.top + part.height; ++y)
      inside.insert(inside.end(), now + y * width + part.left,
                    now + y * width + part.left + part.width);
    bytes += compress_lzw(inside, bits);
  }
  return bytes + ";";
}

void write_gif(const std::filesystem::path& path, const at::Tensor& frames,
               double frames_per_second) {
  write_file(path, encode_gif(frames, frames_per_second));
}

}  // namespace reprise::datasets
