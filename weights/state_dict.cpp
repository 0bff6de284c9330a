#include "weights/state_dict.h"

#include "core/error.h"
#include "weights/pytorch_file.h"
#include "weights/safetensors.h"
#include "weights/whole_file.h"

namespace reprise::weights {

StateDict read_weights(const std::filesystem::path& path) {
  const WholeFile file(path);
  const auto bytes = file.bytes();
  const std::string where = path.string();
  // What is copied out is let go at once, so that reading costs the size of the weights and not twice as much.
  const auto release = [&file](std::string_view part) { file.release(part); };
  if (is_zip(bytes)) return parse_zip(bytes, where, release);
  if (is_stream(bytes)) return parse_stream(bytes, where, release);
  // A safetensors file has no magic number; but its header is JSON, and no other kind has a brace there.
  if (bytes.size() > 8 && bytes[8] == '{') return parse_safetensors(bytes, where, release).tensors;
  throw UsageError(
      where + ": is not a file of weights: neither safetensors nor written by torch.save (nothing in its first bytes says so)",
      bytes.empty() ? "the file is empty: fetch it again" : "name a .safetensors, .pth or .pt file, or fetch it again when it is damaged");
}

std::string type_name(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return "F64";
    case at::kFloat:
      return "F32";
    case at::kHalf:
      return "F16";
    case at::kBFloat16:
      return "BF16";
    case at::kLong:
      return "I64";
    case at::kInt:
      return "I32";
    case at::kShort:
      return "I16";
    case at::kChar:
      return "I8";
    case at::kByte:
      return "U8";
    case at::kBool:
      return "BOOL";
    default:
      throw Error(std::string("tensors of type ") + c10::toString(type) + " are not weights",
                  "convert the tensor to one of F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL");
  }
}

}  // namespace reprise::weights
