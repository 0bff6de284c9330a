#include <ATen/ATen.h>

#include "datasets/transforms/network_input.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

/// The image of tests/fixtures/network_input.py.
at::Tensor image(std::int64_t height, std::int64_t width) {
  const auto y = at::arange(height, at::kLong).view({-1, 1, 1}),
             x = at::arange(width, at::kLong).view({1, -1, 1});
  const auto c = at::arange(3, at::kLong).view({1, 1, -1});
  return (3 * y * y + 5 * x * x + 7 * x * y + 50 * c).remainder(256).to(at::kByte);
}

TEST(ResizeShorter, GivesThePixelsOfPil) {
  const auto golden = fixture_json("network_input.json");
  for (const auto& c : golden.at("resized")) {
    const auto ours = resize_shorter(image(c.at("height"), c.at("width")), c.at("size"));
    const auto shape = c.at("shape").get<std::vector<std::int64_t>>();
    ASSERT_EQ(ours.sizes(), shape);
    const auto theirs = at::tensor(c.at("pixels").get<std::vector<std::int64_t>>()).reshape(shape);
    EXPECT_TRUE(ours.to(at::kLong).equal(theirs)) << c.at("height") << " x " << c.at("width");
  }
}

TEST(ImagenetInput, IsTorchvisions) {
  const auto golden = fixture_json("network_input.json");
  for (const auto& c : golden.at("prepared")) {
    const auto ours = make_imagenet_input(image(c.at("height"), c.at("width")));
    ASSERT_EQ(ours.sizes(), (std::vector<std::int64_t>{3, 224, 224}));
    const auto theirs = at::tensor(c.at("values").get<std::vector<float>>());
    const auto taken = ours.flatten().slice(0, 0, std::nullopt, 1501);
    ASSERT_EQ(taken.sizes(), theirs.sizes());
    EXPECT_LE((taken - theirs).abs().max().item<double>(), 2e-6)
        << c.at("height") << " x " << c.at("width");
  }
}

TEST(ImagenetInput, RefusesWhatIsNoColourImage) {
  EXPECT_THAT(
      [] {
        make_imagenet_input(at::zeros({9, 9}, at::kByte));
      },
      ThrowsUsageError(HasSubstr("[H, W, 3]")));
  EXPECT_THAT(
      [] {
        make_imagenet_input(at::zeros({9, 9, 3}));
      },
      ThrowsUsageError(HasSubstr("uint8")));
}

TEST(C3dInput, IsTheCentreOf16FramesInGreyLevels) {
  std::vector<at::Tensor> frames;
  for (int i = 0; i < 16; ++i) frames.push_back(at::full({120, 200, 3}, 10 * i, at::kByte));
  const auto clip = make_c3d_input(frames);
  EXPECT_EQ(clip.sizes(), (std::vector<std::int64_t>{3, 16, 112, 112}));
  EXPECT_EQ(clip[0][7].min().item<float>(), 70);
  EXPECT_EQ(clip[2][15].max().item<float>(), 150);
  frames.pop_back();
  EXPECT_THAT([&] { make_c3d_input(frames); },
              ThrowsUsageError(HasSubstr("15 frames"), HasSubstr("16")));
}

}  // namespace
}  // namespace reprise::datasets
