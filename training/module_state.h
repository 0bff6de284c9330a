// State of a network, with the names and order of PyTorch's state_dict: parameters and buffers,
// module by module, names joined by dots.
#pragma once
#include <torch/nn/module.h>

#include <filesystem>
#include <string>

#include "weights/state_dict.h"

namespace reprise::training {

/// The network's own tensors, not copies. Order per module: parameters, buffers, children.
weights::StateDict module_state(const torch::nn::Module& network);

/// Copies `state` into the network and converts types. Changes nothing on an error.
/// UsageError: missing or unknown names, or different shapes (names both). `where`: the source.
void load_state(torch::nn::Module& network, const weights::StateDict& state,
                const std::string& where);

/// Writes a safetensors file. Error: it cannot be written.
void save_weights(const torch::nn::Module& network, const std::filesystem::path& path);
/// Reads any format of weights::read_weights(). UsageError: as load_state() and read_weights().
void load_weights(torch::nn::Module& network, const std::filesystem::path& path);

}  // namespace reprise::training
