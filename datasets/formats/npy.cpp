#include "datasets/formats/npy.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/printable.h"
#include "core/regular_file.h"

namespace reprise::datasets {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// Type that can be written, and its name in files.
struct NpyType {
  std::string_view descr;
  at::ScalarType scalar;
};
// '<' little endian, '|' without byte order; f, i and u with the bytes of a value.
constexpr std::array<NpyType, 4> written_types = {
    {{"<f4", at::kFloat}, {"<f8", at::kDouble}, {"<i8", at::kLong}, {"|u1", at::kByte}}};

/// Type that can be read: NumPy's code, the stored type, and the type that the caller gets.
struct ReadableType {
  std::string_view code;
  at::ScalarType stored, given;
};
// Unsigned types become the next larger signed one, because few tensor operations support them.
constexpr std::array<ReadableType, 12> readable_types = {{{"b1", at::kBool, at::kBool},
                                                          {"i1", at::kChar, at::kChar},
                                                          {"i2", at::kShort, at::kShort},
                                                          {"i4", at::kInt, at::kInt},
                                                          {"i8", at::kLong, at::kLong},
                                                          {"u1", at::kByte, at::kByte},
                                                          {"u2", at::kUInt16, at::kInt},
                                                          {"u4", at::kUInt32, at::kLong},
                                                          {"u8", at::kUInt64, at::kLong},
                                                          {"f2", at::kHalf, at::kFloat},
                                                          {"f4", at::kFloat, at::kFloat},
                                                          {"f8", at::kDouble, at::kDouble}}};

struct NpyHeader {
  std::optional<std::string>
      descr;  ///< of records, which are a list: the list's text, from its bracket on
  std::optional<bool> fortran;
  std::optional<std::vector<std::int64_t>> shape;
};

/// Parser of the header's dictionary literal as NumPy writes it: string keys with a string, a
/// boolean or a tuple of integers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !header.descr)
        header.descr = list_or_string();
      else if (key == "fortran_order" && !header.fortran)
        header.fortran = boolean();
      else if (key == "shape" && !header.shape)
        header.shape = tuple();
      else
        refuse();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (at_ != text_.size() || !header.descr || !header.fortran || !header.shape) refuse();
    return header;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse();
  }
  bool accept(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string string() {
    skip();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) refuse();
    const auto end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) refuse();
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  std::string list_or_string() {
    skip();
    if (at_ == text_.size() || text_[at_] != '[') return string();
    // A bracket inside a field's name would end the list too early; the rest is then refused, as
    // any other type of records is.
    const auto begin = at_;
    int depth = 0;
    do {
      if (text_[at_] == '[') ++depth;
      if (text_[at_] == ']') --depth;
      ++at_;
    } while (depth > 0 && at_ < text_.size());
    if (depth > 0) refuse();
    return std::string(text_.substr(begin, at_ - begin));
  }
  bool boolean() {
    if (accept("True")) return true;
    if (!accept("False")) refuse();
    return false;
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      skip();
      std::int64_t size = -1;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      // NumPy itself allows at most 32 dimensions (64 since version 2).
      if (error != std::errc() || size < 0 || sizes.size() == 32) refuse();
      at_ = static_cast<std::size_t>(end - text_.data());
      sizes.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }
  [[noreturn]] void refuse() const {
    throw UsageError(fmt::format("{}: the .npy header is not as NumPy writes it (character {}): {}",
                                 name_, at_, text_.substr(0, 120)),
                     "write the file again with numpy.save");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

/// Returns the bytes that a shape takes; nothing if they, or a stride, exceed 63 bits. A size of 0
/// does not hide the other sizes, because strides contain them.
std::optional<std::uint64_t> bytes_of_shape(const std::vector<std::int64_t>& shape,
                                            std::size_t element) {
  auto extent = static_cast<std::int64_t>(element);
  bool empty = false;
  for (const auto size : shape) {
    empty |= size == 0;
    // Strides are products of sizes, with 0 counted as 1, so they can overflow even in an empty
    // array.
    if (__builtin_mul_overflow(extent, std::max<std::int64_t>(size, 1), &extent))
      return std::nullopt;
  }
  return empty ? 0 : static_cast<std::uint64_t>(extent);
}

/// Splits off the header's text; what is left of `bytes` is the data.
std::string_view take_header(std::string_view& bytes, const std::string& name) {
  if (!bytes.starts_with(magic) || bytes.size() < 10)
    throw UsageError(name + (bytes.starts_with("PK") ? ": an archive (.npz), not a .npy file"
                                                     : ": not a .npy file"),
                     "write one array with numpy.save(\"FILE.npy\", array)");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    throw UsageError(fmt::format("{}: .npy version {}; versions 1 to 3 are read", name, version),
                     "write the file again with numpy.save");
  // Magic (6 bytes), version (2), then the header's length: 2 bytes in version 1, 4 in versions 2
  // and 3.
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t size = 0;
  // Little endian: the last byte is the most significant one.
  for (std::size_t i = begin; i-- > 8;)
    size = size << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  if (bytes.size() < begin || bytes.size() - begin < size)
    throw UsageError(name + ": the .npy file ends inside its header",
                     "copy the file again: it is cut short");
  const auto header = bytes.substr(begin, size);
  bytes.remove_prefix(begin + size);
  return header;
}

[[noreturn]] void refuse_type(const std::string& descr, const std::string& name,
                              const std::string& wanted) {
  const auto save = [&](const std::string& values) {
    return fmt::format("save it as {}: numpy.save(\"FILE.npy\", {})", wanted, values);
  };
  const auto cast = [&](const std::string& values) {
    return fmt::format("{}.astype(\"{}\")", values, wanted);
  };
  const auto shown = printable(descr);
  // NumPy's letter of the kind, behind the byte order.
  const char letter = descr.size() > 1 ? descr[1] : descr.front();
  if (descr.starts_with('['))
    throw UsageError(
        fmt::format("{}: the array holds records of the fields {}; expected numbers", name, shown),
        save(cast("array[\"FIELD\"]")) + ", with the FIELD that holds the values");
  if (letter == 'c')
    throw UsageError(
        fmt::format("{}: the values are complex ('{}'); expected real numbers", name, shown),
        save(cast("array.real")) + ", or numpy.abs(array) where the size is meant");
  if (letter == 'O')
    throw UsageError(
        fmt::format("{}: the array holds Python objects ('{}'), which are never loaded", name,
                    shown),
        save(fmt::format("numpy.array(array.tolist(), dtype=\"{}\")", wanted)));
  if (letter == 'U' || letter == 'S')
    throw UsageError(
        fmt::format("{}: the array holds texts ('{}'); expected numbers", name, shown),
        save(cast("array")) +
            " where they are numbers; give each name a number first where they are not");
  throw UsageError(
      fmt::format(
          "{}: the values are of type '{}'; read are bool, int8 to int64, uint8 to uint64, float16 "
          "to float64",
          name, shown),
      save(cast("array")));
}

/// Brings the bytes of each value into this machine's order.
void reverse_bytes(at::Tensor& values) {
  const auto width = static_cast<std::ptrdiff_t>(values.element_size());
  auto* byte = static_cast<char*>(values.data_ptr());
  for (std::int64_t i = 0; i < values.numel(); ++i, byte += width) std::reverse(byte, byte + width);
}

}  // namespace

