// IDX files written by the tests, plain and compressed.
#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

namespace reprise::datasets::testing_idx {

inline std::string big_endian(std::int64_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

inline std::string idx(int type, const std::vector<std::int64_t>& sizes, const std::string& values) {
  std::string bytes{'\0', '\0', static_cast<char>(type), static_cast<char>(sizes.size())};
  for (const auto size : sizes) bytes += big_endian(size);
  return bytes + values;
}

/// values: uint8.
inline std::string idx(const at::Tensor& values) {
  const auto whole = values.contiguous();
  return idx(0x08, whole.sizes().vec(), {reinterpret_cast<const char*>(whole.data_ptr<std::uint8_t>()), whole.nbytes()});
}

inline std::string gzipped(std::string bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data()), stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data()), stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace reprise::datasets::testing_idx
