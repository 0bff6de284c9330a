// The types of elements that weights have, under their names in the formats.
#pragma once
#include <c10/core/ScalarType.h>

#include <span>
#include <string>
#include <string_view>

namespace reprise::weights {

/// A name that a format does not have is empty.
struct ElementType {
  at::ScalarType type;
  std::string_view safetensors;  ///< "F32"
  std::string_view storage;  ///< class of torch whose objects hold such elements: "FloatStorage"
  std::string_view
      dtype;  ///< attribute of torch, where PyTorch writes raw bytes and this beside them: "uint16"
};

/// All that are read and written.
std::span<const ElementType> element_types();

/// "F64 F32 ...": those of safetensors files.
std::string type_names();

}  // namespace reprise::weights
