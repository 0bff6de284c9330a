#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

#include "datasets/formats/images.h"
#include "datasets/landmark_pose.h"
#include "datasets/scene/synthetic_head.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

std::vector<std::int64_t> people() { return {300, 301, 302, 303, 304, 305, 306, 307}; }

TEST(LandmarkPose, IsNearTheTruthOnDrawnHeadsSlow) {
  const auto heads = render_head_stills(200, 64, people(), 3);
  const auto off = (estimate_pose(heads.landmarks) - heads.pose).abs().mean(0);
  // the camera is near, and the fit takes it for far; people differ
  for (int a = 0; a < 3; ++a) EXPECT_LT(off[a].item<float>(), a == 2 ? 3 : 7) << a;
}

// Whatever the constant part of the error is, a turn is followed.
TEST(LandmarkPose, FollowsTurnsOfOneHead) {
  HeadRenderer renderer(64);
  const auto black = at::zeros({64, 64, 3}, at::kByte);
  const auto seen = [&](const HeadPose& pose) {
    return estimate_pose(renderer.render(identity(7), pose, {}, {}, black).landmarks);
  };
  const auto rest = seen({});
  for (const double angle : {-30.0, -10.0, 10.0, 30.0}) {
    const HeadPose poses[]{{.pitch = angle}, {.yaw = angle}, {.roll = angle}};
    // the head nods about its neck, so that a near camera sees it from another height: pitch comes
    // out larger than it is
    for (int a = 0; a < 3; ++a)
      EXPECT_NEAR((seen(poses[a]) - rest)[a].item<float>(), angle,
                  (a == 0 ? 0.6 : 0.2) * std::abs(angle))
          << a << " " << angle;
  }
}

TEST(LandmarkPose, KnowsNeitherPlaceNorSizeAndMirrorsWithThePicture) {
  const auto landmarks = render_head_stills(20, 64, people(), 4).landmarks;
  const auto pose = estimate_pose(landmarks);
  EXPECT_TRUE(at::allclose(estimate_pose(landmarks * 3.7 + 11), pose, 0, 1e-2));
  const auto mirrored =
      estimate_pose(mirror_landmarks(landmarks, 64)) * at::tensor({1.0F, -1.0F, -1.0F});
  EXPECT_LT((mirrored - pose).abs().max().item<float>(), 2) << "heads are nearly symmetric";
  // a turn of the picture is a turn about the line of sight: of a head that looks ahead it is the
  // roll
  const double a = 20 * std::numbers::pi / 180;
  const auto turned =
      move_points(landmarks, {std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a), 0});
  const auto ahead = pose.narrow(1, 0, 2).abs().amax(1) < 12;
  const auto change = (estimate_pose(turned) - pose).select(1, 2).masked_select(ahead);
  ASSERT_GT(change.numel(), 0);
  EXPECT_LT((change - 20).abs().max().item<float>(), 2);
}

TEST(LandmarkPose, RefusesWhatHasNone) {
  EXPECT_EQ(estimate_pose(at::rand({2, 5, 68, 2})).sizes(), at::IntArrayRef({2, 5, 3}));
  EXPECT_THAT([] { estimate_pose(at::rand({5, 2})); }, ThrowsUsageError(HasSubstr("[5, 2]")));
  EXPECT_THAT(
      [] {
        estimate_pose(at::ones({1, 68, 2}));
      },
      ThrowsUsageError(HasSubstr("all in one place")));
  EXPECT_THAT(
      [] {
        estimate_pose(at::full({1, 68, 2}, NAN));
      },
      ThrowsUsageError(HasSubstr("not finite")));
}

}  // namespace
}  // namespace reprise::datasets
