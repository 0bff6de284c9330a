#include <torch/torch.h>

#include <cmath>

#include "metrics/spectrum.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

/// A wave of this period along x, [1, 16, 16].
torch::Tensor wave(double period) {
  return (torch::arange(16, at::kDouble) * (2 * M_PI / period)).cos().expand({1, 16, 16}).clone();
}

TEST(MeanFrequency, IsThatOfAWaveWhateverItsHeightAndLevel) {
  EXPECT_NEAR(mean_frequency(wave(8))[0].item<double>(), 1.0 / 8, 1e-12);
  EXPECT_NEAR(mean_frequency(3 * wave(4) + 7)[0].item<double>(), 1.0 / 4, 1e-12);
  EXPECT_NEAR(mean_frequency(wave(4).transpose(1, 2))[0].item<double>(), 1.0 / 4, 1e-12)
      << "of either axis";
}

TEST(MeanFrequency, WeighsWavesByTheirPower) {
  EXPECT_NEAR(mean_frequency(wave(8) + 2 * wave(2.0 * 16 / 8))[0].item<double>(),
              (1.0 / 8 + 4.0 / 4) / 5, 1e-12);
}

TEST(MeanFrequency, OfNoiseIsHighAndOfNoChangeNone) {
  torch::manual_seed(1);
  EXPECT_NEAR(mean_frequency(torch::randn({50, 3, 32, 32})).mean().item<double>(), 0.383, 0.005);
  EXPECT_EQ(mean_frequency(torch::full({1, 1, 4, 4}, 0.3))[0].item<double>(), 0);
}

TEST(MeanFrequency, RefusesWhatIsNoPicture) {
  EXPECT_THROW(mean_frequency(torch::zeros({4, 4})), UsageError);
  EXPECT_THROW(mean_frequency(torch::full({1, 4, 4}, NAN)), UsageError);
}

}  // namespace
}  // namespace reprise::metrics
