#include <torch/torch.h>

#include <cmath>

#include "datasets/scene/background.h"
#include "datasets/scene/synthetic_head.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

// Where the mirror image of each landmark stands, as 300-W numbers them.
constexpr std::array<int, 68> mirror{
    16, 15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1,  0,  26, 25, 24, 23, 22, 21,
    20, 19, 18, 17, 27, 28, 29, 30, 35, 34, 33, 32, 31, 45, 44, 43, 42, 47, 46, 39, 38, 37, 36,
    41, 40, 54, 53, 52, 51, 50, 49, 48, 59, 58, 57, 56, 55, 64, 63, 62, 61, 60, 67, 66, 65};

at::Tensor gray_wall(int size) { return torch::full({size, size, 3}, 128, torch::kByte); }

HeadFrame drawn(const HeadPose& pose, const Expression& face = {}, int person = 0, int size = 64) {
  HeadRenderer renderer(size);
  return renderer.render(identity(person), pose, face, Light{}, gray_wall(size));
}

TEST(SyntheticHead, LandmarksAreTheProjectedVertices) {
  const auto who = identity(4);
  const auto mesh = head_mesh(who, 1);
  const HeadPose pose{.pitch = 12, .yaw = -33, .roll = 7, .x = 0.3, .y = 0.5, .z = 6.5};
  const auto frame = drawn(pose, {}, 4);
  const auto r = rotation(pose);
  for (const int k : {0, 8, 30, 36, 45, 48, 66}) {
    const auto i = mesh->landmarks[k];
    const double qx = mesh->rest.x[i], qy = -(mesh->rest.y[i] + 0.55),
                 qz = -(mesh->rest.z[i] + 0.2);
    const double x = r[0] * qx + r[1] * qy + r[2] * qz + pose.x,
                 y = r[3] * qx + r[4] * qy + r[5] * qz + pose.y,
                 z = r[6] * qx + r[7] * qy + r[8] * qz + pose.z;
    EXPECT_NEAR(frame.landmarks[k][0].item<double>(), 31.5 + 128 * x / z, 1e-3) << k;
    EXPECT_NEAR(frame.landmarks[k][1].item<double>(), 31.5 + 128 * y / z, 1e-3) << k;
  }
}

TEST(SyntheticHead, RotationIsRxMinusPitchRyYawRzRoll) {
  const auto face = [](const HeadPose& pose) {  // where the face at rest, (0, 0, -1), points
    const auto r = rotation(pose);
    return std::array{-r[2], -r[5], -r[8]};
  };
  EXPECT_NEAR(face({.pitch = 30})[1], -0.5, 1e-12);  // up is -y
  EXPECT_NEAR(face({.yaw = 30})[0], -0.5, 1e-12);    // to the picture's left
  const auto tilted = rotation({.roll = 30});
  EXPECT_NEAR(tilted[3], 0.5, 1e-12);  // the right eye goes down: clockwise
}

TEST(SyntheticHead, AHeadSeenFromInFrontHasSymmetricLandmarks) {
  for (int person = 0; person < 10; ++person) {
    const auto points = drawn({}, {}, person).landmarks;
    for (int k = 0; k < 68; ++k) {
      EXPECT_NEAR(points[k][0].item<double>() + points[mirror[k]][0].item<double>(), 63, 2e-3)
          << person << " " << k;
      EXPECT_NEAR(points[k][1].item<double>(), points[mirror[k]][1].item<double>(), 2e-3)
          << person << " " << k;
    }
  }
}

TEST(SyntheticHead, MirroringThePictureIsTurningTheOtherWay) {
  const auto a =
      drawn({.pitch = 10, .yaw = 35, .roll = 12, .x = 0.2}, {.mouth_open = 0.5}).landmarks;
  const auto b =
      drawn({.pitch = 10, .yaw = -35, .roll = -12, .x = -0.2}, {.mouth_open = 0.5}).landmarks;
  for (int k = 0; k < 68; ++k) {
    EXPECT_NEAR(a[k][0].item<double>(), 63 - b[mirror[k]][0].item<double>(), 2e-3) << k;
    EXPECT_NEAR(a[k][1].item<double>(), b[mirror[k]][1].item<double>(), 2e-3) << k;
  }
}

