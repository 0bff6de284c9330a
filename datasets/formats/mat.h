// MATLAB's .mat files, level 5 (what MATLAB writes since version 5, and SciPy's savemat): 128 bytes
// of header, then elements, each a type, a number of bytes and data. An element of type 15 is
// another element, compressed by zlib. Read are real arrays of numbers; texts, structures, cells,
// sparse and complex arrays are passed over. Files of version 7.3 are HDF5 and are refused by name.
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

/// In the order of the file. An array [d_1, ..., d_k] is a tensor of that shape whose memory is
/// column by column, as MATLAB's is: a view with its strides turned round. Types: uint8, int8,
/// int16, int32, int64, float32, float64; uint16 becomes int32, uint32 int64.
using MatArrays = std::vector<std::pair<std::string, at::Tensor>>;

/// UsageError: not such a file, of version 7.3, or damaged: an element that ends beyond the file or
/// its parent, values that are fewer or more than the sizes ask for, a stream of zlib that is cut
/// short or is not one (the file, the array and what was found are named); more than 2 GiB of
/// values in an array. A hostile header allocates nothing beyond 64 times the file and 16 MiB.
MatArrays read_mat(const std::filesystem::path& path);
MatArrays parse_mat(std::string_view bytes, const std::string& name);

/// UsageError: there is no such array (those that are there are listed); `where` names the file.
const at::Tensor& array_of(const MatArrays& arrays, std::string_view name,
                           const std::string& where);

}  // namespace reprise::datasets
