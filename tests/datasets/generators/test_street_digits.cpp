#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "datasets/generators/street_digits.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

// Each ten pictures are one of each class, in an order that does not give it away.
TEST(StreetDigits, LabelsAreBalancedInADrawnOrder) {
  const auto labels = draw_street_digits(100, 16, 3).labels.reshape({10, 10});
  EXPECT_TRUE(at::equal(std::get<0>(labels.sort(1)), at::arange(10).expand({10, 10})));
  EXPECT_FALSE(at::equal(labels[0], labels[1]));
}

// The middle stands out against its wall, lighter in some pictures and darker in others, and
// colours are many.
TEST(StreetDigits, DigitsStandOutInBothPolarities) {
  const auto images = draw_street_digits(300, 32, 1).images.to(at::kFloat);
  const auto spread = images.slice(1, 8, 24).slice(2, 8, 24).flatten(1).std(1);
  EXPECT_GT(spread.min().item<double>(), 4);
  const auto gray = images.mean(3), inner = gray.slice(1, 10, 22).slice(2, 12, 20).flatten(1);
  const auto lighter =
      (inner.amax(1) - gray.flatten(1).mean(1)) > (gray.flatten(1).mean(1) - inner.amin(1));
  EXPECT_NEAR(lighter.to(at::kFloat).mean().item<double>(), 0.5, 0.2);
  EXPECT_GT((images.select(3, 0) - images.select(3, 2)).abs().mean().item<double>(), 8);
}

// A nearest neighbour among 3,000 of them, gray and with its polarity set right, names others far
// above chance: the pixels tell the class.
TEST(StreetDigits, ClassesAreTellableSlow) {
  const auto gray = [](const Pictures& set) {
    auto x = set.images.to(at::kFloat).mean(3).slice(1, 4, 28).slice(2, 8, 24).flatten(1);
    x = x - x.mean(1, true);
    return (x / x.norm(2, 1, true)).contiguous();
  };
  const auto seen = draw_street_digits(3000, 32, 1), fresh = draw_street_digits(200, 32, 2);
  const auto alike = at::matmul(gray(fresh), gray(seen).t()).abs();  // of either polarity
  const auto named = seen.labels.index_select(0, alike.argmax(1));
  EXPECT_GT((named == fresh.labels).to(at::kFloat).mean().item<double>(), 0.45);
}

TEST(StreetDigits, WrongUseIsNamed) {
  EXPECT_THAT([] { draw_street_digits(-1, 32, 0); }, ThrowsUsageError(HasSubstr("-1 digits")));
  EXPECT_THAT([] { draw_street_digits(1, 8, 0); },
              ThrowsUsageError(HasSubstr("8 pixels"), HasSubstr("16 to 256")));
  EXPECT_EQ(draw_street_digits(0, 32, 0).size(), 0);
}

}  // namespace
}  // namespace reprise::datasets
