#include <torch/torch.h>

#include <cmath>

#include "metrics/seams.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

TEST(SeamEnergy, IsOneWhereTheCanvasClimbsEvenlyAcrossItsSeams) {
  const auto ramp = torch::arange(8, torch::kDouble);
  EXPECT_DOUBLE_EQ(seam_energy(ramp, 0, {4}), 1);
  EXPECT_DOUBLE_EQ(seam_energy(ramp, 0, {2, 4, 6}), 1);
}

TEST(SeamEnergy, IsTheMeanStepAtSeamsOverTheMeanStepElsewhere) {
  const auto line = torch::tensor({0.0, 1.0, 3.0, 13.0, 12.0, 8.0});  // steps 1, 2, 10, 1, 4
  EXPECT_DOUBLE_EQ(seam_energy(line, 0, {3}), 10 / 2.0);
  EXPECT_DOUBLE_EQ(seam_energy(line, 0, {5, 3}), 7 / (4.0 / 3));
  EXPECT_DOUBLE_EQ(seam_energy(line, 0, {1}), 1 / 4.25);
}

TEST(SeamEnergy, OfSeamZeroIsTheStepFromTheLastToTheFirst) {
  const auto line =
      torch::tensor({0.0, 1.0, 3.0, 4.0, 6.0});  // steps 1, 2, 1, 2, and 6 back to the start
  EXPECT_DOUBLE_EQ(seam_energy(line, 0, {0}), 6 / 1.5);
  EXPECT_DOUBLE_EQ(seam_energy(line, 0, {0, 1, 2, 3}), 2.5 / 2);
}

TEST(SeamEnergy, IsTakenAlongTheAxisAndAveragedOverTheOthers) {
  auto canvas = torch::zeros({2, 3, 6});
  canvas += torch::arange(6);  // steps of 1 along the last axis
  canvas.slice(2, 3) += 4;     // and of 5 at 3
  EXPECT_DOUBLE_EQ(seam_energy(canvas, 2, {3}), 5);
  EXPECT_DOUBLE_EQ(seam_energy(canvas.transpose(0, 2), 0, {3}), 5);
  canvas[1].slice(1, 3) += 2;  // 7 in half of the rows
  EXPECT_DOUBLE_EQ(seam_energy(canvas, 2, {3}), 6);
  EXPECT_DOUBLE_EQ(seam_energy(canvas.to(torch::kByte), 2, {3}), 6);
}

TEST(SeamEnergy, OfACanvasThatChangesNowhereIsOneAndAtSeamsAloneInfinite) {
  EXPECT_DOUBLE_EQ(seam_energy(torch::ones({6}), 0, {3}), 1);
  EXPECT_TRUE(std::isinf(seam_energy(torch::tensor({0.0, 0.0, 1.0, 1.0}), 0, {2})));
}

TEST(SeamEnergy, RefusesSeamsThatLeaveNothingToCompare) {
  const auto line = torch::arange(4, torch::kFloat);
  EXPECT_THAT([&] { seam_energy(line, 0, {}); }, ThrowsUsageError(HasSubstr("0 seams")));
  EXPECT_THAT([&] { seam_energy(line, 0, {1, 2, 3}); }, ThrowsUsageError(HasSubstr("3 seams")));
  EXPECT_THAT([&] { seam_energy(line, 0, {4}); }, ThrowsUsageError(HasSubstr("seam 4")));
  EXPECT_THAT([&] { seam_energy(line, 0, {-1}); }, ThrowsUsageError(HasSubstr("seam -1")));
  EXPECT_THAT([&] { seam_energy(line, 0, {2, 2}); }, ThrowsUsageError(HasSubstr("twice")));
  EXPECT_THAT([&] { seam_energy(line, 1, {2}); }, ThrowsUsageError(HasSubstr("no axis 1")));
  EXPECT_THAT([&] { seam_energy(torch::log(line - 2), 0, {2}); },
              ThrowsUsageError(HasSubstr("not finite")));
}

}  // namespace
}  // namespace reprise::metrics
