// Pictures of landmarks over frames.
#include <torch/torch.h>

#include "datasets/draw.h"
#include "datasets/formats/images.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

/// Points far outside the picture: what is left is the frames.
const at::Tensor nowhere = torch::full({2, 68, 2}, -1e4);

TEST(LandmarkStrip, KeepsTheColoursOfItsFramesAndShowsGrayOnesGray) {
  const TemporaryFolder folder;
  auto colour = torch::zeros({2, 8, 8, 3}, torch::kByte);
  colour.select(3, 0) = 200;
  colour[1].select(2, 2) = 90;
  write_landmark_strip(folder.path() / "colour.png", colour, nowhere, nowhere);
  const auto strip = read_image(folder.path() / "colour.png");
  ASSERT_EQ(strip.size(1), 2 * strip.size(0));
  const auto side = strip.size(0);
  EXPECT_TRUE(strip[side / 2][side / 2].equal(torch::tensor({200, 0, 0}, torch::kByte)));
  EXPECT_TRUE(strip[side / 2][side + side / 2].equal(torch::tensor({200, 0, 90}, torch::kByte)));
  write_landmark_strip(folder.path() / "gray.png", torch::full({2, 8, 8}, 120, torch::kByte), nowhere, nowhere);
  EXPECT_TRUE(read_image(folder.path() / "gray.png")[side / 2][3].equal(torch::tensor({120, 120, 120}, torch::kByte)));
}

TEST(LandmarkStrip, MarksPredictionsRedAndTruthGreen) {
  const TemporaryFolder folder;
  const auto at_point = [](double x, double y) { return torch::tensor({x, y}).expand({2, 68, 2}).contiguous(); };
  write_landmark_strip(folder.path() / "strip.png", torch::zeros({2, 32, 32}, torch::kByte), at_point(8, 16), at_point(24, 16));
  const auto strip = read_image(folder.path() / "strip.png").to(torch::kInt);
  const auto side = strip.size(0);
  const auto first = strip.slice(1, 0, side);
  const auto sums = [](const at::Tensor& part) { return part.sum(at::IntArrayRef({0, 1})); };
  const auto left = sums(first.slice(1, 0, side / 2)), right = sums(first.slice(1, side / 2, side));
  EXPECT_GT(left[0].item<int>(), 2 * left[1].item<int>());
  EXPECT_GT(right[1].item<int>(), 2 * right[0].item<int>());
}

}  // namespace
}  // namespace reprise::datasets
