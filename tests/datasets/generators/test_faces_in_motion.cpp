#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "datasets/generators/faces_in_motion.h"
#include "datasets/scene/smooth_path.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using Runs = std::vector<std::vector<std::int64_t>>;

const MotionOptions still_camera{.degradation = 0, .camera = 0, .jitter = 0};

at::Tensor corners(double left, double top, double right, double bottom) {
  return torch::tensor({left, top, right, bottom}, torch::kFloat).view({1, 2, 2});
}

at::Tensor noise_picture(std::int64_t side) {
  auto generator = torch::make_generator<torch::CPUGeneratorImpl>(5);
  return torch::randint(0, 256, {side, side}, generator, torch::kByte);
}

TEST(FacesInMotion, AStillCameraWithoutEventsGivesThePlainCrop) {
  auto options = still_camera;
  options.size = 32, options.frames = 3, options.enlarged = 2, options.enlarged_spread = 0;
  // Box of 16 pixels, middle (39.5, 35.5): side 32, so pixel (u, v) shows (24 + u, 20 + v).
  const auto picture = noise_picture(96);
  const auto clips =
      generate_face_motion({picture}, corners(31.5, 27.5, 47.5, 43.5), {{0}}, options, Random(1));
  const auto crop = picture.slice(0, 20, 52).slice(1, 24, 56);
  for (int t = 0; t < 3; ++t) EXPECT_TRUE(at::equal(clips.frames[0][t], crop)) << t;
  EXPECT_TRUE(at::allclose(clips.landmarks[0][2],
                           torch::tensor({{7.5, 7.5}, {23.5, 23.5}}, torch::kFloat), 0, 1e-4));
}

TEST(FacesInMotion, AWhiteDotIsFoundWhereItsLandmarkSays) {
  // A bright spot of one still at the first landmark; its centre of mass in each frame is the
  // landmark.
  auto picture = torch::zeros({160, 160}, torch::kByte);
  picture.slice(0, 69, 72).slice(1, 59, 62) = 255;  // centre (60, 70)
  const auto landmarks =
      torch::tensor({60.0, 70.0, 45.0, 50.0, 115.0, 120.0}, torch::kFloat).view({1, 3, 2});
  MotionOptions options{.frames = 30, .size = 64, .degradation = 0};
  options.turn = 40;
  const auto clips =
      generate_face_motion({picture}, landmarks, {{0}, {0}, {0}}, options, Random(9));
  const auto light = clips.frames.to(at::kDouble);
  const auto place = torch::arange(64, torch::kDouble), total = light.sum({2, 3});
  const auto x = (light.sum(2) * place).sum(2) / total, y = (light.sum(3) * place).sum(2) / total;
  EXPECT_LT((x - clips.landmarks.select(2, 0).select(2, 0)).abs().max().item<double>(), 0.06);
  EXPECT_LT((y - clips.landmarks.select(2, 0).select(2, 1)).abs().max().item<double>(), 0.06);
}

MotionOptions with_gaps(std::vector<Damage> kinds, std::int64_t frames = 12) {
  MotionOptions options{.frames = frames, .size = 64};
  options.gaps.kinds = std::move(kinds);
  return options;
}

TEST(FacesInMotion, BlurAndLostFocusKeepADotsMiddle) {
  auto picture = torch::zeros({160, 160}, torch::kByte);
  picture.slice(0, 77, 84).slice(1, 77, 84) = 255;  // centre (80, 80)
  const auto landmarks =
      torch::tensor({80.0, 80.0, 50.0, 50.0, 110.0, 110.0}, torch::kFloat).view({1, 3, 2});
  for (const auto kind : {Damage::Blurred, Damage::Defocused}) {
    auto options = with_gaps({kind});
    options.gaps.blur_length = 0.14,
    options.gaps.defocus_radius = 0.04;  // stronger ones leave too few gray levels to weigh
    const auto damaged = generate_face_motion({picture}, landmarks, {{0}}, options, Random(2));
    options.degradation = 0;
    const auto sharp = generate_face_motion({picture}, landmarks, {{0}}, options, Random(2));
    EXPECT_FALSE(at::equal(damaged.frames, sharp.frames));
    EXPECT_TRUE(at::equal(damaged.landmarks, sharp.landmarks));
    const auto light = damaged.frames.to(at::kDouble);
    const auto x = (light.sum(2) * torch::arange(64, torch::kDouble)).sum(2) / light.sum({2, 3});
    EXPECT_LT((x - damaged.landmarks.select(2, 0).select(2, 0)).abs().max().item<double>(), 0.2);
  }
}

TEST(FacesInMotion, LandmarksMoveSmoothly) {
  const MotionOptions options{.frames = 60, .size = 64};
  const auto clips = generate_face_motion({noise_picture(160)}, corners(50, 50, 110, 110),
                                          Runs(5, {0}), options, Random(4));
  const auto step = clips.landmarks.diff(1, 1), jerk = step.diff(1, 1);
  EXPECT_GT(step.abs().max().item<double>(), 0.2);
  EXPECT_LT(step.abs().max().item<double>(), 6);
  EXPECT_LT(jerk.abs().max().item<double>(), 2);
}