bool is_npy(const std::filesystem::path& path) {
  // A folder or a pipe is no array; RegularFile() would refuse it with an error.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, magic.size()> first{};
  return RegularFile(path).read(first.data(), first.size()) == first.size() &&
         std::string_view(first.data(), first.size()) == magic;
}

at::Tensor parse_npy(std::string_view bytes, const std::string& name, const std::string& wanted) {
  const NpyHeader header = HeaderParser(take_header(bytes, name), name).parse();
  // An empty type becomes a blank, so that the code below may look at its first character.
  const std::string descr = header.descr->empty() ? " " : *header.descr;
  // The first character is the byte order: '<' little, '>' big, '|' none for one byte, '=' this
  // machine's.
  const bool ordered = std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  const auto* type = std::ranges::find(
      readable_types, ordered ? std::string_view(descr).substr(1) : "", &ReadableType::code);
  if (type == readable_types.end()) refuse_type(descr, name, wanted);
  const auto expected = bytes_of_shape(*header.shape, at::elementSize(type->stored));
  if (!expected || *expected != bytes.size())
    throw UsageError(
        fmt::format("{}: there are {} bytes of values; the shape asks for {}", name, bytes.size(),
                    expected ? std::to_string(*expected) : "more than a file can hold"),
        "copy the file again: it is cut short or overwritten");
  // In Fortran order the first index runs fastest: the file holds the transpose, row by row.
  auto shape = *header.shape;
  if (*header.fortran) std::ranges::reverse(shape);
  // Truth values are read as bytes, because a bool that is neither 0 nor 1 is undefined behaviour.
  // uint64 is read as int64, in which values from 2^63 on are negative.
  const bool flags = type->code == "b1";
  const bool signs = type->code == "u8";
  auto memory_type = type->stored;
  if (flags) memory_type = at::kByte;
  if (signs) memory_type = at::kLong;
  auto values = at::empty(shape, memory_type);
  if (!bytes.empty()) std::memcpy(values.data_ptr(), bytes.data(), bytes.size());
  // '>' is big endian; the machine is assumed to be little endian.
  if (descr.front() == '>') reverse_bytes(values);
  if (flags) values = values.ne(0);
  if (signs && values.lt(0).any().item<bool>())
    throw UsageError(name + ": the array holds uint64 numbers beyond 2^63, which int64 does not",
                     "save it as float64: array.astype(\"float64\")");
  values = values.to(type->given);
  if (*header.fortran) {
    // Reversing the dimensions restores the array's own order of indices.
    std::vector<std::int64_t> backwards(shape.size());
    std::iota(backwards.rbegin(), backwards.rend(), 0);
    values = values.permute(backwards).contiguous();
  }
  return values;
}

at::Tensor read_npy(const std::filesystem::path& path, const std::string& wanted) {
  return parse_npy(read_file(path), path.string(), wanted);
}

std::string encode_npy(const at::Tensor& tensor) {
  const auto* type = std::ranges::find(written_types, tensor.scalar_type(), &NpyType::scalar);
  if (type == written_types.end())
    throw UsageError(fmt::format("a tensor of type {} is not written as .npy",
                                 at::toString(tensor.scalar_type())),
                     "convert it to float32, float64, int64 or uint8 first");
  std::string shape;
  for (const auto size : tensor.sizes())
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size);
  // Python writes a tuple of one element with a comma.
  if (tensor.dim() == 1) shape += ",";
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type->descr, shape);
  // NumPy aligns the values to 64 bytes, and ends the header with a line feed.
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::string bytes(magic);
  // Version 1.0, and the length of the header as two bytes, little endian.
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF),
            static_cast<char>(header.size() >> 8)};
  bytes += header;
  const auto values = tensor.to(at::kCPU).contiguous();
  return bytes.append(static_cast<const char*>(values.data_ptr()), values.nbytes());
}

void write_npy(const std::filesystem::path& path, const at::Tensor& tensor) {
  write_file(path, encode_npy(tensor));
}

}  // namespace reprise::datasets
