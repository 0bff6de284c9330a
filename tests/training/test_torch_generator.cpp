#include <gtest/gtest.h>
#include <torch/torch.h>

#include "training/torch_generator.h"

namespace reprise::training {
namespace {

at::Tensor drawn(const at::Tensor& x) {
  DefaultGenerator seeded(x.device(), 3);
  return normals_like(x);
}

TEST(NormalsLike, AreTorchsOwnInTheOrderOfMemory) {
  const auto x = torch::zeros({4, 3, 5, 2}), last = x.contiguous(at::MemoryFormat::ChannelsLast);
  DefaultGenerator seeded(x.device(), 3);
  const auto expected = torch::randn_like(x);
  EXPECT_TRUE(drawn(x).equal(expected));
  EXPECT_EQ(drawn(last).strides(), last.strides());
  EXPECT_TRUE(drawn(last).permute({0, 2, 3, 1}).flatten().equal(expected.flatten()));
}

// Some of its values are not there, or lie in one place: memory has no order to draw in.
TEST(NormalsLike, OfATensorWithGapsHaveItsShape) {
  EXPECT_EQ(drawn(torch::zeros({4, 6}).slice(1, 0, 6, 2)).sizes(), at::IntArrayRef({4, 3}));
  const auto repeated = drawn(torch::zeros({1, 6}).expand({4, 6}));
  EXPECT_FALSE(repeated[0].equal(repeated[1]));
}

}  // namespace
}  // namespace reprise::training