// A frame is damaged or it is as it would be without any gap, and `damaged` says which.
TEST(FacesInMotion, EveryKindOfDamageChangesTheFramesOfItsGapsAndNoOtherAndNoLandmark) {
  const auto picture = noise_picture(160).div(2, "floor").add(60).to(torch::kByte);
  for (const auto kind : {Damage::Hidden, Damage::Dark, Damage::Blurred, Damage::Defocused}) {
    auto options = with_gaps({kind}, 20);
    const auto clips = generate_face_motion({picture}, corners(50, 50, 110, 110), Runs(4, {0}),
                                            options, Random(6));
    options.degradation = 0;
    const auto clear = generate_face_motion({picture}, corners(50, 50, 110, 110), Runs(4, {0}),
                                            options, Random(6));
    const auto changed = clips.frames.ne(clear.frames).flatten(2).any(2);
    EXPECT_TRUE(at::equal(changed, clips.damaged));
    EXPECT_GT(clips.damaged.sum().item<int>(), 10);
    EXPECT_FALSE(clear.damaged.any().item<bool>());
    EXPECT_TRUE(at::equal(clips.landmarks, clear.landmarks));
  }
}

TEST(FacesInMotion, GapsAreRunsOfTheirLengthsBetweenClearRunsOfTheirs) {
  auto options = with_gaps({Damage::Hidden}, 60);
  options.size = 8, options.gaps.clear_low = 3, options.gaps.clear_high = 5,
  options.gaps.gap_low = 1, options.gaps.gap_high = 4;
  const auto damaged = generate_face_motion({noise_picture(60)}, corners(20, 20, 40, 40),
                                            Runs(20, {0}), options, Random(3))
                           .damaged;
  std::int64_t shortest[2]{99, 99}, longest[2]{0, 0};
  for (std::int64_t i = 0; i < 20; ++i) {
    std::int64_t run = 1, runs = 0;
    for (std::int64_t t = 1; t < 60; ++t) {
      const bool now = damaged[i][t].item<bool>();
      if (now == damaged[i][t - 1].item<bool>()) {
        ++run;
        continue;
      }
      if (runs++ > 0)
        shortest[!now] = std::min(shortest[!now], run),
        longest[!now] = std::max(longest[!now], run);
      run = 1;
    }
  }
  EXPECT_EQ(shortest[0], 3);
  EXPECT_EQ(longest[0], 5);
  EXPECT_EQ(shortest[1], 1);
  EXPECT_EQ(longest[1], 4);
  EXPECT_NEAR(damaged.to(at::kDouble).mean().item<double>(), 2.5 / 6.5, 0.05);
  EXPECT_GT(damaged.select(1, 0).sum().item<int>(), 2);  // clips can begin within one
}

TEST(FacesInMotion, ABurstShowsItsOwnFramesUnderOneCamera) {
  std::vector<at::Tensor> images;
  for (int i = 0; i < 4; ++i) images.push_back(torch::full({80, 80}, 40 * i + 20, torch::kByte));
  const auto landmarks = torch::cat({corners(20, 20, 60, 60), corners(20, 20, 60, 60),
                                     corners(24, 20, 64, 60), corners(20, 28, 60, 68)});
  auto options = still_camera;
  options.frames = 3, options.size = 40, options.enlarged = 1, options.enlarged_spread = 0;
  const auto clips = generate_face_motion(images, landmarks, {{1, 2, 3}, {0}}, options, Random(1));
  EXPECT_EQ(clips.frames[0][1][20][20].item<int>(), 100);
  EXPECT_EQ(clips.frames[0][2][20][20].item<int>(), 140);
  EXPECT_EQ(clips.frames[1][2][20][20].item<int>(), 20);
  // The camera stays where the box around all three is, 48 pixels wide: the face moves in the crop
  // and does not leave it.
  EXPECT_NEAR((clips.landmarks[0][1][0][0] - clips.landmarks[0][0][0][0]).item<double>(),
              4 * 40.0 / 48, 1e-4);
  EXPECT_NEAR((clips.landmarks[0][2][0][1] - clips.landmarks[0][0][0][1]).item<double>(),
              8 * 40.0 / 48, 1e-4);
  EXPECT_GE(clips.landmarks[0].min().item<double>(), -0.5);
  EXPECT_LE(clips.landmarks[0].max().item<double>(), 39.5);
}

