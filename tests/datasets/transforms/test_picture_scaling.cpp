// What two domains of pictures have in common before they are translated.
#include <ATen/ATen.h>

#include "datasets/transforms/picture_scaling.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

TEST(PictureScaling, SizeAndChannelsAreThoseAskedForAndValuesGoFromMinusOneToOne) {
  auto gray = at::zeros({2, 4, 4}, at::kByte);
  gray[1].fill_(255);
  const auto colour = scale_pictures(gray, 4, 3);
  EXPECT_EQ(colour.sizes(), at::IntArrayRef({2, 3, 4, 4}));
  EXPECT_TRUE(colour[0].eq(-1).all().item<bool>());
  EXPECT_TRUE(colour[1].eq(1).all().item<bool>());
  for (const std::int64_t side : {3, 7})
    EXPECT_TRUE(scale_pictures(gray, side, 1)[1].allclose(at::ones({1, side, side}), 1e-6, 1e-6))
        << side;
}

// Half the side: a checkerboard of pixels is gray all over, it does not alias.
TEST(PictureScaling, ShrinkingAverages) {
  const auto checks =
      ((at::arange(16).view({16, 1}) + at::arange(16)) % 2 * 255).to(at::kByte).unsqueeze(0);
  EXPECT_LT(scale_pictures(checks, 4, 1).abs().max().item<double>(), 0.1);
}

TEST(PictureScaling, ColourBecomesGrayByLuma) {
  const auto green = at::tensor({0, 255, 0}, at::kByte).expand({1, 2, 2, 3});
  EXPECT_NEAR(scale_pictures(green, 2, 1).mean().item<double>(), 2 * 0.587 - 1, 1e-5);
  EXPECT_TRUE(scale_pictures(green, 2, 3)[0][1].eq(1).all().item<bool>());
}

TEST(PictureScaling, NamesWhatItCannotTake) {
  EXPECT_THAT(
      [] {
        scale_pictures(at::zeros({2, 4, 4, 2}, at::kByte), 4, 1);
      },
      ThrowsUsageError(HasSubstr("[2, 4, 4, 2]")));
  EXPECT_THAT(
      [] {
        scale_pictures(at::zeros({2, 4, 4}), 4, 1);
      },
      ThrowsUsageError(HasSubstr("Float")));
  EXPECT_THAT(
      [] {
        scale_pictures(at::zeros({2, 4, 4}, at::kByte), 4, 2);
      },
      ThrowsUsageError(HasSubstr("2 channels")));
}

}  // namespace
}  // namespace reprise::datasets
