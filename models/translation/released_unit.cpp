#include "models/translation/released_unit.h"

#include <torch/torch.h>

#include <cmath>
#include <numbers>
#include <set>

#include "training/module_state.h"
#include "weights/pytorch_file.h"

namespace reprise::models {
namespace {

/// True for statistics of instance norms, which the release stores and never uses.
bool of_batch_statistics(const std::string& name) {
  return name.ends_with(".running_mean") || name.ends_with(".running_var");
}

}  // namespace

void load_released_unit(torch::nn::Module& network, const std::filesystem::path& path) {
  std::set<std::string> own, given;
  const auto wanted = training::module_state(network);
  for (const auto& [name, tensor] : wanted) own.insert(name);
  weights::StateDict state;
  for (const auto& [name, tensor] : weights::read_weights(path)) {
    given.insert(name);
    const bool unused = of_batch_statistics(name) || name.starts_with("g_vae.en_sigma.");
    if (own.contains(name) || !unused) state.emplace_back(name, tensor);
    // A network that owns such a name takes it; else the release's value is unused.
  }
  for (const auto& [name, tensor] : wanted)
    if (name.ends_with(".num_batches_tracked") && !given.contains(name))
      state.emplace_back(name, at::zeros_like(tensor));
  training::load_state(network, state, path.string());
}

void save_released_unit(const torch::nn::Module& network, const std::filesystem::path& path) {
  weights::StateDict state;
  at::Tensor weight;
  for (const auto& [name, tensor] : training::module_state(network)) {
    state.emplace_back(name, tensor.detach().to(at::kCPU));
    if (name == "g_vae.en_mu.weight") weight = state.back().second;
    if (name != "g_vae.en_mu.bias") continue;
    // softplus(log(e - 1)) = 1
    state.emplace_back("g_vae.en_sigma.weight", at::zeros_like(weight));
    state.emplace_back("g_vae.en_sigma.bias", at::full_like(state[state.size() - 2].second,
                                                            std::log(std::numbers::e - 1)));
  }
  weights::write_pytorch(path, state);
}

}  // namespace reprise::models