TEST(SyntheticHead, EveryPersonHasDistinctShapeAndColour) {
  std::vector<HeadFrame> frames;
  for (int person = 0; person < 10; ++person) frames.push_back(drawn({}, {}, person));
  for (std::size_t i = 0; i < frames.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT((frames[i].landmarks - frames[j].landmarks).abs().max().item<double>(), 0.3)
          << i << " " << j;
      EXPECT_GT((frames[i].image.to(at::kFloat) - frames[j].image.to(at::kFloat))
                    .abs()
                    .mean()
                    .item<double>(),
                3)
          << i << " " << j;
    }
}

TEST(SyntheticHead, LandmarksStayInsideThePictureForModeratePoses) {
  for (const double yaw : {-60, 0, 60})
    for (const double pitch : {-25, 0, 25}) {
      const auto points =
          drawn({.pitch = pitch, .yaw = yaw, .roll = 10}, {.mouth_open = 1}).landmarks;
      EXPECT_GE(points.min().item<double>(), 0) << yaw << " " << pitch;
      EXPECT_LE(points.max().item<double>(), 63) << yaw << " " << pitch;
    }
}

TEST(SyntheticHead, LandmarksOfTheNearSideLieOnWhatIsSeen) {
  for (const double yaw : {-60.0, -30.0, 0.0, 30.0, 60.0}) {
    HeadRenderer renderer(200);
    const HeadPose pose{.yaw = yaw};
    const auto frame = renderer.render(identity(8), pose, {}, Light{}, gray_wall(200));
    const auto depth = renderer.depth();
    const auto mesh = head_mesh(identity(8), 2);
    const auto r = rotation(pose);
    // The side of the face that is turned to the camera: yaw > 0 shows the half on the picture's
    // right.
    std::vector<int> near{27, 28, 29, 33, 51, 57, 8};
    if (yaw >= 0) near.insert(near.end(), {24, 43, 44, 45, 46, 47, 53, 12, 14});
    if (yaw <= 0) near.insert(near.end(), {19, 36, 37, 38, 40, 41, 49, 2, 4});
    for (const int k : near) {
      const auto i = mesh->landmarks[k];
      const double z = r[6] * mesh->rest.x[i] - r[7] * (mesh->rest.y[i] + 0.55) -
                       r[8] * (mesh->rest.z[i] + 0.2) + pose.z;
      const auto x = std::lround(frame.landmarks[k][0].item<double>()),
                 y = std::lround(frame.landmarks[k][1].item<double>());
      // The surface near the landmark's pixel is at its depth (a brow is 0.3 mm thick, lids 1.5 mm;
      // the contour may fall beside the head).
      double off = 1;
      for (long dy = -2; dy <= 2; ++dy)
        for (long dx = -2; dx <= 2; ++dx)
          off = std::min(off, std::abs(depth[y + dy][x + dx].item<double>() - z));
      EXPECT_LT(off, 0.06) << "yaw " << yaw << ", landmark " << k;
    }
  }
}

TEST(SyntheticHead, MouthEyesAndBrowsMoveTheirLandmarks) {
  const auto y = [](const at::Tensor& points, int k) { return points[k][1].item<double>(); };
  const auto rest = drawn({}).landmarks;
  const auto open = drawn({}, {.mouth_open = 1}).landmarks;
  EXPECT_GT(y(open, 66) - y(open, 62), y(rest, 66) - y(rest, 62) + 2);
  EXPECT_GT(y(open, 8), y(rest, 8) + 1);
  EXPECT_NEAR(y(open, 30), y(rest, 30), 0.05);
  const auto shut = drawn({}, {.blink = 1}).landmarks;
  EXPECT_GT(y(rest, 41) - y(rest, 37), 1);
  EXPECT_NEAR(y(shut, 41), y(shut, 37), 0.1);
  const auto raised = drawn({}, {.brow_raise = 1}).landmarks;
  EXPECT_LT(y(raised, 19), y(rest, 19) - 0.8);
  const auto smile = drawn({}, {.smile = 1}).landmarks;
  EXPECT_LT(smile[48][0].item<double>(), rest[48][0].item<double>() - 0.5);
  EXPECT_LT(y(smile, 48), y(rest, 48) - 0.5);
}

