// Trained weights as a list of named tensors, and the only function that reads them from a file.
//
// Names and order are those of PyTorch's state_dict. The content of a file, not its name,
// determines its format:
//
//   - safetensors: 8-byte length, JSON header, raw data (weights/safetensors.h).
//   - PyTorch, zip: torch.save since 1.6: NAME/data.pkl, NAME/data/KEY (weights/pytorch_file.h).
//   - PyTorch, stream: torch.save before 1.6: pickles, then raw storages (weights/pytorch_file.h).
//
// A file is data; nothing in it is ever run. Reading uses at most 16 times the size of the file
// plus 16 MiB of memory.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::weights {

/// Named tensors on the CPU, in order; names are unique. Tensors of a .pth file that shared memory
/// when they were saved can share it here.
using StateDict = std::vector<std::pair<std::string, at::Tensor>>;

/// Callback for the bytes of a file that have been copied and are not needed any more.
using Release = std::function<void(std::string_view part)>;

/// Reads a file of weights. Skips values other than tensors (weights/skipped.h lists them).
/// UsageError (names file and place):
///   - no such file, or none of the three formats;
///   - a damaged, truncated or hostile file;
///   - no tensor, or one of an unsupported type.
StateDict read_weights(const std::filesystem::path& path);

/// Name of a type in safetensors files, "F32" (list: weights/element_types.h). Complex numbers of
/// 128 bits, which the format lacks, are "C128". Error: an unsupported type.
std::string type_name(at::ScalarType type);

}  // namespace reprise::weights
