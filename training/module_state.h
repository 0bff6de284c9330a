// The state of a network as PyTorch's state_dict has it: parameters and buffers, module by module,
// names joined by dots.
#pragma once
#include <torch/nn/module.h>

#include <filesystem>
#include <string>

#include "weights/state_dict.h"

namespace reprise::training {

/// The network's own tensors, not copies: for each module its parameters, then its buffers, then
/// its children.
weights::StateDict module_state(const torch::nn::Module& network);

/// Copies `state` into the network (types are converted). Nothing is changed when it does not fit.
/// UsageError: names that are missing, names that the network lacks, and both shapes where they
/// differ. `where` names the source.
void load_state(torch::nn::Module& network, const weights::StateDict& state,
                const std::string& where);

/// safetensors. Error: the file cannot be written.
void save_weights(const torch::nn::Module& network, const std::filesystem::path& path);
/// Any format that weights::read_weights knows. UsageError: as load_state, and as read_weights.
void load_weights(torch::nn::Module& network, const std::filesystem::path& path);

}  // namespace reprise::training
