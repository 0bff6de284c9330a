// The order of weights in memory is what passes want, and the weights stay what they are.
#include <torch/torch.h>

#include "models/layers/layout.h"
#include "tests/support.h"

namespace reprise::models {
namespace {

TEST(Layout, WeightsOfConvolutionsAreChannelsLastAndTheSame) {
  torch::nn::Sequential network(torch::nn::Conv2d(3, 4, 3), torch::nn::ConvTranspose2d(4, 2, 3),
                                torch::nn::Linear(5, 2));
  std::vector<at::Tensor> before;
  for (const auto& parameter : network->parameters()) before.push_back(parameter.detach().clone());
  store_channels_last(*network);
  const auto after = network->parameters();
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_TRUE(after[i].equal(before[i])) << i;
    if (after[i].dim() == 4)
      EXPECT_TRUE(after[i].is_contiguous(at::MemoryFormat::ChannelsLast)) << i;
    EXPECT_TRUE(after[i].requires_grad()) << i;
  }
}

}  // namespace
}  // namespace reprise::models
