#include "training/module_state.h"

#include <torch/utils.h>

#include <unordered_map>

#include "core/error.h"
#include "core/printable.h"
#include "core/text.h"
#include "weights/safetensors.h"

namespace reprise::training {
namespace {

void append_state(const torch::nn::Module& module, const std::string& prefix,
                  weights::StateDict& state) {
  // Own tensors first, then those of the children: the order of PyTorch's state_dict().
  for (const auto& parameter : module.named_parameters(/*recurse=*/false))
    if (parameter.value().defined())
      state.emplace_back(prefix + parameter.key(), parameter.value());
  for (const auto& buffer : module.named_buffers(/*recurse=*/false))
    if (buffer.value().defined()) state.emplace_back(prefix + buffer.key(), buffer.value());
  for (const auto& child : module.named_children())
    append_state(*child.value(), prefix + child.key() + ".", state);
}

}  // namespace

weights::StateDict module_state(const torch::nn::Module& network) {
  weights::StateDict state;
  append_state(network, "", state);
  return state;
}

void load_state(torch::nn::Module& network, const weights::StateDict& state,
                const std::string& where) {
  // Collects all problems before anything is copied: one message names them all, and a network that
  // does not fit stays unchanged.
  std::unordered_map<std::string, at::Tensor> given(state.begin(), state.end());
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;
  std::vector<std::string> missing, extra, shapes;
  const auto own = module_state(network);
  for (const auto& [name, tensor] : own) {
    const auto found = given.find(name);
    if (found == given.end()) {
      missing.push_back(printable(name));
    } else {
      if (found->second.sizes() != tensor.sizes())
        shapes.push_back(printable(name) + " is " + shape_text(found->second.sizes()) +
                         " there and " + shape_text(tensor.sizes()) + " in the network");
      // A copy would drop the imaginary part silently.
      if (found->second.is_complex() && !tensor.is_complex())
        shapes.push_back(printable(name) + " is complex there, and real in the network");
      copies.emplace_back(tensor, found->second);
    }
  }
  std::unordered_map<std::string, at::Tensor> known(own.begin(), own.end());
  for (const auto& [name, tensor] : state)
    if (!known.contains(name)) extra.push_back(printable(name));

  std::vector<std::string> problems;
  if (!missing.empty()) problems.push_back("missing: " + first_few(missing));
  if (!extra.empty()) problems.push_back("not in the network: " + first_few(extra));
  if (!shapes.empty()) problems.push_back("other shapes: " + first_few(shapes));
  if (!problems.empty())
    throw UsageError(
        where + ": these weights do not fit the network; " + join(problems, "; "),
        "use the weights of a network of the same design and size (`reprise weights show FILE` "
        "lists the content of a file)");
  const torch::NoGradGuard no_grad;
  for (auto& [to, from] : copies) to.copy_(from);
}

void save_weights(const torch::nn::Module& network, const std::filesystem::path& path) {
  weights::write_safetensors(path, module_state(network));
}

void load_weights(torch::nn::Module& network, const std::filesystem::path& path) {
  load_state(network, weights::read_weights(path), path.string());
}

}  // namespace reprise::training
