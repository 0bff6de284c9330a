// Trained weights as a list of named tensors, and the one way to read them from a file.
//
// Names and their order are those of PyTorch's state_dict. Three kinds of file are read, told apart
// by content and never by name:
//
//   safetensors           8-byte length, JSON header, raw data                          (weights/safetensors.h)
//   PyTorch, zip          what torch.save writes since 1.6: NAME/data.pkl, NAME/data/K   (weights/pytorch_file.h)
//   PyTorch, stream       what it wrote before: pickles, then raw storages               (weights/pytorch_file.h)
//
// A file is data: nothing in it is ever run. Memory is bounded by the size of the file: at most 16
// times as much plus 16 MiB.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::weights {

/// Ordered; every name once; tensors on the CPU. Tensors that shared memory when they were saved as
/// .pth may share it here.
using StateDict = std::vector<std::pair<std::string, at::Tensor>>;

/// Told which bytes of a file have been copied and are not looked at again.
using Release = std::function<void(std::string_view part)>;

/// UsageError: no such file; not one of the three kinds; damaged, truncated or hostile (file and
/// place named); a tensor of a type or kind that is not read (named); no tensor inside. Other
/// values beside the tensors are left out (weights/skipped.h lists them).
StateDict read_weights(const std::filesystem::path& path);

/// A type's safetensors name, "F32" (all: weights/element_types.h); "C128" of complex numbers that
/// the format does not have. Error: a type that is not read.
std::string type_name(at::ScalarType type);

}  // namespace reprise::weights
