// MATLAB's .mat files, level 5 (written by MATLAB since version 5 and by SciPy's savemat).
//
// A file has a header of 128 bytes, then elements: a type, a number of bytes, and data. An element
// of type 15 contains another element, compressed by zlib. Real numeric arrays are read. Texts,
// structures, cells, sparse and complex arrays are skipped. Files of version 7.3 are HDF5 and are
// refused by name.
//
// Source: MathWorks, MAT-file format (R2014a).
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::datasets {

/// Named arrays in the order of the file. An array [d_1, ..., d_k] is a tensor view of that shape
/// with column-major strides, as in MATLAB. Types: uint8, int8, int16, int32, int64, float32,
/// float64. uint16 becomes int32; uint32 becomes int64.
using MatArrays = std::vector<std::pair<std::string, at::Tensor>>;

/// Reads all arrays. UsageError, with the file, array and observation: the file is no .mat of level
/// 5, or is of version 7.3. UsageError: it is damaged (an element exceeds its parent, values and
/// sizes disagree, zlib fails); an array has more than 2 GiB of values. A hostile header allocates
/// at most 64 times the file and 16 MiB.
MatArrays read_mat(const std::filesystem::path& path);
MatArrays parse_mat(std::string_view bytes, const std::string& name);

/// Returns the array of this name. `where` names the file. UsageError: the array does not exist
/// (those that exist are listed).
const at::Tensor& find_array(const MatArrays& arrays, std::string_view name,
                             const std::string& where);

}  // namespace reprise::datasets
