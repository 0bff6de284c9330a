#include "datasets/formats/mat.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "core/error.h"
#include "core/files.h"
#include "core/printable.h"
#include "core/text.h"

namespace reprise::datasets {
namespace {

// Sizes in bytes ("MAT-File Format", MathWorks). The header is:
// - text: 116 bytes
// - offset of subsystem data: 8 bytes
// - version and byte order: 2 bytes each
// A tag is a type and a length of 4 bytes each.
constexpr std::size_t header_length = 128;
constexpr std::size_t tag_length = 8;
/// Largest array that is read, bytes.
constexpr std::size_t most_values = std::size_t{2} << 30;
constexpr const char* mat_fix =
    "fetch the file again: it is cut short or overwritten; or save it as version 5 to 7 (save -v7)";

// Types of data elements ("MAT-File Format", MathWorks: miINT8 to miCOMPRESSED). Types 8, 10 and 11
// are reserved.
enum MatType : std::uint32_t {
  Int8 = 1,
  UInt8 = 2,
  Int16 = 3,
  UInt16 = 4,
  Int32 = 5,
  UInt32 = 6,
  Single = 7,
  Double = 9,
  Int64 = 12,
  Matrix = 14,
  Compressed = 15
};

/// Part of a file, in the file's byte order.
struct MatBytes {
  std::string_view bytes;
  const std::string& name;
  bool swapped;

  [[noreturn]] void refuse(const std::string& problem) const {
    throw UsageError(fmt::format("{}: {}", name, problem), mat_fix);
  }

