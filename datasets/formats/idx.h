// IDX files, the format of MNIST: two zero bytes, the type, the number of dimensions d, d sizes,
// then the row-major values.
//
// Sizes have 4 bytes. All numbers are big-endian. Types: 0x08 uint8, 0x09 int8, 0x0B int16, 0x0C
// int32, 0x0D float32, 0x0E float64. Compression (core/compression.h) is recognised by the first
// bytes, not by the name. A file has at most 1 GiB of values.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::datasets {

/// Reads an array. UsageError, with the observation: the file is no IDX file; the type is unknown;
/// dimensions are none or more than 8. UsageError: values and sizes disagree; compressed data is
/// cut or damaged. A hostile header allocates nothing beyond the file's content.
at::Tensor read_idx(const std::filesystem::path& path);
at::Tensor parse_idx(std::string_view bytes, const std::string& name);

}  // namespace reprise::datasets
