#include <ATen/ATen.h>

#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "datasets/scene/synthetic_head.h"
#include "datasets/transforms/face_windows.h"
#include "tests/datasets/faces.h"
#include "tests/datasets/small_videos.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing_faces::ramp;
using testing_videos::write_video;

using Faces = std::vector<std::optional<FaceBox>>;

/// A box of `side` pixels around (x, y).
FaceBox box_at(double x, double y, double side = 11) {
  return {x - (side - 1) / 2, y - (side - 1) / 2, side, side};
}

TEST(FaceWindows, AFaceThatRestsAndOneAtConstantSpeedAreFollowedExactly) {
  Faces rest(9, box_at(20, 30)), moving;
  for (int t = 0; t < 41; ++t) moving.emplace_back(box_at(10 + 2 * t, 50 - t));
  for (const auto& window : smooth_windows(rest, {.sigma = 2, .margin = 1.5})) {
    EXPECT_NEAR(window.x, 20, 1e-12);
    EXPECT_NEAR(window.y, 30, 1e-12);
    EXPECT_NEAR(window.side, 16.5, 1e-12);
  }
  const auto windows = smooth_windows(moving, {.sigma = 2});
  for (int t = 8; t < 33; ++t) {  // 4 sigma from both ends
    EXPECT_NEAR(windows[t].x, 10 + 2 * t, 1e-12);
    EXPECT_NEAR(windows[t].y, 50 - t, 1e-12);
  }
  // At the ends the Gaussian has one side alone and lags inwards, by no more than the half
  // Gaussian's mean.
  EXPECT_GT(windows[0].x, 10);
  EXPECT_LT(windows[0].x, 10 + 2 * 2 * std::sqrt(2 / std::numbers::pi));
}

TEST(FaceWindows, AnImpulseBecomesTheGaussianAndWeightsAreNormalisedAtTheBorders) {
  Faces faces(31, box_at(0, 0));
  faces[15] = box_at(1, 0);
  faces[0] = box_at(0, 1);
  const double sigma = 1.5;
  const auto g = [&](double k) { return std::exp(-k * k / (2 * sigma * sigma)); };
  double all = 0, half = 0;
  for (int k = -6; k <= 6; ++k) all += g(k);
  for (int k = 0; k <= 6; ++k) half += g(k);
  const auto windows = smooth_windows(faces, {.sigma = sigma});
  for (int k = -8; k <= 8; ++k)
    EXPECT_NEAR(windows[15 + k].x, std::abs(k) <= 6 ? g(k) / all : 0, 1e-14) << k;
  EXPECT_NEAR(windows[0].y, 1 / half, 1e-14);
}

TEST(FaceWindows, WithoutSigmaNothingIsSmoothedGapsAreInterpolatedAndEndsHeld) {
  const Faces faces{{}, {}, box_at(10, 40), {}, {}, {}, box_at(18, 20), {}, {}};
  const auto windows = smooth_windows(faces, {.sigma = 0});
  const double x[] = {10, 10, 10, 12, 14, 16, 18, 18, 18},
               y[] = {40, 40, 40, 35, 30, 25, 20, 20, 20};
  ASSERT_EQ(windows.size(), 9U);
  for (int t = 0; t < 9; ++t) {
    EXPECT_NEAR(windows[t].x, x[t], 1e-12) << t;
    EXPECT_NEAR(windows[t].y, y[t], 1e-12) << t;
  }
}

TEST(FaceWindows, TheLargestBoxOfTheVideoIsTheSideOfAllWindows) {
  const Faces faces{box_at(10, 10, 7), FaceBox{0, 0, 5, 21}, {}, box_at(10, 10, 9)};
  for (const auto& window : smooth_windows(faces, {.sigma = 3, .margin = 2}))
    EXPECT_DOUBLE_EQ(window.side, 42);
}

TEST(FaceWindows, OneFrameIsEnoughAndNoFaceIsAnError) {
  const auto windows = smooth_windows({box_at(7, 8)}, {.sigma = 50});
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_DOUBLE_EQ(windows[0].x, 7);
  EXPECT_THAT(
      [] {
        smooth_windows({{}, {}, {}});
      },
      ThrowsUsageError(HasSubstr("no face"), HasSubstr("3 frames")));
  EXPECT_THAT([] { smooth_windows({}); }, ThrowsUsageError(HasSubstr("0 frames")));
  EXPECT_THAT([] { smooth_windows({box_at(1, 1)}, {.sigma = -1}); },
              ThrowsUsageError(HasSubstr("-1")));
  EXPECT_THAT([] { smooth_windows({box_at(1, 1)}, {.margin = 0}); },
              ThrowsUsageError(HasSubstr("margin of 0")));
  EXPECT_THAT([] { smooth_windows({box_at(1, 1)}, {.sigma = NAN}); },
              ThrowsUsageError(HasSubstr("nan")));
}

