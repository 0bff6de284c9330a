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
  EXPECT_DOUBLE_EQ(pixel_accuracy(at::full({1, 1, 1, 3}, 255, at::kByte), at::zeros({1, 1, 1, 3}, at::kByte)), 0);
}

TEST_F(FourPixels, ByClassItIsTheFractionAmongTheClasssPixels) {
  const auto classes = at::tensor({0, 0, 0, 2}, at::kByte).view({2, 1, 2});
  const auto by_class = pixel_accuracy_by_class(predicted, truth, classes, 3);
  EXPECT_DOUBLE_EQ(by_class[0].item<double>(), 2.0 / 3);
  EXPECT_TRUE(std::isnan(by_class[1].item<double>()));
  EXPECT_DOUBLE_EQ(by_class[2].item<double>(), 1);
}

TEST_F(FourPixels, NamesWhatDoesNotFit) {
  EXPECT_THAT([&] { pixel_accuracy(predicted.slice(0, 1), truth); },
              ThrowsUsageError(HasSubstr("[1, 1, 2, 3]"), HasSubstr("[2, 1, 2, 3]")));
  EXPECT_THAT([&] { pixel_accuracy(predicted.to(at::kFloat), truth); }, ThrowsUsageError(HasSubstr("Float")));
  EXPECT_THAT([&] { pixel_accuracy(predicted.slice(0, 0, 0), truth.slice(0, 0, 0)); }, ThrowsUsageError(HasSubstr("[0, 1, 2, 3]")));
  const auto classes = at::tensor({0, 0, 0, 2}, at::kByte).view({2, 1, 2});
  EXPECT_THAT([&] { pixel_accuracy_by_class(predicted, truth, classes, 2); },
              ThrowsUsageError(HasSubstr("from 0 to 2"), HasSubstr("0 to 1")));
  EXPECT_THAT([&] { pixel_accuracy_by_class(predicted, truth, classes[0], 3); }, ThrowsUsageError(HasSubstr("[1, 2]")));
}

}  // namespace
}  // namespace reprise::metrics
