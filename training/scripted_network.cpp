#include "training/scripted_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/script.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "training/torch_script.h"

namespace reprise::training {
namespace {

std::string sizes_text(at::IntArrayRef shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// Returns the name of a parameter in the C++ module, which allows no dots.
std::string module_name(std::string name) {
  std::replace(name.begin(), name.end(), '.', '/');
  return name;
}

}  // namespace

struct ScriptedNetwork::Script {
  torch::jit::Module module;
};

ScriptedNetwork::ScriptedNetwork(const std::filesystem::path& file)
    : script_(std::make_unique<Script>(Script{read_script(file)})),
      name_(file.filename().string()) {
  // The tensors are the script's own, so an optimiser of this module trains the script.
  for (const auto& [name, tensor] : script_->module.named_parameters()) {
    // A frozen parameter is stored with the others, but not trained.
    if (tensor.requires_grad())
      register_parameter(module_name(name), tensor);
    else
      register_buffer(module_name(name), tensor);
  }
  for (const auto& [name, tensor] : script_->module.named_buffers())
    register_buffer(module_name(name), tensor);
}

ScriptedNetwork::~ScriptedNetwork() = default;

torch::Tensor ScriptedNetwork::forward(const torch::Tensor& x) {
  return call_script(script_->module, {x}, name_);
}

std::vector<torch::Tensor> ScriptedNetwork::untrained_parameters() const {
  std::vector<torch::Tensor> parameters;
  for (const auto& parameter : named_parameters())
    if (!pretrained_.contains(parameter.key())) parameters.push_back(parameter.value());
  return parameters;
}

void ScriptedNetwork::train(bool on) {
  SequenceNetwork::train(on);
  script_->module.train(on);
}

std::size_t ScriptedNetwork::load_pretrained(const weights::StateDict& trained) {
  const torch::NoGradGuard no_gradient;
  for (const auto& [name, values] : trained) {
    for (const auto& [own, tensor] : script_->module.named_parameters()) {
      if (own != name) continue;
      if (tensor.sizes() != values.sizes())
        throw UsageError(
            fmt::format("{}: {} is {}, and the trained layer's is {}", name_, name,
                        sizes_text(tensor.sizes()), sizes_text(values.sizes())),
            "give the layer that shape, or another name: it then starts from the weights of the "
            "file");
      tensor.copy_(values);
      pretrained_.insert(module_name(name));
    }
  }
  return pretrained_.size();
}

std::vector<std::string> ScriptedNetwork::find_layers(const torch::Tensor& weight,
                                                      const torch::Tensor& bias) const {
  // Sorted by name, so that the layers have one order.
  std::map<std::string, torch::Tensor> parameters;
  for (const auto& [name, tensor] : script_->module.named_parameters()) parameters[name] = tensor;
  const std::string suffix = ".weight";
  std::vector<std::string> layers;
  for (const auto& [name, tensor] : parameters) {
    if (!name.ends_with(suffix) || tensor.sizes() != weight.sizes()) continue;
    const auto layer = name.substr(0, name.size() - suffix.size());
    const auto its_bias = parameters.find(layer + ".bias");
    if (its_bias != parameters.end() && its_bias->second.sizes() == bias.sizes())
      layers.push_back(layer);
  }
  return layers;
}

bool ScriptedNetwork::has_parameter(const std::string& parameter) const {
  for (const auto& [name, tensor] : script_->module.named_parameters())
    if (name == parameter) return true;
  return false;
}

void ScriptedNetwork::check_shapes(const std::vector<std::int64_t>& input,
                                   const std::vector<std::int64_t>& output) {
  const torch::NoGradGuard no_gradient;
  eval();
  const std::string contract =
      fmt::format("forward must map features {} to {}", sizes_text(input), sizes_text(output));
  torch::Tensor y;
  try {
    // Zeros suffice: only shape and type of the result are checked.
    y = forward(torch::zeros(input));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw UsageError(
        fmt::format("{}: forward fails on features of shape {}, expected outputs {}: {}", name_,
                    sizes_text(input), sizes_text(output), torchscript_reason(error)),
        contract);
  }
  if (y.sizes() != at::IntArrayRef(output) || y.scalar_type() != at::kFloat)
    throw UsageError(fmt::format("{}: forward maps features {} to {} {}, expected float {}", name_,
                                 sizes_text(input), c10::toString(y.scalar_type()),
                                 sizes_text(y.sizes()), sizes_text(output)),
                     contract);
}

}  // namespace reprise::training