// Two faces take turns at being the larger one: the window must not jump between them.
TEST(FaceWindows, OfTwoFacesTheOneFollowedStays) {
  std::optional<FaceBox> last;
  for (int t = 0; t < 10; ++t) {
    last = choose_face({box_at(100, 20, 30), box_at(20 + t, 20, t == 0 ? 31 : 21)}, last);
    ASSERT_TRUE(last);
    EXPECT_DOUBLE_EQ(last->x + 0.5 * (last->width - 1), 20 + t) << t;
  }
  EXPECT_FALSE(choose_face({}, last));
  EXPECT_FALSE(choose_face({{5, 5, 0, 9}}, {}));
}

TEST(FaceWindows, LieWhereTheNetworkLearnedThatTheyLie) {
  const auto window =
      smooth_windows({box_at(20, 30, 10)}, {.margin = 2, .right = -0.1, .down = 0.3}).front();
  EXPECT_DOUBLE_EQ(window.x, 19);
  EXPECT_DOUBLE_EQ(window.y, 33);
  EXPECT_DOUBLE_EQ(window.side, 20);
}

/// The window of the one face that is followed.
FaceWindow only(const std::vector<CausalWindows::Face>& faces) {
  EXPECT_EQ(faces.size(), 1U);
  return faces.empty() ? FaceWindow{} : faces.front().window;
}

TEST(CausalWindows, SeeThePastAloneAndHoldWhatIsMissing) {
  CausalWindows causal({.sigma = 1, .margin = 1});
  EXPECT_TRUE(causal.next({}).empty());
  EXPECT_DOUBLE_EQ(only(causal.next({box_at(0, 0, 5)})).x, 0);
  const auto g = [](double k) { return std::exp(-k * k / 2); };
  // A step from 0 to 1, the second frame of which is missed: frames 1, 2, 3 are 1.
  const auto first = only(causal.next({box_at(1, 0, 9)}));
  EXPECT_NEAR(first.x, g(0) / (g(0) + g(1)), 1e-14);
  EXPECT_NEAR(first.side, (9 * g(0) + 5 * g(1)) / (g(0) + g(1)), 1e-14);
  const auto missed = causal.next({});
  EXPECT_NEAR(only(missed).x, (g(0) + g(1)) / (g(0) + g(1) + g(2)), 1e-14);
  EXPECT_FALSE(missed.front().found);
  const auto third = only(causal.next({box_at(1, 0, 7)}));
  EXPECT_NEAR(third.x, (g(0) + g(1) + g(2)) / (g(0) + g(1) + g(2) + g(3)), 1e-14);
  for (int t = 0; t < 20; ++t) EXPECT_LE(only(causal.next({box_at(1, 0, 7)})).x, 1 + 1e-14);
  EXPECT_NEAR(only(causal.next({})).x, 1, 1e-14);  // what left the Gaussian is forgotten
}

TEST(CausalWindows, AFaceAtConstantSpeedIsFollowedWithTheDelayOfTheHalfGaussian) {
  CausalWindows causal({.sigma = 4});
  double delay = 0;
  for (int t = 0; t < 60; ++t) delay = t - only(causal.next({box_at(t, 0)})).x;
  double sum = 0, mean = 0;
  for (int k = 0; k <= 16; ++k) sum += std::exp(-k * k / 32.0), mean += k * std::exp(-k * k / 32.0);
  EXPECT_NEAR(delay, mean / sum, 1e-12);
  EXPECT_NEAR(delay, 0.8 * 4, 0.6);
}

