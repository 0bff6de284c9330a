// The order of a network's weights in memory.
#pragma once
#include <torch/nn/module.h>

namespace reprise::models {

/// Weights of convolutions in the order of channels-last values: else each pass turns them round.
/// What they are stays.
void hold_channels_last(torch::nn::Module& network);

}  // namespace reprise::models
