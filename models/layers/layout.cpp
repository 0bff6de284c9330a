#include "models/layers/layout.h"

namespace reprise::models {

void store_channels_last(torch::nn::Module& network) {
  for (auto& parameter : network.parameters())
    if (parameter.dim() == 4)
      parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
}

}  // namespace reprise::models
