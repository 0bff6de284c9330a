// The memory order of a network's weights.
#pragma once
#include <torch/nn/module.h>

namespace reprise::models {

/// Stores weights of convolutions channels-last, like their inputs; else each pass reorders them.
/// Their values stay the same.
void store_channels_last(torch::nn::Module& network);

}  // namespace reprise::models
