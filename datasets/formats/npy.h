// NumPy's .npy files, versions 1.0 to 3.0.
//
// A file has the magic "\x93NUMPY", the version, the length of the header, and a Python dictionary
// literal with descr, fortran_order and shape. The values follow. Numbers and booleans of up to 64
// bits are read, in both byte orders, in C and Fortran order. Files are written in version 1.0,
// little-endian and C order, as '<f4', '<f8', '<i8' or '|u1'.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::datasets {

/// Whether a file begins as .npy files do, whatever its name; false if it cannot be read.
bool is_npy(const std::filesystem::path& path);

/// Reads an array in C order. Types of torch are kept. Others become the narrowest type that
/// contains them: float16 becomes float32, uint16 int32, uint32 and uint64 int64. `wanted` is the
/// caller's NumPy type, named in the fix. UsageError: another format, version or type (named); a
/// uint64 exceeds int64; size and shape disagree. A hostile header allocates at most a few times
/// the file's size.
at::Tensor read_npy(const std::filesystem::path& path, const std::string& wanted = "float32");
at::Tensor parse_npy(std::string_view bytes, const std::string& name,
                     const std::string& wanted = "float32");

/// Writes an array in version 1.0. UsageError: the type is not supported.
void write_npy(const std::filesystem::path& path, const at::Tensor& tensor);
std::string encode_npy(const at::Tensor& tensor);

}  // namespace reprise::datasets