// A box far from the face is another face's; a face that is gone for long makes room for it, and is
// one anew when it comes back.
TEST(CausalWindows, AFaceThatIsGoneIsLostAndAnotherTakesItsPlace) {
  CausalWindows causal({.sigma = 0}, 1, 3);
  EXPECT_TRUE(causal.next({box_at(20, 20)}).front().fresh);
  for (int t = 0; t < 3; ++t) {
    const auto faces = causal.next({box_at(200, 20)});
    EXPECT_DOUBLE_EQ(only(faces).x, 20) << t;
    EXPECT_FALSE(faces.front().found || faces.front().fresh);
  }
  EXPECT_TRUE(causal.next({}).empty());
  const auto other = causal.next({box_at(200, 20)});
  EXPECT_DOUBLE_EQ(only(other).x, 200);
  EXPECT_TRUE(other.front().fresh);
}

TEST(CausalWindows, SeveralFacesKeepTheirPlacesWhateverTheOrderOfTheirBoxes) {
  CausalWindows causal({.sigma = 0}, 2);
  auto faces = causal.next({box_at(20, 20, 11), box_at(80, 20, 15), box_at(140, 20, 5)});
  ASSERT_EQ(faces.size(), 2U);
  EXPECT_DOUBLE_EQ(faces[0].window.x, 80) << "the largest first";
  EXPECT_DOUBLE_EQ(faces[1].window.x, 20);
  for (int t = 1; t < 8; ++t) {
    faces = causal.next({box_at(140, 20, 5), box_at(20 + t, 20, 11 + t), box_at(80 - t, 20, 15)});
    ASSERT_EQ(faces.size(), 2U);
    EXPECT_DOUBLE_EQ(faces[0].window.x, 80 - t);
    EXPECT_DOUBLE_EQ(faces[1].window.x, 20 + t);
    EXPECT_FALSE(faces[0].fresh || faces[1].fresh);
  }
  EXPECT_THAT([] { CausalWindows({}, 0); }, ThrowsUsageError(HasSubstr("0 faces")));
}

TEST(CausalWindows, WhatLandmarksShowIsGoneByWhereNoBoxIsFound) {
  CausalWindows causal({.sigma = 0}, 1, 2);
  causal.next({box_at(20, 20)});
  for (int t = 1; t < 10; ++t) {  // longer than a face without a box is kept
    const auto faces = causal.next({});
    EXPECT_DOUBLE_EQ(only(faces).x, t == 1 ? 20 : 20 + 3 * (t - 1));
    causal.found_at(0, box_at(20 + 3 * t, 20));
  }
}

TEST(FaceDetector, FivePointsAreTheBoxOfTheirLandmarks) {
  // an upright face of a box of 100 around (50, 60), as box_from_five_points() has the mean face
  const auto five = [](double width) {
    return at::tensor({50 - width * 21.25, 30.6, 50 + width * 21.25, 30.6, 50.0, 55.0, 40.0, 75.1,
                       60.0, 75.1},
                      at::kDouble)
        .view({5, 2});
  };
  for (const double width : {1.0, 0.5}) {  // looking aside it is no smaller
    const auto box = box_from_five_points(five(width));
    EXPECT_NEAR(box.x + (box.width - 1) / 2, 50, 1e-9);
    EXPECT_NEAR(box.y + (box.height - 1) / 2, 60, 1e-9);
    EXPECT_NEAR(box.width, 100, 1e-6);
  }
  const auto landmarks = at::rand({68, 2}, at::kDouble) * 40;
  const auto box = landmark_box(landmarks);
  EXPECT_DOUBLE_EQ(box.x, landmarks.select(1, 0).min().item<double>());
  EXPECT_DOUBLE_EQ(box.y + box.height - 1, landmarks.select(1, 1).max().item<double>());
}

TEST(FaceWindows, ACropHoldsThePixelsOfItsWindowAndPointsGoBackExactly) {
  const auto frame = ramp(60, 50);
  // A side as long as the picture: pixels are copied. The window covers x 12 .. 22 and y 7 .. 17.
  const auto crop = crop_window(frame, {17, 12, 11}, 11);
  EXPECT_TRUE(crop.equal(frame.slice(0, 7, 18).slice(1, 12, 23)));
  const auto points = at::rand({2, 68, 2}, at::kDouble) * 64;
  for (const FaceWindow window : {FaceWindow{17, 12, 11}, {-3.25, 41.5, 90.1}, {200, 100, 3}}) {
    const auto back = points_in_frame(points, window, 64);
    EXPECT_TRUE(at::allclose(move_points(back, window_affine(window, 64)), points, 0, 1e-9));
  }
  // The picture's outer corners are the window's.
  const auto corners = points_in_frame(
      at::tensor({-0.5, -0.5, 63.5, 63.5}, at::kDouble).view({2, 2}), {10, 20, 8}, 64);
  EXPECT_TRUE(at::allclose(corners, at::tensor({6.0, 16.0, 14.0, 24.0}, at::kDouble).view({2, 2}),
                           0, 1e-12));
}

