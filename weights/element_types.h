// Element types of weights, with their names in the file formats.
#pragma once
#include <c10/core/ScalarType.h>

#include <span>
#include <string>
#include <string_view>

namespace reprise::weights {

/// Names of a type; empty where a format does not support it.
struct ElementType {
  at::ScalarType type;
  std::string_view safetensors;  ///< "F32"
  std::string_view storage;      ///< class of torch for storages of this type: "FloatStorage"
  /// Attribute of torch, "uint16", for types without a storage class. PyTorch writes their raw
  /// bytes.
  std::string_view dtype;
};

/// All supported types.
std::span<const ElementType> element_types();

/// Names of the types of safetensors files: "F64 F32 ...".
std::string type_names();

}  // namespace reprise::weights
