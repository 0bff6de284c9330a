// IDX files written by the tests, plain and compressed.
#pragma once
#include <ATen/ATen.h>

#include <string>
#include <vector>

namespace reprise::datasets::testing_idx {

inline std::string big_endian(std::int64_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

inline std::string idx(int type, const std::vector<std::int64_t>& sizes,
                       const std::string& values) {
  std::string bytes{'\0', '\0', static_cast<char>(type), static_cast<char>(sizes.size())};
  for (const auto size : sizes) bytes += big_endian(size);
  return bytes + values;
}

/// values: uint8.
inline std::string idx(const at::Tensor& values) {
  const auto whole = values.contiguous();
  return idx(0x08, whole.sizes().vec(),
             {reinterpret_cast<const char*>(whole.data_ptr<std::uint8_t>()), whole.nbytes()});
}

}  // namespace reprise::datasets::testing_idx
