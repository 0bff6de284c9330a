#include "weights/safetensors.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"
#include "core/files.h"
#include "core/printable.h"
#include "weights/file_buffer.h"
#include "weights/safetensors_header.h"

static_assert(std::endian::native == std::endian::little,
              "weights are stored little-endian and copied as they are");

namespace reprise::weights {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit

[[noreturn]] void refuse_safetensors(const std::string& where, const std::string& problem) {
  throw UsageError(where + ": " + printable(problem),
                   "the file is damaged or incomplete: fetch or write it again");
}

/// UsageError: the shape does not need exactly the bytes between the offsets.
void check_size(const HeaderEntry& entry, std::uint64_t data_size, const std::string& where) {
  const std::string tensor = "tensor \"" + entry.name + "\"";
  // A zero among the sizes must not hide an overflow of the others, since strides are products too.
  std::int64_t extent = static_cast<std::int64_t>(c10::elementSize(entry.type));
  bool empty = false;
  bool overflow = false;
  for (const auto size : entry.shape) {
    empty |= size == 0;
    overflow |= __builtin_mul_overflow(extent, std::max<std::int64_t>(size, 1), &extent);
  }
  if (overflow) refuse_safetensors(where, tensor + " has a shape beyond 64 bits");
  const auto bytes = empty ? 0 : static_cast<std::uint64_t>(extent);
  if (entry.end > data_size)
    refuse_safetensors(where, tensor + " ends at byte " + std::to_string(entry.end) +
                                  " of the data, but the file has " + std::to_string(data_size));
  if (entry.end - entry.begin != bytes)
    refuse_safetensors(where, tensor + " needs " + std::to_string(bytes) +
                                  " bytes by its shape, but its offsets hold " +
                                  std::to_string(entry.end - entry.begin));
}

/// UsageError: the tensors do not cover the data exactly, without gaps and overlaps.
void check_tiling(const std::vector<HeaderEntry>& entries, std::uint64_t data_size,
                  const std::string& where) {
  // In the order of the data, each tensor must begin where the last one ended.
  std::vector<const HeaderEntry*> by_offset;
  for (const auto& entry : entries) by_offset.push_back(&entry);
  std::ranges::sort(by_offset, [](auto* a, auto* b) {
    // An empty tensor comes before the one that begins at the same byte.
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::uint64_t at = 0;
  for (const auto* entry : by_offset) {
    if (entry->begin < at)
      refuse_safetensors(where, "tensor \"" + entry->name + "\" overlaps another");
    if (entry->begin > at)
      refuse_safetensors(where, std::to_string(entry->begin - at) + " bytes before tensor \"" +
                                    entry->name + "\" belong to no tensor");
    at = entry->end;
  }
  if (at != data_size)
    refuse_safetensors(where,
                       std::to_string(data_size - at) + " bytes at the end belong to no tensor");
}

/// Copies a tensor out of the data.
at::Tensor copy_tensor(const HeaderEntry& entry, std::string_view data) {
  const auto bytes = data.substr(entry.begin, entry.end - entry.begin);
  at::Tensor tensor = at::empty(entry.shape, at::TensorOptions().dtype(entry.type));
  if (entry.type == at::kBool)  // a byte other than 0 and 1 is not a valid bool in C++
    std::ranges::transform(bytes, static_cast<bool*>(tensor.data_ptr()),
                           [](char byte) { return byte != 0; });
  else if (!bytes.empty())
    std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

constexpr const char* advice =
    "give every tensor a unique name in UTF-8, and a type of safetensors files";

std::string json_text(const nlohmann::json& value, const std::string& where,
                      const std::string& what) {
  try {
    return value.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(where + ": " + printable(what) + " is not UTF-8", advice);
  }
}

/// Returns the text of the header. It is written entry by entry, because an ordered JSON object
/// would search all of its entries for every name.
std::string header_text(const StateDict& tensors, const std::vector<std::uint64_t>& begin,
                        const Metadata& metadata, const std::string& where) {
  std::string text = "{";
  if (!metadata.empty())
    text += "\"__metadata__\":" + json_text(metadata, where, "a metadata text");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    const nlohmann::ordered_json entry = {{"dtype", type_name(tensor.scalar_type())},
                                          {"shape", tensor.sizes().vec()},
                                          {"data_offsets", {begin[i], begin[i] + tensor.nbytes()}}};
    if (text.size() > 1) text += ',';
    text += json_text(name, where, "the name \"" + name + "\"") + ':' + entry.dump();
  }
  return text + '}';
}

}  // namespace

Safetensors parse_safetensors(std::string_view bytes, const std::string& where,
                              const Release& release) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length)
    refuse_safetensors(where, "is shorter than the 8 bytes that open a safetensors file");
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes.remove_prefix(sizeof length);
  if (length > bytes.size() || length > longest_header)
    refuse_safetensors(where, "has a header of " + std::to_string(length) +
                                  " bytes by its first 8, but only " +
                                  std::to_string(bytes.size()) + " follow");
  // All offsets are checked before any tensor is allocated.
  const auto header = parse_header(bytes.substr(0, length), where);
  const auto data = bytes.substr(length);
  for (const auto& entry : header.entries) check_size(entry, data.size(), where);
  check_tiling(header.entries, data.size(), where);
  Safetensors file{.tensors = {}, .metadata = header.metadata};
  for (const auto& entry : header.entries) {
    file.tensors.emplace_back(entry.name, copy_tensor(entry, data));
    // Copied bytes go back to the system, so that file and tensors need the memory of one.
    if (release) release(data.substr(entry.begin, entry.end - entry.begin));
  }
  return file;
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  const FileBuffer file(path);
  return parse_safetensors(file.bytes(), path.string(),
                           [&file](std::string_view part) { file.release(part); });
}

std::string safetensors_bytes(const StateDict& tensors, const Metadata& metadata,
                              const std::string& where) {
  // The format reserves this name.
  std::unordered_set<std::string> names{"__metadata__"};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    if (!names.insert(name).second)
      throw Error(where + ": the name \"" + printable(name) + "\" is given twice", advice);
    if (!tensor.defined())
      throw Error(where + ": tensor \"" + printable(name) + "\" is undefined", advice);
    if (type_name(tensor.scalar_type()) == "C128")
      throw UsageError(
          where + ": tensor \"" + printable(name) +
              "\" has complex numbers of 128 bits, which safetensors files do not support",
          "write a .pth, or make it complex64 in PyTorch first");
    order.push_back(i);
  }
  // Widest types first, which aligns every tensor to its type.
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return tensors[i].second.element_size(); });

  // Offsets follow that order; the header keeps the order of the state dictionary.
  std::vector<std::uint64_t> begin(tensors.size());
  std::uint64_t size = 0;
  for (const auto i : order) {
    begin[i] = size;
    size += tensors[i].second.nbytes();
  }
  auto text = header_text(tensors, begin, metadata, where);
  // The data starts at a multiple of 8 bytes.
  text.resize((text.size() + 7) / 8 * 8, ' ');

  const std::uint64_t length = text.size();
  std::string bytes(sizeof length, '\0');
  bytes.reserve(sizeof length + text.size() + size);
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += text;
  for (const auto i : order) {
    const at::Tensor tensor = tensors[i].second.detach().cpu().contiguous();
    bytes.append(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
  }
  return bytes;
}

void write_safetensors(const std::filesystem::path& path, const StateDict& tensors,
                       const Metadata& metadata) {
  write_file(path, safetensors_bytes(tensors, metadata, path.string()));
}

}  // namespace reprise::weights