  template <typename T>
  T value(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if (swapped) {
      auto* raw = reinterpret_cast<unsigned char*>(&value);
      std::reverse(raw, raw + sizeof value);
    }
    return value;
  }
  MatBytes part(std::size_t at, std::size_t length) const {
    return {.bytes = bytes.substr(at, length), .name = name, .swapped = swapped};
  }
};

struct MatElement {
  std::uint32_t type = 0;
  MatBytes data;
  std::size_t end;  ///< of the element, its padding with it
};

/// Reads the element at this position.
MatElement element_at(const MatBytes& in, std::size_t at) {
  if (in.bytes.size() - at < tag_length)
    in.refuse(fmt::format("an element's tag is cut short: {} of 8 bytes", in.bytes.size() - at));
  const auto type = in.value<std::uint32_t>(at);
  const auto length = in.value<std::uint32_t>(at + 4);
  if (type >> 16 != 0) {  // at most 4 bytes of data within the tag
    // A small element stores its length in the upper two bytes and its data in place of the length.
    const auto small = type >> 16;
    if (small > 4) in.refuse(fmt::format("a small element of {} bytes; at most 4 fit", small));
    return {type & 0xFFFF, in.part(at + 4, small), at + tag_length};
  }
  const auto left = in.bytes.size() - at - tag_length;
  if (length > left)
    in.refuse(fmt::format("an element of {} bytes, of which {} are there", length, left));
  // Elements are padded to 8 bytes, compressed ones are not.
  const std::size_t padded = type == Compressed ? length : (std::size_t{length} + 7) / 8 * 8;
  return {type, in.part(at + tag_length, length), at + tag_length + std::min(padded, left)};
}

/// Inflates one compressed element. Memory grows with the data, up to the size in the element's
/// tag.
std::string inflate_element(const MatBytes& packed) {
  // The destructor frees zlib's memory, also when refuse() throws.
  struct Stream : z_stream {
    Stream() : z_stream{} {}
    ~Stream() { inflateEnd(this); }
  } stream;
  if (inflateInit(&stream) != Z_OK)
    throw Error(packed.name + ": no memory to decompress it", "free some memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.bytes.data()));
  stream.avail_in = static_cast<uInt>(packed.bytes.size());
  std::string text;
  int status = Z_OK;
  const auto next = [&](std::size_t count) {
    const auto before = text.size();
    text.resize(before + count);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = static_cast<uInt>(count);
    status = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
  };
  // The tag comes first: it states how much is to follow.
  next(tag_length);
  if (text.size() < tag_length)
    packed.refuse("a compressed element is damaged or cut short in its tag");
  const MatBytes tag{.bytes = text, .name = packed.name, .swapped = packed.swapped};
  const std::size_t wanted = tag.value<std::uint32_t>(0) >> 16 != 0
                                 ? tag_length
                                 : tag_length + tag.value<std::uint32_t>(4);
  // Limits what a hostile tag can allocate.
  if (wanted > 64 * packed.bytes.size() + (std::size_t{16} << 20))
    packed.refuse(fmt::format("an element of {} bytes is said to be in {} compressed ones", wanted,
                              packed.bytes.size()));
  while (status == Z_OK && text.size() < wanted)
    next(std::min(wanted - text.size(), std::size_t{16} << 20));
  if (status == Z_OK) next(1);  // nothing is left but the check sum, which is compared then
  if (text.size() != wanted || status != Z_STREAM_END)
    packed.refuse(fmt::format("a compressed element is damaged after {} of {} bytes{}", text.size(),
                              wanted, stream.msg ? fmt::format(" ({})", stream.msg) : ""));
  return text;
}

std::size_t bytes_per_value(std::uint32_t type) {
  switch (type) {
    case Int8:
    case UInt8:
      return 1;
    case Int16:
    case UInt16:
      return 2;
    case Int32:
    case UInt32:
    case Single:
      return 4;
    case Double:
    case Int64:
      return 8;
    default:
      return 0;
  }
}

/// Returns the tensor type of a class of arrays (mxDOUBLE_CLASS 6 to mxINT64_CLASS 14); nothing for
/// classes that are skipped. Unsigned classes become the next larger signed type.
std::optional<at::ScalarType> class_type(int mat_class) {
  switch (mat_class) {
    case 6:
      return at::kDouble;
    case 7:
      return at::kFloat;
    case 8:
      return at::kChar;
    case 9:
      return at::kByte;
    case 10:
      return at::kShort;
    case 11:
    case 12:
      return at::kInt;
    case 13:
    case 14:
      return at::kLong;
    default:
      return std::nullopt;
  }
}

/// MATLAB stores an array in the least type that holds its values: [n] of the type it is stored in.
template <typename T, typename As = T>
at::Tensor view_as(const MatBytes& data, at::ScalarType type) {
  const auto n = data.bytes.size() / sizeof(T);
  auto values = at::empty({static_cast<std::int64_t>(n)}, type);
  auto* to = static_cast<As*>(values.data_ptr());
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<As>(data.value<T>(i * sizeof(T)));
  return values;
}

at::Tensor stored_values(std::uint32_t type, const MatBytes& data) {
  switch (type) {
    case Int8:
      return view_as<std::int8_t>(data, at::kChar);
    case UInt8:
      return view_as<std::uint8_t>(data, at::kByte);
    case Int16:
      return view_as<std::int16_t>(data, at::kShort);
    case UInt16:
      return view_as<std::uint16_t, std::int32_t>(data, at::kInt);
    case Int32:
      return view_as<std::int32_t>(data, at::kInt);
    case UInt32:
      return view_as<std::uint32_t, std::int64_t>(data, at::kLong);
    case Single:
      return view_as<float>(data, at::kFloat);
    case Double:
      return view_as<double>(data, at::kDouble);
    default:
      return view_as<std::int64_t>(data, at::kLong);
  }
}

std::vector<std::int64_t> read_sizes(const MatElement& sizes) {
  if (sizes.type != Int32 || sizes.data.bytes.size() % 4 != 0 || sizes.data.bytes.size() < 8 ||
      sizes.data.bytes.size() > 32)
    sizes.data.refuse(
        fmt::format("an array's sizes are {} bytes of type {}; expected 2 to 8 numbers of type 5",
                    sizes.data.bytes.size(), sizes.type));
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < sizes.data.bytes.size(); i += 4) {
    all.push_back(sizes.data.value<std::int32_t>(i));
    if (all.back() < 0) sizes.data.refuse(fmt::format("an array has a size of {}", all.back()));
  }
  return all;
}

/// Nothing where the sizes ask for more than is read: a size of 0 hides no other.
std::optional<std::size_t> count_values(const std::vector<std::int64_t>& sizes,
                                        std::size_t element) {
  std::size_t extent = element;
  for (const auto size : sizes) {
    const auto factor = static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
    if (extent > most_values / factor) return std::nullopt;
    extent *= factor;
  }
  return std::ranges::find(sizes, 0) != sizes.end() ? 0 : extent / element;
}

void read_matrix(const MatBytes& matrix, MatArrays& arrays) {
  const auto flags = element_at(matrix, 0);
  if (flags.type != UInt32 || flags.data.bytes.size() != 8)
    matrix.refuse("an array without its flags");
  const auto bits = flags.data.value<std::uint32_t>(0);
  const auto type = class_type(static_cast<int>(bits & 0xFF));
  // Array flags: the class is in the lowest byte, and bit 11 marks complex values.
  const bool complex = (bits & 0x800) != 0;
  // Cells, structures, texts and complex arrays are skipped; data sets hold their numbers in plain
  // arrays.
  if (!type || complex) return;
  // Elements of a matrix, in fixed order: flags, sizes, name, real values.
  const auto sizes_element = element_at(matrix, flags.end);
  const auto sizes = read_sizes(sizes_element);
  const auto title = element_at(matrix, sizes_element.end);
  if (title.type != Int8)
    matrix.refuse(fmt::format("an array's name is of type {}; expected 1", title.type));
  const std::string name(title.data.bytes);
  const auto values = element_at(matrix, title.end);
  const auto width = bytes_per_value(values.type);
  // The limit counts 8 bytes per value, the width of the largest class.
  const auto count = count_values(sizes, 8);
  const auto with = [&](const std::string& what) {
    std::vector<std::string> texts;
    for (const auto size : sizes) texts.push_back(std::to_string(size));
    return fmt::format("array {} of sizes {} has {}", printable(name), join(texts, " x "), what);
  };
  if (width == 0) matrix.refuse(with(fmt::format("values of type {}", values.type)));
  if (!count) matrix.refuse(with("more than 2 GiB of values"));
  if (values.data.bytes.size() != *count * width)
    matrix.refuse(with(
        fmt::format("{} bytes of values; expected {}", values.data.bytes.size(), *count * width)));
  // Column by column: the sizes in the opposite order are the memory's.
  const std::vector<std::int64_t> reverse_order(sizes.rbegin(), sizes.rend());
  std::vector<std::int64_t> turned(sizes.size());
  for (std::size_t d = 0; d < turned.size(); ++d)
    turned[d] = static_cast<std::int64_t>(turned.size() - 1 - d);
  arrays.emplace_back(
      name, stored_values(values.type, values.data).to(*type).view(reverse_order).permute(turned));
}

}  // namespace

MatArrays parse_mat(std::string_view bytes, const std::string& name) {
  const auto refuse = [&](const std::string& problem) {
    throw UsageError(fmt::format("{}: {}", name, problem), mat_fix);
  };
  if (bytes.size() < header_length)
    refuse(fmt::format("not a .mat file of level 5: {} bytes, and its header alone has {}",
                       bytes.size(), header_length));
  // Version 7.3 has the same first bytes, but is an HDF5 file.
  if (bytes.starts_with("MATLAB 7.3") || bytes.substr(0, 4) == "\x89HDF")
    refuse("a .mat file of version 7.3, which is HDF5; versions 5 to 7 are read");
  // The writer stores the characters "MI" as one 16-bit number; "IM" means a little-endian file.
  const auto order = bytes.substr(126, 2);
  if (order != "IM" && order != "MI")
    refuse(fmt::format(
        "not a .mat file of level 5: bytes 126 and 127 are \"{}\"; expected \"IM\" or \"MI\"",
        printable(std::string(order))));
  const MatBytes whole{.bytes = bytes,
                       .name = name,
                       .swapped = (order == "MI") == (std::endian::native == std::endian::little)};
  // Version 0x0100 at byte 124; the lower byte is the minor version.
  if (whole.value<std::uint16_t>(124) >> 8 != 1)
    refuse(fmt::format("a .mat file of version {:#06x}; 0x0100 is read",
                       whole.value<std::uint16_t>(124)));
  MatArrays arrays;
  for (std::size_t at = header_length; at < bytes.size();) {
    const auto element = element_at(whole, at);
    at = element.end;
    if (element.type == Matrix) {
      read_matrix(element.data, arrays);
    } else if (element.type == Compressed) {
      const auto text = inflate_element(element.data);
      const auto inner = element_at({text, name, whole.swapped}, 0);
      if (inner.type == Matrix) read_matrix(inner.data, arrays);
    }
  }
  return arrays;
}

MatArrays read_mat(const std::filesystem::path& path) {
  return parse_mat(read_file(path), path.string());
}

const at::Tensor& find_array(const MatArrays& arrays, std::string_view name,
                             const std::string& where) {
  std::vector<std::string> names;
  for (const auto& [own, values] : arrays) {
    if (own == name) return values;
    names.push_back(printable(own));
  }
  throw UsageError(fmt::format("{}: there is no array {}; there are: {}", where, name,
                               names.empty() ? "none" : first_few(names)),
                   "point to the file that has it");
}

}  // namespace reprise::datasets