TEST(FacesInMotion, TheSameForAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  std::vector<MotionClips> sets;
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    sets.push_back(generate_face_motion({noise_picture(120)}, corners(40, 40, 90, 90),
                                        Runs(12, {0}), {}, Random(8)));
  }
  at::set_num_threads(before);
  EXPECT_TRUE(at::equal(sets[0].frames, sets[1].frames));
  EXPECT_TRUE(at::equal(sets[0].landmarks, sets[1].landmarks));
  EXPECT_FALSE(at::equal(sets[0].frames[0], sets[0].frames[1]));
}

TEST(FacesInMotion, ColourIsKeptOrBecomesLuma) {
  auto picture = torch::zeros({60, 60, 3}, torch::kByte);
  picture.select(2, 0) = 200, picture.select(2, 1) = 100, picture.select(2, 2) = 50;
  auto options = still_camera;
  const auto gray =
      generate_face_motion({picture}, corners(20, 20, 40, 40), {{0}}, options, Random(1)).frames;
  EXPECT_EQ(gray.sizes(), at::IntArrayRef({1, 8, 64, 64}));
  EXPECT_EQ(gray[0][0][9][9].item<int>(), 124);  // 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
  options.gray = false;
  const auto colour =
      generate_face_motion({picture}, corners(20, 20, 40, 40), {{0}}, options, Random(1)).frames;
  EXPECT_EQ(colour.sizes(), at::IntArrayRef({1, 8, 64, 64, 3}));
  EXPECT_EQ(colour[0][0][9][9][0].item<int>(), 200);
}

TEST(FacesInMotion, BeyondTheBorderTheStillIsReflected) {
  const auto picture = noise_picture(16);
  auto options = still_camera;
  options.frames = 1, options.size = 32, options.enlarged = 2, options.enlarged_spread = 0;
  const auto crop =
      generate_face_motion({picture}, corners(-0.5, -0.5, 15.5, 15.5), {{0}}, options, Random(1))
          .frames[0][0];
  EXPECT_TRUE(at::equal(crop.slice(0, 8, 24).slice(1, 8, 24), picture));
  EXPECT_TRUE(at::equal(crop.slice(0, 8, 24).slice(1, 0, 8), picture.slice(1, 0, 8).flip(1)));
  EXPECT_TRUE(at::equal(crop.slice(0, 24, 32).slice(1, 8, 24), picture.slice(0, 8, 16).flip(0)));
}

TEST(FacesInMotion, WrongInputIsNamed) {
  const auto picture = noise_picture(60), box = corners(20, 20, 40, 40);
  const auto nan = corners(20, std::numeric_limits<double>::quiet_NaN(), 40, 40);
  EXPECT_THAT([&] { generate_face_motion({picture}, nan, {{0}}, {}, Random(1)); },
              ThrowsUsageError(HasSubstr("image 0"), HasSubstr("not finite")));
  EXPECT_THAT([&] { generate_face_motion({picture}, corners(3, 3, 3, 3), {{0}}, {}, Random(1)); },
              ThrowsUsageError(HasSubstr("one place")));
  EXPECT_THAT(
      [&] {
        generate_face_motion({picture, picture}, box, {{0}}, {}, Random(1));
      },
      ThrowsUsageError(HasSubstr("2 images"), HasSubstr("[1, 2, 2]")));
  EXPECT_THAT(
      [&] {
        generate_face_motion({picture}, box, {{0}, {4}}, {}, Random(1));
      },
      ThrowsUsageError(HasSubstr("run 1"), HasSubstr("image 4 of 1")));
  EXPECT_THAT(
      [&] {
        generate_face_motion({picture}, box, {{0, 0}}, {}, Random(1));
      },
      ThrowsUsageError(HasSubstr("2 images"), HasSubstr("1 or 8")));
  EXPECT_THAT([&] { generate_face_motion({picture.to(torch::kFloat)}, box, {{0}}, {}, Random(1)); },
              ThrowsUsageError(HasSubstr("image 0")));
  EXPECT_THAT([&] { generate_face_motion({picture}, box, {{0}}, {.degradation = 2}, Random(1)); },
              ThrowsUsageError(HasSubstr("degradation is 2")));
  EXPECT_THAT(
      [&] { generate_face_motion({picture}, box, {{0}}, {.gaps = {.gap_low = 0}}, Random(1)); },
      ThrowsUsageError(HasSubstr("gaps at least 1 frame")));
  EXPECT_THAT([&] { generate_face_motion({picture}, box, {{0}}, with_gaps({}), Random(1)); },
              ThrowsUsageError(HasSubstr("kind of damage")));
}

TEST(SmoothPath, StaysWithinOneAndItsSpeedWithinItsShortestPeriod) {
  Random random(11);
  for (int i = 0; i < 20; ++i) {
    const SmoothPath path(random, 20, 60);
    for (int t = 0; t < 200; ++t) {
      EXPECT_LE(std::abs(path.at(t)), 1);
      EXPECT_LE(std::abs(path.at(t + 1) - path.at(t)), 2 * 3.1416 / 20);
    }
  }
}

}  // namespace
}  // namespace reprise::datasets
