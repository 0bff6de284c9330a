// IDX files, the format of MNIST: two zero bytes, the type, the number of dimensions d, d sizes,
// then the row-major values. Sizes are of 4 bytes, and all numbers big-endian. Types: 0x08 uint8,
// 0x09 int8, 0x0B int16, 0x0C int32, 0x0D float32, 0x0E float64.
//
// A file may be compressed (core/compression.h), which its first bytes tell, not its name. A file
// has at most 1 GiB of values.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::datasets {

/// UsageError: not such a file, an unknown type, no or more than 8 dimensions, values that are
/// fewer or more than the sizes ask for (what was found is named); a compressed file that is cut
/// short or damaged. A hostile header allocates nothing beyond what the file holds.
at::Tensor read_idx(const std::filesystem::path& path);
at::Tensor parse_idx(std::string_view bytes, const std::string& name);

}  // namespace reprise::datasets
