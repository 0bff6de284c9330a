// Pictures of landmarks over frames.
#include <torch/torch.h>

#include "datasets/face_drawing.h"
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
  write_landmark_strip(folder.path() / "gray.png", torch::full({2, 8, 8}, 120, torch::kByte),
                       nowhere, nowhere);
  EXPECT_TRUE(read_image(folder.path() / "gray.png")[side / 2][3].equal(
      torch::tensor({120, 120, 120}, torch::kByte)));
}

TEST(LandmarkStrip, MarksPredictionsRedAndTruthGreen) {
  const TemporaryFolder folder;
  const auto at_point = [](double x, double y) {
    return torch::tensor({x, y}).expand({2, 68, 2}).contiguous();
  };
  write_landmark_strip(folder.path() / "strip.png", torch::zeros({2, 32, 32}, torch::kByte),
                       at_point(8, 16), at_point(24, 16));
  const auto strip = read_image(folder.path() / "strip.png").to(torch::kInt);
  const auto side = strip.size(0);
  const auto first = strip.slice(1, 0, side);
  const auto sums = [](const at::Tensor& part) { return part.sum(at::IntArrayRef({0, 1})); };
  const auto left = sums(first.slice(1, 0, side / 2)), right = sums(first.slice(1, side / 2, side));
  EXPECT_GT(left[0].item<int>(), 2 * left[1].item<int>());
  EXPECT_GT(right[1].item<int>(), 2 * right[0].item<int>());
}

TEST(TrackedFrames, ShowsHowFarTheTrackIsOffInTheFramesSoFar) {
  const auto frames = at::zeros({4, 48, 48, 3}, at::kByte);
  const auto truth = at::zeros({4, 3});
  auto off = truth.clone();
  off[1].fill_(10), off[3].fill_(90);
  const auto exact = draw_tracked_frames(frames, truth, truth),
             drawn = draw_tracked_frames(frames, off, truth, 20);
  ASSERT_EQ(drawn.sizes(), at::IntArrayRef({4, 180, 144, 3}));
  EXPECT_EQ(exact.slice(1, 144).min().item<int>(), 255) << "an exact track has an empty chart";
  const auto columns =
      drawn.slice(1, 144).select(-1, 2).lt(255).sum(1);  // [4 frames, 144]: how high each column is
  EXPECT_EQ(columns[0].sum().item<std::int64_t>(), 0);
  EXPECT_EQ(columns[1][36 + 18].item<std::int64_t>(), 18) << "half of the 36 pixels";
  EXPECT_EQ(columns[2][36 + 18].item<std::int64_t>(), 18) << "what was stays";
  EXPECT_EQ(columns[3][108 + 18].item<std::int64_t>(), 36) << "no higher than the chart";
  EXPECT_GT((drawn[3] != exact[3]).slice(0, 0, 144).sum().item<std::int64_t>(), 0) << "other axes";
}

}  // namespace
}  // namespace reprise::datasets
