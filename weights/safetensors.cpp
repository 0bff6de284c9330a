#include "weights/safetensors.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"
#include "core/files.h"
#include "weights/mapped_file.h"
#include "weights/safetensors_header.h"

static_assert(std::endian::native == std::endian::little, "weights are stored little-endian and copied as they are");

namespace reprise::weights {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit

[[noreturn]] void refuse_safetensors(const std::string& where, const std::string& problem) {
  throw UsageError(where + ": " + problem, "the file is damaged or incomplete: fetch or write it again");
}

/// The bytes of the shape, when that is what the offsets say.
void check_size(const HeaderEntry& entry, std::uint64_t data_size, const std::string& where) {
  const std::string tensor = "tensor \"" + entry.name + "\"";
  // Strides are products of sizes too, and a zero among the sizes must not hide that the others overflow.
  std::int64_t extent = static_cast<std::int64_t>(c10::elementSize(entry.type));
  bool empty = false, overflow = false;
  for (const auto size : entry.shape) {
    empty |= size == 0;
    overflow |= __builtin_mul_overflow(extent, std::max<std::int64_t>(size, 1), &extent);
  }
  if (overflow) refuse_safetensors(where, tensor + " has a shape beyond 64 bits");
  const auto bytes = empty ? 0 : static_cast<std::uint64_t>(extent);
  if (entry.end > data_size)
    refuse_safetensors(
        where, tensor + " ends at byte " + std::to_string(entry.end) + " of the data, but the file has " + std::to_string(data_size));
  if (entry.end - entry.begin != bytes)
    refuse_safetensors(where, tensor + " needs " + std::to_string(bytes) + " bytes by its shape, but its offsets hold " +
                                  std::to_string(entry.end - entry.begin));
}

/// Tensors must follow each other from the first byte of the data to its last.
void check_tiling(const std::vector<HeaderEntry>& entries, std::uint64_t data_size, const std::string& where) {
  std::vector<const HeaderEntry*> by_offset;
  for (const auto& entry : entries) by_offset.push_back(&entry);
  std::ranges::sort(by_offset, [](auto* a, auto* b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
  std::uint64_t at = 0;
  for (const auto* entry : by_offset) {
    if (entry->begin < at) refuse_safetensors(where, "tensor \"" + entry->name + "\" overlaps another");
    if (entry->begin > at)
      refuse_safetensors(where, std::to_string(entry->begin - at) + " bytes before tensor \"" + entry->name + "\" belong to no tensor");
    at = entry->end;
  }
  if (at != data_size) refuse_safetensors(where, std::to_string(data_size - at) + " bytes at the end belong to no tensor");
}

at::Tensor copy_out(const HeaderEntry& entry, std::string_view data) {
  const auto bytes = data.substr(entry.begin, entry.end - entry.begin);
  at::Tensor tensor = at::empty(entry.shape, at::TensorOptions().dtype(entry.type));
  if (entry.type == at::kBool)  // a byte other than 0 and 1 is no bool to the compiler
    std::ranges::transform(bytes, static_cast<bool*>(tensor.data_ptr()), [](char byte) { return byte != 0; });
  else if (!bytes.empty())
    std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

}  // namespace

Safetensors parse_safetensors(std::string_view bytes, const std::string& where) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) refuse_safetensors(where, "is shorter than the 8 bytes that open a safetensors file");
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes.remove_prefix(sizeof length);
  if (length > bytes.size() || length > longest_header)
    refuse_safetensors(
        where, "has a header of " + std::to_string(length) + " bytes by its first 8, but only " + std::to_string(bytes.size()) + " follow");
  const auto header = parse_header(bytes.substr(0, length), where);
  const auto data = bytes.substr(length);
  for (const auto& entry : header.entries) check_size(entry, data.size(), where);
  check_tiling(header.entries, data.size(), where);
  Safetensors file{.tensors = {}, .metadata = header.metadata};
  for (const auto& entry : header.entries) file.tensors.emplace_back(entry.name, copy_out(entry, data));
  return file;
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_safetensors(file.bytes(), path.string());
}

std::string safetensors_bytes(const StateDict& tensors, const Metadata& metadata) {
  const std::string fix = "give every tensor a name of its own and one of the ten types";
  std::unordered_set<std::string> names{"__metadata__"};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    if (!names.insert(name).second) throw Error("safetensors: the name \"" + name + "\" is taken", fix);
    if (!tensor.defined()) throw Error("safetensors: tensor \"" + name + "\" is undefined", fix);
    order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return tensors[i].second.element_size(); });

  std::vector<std::uint64_t> begin(tensors.size());
  std::uint64_t size = 0;
  for (const auto i : order) {
    begin[i] = size;
    size += tensors[i].second.nbytes();
  }
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    header[name] = {{"dtype", type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {begin[i], begin[i] + tensor.nbytes()}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error("safetensors: a name or a metadata text is not UTF-8", fix);
  }
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

void write_safetensors(const std::filesystem::path& path, const StateDict& tensors, const Metadata& metadata) {
  write_file(path, safetensors_bytes(tensors, metadata));
}

}  // namespace reprise::weights
