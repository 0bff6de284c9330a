// Files that say how their camera was held: EXIF put into pictures, a matrix put into .mp4.
#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

namespace reprise::datasets::testing_tags {

inline std::string number_bytes(std::uint32_t value, int count, bool little) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes += static_cast<char>(value >> 8 * (little ? i : count - 1 - i) & 0xff);
  return bytes;
}

/// The bytes of an RGB picture [H, W, 3] as OpenCV encodes them.
inline std::string encode(const at::Tensor& image, const std::string& ending,
                          const std::vector<int>& options = {}) {
  const auto pixels = image.contiguous();
  cv::Mat bgr;
  cv::cvtColor(cv::Mat(static_cast<int>(image.size(0)), static_cast<int>(image.size(1)), CV_8UC3,
                       pixels.data_ptr()),
               bgr, cv::COLOR_RGB2BGR);
  std::vector<unsigned char> bytes;
  EXPECT_TRUE(cv::imencode(ending, bgr, bytes, options)) << ending;
  return {bytes.begin(), bytes.end()};
}

/// The checksum of a PNG's chunk.
inline std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = crc & 1 ? 0xedb88320U ^ crc >> 1 : crc >> 1;
  }
  return ~crc;
}

inline std::string png_chunk(const std::string& name, const std::string& content) {
  return number_bytes(static_cast<std::uint32_t>(content.size()), 4, false) + name + content +
         number_bytes(crc32(name + content), 4, false);
}
/// A chunk put behind a PNG's head.
inline std::string with_png_chunk(const std::string& png, const std::string& name,
                                  const std::string& content) {
  constexpr std::size_t after_head = 33;
  return png.substr(0, after_head) + png_chunk(name, content) + png.substr(after_head);
}

/// EXIF with the tag Orientation alone.
inline std::string exif(int orientation, bool little) {
  const auto number = [little](std::uint32_t value, int count) {
    return number_bytes(value, count, little);
  };
  return (little ? std::string("II*\0", 4) : std::string("MM\0*", 4)) + number(8, 4) +
         number(1, 2) + number(0x0112, 2) + number(3, 2) + number(1, 4) +
         number(static_cast<std::uint32_t>(orientation), 2) + number(0, 2) + number(0, 4);
}
inline std::string jpeg_with_exif(const std::string& jpeg, int orientation, bool little = true) {
  const auto content = std::string("Exif\0\0", 6) + exif(orientation, little);
  return jpeg.substr(0, 2) + "\xff\xe1" +
         number_bytes(static_cast<std::uint32_t>(content.size() + 2), 2, false) + content +
         jpeg.substr(2);
}
inline std::string png_with_exif(const std::string& png, int orientation) {
  return with_png_chunk(png, "eXIf", exif(orientation, false));
}
/// A lossless WebP of this size, extended by a head and EXIF.
inline std::string webp_with_exif(const std::string& webp, int orientation, std::uint32_t width,
                                  std::uint32_t height) {
  const auto chunk = [](const std::string& name, const std::string& content) {
    return name + number_bytes(static_cast<std::uint32_t>(content.size()), 4, true) + content +
           std::string(content.size() % 2, '\0');
  };
  constexpr char has_exif = 0x08;
  const auto body =
      "WEBP" +
      chunk("VP8X", std::string{has_exif, 0, 0, 0} + number_bytes(width - 1, 3, true) +
                        number_bytes(height - 1, 3, true)) +
      webp.substr(12) + chunk("EXIF", exif(orientation, true));
  return "RIFF" + number_bytes(static_cast<std::uint32_t>(body.size()), 4, true) + body;
}

/// An .mp4 whose first track carries this matrix {a, b, c, d}; with the box "mvhd" the movie
/// carries it.
inline std::string with_matrix(std::string mp4, const std::array<int, 4>& turn,
                               const std::string& box = "tkhd") {
  const auto head = mp4.find(box);
  EXPECT_NE(head, std::string::npos);
  EXPECT_EQ(mp4[head + 4], '\0') << "version 0";
  const auto matrix = head + 4 + (box == "tkhd" ? 40 : 36);
  for (std::size_t k = 0; k < 4; ++k)
    mp4.replace(matrix + k / 2 * 12 + k % 2 * 4, 4,
                number_bytes(static_cast<std::uint32_t>(turn[k] * 65536), 4, false));
  return mp4;
}
/// The matrices of EXIF's orientations 1 to 8.
inline constexpr std::array<std::array<int, 4>, 8> matrices{{{1, 0, 0, 1},
                                                             {-1, 0, 0, 1},
                                                             {-1, 0, 0, -1},
                                                             {1, 0, 0, -1},
                                                             {0, 1, 1, 0},
                                                             {0, 1, -1, 0},
                                                             {0, -1, -1, 0},
                                                             {0, -1, 1, 0}}};

}  // namespace reprise::datasets::testing_tags
