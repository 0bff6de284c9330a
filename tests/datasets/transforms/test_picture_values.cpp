// What two domains of pictures have in common before they are translated.
#include <ATen/ATen.h>

#include "datasets/transforms/picture_values.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

TEST(PictureValues, SizeAndChannelsAreThoseAskedForAndValuesGoFromMinusOneToOne) {
  auto gray = at::zeros({2, 4, 4}, at::kByte);
  gray[1].fill_(255);
  const auto colour = picture_values(gray, 4, 3);
  EXPECT_EQ(colour.sizes(), at::IntArrayRef({2, 3, 4, 4}));
  EXPECT_TRUE(colour[0].eq(-1).all().item<bool>());
  EXPECT_TRUE(colour[1].eq(1).all().item<bool>());
  for (const std::int64_t side : {3, 7})
    EXPECT_TRUE(picture_values(gray, side, 1)[1].allclose(at::ones({1, side, side}), 1e-6, 1e-6))
        << side;
}

// Half the side: a checkerboard of pixels is gray all over, it does not alias.
TEST(PictureValues, ShrinkingAverages) {
  const auto checks =
      ((at::arange(16).view({16, 1}) + at::arange(16)) % 2 * 255).to(at::kByte).unsqueeze(0);
  EXPECT_LT(picture_values(checks, 4, 1).abs().max().item<double>(), 0.1);
}

TEST(PictureValues, ColourBecomesGrayByLuma) {
  const auto green = at::tensor({0, 255, 0}, at::kByte).expand({1, 2, 2, 3});
  EXPECT_NEAR(picture_values(green, 2, 1).mean().item<double>(), 2 * 0.587 - 1, 1e-5);
  EXPECT_TRUE(picture_values(green, 2, 3)[0][1].eq(1).all().item<bool>());
}

TEST(PictureValues, NamesWhatItCannotTake) {
  EXPECT_THAT(
      [] {
        picture_values(at::zeros({2, 4, 4, 2}, at::kByte), 4, 1);
      },
      ThrowsUsageError(HasSubstr("[2, 4, 4, 2]")));
  EXPECT_THAT(
      [] {
        picture_values(at::zeros({2, 4, 4}), 4, 1);
      },
      ThrowsUsageError(HasSubstr("Float")));
  EXPECT_THAT(
      [] {
        picture_values(at::zeros({2, 4, 4}, at::kByte), 4, 2);
      },
      ThrowsUsageError(HasSubstr("2 channels")));
}

}  // namespace
}  // namespace reprise::datasets
