// NumPy's .npy files, versions 1.0 to 3.0: magic "\x93NUMPY", version, header length, a Python
// dictionary literal with descr, fortran_order and shape, then the values. Read are all numbers and
// truth values of up to 64 bits, of both byte orders, in C and Fortran order. Written: version 1.0,
// float32 '<f4', float64 '<f8', int64 '<i8', uint8 '|u1', little-endian, C order.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::datasets {

/// Whether a file begins as .npy files do, whatever its name is; false where it cannot be read.
bool is_npy(const std::filesystem::path& path);

/// The array in C order. Types that torch computes with stay what they are. Others become the
/// narrowest that holds them: float16 float32, uint16 int32, uint32 and uint64 int64. `wanted` is
/// the NumPy type that the caller takes: the fix of an array of no such type names it. UsageError:
/// not such a file, another version or type (complex numbers, texts, objects, records; what was
/// found is named), a uint64 beyond int64, or a size that does not fit its shape. A hostile header
/// allocates nothing beyond a few times the file's own size.
at::Tensor read_npy(const std::filesystem::path& path, const std::string& wanted = "float32");
at::Tensor parse_npy(std::string_view bytes, const std::string& name,
                     const std::string& wanted = "float32");

/// Version 1.0. UsageError: another type.
void write_npy(const std::filesystem::path& path, const at::Tensor& tensor);
std::string npy_bytes(const at::Tensor& tensor);

}  // namespace reprise::datasets