TEST(FaceWindows, BeyondTheBorderItsPixelsGoOn) {
  const auto frame = ramp(20, 20);
  const auto crop = crop_window(frame, {-10, 10, 9}, 9);  // wholly to the left of the frame
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 9; ++x) EXPECT_TRUE(crop[y][x].equal(frame[6 + y][0]));
  EXPECT_THAT([&] { crop_window(frame, {5, 5, 0}, 9); }, ThrowsUsageError(HasSubstr("side 0")));
  EXPECT_THAT([&] { crop_window(frame, {5, 5, 4}, 0); }, ThrowsUsageError(HasSubstr("0 pixels")));
}

// The frame's gray tells its number, so that a detector can be played by hand.
TEST(FaceWindows, OfAVideoFollowTheDetectorAndNameTheVideoWhereItFails) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "clip.avi";
  write_video(file, 9, 0, 20);
  const FaceDetector gray_is_place = [](const at::Tensor& frame) -> std::vector<FaceBox> {
    const auto gray = std::lround(testing_videos::gray_of(frame) / 20);
    if (gray == 4) return {};
    return {box_at(10.0 + gray, 20)};
  };
  const auto windows = find_face_windows(file, gray_is_place, {.sigma = 0});
  ASSERT_EQ(windows.size(), 9U);
  for (int t = 0; t < 9; ++t) EXPECT_NEAR(windows[t].x, 10 + t, 1e-12);
  const FaceDetector blind = [](const at::Tensor&) { return std::vector<FaceBox>(); };
  EXPECT_THAT([&] { find_face_windows(file, blind); },
              ThrowsUsageError(HasSubstr("clip.avi: no face is found in any of 9 frames")));
  write_file(folder.path() / "empty.avi", "");
  write_file(folder.path() / "text.avi", "no video");
  for (const char* name : {"empty.avi", "text.avi", "none.avi"})
    EXPECT_THAT([&] { find_face_windows(folder.path() / name, blind); },
                ThrowsUsageError(HasSubstr(name)))
        << name;
}

TEST(FaceDetector, AFileThatIsNoneIsNamed) {
  const TemporaryFolder folder;
  write_file(folder.path() / "text.xml", "no cascade");
  write_file(folder.path() / "other.xml",
             "<?xml version=\"1.0\"?>\n<opencv_storage><a>1</a></opencv_storage>\n");
  write_file(folder.path() / "text.onnx", "no network");
  write_file(folder.path() / "a.pb", "no network");
  for (const char* name : {"text.xml", "other.xml", "text.onnx", "a.pb", "none.xml"})
    EXPECT_THAT([&] { open_face_detector(folder.path() / name); },
                ThrowsUsageError(HasSubstr(name), HasSubstr("YuNet")))
        << name;
}

// The real cascade on drawn heads, upright and turned in the picture: the box is that of the
// landmarks.
TEST(FaceDetector, TheDefaultCascadeFindsTheLandmarksOfADrawnHeadWhicheverWayItIsTurnedSlow) {
  FaceDetector detector;
  try {
    detector = open_face_detector();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.fix(), HasSubstr("opencv-data"));
    GTEST_SKIP() << error.problem();
  }
  const auto stills = render_head_stills(12, 240, {0, 1, 2, 3}, 5,
                                         {.pitch = 4, .yaw = 6, .roll = 3, .expression = 0.2});
  for (const double angle : {0.0, 30.0, -45.0}) {
    const auto turn = turn_affine(240, 240, angle);
    int found = 0;
    for (int i = 0; i < 12; ++i) {
      const auto box = choose_face(detector(warp_image(stills.images[i], turn, 240)), {});
      if (!box) continue;
      const auto truth = landmark_box(move_points(stills.landmarks[i], turn));
      const double side = std::max(truth.width, truth.height);
      found += std::hypot(box->x + box->width / 2 - truth.x - truth.width / 2,
                          box->y + box->height / 2 - truth.y - truth.height / 2) < 0.3 * side &&
               std::abs(box->width - side) < 0.35 * side;
    }
    EXPECT_GE(found, 8) << angle;
  }
}

}  // namespace
}  // namespace reprise::datasets
