#include "training/trained_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/json.h"
#include "core/printable.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::training {

TrainedFile::TrainedFile(const std::filesystem::path& path, const std::string& format,
                         const std::string& what, std::string fix)
    : where_(path.string()), fix_(std::move(fix)) {
  auto file = weights::read_safetensors(path);
  const auto found = file.metadata.find("format");
  if (found == file.metadata.end() || found->second != format)
    refuse(fmt::format("not {}: its format is {}, expected \"{}\"", what,
                       found == file.metadata.end()
                           ? "not given"
                           : "\"" + reprise::printable(found->second) + "\"",
                       format));
  // The file format calls the description of a network "facts".
  const auto metadata = file.metadata.find("facts");
  if (metadata == file.metadata.end()) refuse("its metadata has no \"facts\"");
  metadata_ = parse_json(metadata->second, where_ + ", metadata \"facts\"", fix_);
  tensors_ = std::move(file.tensors);
}

void TrainedFile::refuse(const std::string& problem) const {
  throw UsageError(where_ + ": " + problem, fix_);
}

void TrainedFile::refuse_metadata(const nlohmann::json::exception& error) const {
  // "[json.exception.type_error.302] type must be string, but is number": the reader wants what
  // follows the bracket.
  const std::string_view what(error.what());
  refuse(fmt::format("its description of the network cannot be read: {}",
                     what.substr(what.find("] ") + 2)));
}

void TrainedFile::check_range(const std::string& field, std::int64_t value, std::int64_t low,
                              std::int64_t high) const {
  if (value < low || value > high)
    refuse(fmt::format("{} is {}, expected {} to {}", field, value, low, high));
}

void TrainedFile::check_tensor(const std::string& tensor,
                               const std::vector<std::int64_t>& shape) const {
  const auto found = std::ranges::find(
      tensors_, tensor, [](const auto& named) -> const std::string& { return named.first; });
  if (found == tensors_.end())
    refuse(fmt::format("its metadata require a tensor {}, which is missing", tensor));
  if (found->second.sizes() != at::IntArrayRef(shape))
    refuse(fmt::format("its metadata require {} of shape [{}], and its shape is [{}]", tensor,
                       fmt::join(shape, ", "), fmt::join(found->second.sizes(), ", ")));
}

void TrainedFile::check_printable(const std::string& field, const std::string& text) const {
  if (has_control_character(text))
    refuse(
        fmt::format("the {} '{}' contains a control character", field, reprise::printable(text)));
}

void TrainedFile::load(torch::nn::Module& network, const std::string& prefix,
                       at::Device device) const {
  weights::StateDict part;
  // A file can hold several networks, each under its prefix.
  for (const auto& [name, tensor] : tensors_)
    if (name.starts_with(prefix)) part.emplace_back(name.substr(prefix.size()), tensor);
  load_state(network, part, where_);
  network.eval();
  network.to(device);
  for (auto& parameter : network.parameters()) {
    if (!at::isfinite(parameter).all().item<bool>())
      refuse("its weights contain values that are not finite");
    // A loaded network is used, not trained.
    parameter.requires_grad_(false);
  }
}

void write_trained_file(
    const std::filesystem::path& path, const std::string& format, const nlohmann::json& metadata,
    const std::vector<std::pair<std::string, const torch::nn::Module*>>& networks) {
  weights::StateDict state;
  for (const auto& [prefix, network] : networks)
    for (const auto& [name, tensor] : module_state(*network))
      state.emplace_back(prefix + name, tensor.detach().cpu());
  weights::write_safetensors(path, state, {{"format", format}, {"facts", json_text(metadata)}});
}

}  // namespace reprise::training
