// Reads and writes the safetensors format.
//
//   8 bytes    n, the length of the header, little-endian
//   n bytes    JSON header: for each tensor
//                  "NAME": {"dtype": "F32", "shape": [4, 3], "data_offsets": [begin, end]}
//              and optionally "__metadata__": {"key": "text"}
//   the rest   data of the tensors, row-major, little-endian, without gaps or overlaps.
//              Offset 0 is the first byte of this part.
//
// Supported types: F64 F32 F16 BF16 I64 I32 I16 I8 U64 U32 U16 U8 BOOL C64, and the 8-bit types
// F8_E4M3 F8_E5M2 F8_E8M0 and their FNUZ variants. For a type of 4 or 6 bits, the error names it.
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

/// Returns whether the bytes look like a safetensors file. The format has no magic number. Byte 8
/// is the opening brace of the header, which no other supported format has there.
inline bool is_safetensors(std::string_view bytes) { return bytes.size() > 8 && bytes[8] == '{'; }

/// Reads a file. UsageError, with the name of the tensor:
///   - a header longer than the file or than 100 MB, or not the JSON described above;
///   - an unknown type, or a shape that needs more or fewer bytes than its offsets give;
///   - offsets beyond the file, overlapping, or with gaps.
Safetensors read_safetensors(const std::filesystem::path& path);
Safetensors parse_safetensors(std::string_view bytes, const std::string& where,
                              const Release& release = {});

/// Returns the bytes of a file, which depend only on the tensors, their order and the metadata. The
/// header keeps the given order. The data is sorted by element size, largest first, so that every
/// tensor is aligned. Error: two equal names; an undefined tensor; an unsupported type; a name or
/// metadata that is not UTF-8. `where` is the file's name in errors.
std::string safetensors_bytes(const StateDict& tensors, const Metadata& metadata = {},
                              const std::string& where = "safetensors");

/// Writes the file atomically.
void write_safetensors(const std::filesystem::path& path, const StateDict& tensors,
                       const Metadata& metadata = {});

}  // namespace reprise::weights
