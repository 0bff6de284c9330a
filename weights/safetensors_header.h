// JSON header of a safetensors file.
#pragma once
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weights/safetensors.h"

namespace reprise::weights {

struct HeaderEntry {
  std::string name = {};
  at::ScalarType type = at::ScalarType::Undefined;
  std::vector<std::int64_t> shape = {};
  std::uint64_t begin = 0, end = 0;
};

struct Header {
  std::vector<HeaderEntry> entries;  ///< in the order of the text; names are unique
  Metadata metadata;
};

/// Parses a header. Does not check the offsets against the data.
/// UsageError: other JSON than that of a safetensors header (names the entry, key or position).
Header parse_header(std::string_view json, const std::string& where);

}  // namespace reprise::weights
