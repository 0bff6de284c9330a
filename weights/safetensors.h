// The safetensors format: what this project writes, and the simplest of what it reads.
//
//   8 bytes   n, the length of the header, little-endian
//   n bytes   JSON: {"NAME": {"dtype": "F32", "shape": [4, 3], "data_offsets": [begin, end]}, ..., "__metadata__": {"key": "text"}}
//   the rest  the tensors, row-major, little-endian; offsets count from here; they follow each other without gap or overlap
//
// Types: F64 F32 F16 BF16 I64 I32 I16 I8 U64 U32 U16 U8 BOOL C64 and those of 8 bits, F8_E4M3
// F8_E5M2 F8_E8M0 and the FNUZ ones. Those of 4 and 6 bits are refused by name. Source: the
// format's own description, https://github.com/huggingface/safetensors.
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

/// Whether a file begins as safetensors does. The format has no magic number, but no other kind of
/// weights has a brace after 8 bytes.
inline bool is_safetensors(std::string_view bytes) { return bytes.size() > 8 && bytes[8] == '{'; }

/// UsageError: header longer than the file or than 100 MB; JSON that is not as above; an unknown
/// type; a shape whose size is not that of its offsets; offsets beyond the file, overlapping, or
/// leaving bytes that belong to no tensor. The tensor is named.
Safetensors read_safetensors(const std::filesystem::path& path);
Safetensors parse_safetensors(std::string_view bytes, const std::string& where,
                              const Release& release = {});

/// The same tensors in the same order give the same bytes. The header keeps the order given; the
/// data lies by size of its type, widest first, so that every tensor is aligned to its own type.
/// Error: a name twice, an undefined tensor, a type that the format does not have, a name or
/// metadata that are not UTF-8. `where` names what is written.
std::string safetensors_bytes(const StateDict& tensors, const Metadata& metadata = {},
                              const std::string& where = "safetensors");

/// Written whole and renamed into place.
void write_safetensors(const std::filesystem::path& path, const StateDict& tensors,
                       const Metadata& metadata = {});

}  // namespace reprise::weights
