#include "training/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/utils.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/error.h"
#include "core/exact_json.h"
#include "core/sha256.h"
#include "weights/safetensors.h"

namespace reprise::training {

std::string weights_text(const weights::StateDict& state) {
  std::string text;
  for (const auto& [name, tensor] : state) {
    // The hash is over the values in row-major order, on any device.
    const at::Tensor values = tensor.detach().cpu().contiguous();
    text +=
        fmt::format("{} {} [{}] {}\n", name, weights::type_name(values.scalar_type()),
                    fmt::join(values.sizes(), ", "),
                    sha256({static_cast<const char*>(values.const_data_ptr()), values.nbytes()}));
  }
  return text;
}

[[noreturn]] void refuse_checkpoint(const std::filesystem::path& path, const std::string& what) {
  throw UsageError(path.string() + " is not a complete checkpoint: " + what,
                   "remove the file; training then starts from the beginning");
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  weights::write_safetensors(
      path, checkpoint.tensors,
      {{"identity", checkpoint.identity}, {"report", exact_json_text(checkpoint.report)}});
}

std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path,
                                          const std::string& identity) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    auto file = weights::read_safetensors(path);
    // Another identity is no error: options changed since, and the run starts over.
    if (file.metadata.at("identity") != identity) return std::nullopt;
    return Checkpoint{identity, std::move(file.tensors),
                      parse_exact_json(file.metadata.at("report"), "its report", "")};
  } catch (const Error& error) {
    refuse_checkpoint(path, error.problem());
  } catch (const std::exception&) {  // a missing key, or JSON of another shape
    refuse_checkpoint(path, "it lacks the identity or the report of a run");
  }
}

void restore(const weights::StateDict& from, std::string_view prefix,
             const weights::StateDict& into, const std::filesystem::path& path) {
  const torch::NoGradGuard no_grad;
  const std::unordered_map<std::string, at::Tensor> stored(from.begin(), from.end());
  for (const auto& [name, tensor] : into) {
    const auto found = stored.find(std::string(prefix) + name);
    if (found == stored.end() || found->second.sizes() != tensor.sizes())
      refuse_checkpoint(
          path, "tensor " + std::string(prefix) + name + " is missing or has another shape");
    // Into the existing tensors, which optimisers and networks refer to.
    tensor.copy_(found->second);
  }
}

}  // namespace reprise::training
