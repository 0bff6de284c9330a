#include "weights/state_dict.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "weights/element_types.h"
#include "weights/file_buffer.h"
#include "weights/pytorch_file.h"
#include "weights/safetensors.h"
#include "weights/skipped.h"

namespace reprise::weights {

StateDict read_weights(const std::filesystem::path& path) {
  std::vector<Skipped> skipped;
  return read_weights(path, skipped);
}

StateDict read_weights(const std::filesystem::path& path, std::vector<Skipped>& skipped) {
  const FileBuffer file(path);
  const auto bytes = file.bytes();
  const std::string where = path.string();
  // Copied parts are released at once. Reading then needs the memory of the weights, not twice
  // that.
  const auto release = [&file](std::string_view part) { file.release(part); };
  if (is_zip(bytes)) return parse_zip(bytes, where, release, &skipped);
  if (is_stream(bytes)) return parse_stream(bytes, where, release, &skipped);
  if (is_safetensors(bytes)) return parse_safetensors(bytes, where, release).tensors;
  throw UsageError(
      where +
          ": is not a file of weights: its first bytes are those of neither safetensors nor "
          "torch.save",
      bytes.empty() ? "the file is empty: fetch it again"
                    : "name a .safetensors, .pth or .pt file, or fetch it again if it is damaged");
}

std::span<const ElementType> element_types() {
  // PyTorch type, safetensors name, storage class of torch, and dtype of torch without a class.
  static constexpr std::array types{
      ElementType{at::kDouble, "F64", "DoubleStorage", ""},
      ElementType{at::kFloat, "F32", "FloatStorage", ""},
      ElementType{at::kHalf, "F16", "HalfStorage", ""},
      ElementType{at::kBFloat16, "BF16", "BFloat16Storage", ""},
      ElementType{at::kLong, "I64", "LongStorage", ""},
      ElementType{at::kInt, "I32", "IntStorage", ""},
      ElementType{at::kShort, "I16", "ShortStorage", ""},
      ElementType{at::kChar, "I8", "CharStorage", ""},
      ElementType{at::kByte, "U8", "ByteStorage", ""},
      ElementType{at::kBool, "BOOL", "BoolStorage", ""},
      ElementType{at::kComplexFloat, "C64", "ComplexFloatStorage", ""},
      ElementType{at::kComplexDouble, "", "ComplexDoubleStorage", ""},
      ElementType{at::kUInt16, "U16", "", "uint16"},
      ElementType{at::kUInt32, "U32", "", "uint32"},
      ElementType{at::kUInt64, "U64", "", "uint64"},
      ElementType{at::kFloat8_e4m3fn, "F8_E4M3", "", "float8_e4m3fn"},
      ElementType{at::kFloat8_e5m2, "F8_E5M2", "", "float8_e5m2"},
      ElementType{at::kFloat8_e8m0fnu, "F8_E8M0", "", "float8_e8m0fnu"},
      ElementType{at::kFloat8_e4m3fnuz, "F8_E4M3FNUZ", "", "float8_e4m3fnuz"},
      ElementType{at::kFloat8_e5m2fnuz, "F8_E5M2FNUZ", "", "float8_e5m2fnuz"},
  };
  return types;
}

std::string type_name(at::ScalarType type) {
  const auto found = std::ranges::find(element_types(), type, &ElementType::type);
  if (found == element_types().end())
    throw Error(std::string("tensors of type ") + c10::toString(type) + " are not weights",
                "convert the tensor to one of " + type_names());
  // The only listed type that safetensors files lack.
  return found->safetensors.empty() ? "C128" : std::string(found->safetensors);
}

std::string type_names() {
  std::string names;
  for (const auto& type : element_types())
    if (!type.safetensors.empty())
      names += (names.empty() ? "" : " ") + std::string(type.safetensors);
  return names;
}

}  // namespace reprise::weights
