// The safetensors format, which this project writes.
//
//   8 bytes    n, the length of the header, little-endian
//   n bytes    JSON header: for each tensor
//                  "NAME": {"dtype": "F32", "shape": [4, 3], "data_offsets": [begin, end]}
//              and optionally "__metadata__": {"key": "text"}
//   the rest   the tensors, row-major, little-endian, without gaps or overlaps; offsets start here
//
// Types: F64 F32 F16 BF16 I64 I32 I16 I8 U64 U32 U16 U8 BOOL C64, and of 8 bits F8_E4M3 F8_E5M2
// F8_E8M0 and the FNUZ types. Types of 4 and 6 bits are refused by name.
// Source: the description of the format, https://github.com/huggingface/safetensors.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "weights/state_dict.h"

namespace reprise::weights {

using Metadata = std::map<std::string, std::string>;

struct Safetensors {
  StateDict tensors;  ///< in the order of the header
  Metadata metadata;
};

/// Whether a file starts like safetensors. The format has no magic number, but no other format of
/// weights has a brace after 8 bytes.
inline bool is_safetensors(std::string_view bytes) { return bytes.size() > 8 && bytes[8] == '{'; }

/// Reads a file. UsageError (names the tensor):
///   - a header longer than the file or than 100 MB, or other JSON than above;
///   - an unknown type, or a shape whose size differs from that of the offsets;
///   - offsets beyond the file, overlapping, or with gaps.
Safetensors read_safetensors(const std::filesystem::path& path);
Safetensors parse_safetensors(std::string_view bytes, const std::string& where,
                              const Release& release = {});

/// Bytes of a file. The same tensors in the same order give the same bytes. The header keeps the
/// given order. The data is sorted by element size, largest first, which aligns every tensor.
/// Error: a name given twice; an undefined tensor; an unsupported type; a name or metadata that are
/// not UTF-8. `where` names the file in messages.
std::string safetensors_bytes(const StateDict& tensors, const Metadata& metadata = {},
                              const std::string& where = "safetensors");

/// Writes the file atomically.
void write_safetensors(const std::filesystem::path& path, const StateDict& tensors,
                       const Metadata& metadata = {});

}  // namespace reprise::weights
