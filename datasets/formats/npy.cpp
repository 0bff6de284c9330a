#include "datasets/formats/npy.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/files.h"

namespace reprise::datasets {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

struct NpyType {
  std::string_view descr;
  at::ScalarType scalar;
};
constexpr std::array<NpyType, 4> npy_types = {{{"<f4", at::kFloat}, {"<f8", at::kDouble}, {"<i8", at::kLong}, {"|u1", at::kByte}}};

struct NpyHeader {
  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<std::int64_t>> shape;
};

/// The dictionary literal, as NumPy writes it: string keys; a string, a boolean or a tuple of integers as value.
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
        header.descr = string();
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
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
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
    throw UsageError(fmt::format("{}: the .npy header is not as NumPy writes it (character {}): {}", name_, at_, text_.substr(0, 120)),
                     "write the file again with numpy.save");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

/// Bytes that the shape asks for, or nothing when these, or a stride of it, leave 63 bits: a size of 0 hides no other from strides.
std::optional<std::uint64_t> bytes_of_shape(const std::vector<std::int64_t>& shape, std::size_t element) {
  auto extent = static_cast<std::int64_t>(element);
  bool empty = false;
  for (const auto size : shape) {
    empty |= size == 0;
    if (__builtin_mul_overflow(extent, std::max<std::int64_t>(size, 1), &extent)) return std::nullopt;
  }
  return empty ? 0 : static_cast<std::uint64_t>(extent);
}

/// Splits off the header's text; what is left of `bytes` is the data.
std::string_view take_header(std::string_view& bytes, const std::string& name) {
  if (!bytes.starts_with(magic) || bytes.size() < 10) throw UsageError(name + ": not a .npy file", "write the file with numpy.save");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version != 1 && version != 2)
    throw UsageError(fmt::format("{}: .npy version {}; versions 1 and 2 are read", name, version), "write the file again with numpy.save");
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t size = 0;
  for (std::size_t i = begin; i-- > 8;) size = size << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  if (bytes.size() < begin || bytes.size() - begin < size)
    throw UsageError(name + ": the .npy file ends inside its header", "copy the file again: it is cut short");
  const auto header = bytes.substr(begin, size);
  bytes.remove_prefix(begin + size);
  return header;
}

}  // namespace

at::Tensor parse_npy(std::string_view bytes, const std::string& name) {
  const NpyHeader header = HeaderParser(take_header(bytes, name), name).parse();
  const auto* type = std::find_if(npy_types.begin(), npy_types.end(), [&](const NpyType& t) { return t.descr == *header.descr; });
  if (type == npy_types.end())
    throw UsageError(fmt::format("{}: the values are of type '{}'; read are <f4, <f8, <i8 and |u1", name, *header.descr),
                     "convert the array first, for example with .astype('<f4')");
  if (*header.fortran && header.shape->size() > 1)
    throw UsageError(name + ": the array is in Fortran order; expected C order", "save numpy.ascontiguousarray(array)");
  const auto expected = bytes_of_shape(*header.shape, at::elementSize(type->scalar));
  if (!expected || *expected != bytes.size())
    throw UsageError(fmt::format("{}: there are {} bytes of values; the shape asks for {}", name, bytes.size(),
                                 expected ? std::to_string(*expected) : "more than a file can hold"),
                     "copy the file again: it is cut short or overwritten");
  auto tensor = at::empty(*header.shape, type->scalar);
  if (!bytes.empty()) std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

at::Tensor read_npy(const std::filesystem::path& path) { return parse_npy(read_file(path), path.string()); }

std::string npy_bytes(const at::Tensor& tensor) {
  const auto* type = std::find_if(npy_types.begin(), npy_types.end(), [&](const NpyType& t) { return t.scalar == tensor.scalar_type(); });
  if (type == npy_types.end())
    throw UsageError(fmt::format("a tensor of type {} is not written as .npy", at::toString(tensor.scalar_type())),
                     "convert it to float32, float64, int64 or uint8 first");
  std::string shape;
  for (const auto size : tensor.sizes()) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size);
  if (tensor.dim() == 1) shape += ",";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type->descr, shape);
  // NumPy aligns the values to 64 bytes, and ends the header with a line feed.
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::string bytes(magic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  bytes += header;
  const auto values = tensor.to(at::kCPU).contiguous();
  return bytes.append(static_cast<const char*>(values.data_ptr()), values.nbytes());
}

void write_npy(const std::filesystem::path& path, const at::Tensor& tensor) { write_file(path, npy_bytes(tensor)); }

}  // namespace reprise::datasets
