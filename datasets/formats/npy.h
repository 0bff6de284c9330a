// NumPy's .npy files, versions 1.0 and 2.0: magic "\x93NUMPY", version, header length, a Python dictionary literal with descr,
// fortran_order and shape, then the row-major values. Read and written: float32 '<f4', float64 '<f8', int64 '<i8', uint8 '|u1',
// little-endian, C order.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::datasets {

/// UsageError: not such a file, another version, type or order, or a size that does not fit its shape (what was found is named). A hostile
/// header allocates nothing beyond the file's own size.
at::Tensor read_npy(const std::filesystem::path& path);
at::Tensor parse_npy(std::string_view bytes, const std::string& name);

/// Version 1.0. UsageError: another type.
void write_npy(const std::filesystem::path& path, const at::Tensor& tensor);
std::string npy_bytes(const at::Tensor& tensor);

}  // namespace reprise::datasets
