#include "datasets/formats/idx.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/compression.h"
#include "core/error.h"
#include "core/files.h"

namespace reprise::datasets {
namespace {

// Limits against damaged headers, not of the format: bytes of values, and dimensions.
constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr int most_dimensions = 8;
constexpr const char* again = "fetch the file again: it is cut short or overwritten";

struct IdxType {
  int code;
  at::ScalarType scalar;
};
// Codes of the types, as on the page of MNIST (yann.lecun.com/exdb/mnist).
constexpr std::array<IdxType, 6> idx_types = {{{0x08, at::kByte},
                                               {0x09, at::kChar},
                                               {0x0B, at::kShort},
                                               {0x0C, at::kInt},
                                               {0x0D, at::kFloat},
                                               {0x0E, at::kDouble}}};

/// Returns the bytes that the sizes take; nothing if they, or a stride, exceed most_bytes. A size
/// of 0 does not hide the other sizes, because strides contain them.
std::optional<std::size_t> count_bytes(const std::vector<std::int64_t>& sizes,
                                       std::size_t element) {
  std::size_t extent = element;
  bool empty = false;
  for (const auto size : sizes) {
    empty |= size == 0;
    const auto factor = static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
    if (extent > most_bytes / factor) return std::nullopt;
    extent *= factor;
  }
  return empty ? 0 : extent;
}

struct IdxHeader {
  at::ScalarType scalar;
  std::vector<std::int64_t> sizes;
  std::size_t length;  ///< of the header itself
  std::size_t values;  ///< bytes that the sizes ask for
};

IdxHeader parse_header(std::string_view bytes, const std::string& name) {
  const auto byte = [&](std::size_t i) {
    return static_cast<int>(static_cast<unsigned char>(bytes[i]));
  };
  if (bytes.size() < 4 || byte(0) != 0 || byte(1) != 0)
    throw UsageError(
        name +
            ": not an IDX file, which starts with two zero bytes, a type and a number of "
            "dimensions",
        again);
  const auto* type = std::find_if(idx_types.begin(), idx_types.end(),
                                  [&](const IdxType& t) { return t.code == byte(2); });
  if (type == idx_types.end())
    throw UsageError(
        fmt::format(
            "{}: the values are of type 0x{:02X}; IDX has 0x08, 0x09, 0x0B, 0x0C, 0x0D and 0x0E",
            name, byte(2)),
        again);
  const auto dimensions = static_cast<std::size_t>(byte(3));
  // Two zero bytes, type, number of dimensions, then a 32-bit size for each.
  const auto length = 4 + 4 * dimensions;
  if (dimensions < 1 || dimensions > most_dimensions)
    throw UsageError(fmt::format("{}: an array of {} dimensions; 1 to {} are read", name,
                                 dimensions, most_dimensions),
                     again);
  if (bytes.size() < length)
    throw UsageError(fmt::format("{}: the file ends inside its header: {} of {} bytes", name,
                                 bytes.size(), length),
                     again);
  std::vector<std::int64_t> sizes(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d)
    // Big endian: the first byte is the most significant one.
    for (std::size_t i = 0; i < 4; ++i) sizes[d] = sizes[d] << 8 | byte(4 + 4 * d + i);
  const auto values = count_bytes(sizes, at::elementSize(type->scalar));
  if (!values)
    throw UsageError(fmt::format("{}: sizes {} ask for more than 1 GiB of values", name,
                                 fmt::join(sizes, " x ")),
                     again);
  return {.scalar = type->scalar, .sizes = std::move(sizes), .length = length, .values = *values};
}

}  // namespace

at::Tensor parse_idx(std::string_view bytes, const std::string& name) {
  const auto header = parse_header(bytes, name);
  const auto values = bytes.substr(header.length);
  if (header.values != values.size())
    throw UsageError(fmt::format("{}: there are {} bytes of values; sizes {} ask for {}", name,
                                 values.size(), fmt::join(header.sizes, " x "), header.values),
                     again);
  auto tensor = at::empty(header.sizes, header.scalar);
  auto* to = static_cast<char*>(tensor.data_ptr());
  if (!values.empty()) std::memcpy(to, values.data(), values.size());
  const auto element = tensor.element_size();
  // Values are big endian, the machine is little endian.
  if (element > 1)
    for (std::size_t i = 0; i < values.size(); i += element) std::reverse(to + i, to + i + element);
  return tensor;
}

at::Tensor read_idx(const std::filesystem::path& path) {
  const auto name = path.string();
  return parse_idx(decompress(read_file(path), name, again), name);
}

}  // namespace reprise::datasets
