#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "metrics/translation.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

at::Tensor noise(std::int64_t n, std::int64_t channels, std::int64_t side) {
  torch::manual_seed(3);
  return torch::rand({n, channels, side, side}, at::kDouble);
}

// White is 1 in all channels, and each channel weighs what the standard says.
TEST(Luminance, WeighsChannels) {
  EXPECT_NEAR(luminance(torch::ones({1, 3, 2, 2}))[0][0][0].item<double>(), 1, 1e-12);
  auto green = torch::zeros({1, 3, 2, 2});
  green.select(1, 1).fill_(0.5);
  EXPECT_NEAR(luminance(green)[0][1][1].item<double>(), 0.2935, 1e-12);
  EXPECT_TRUE(luminance(noise(2, 1, 4)).equal(noise(2, 1, 4).squeeze(1)));
}

// A single bright pixel in the middle of 5 x 5: the Laplacian is -4 there and 1 at its four
// neighbours, over 3 x 3 inner places.
TEST(Sharpness, IsTheMeanLaplacianOfEachLevel) {
  auto dot = torch::zeros({1, 1, 5, 5});
  dot[0][0][2][2] = 1;
  EXPECT_NEAR(sharpness(dot, 1)[0].item<double>(), 8.0 / 9, 1e-12);
  const auto slope = torch::arange(12).to(at::kFloat).expand({1, 1, 12, 12});
  EXPECT_NEAR(sharpness(slope, 3).abs().max().item<double>(), 0, 1e-9)
      << "a slope of light is not sharp at any level";
}

TEST(Sharpness, FallsFirstInFineDetailWhereAPictureIsBlurred) {
  const auto x = noise(4, 3, 32);
  const auto blurred = at::avg_pool2d(x, 3, 1, 1);
  const auto kept = sharpness(blurred) / sharpness(x);
  EXPECT_LT(kept[0].item<double>(), 0.3);
  EXPECT_LT(kept[0].item<double>(), kept[1].item<double>());
  EXPECT_LT(kept[1].item<double>(), kept[2].item<double>());
  EXPECT_THAT([] { sharpness(noise(1, 3, 8), 3); },
              ThrowsUsageError(testing::HasSubstr("8 x 8"), testing::HasSubstr("3 pixels")));
  EXPECT_THAT([] { sharpness(noise(1, 2, 8), 1); },
              ThrowsUsageError(testing::HasSubstr("[1, 2, 8, 8]"), testing::HasSubstr("1 or 3")));
}

// Tone may change: what is kept is what is where, and where things end.
TEST(Correlations, AreOneForAnotherToneMinusOneForTheNegativeAndNearZeroForAnotherPicture) {
  const auto x = noise(3, 3, 24), other = noise(6, 3, 24).slice(0, 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(layout_correlation(x, 0.3 * x + 0.1)[i].item<double>(), 1, 1e-9);
    EXPECT_NEAR(layout_correlation(x, 1 - x)[i].item<double>(), -1, 1e-9);
    EXPECT_NEAR(edge_correlation(x, 1 - x)[i].item<double>(), 1, 1e-9)
        << "a negative has its edges where they were";
    EXPECT_LT(std::abs(edge_correlation(x, other)[i].item<double>()), 0.2);
  }
  EXPECT_EQ(layout_correlation(x, torch::full_like(x, 0.5)).abs().max().item<double>(), 0)
      << "one colour correlates with nothing";
  EXPECT_EQ(edge_correlation(x, torch::full_like(x, 0.5)).abs().max().item<double>(), 0);
  EXPECT_THAT(
      [&] { edge_correlation(x, other.slice(0, 1)); },
      ThrowsUsageError(testing::HasSubstr("[3, 3, 24, 24]"), testing::HasSubstr("per picture")));
  EXPECT_THAT([&] { layout_correlation(x, other, 25); },
              ThrowsUsageError(testing::HasSubstr("25 x 25"), testing::HasSubstr("pixels")));
}

// Codes 0, 10, 20 against 1, 12, 9: the third one's nearest is the second.
TEST(CodeAgreement, CountsNearestCodesAndComparesDistances) {
  const auto a = torch::tensor({0.0, 10.0, 20.0}).view({3, 1}),
             b = torch::tensor({1.0, 12.0, 9.0}).view({3, 1});
  const auto found = code_agreement(a, b);
  EXPECT_NEAR(found.top_1, 1.0 / 3, 1e-12) << "9 is nearer to 10 than 12 is, and 12 to 20 than 9";
  EXPECT_NEAR(found.ratio, ((1.0 + 2 + 11) / 3) / ((12.0 + 9 + 9 + 1 + 19 + 8) / 6), 1e-12);
  const auto same = code_agreement(noise(5, 3, 2), noise(5, 3, 2));
  EXPECT_EQ(same.top_1, 1);
  EXPECT_NEAR(same.ratio, 0, 1e-6);
}

TEST(CodeAgreement, RefusesWhatIsNoSetOfCodes) {
  const auto a = noise(3, 1, 2);
  EXPECT_THAT([&] { code_agreement(a, a.slice(0, 1)); },
              ThrowsUsageError(testing::HasSubstr("[3, 1, 2, 2]"),
                               testing::HasSubstr("in the same order")));
  EXPECT_THAT(
      [&] { code_agreement(a.slice(0, 0, 1), a.slice(0, 0, 1)); },
      ThrowsUsageError(testing::HasSubstr("[1, 1, 2, 2]"), testing::HasSubstr("at least 2")));
  auto broken = a.clone();
  broken[1][0][0][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { code_agreement(a, broken); },
              ThrowsUsageError(testing::HasSubstr("not finite"), testing::HasSubstr("diverged")));
}

}  // namespace
}  // namespace reprise::metrics