TEST(SyntheticHead, GazeMovesPixelsButNoLandmark) {
  const auto ahead = drawn({}, {}, 1, 128), aside = drawn({}, {.gaze_x = 1}, 1, 128);
  EXPECT_TRUE(at::equal(ahead.landmarks, aside.landmarks));
  const auto changed =
      (ahead.image.to(at::kInt) - aside.image.to(at::kInt)).abs().amax(2).nonzero();
  ASSERT_GT(changed.size(0), 5);
  const auto eyes = ahead.landmarks.slice(0, 36, 48);
  EXPECT_GE(changed.select(1, 0).min().item<double>(), eyes.select(1, 1).min().item<double>() - 3);
  EXPECT_LE(changed.select(1, 0).max().item<double>(), eyes.select(1, 1).max().item<double>() + 3);
}

TEST(SyntheticHead, DetailChangesNoLandmark) {
  const auto small = drawn({.yaw = 20}, {.smile = 1}, 3, 64).landmarks,
             large = drawn({.yaw = 20}, {.smile = 1}, 3, 256).landmarks;
  // The same point of the camera's plane: (u - 31.5) / 128 = (v - 127.5) / 512.
  EXPECT_TRUE(at::allclose((small - 31.5) * 4, large - 127.5, 0, 1e-2));
}

TEST(SyntheticHead, StillsDoNotDependOnTheNumberOfThreads) {
  const int before = at::get_num_threads();
  std::vector<HeadStills> sets;
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    sets.push_back(render_head_stills(30, 48, {0, 3, 12}, 7));
  }
  at::set_num_threads(before);
  EXPECT_TRUE(at::equal(sets[0].images, sets[1].images));
  EXPECT_TRUE(at::equal(sets[0].landmarks, sets[1].landmarks));
  EXPECT_TRUE(at::equal(sets[0].pose, sets[1].pose));
  EXPECT_EQ(sets[0].identity[5].item<std::int64_t>(), 12);
  EXPECT_FALSE(at::equal(sets[0].images, render_head_stills(30, 48, {0, 3, 12}, 8).images));
}

TEST(SyntheticHead, ClipsMoveSmoothlyWithinTheirRange) {
  const auto clips =
      render_head_clips(4, 40, 32, {0, 1}, 3, {.range = {.pitch = 20, .yaw = 40, .roll = 10}});
  EXPECT_EQ(clips.images.sizes(), at::IntArrayRef({4, 40, 32, 32, 3}));
  const auto largest = clips.pose.abs().amax(at::IntArrayRef{0, 1});
  EXPECT_LE(largest[0].item<double>(), 20);
  EXPECT_LE(largest[1].item<double>(), 40);
  EXPECT_GT(largest[1].item<double>(), 5);
  // |p'| <= 2 pi / 20 of the range.
  EXPECT_LE(clips.pose.select(2, 1).diff(1, 1).abs().max().item<double>(), 40 * 2 * 3.1416 / 20);
}

TEST(SyntheticHead, PeopleBeyondTheTenAreDrawnFromTheirNumber) {
  EXPECT_EQ(identity(37).width, identity(37).width);
  EXPECT_NE(identity(37).width, identity(38).width);
  EXPECT_THAT([] { identity(-1); }, ThrowsUsageError(HasSubstr("-1")));
}

TEST(SyntheticHead, WrongUseIsNamed) {
  EXPECT_THAT(
      [] {
        HeadRenderer(64).render(identity(0), {}, {}, {}, torch::zeros({32, 64, 3}, torch::kByte));
      },
      ThrowsUsageError(HasSubstr("[32, 64, 3]"), HasSubstr("[64, 64, 3]")));
  EXPECT_THAT([] { HeadRenderer(4); }, ThrowsUsageError(HasSubstr("8 to 2048")));
  EXPECT_THAT([] { render_head_stills(3, 64, std::vector<std::int64_t>{}, 1); },
              ThrowsUsageError(HasSubstr("no person")));
  EXPECT_THAT([] { head_mesh(identity(0), 0); }, ThrowsUsageError(HasSubstr("1 to 8")));
}

TEST(Background, IsDrawnFromTheGeneratorAlone) {
  Random a(3), b(3), c(4);
  const auto first = background(40, 56, a);
  EXPECT_EQ(first.sizes(), at::IntArrayRef({40, 56, 3}));
  EXPECT_TRUE(at::equal(first, background(40, 56, b)));
  EXPECT_FALSE(at::equal(first, background(40, 56, c)));
  EXPECT_THAT([&] { background(0, 5, a); }, ThrowsUsageError(HasSubstr("0 x 5")));
}

}  // namespace
}  // namespace reprise::datasets
