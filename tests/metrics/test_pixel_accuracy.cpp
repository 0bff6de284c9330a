// Pixel accuracy has the values of its definition.
#include <ATen/ATen.h>

#include <cmath>

#include "metrics/pixel_accuracy.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

/// Of two pictures of 1 x 2 pixels: off by 16 in every channel, by 17 in one, exact, by -16 in one.
struct FourPixels : testing::Test {
  at::Tensor truth = at::full({2, 1, 2, 3}, 100, at::kByte), predicted = truth.clone();
  FourPixels() {
    predicted[0][0][0].fill_(116);
    predicted[0][0][1][2] = 117;
    predicted[1][0][1][0] = 84;
  }
};

TEST_F(FourPixels, AColourIsRightUpToTheToleranceInEveryChannel) {
  EXPECT_DOUBLE_EQ(pixel_accuracy(truth, truth), 1);
  EXPECT_DOUBLE_EQ(pixel_accuracy(predicted, truth), 0.75);
  EXPECT_DOUBLE_EQ(pixel_accuracy(predicted, truth, 17), 1);
  EXPECT_DOUBLE_EQ(pixel_accuracy(predicted, truth, 0), 0.25);
  // Bytes do not wrap: 0 and 255 are far apart.
  EXPECT_DOUBLE_EQ(
      pixel_accuracy(at::full({1, 1, 1, 3}, 255, at::kByte), at::zeros({1, 1, 1, 3}, at::kByte)),
      0);
}

TEST_F(FourPixels, ByClassItIsTheFractionAmongTheClasssPixels) {
  const auto classes = at::tensor({0, 0, 0, 2}, at::kByte).view({2, 1, 2});
  const auto by_class = pixel_accuracy_by_class(predicted, truth, classes, 3);
  EXPECT_DOUBLE_EQ(by_class[0].item<double>(), 2.0 / 3);
  EXPECT_TRUE(std::isnan(by_class[1].item<double>()));
  EXPECT_DOUBLE_EQ(by_class[2].item<double>(), 1);
}

// Shapes that were found are told from colours that were not. A translator may shift all that it
// makes and shift it back on the way back: what it found is there, two pixels off.
TEST(RegisteredPixelAccuracy, FindsTheOneShiftOfAllPictures) {
  at::manual_seed(1);
  const auto truth = at::randint(7, {2, 12, 12, 1}).mul(36).to(at::kByte).expand({2, 12, 12, 3});
  const auto moved = at::roll(truth, {2, -1}, {1, 2});
  EXPECT_LT(pixel_accuracy(moved, truth), 0.3);
  const auto found = registered_pixel_accuracy(moved, truth, 3);
  EXPECT_DOUBLE_EQ(found.accuracy, 1);
  EXPECT_EQ(found.down, -2);
  EXPECT_EQ(found.right, 1);
  const auto same = registered_pixel_accuracy(truth, truth, 3);
  EXPECT_EQ(same.down, 0);
  EXPECT_EQ(same.right, 0);
  const auto grey = at::full_like(truth, 36);
  EXPECT_NEAR(registered_pixel_accuracy(grey, truth, 3).accuracy, 1.0 / 7, 0.1)
      << "no shift makes one colour a map";
  EXPECT_THAT([&] { registered_pixel_accuracy(truth, truth, 6); },
              ThrowsUsageError(HasSubstr("by 6 pixels")));
}

TEST(RelabelledPixelAccuracy, ForgivesColoursThatAreExchangedAndNothingElse) {
  const auto colours = at::tensor({255, 0, 0, 0, 255, 0, 0, 0, 255}, at::kByte).view({3, 3});
  const auto classes = at::tensor({0, 0, 1, 1, 2, 2}, at::kByte).view({1, 2, 3});
  const auto painted = [&](std::vector<std::int64_t> with) {
    return colours
        .index_select(0,
                      at::tensor(with, at::kLong).index_select(0, classes.flatten().to(at::kLong)))
        .view({1, 2, 3, 3});
  };
  EXPECT_DOUBLE_EQ(relabelled_pixel_accuracy(painted({0, 1, 2}), classes, colours), 1);
  EXPECT_DOUBLE_EQ(relabelled_pixel_accuracy(painted({1, 2, 0}), classes, colours), 1);
  // Two classes in one colour: one of them is wrong under any relabelling.
  EXPECT_DOUBLE_EQ(relabelled_pixel_accuracy(painted({0, 0, 2}), classes, colours), 4.0 / 6);
  // A colour of no class is wrong.
  auto grey = painted({0, 1, 2}).clone();
  grey[0][0][0].fill_(100);
  EXPECT_DOUBLE_EQ(relabelled_pixel_accuracy(grey, classes, colours), 5.0 / 6);
  EXPECT_DOUBLE_EQ(relabelled_pixel_accuracy(painted({0, 0, 0}), classes, colours), 2.0 / 6)
      << "one colour everywhere";
  EXPECT_THAT([&] { relabelled_pixel_accuracy(grey, classes + 1, colours); },
              ThrowsUsageError(HasSubstr("from 1 to 3")));
  EXPECT_THAT(
      [&] {
        relabelled_pixel_accuracy(grey, classes, at::zeros({9, 3}, at::kByte));
      },
      ThrowsUsageError(HasSubstr("9 colours")));
}

TEST_F(FourPixels, NamesWhatDoesNotFit) {
  EXPECT_THAT([&] { pixel_accuracy(predicted.slice(0, 1), truth); },
              ThrowsUsageError(HasSubstr("[1, 1, 2, 3]"), HasSubstr("[2, 1, 2, 3]")));
  EXPECT_THAT([&] { pixel_accuracy(predicted.to(at::kFloat), truth); },
              ThrowsUsageError(HasSubstr("Float")));
  EXPECT_THAT([&] { pixel_accuracy(predicted.slice(0, 0, 0), truth.slice(0, 0, 0)); },
              ThrowsUsageError(HasSubstr("[0, 1, 2, 3]")));
  const auto classes = at::tensor({0, 0, 0, 2}, at::kByte).view({2, 1, 2});
  EXPECT_THAT([&] { pixel_accuracy_by_class(predicted, truth, classes, 2); },
              ThrowsUsageError(HasSubstr("from 0 to 2"), HasSubstr("0 to 1")));
  EXPECT_THAT([&] { pixel_accuracy_by_class(predicted, truth, classes[0], 3); },
              ThrowsUsageError(HasSubstr("[1, 2]")));
}

}  // namespace
}  // namespace reprise::metrics
