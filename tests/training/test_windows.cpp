#include <ATen/ATen.h>

#include <map>

#include "tests/support.h"
#include "training/windows.h"

namespace reprise::training {
namespace {

using testing::HasSubstr;

at::Tensor numbers(std::initializer_list<std::int64_t> values) {
  return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong);
}

TEST(Windows, OfAClipAreAllOfThemInOrder) {
  const auto clip = at::arange(6, at::kLong);
  EXPECT_EQ(window_count(6, {.frames = 4}), 3);
  EXPECT_TRUE(
      all_windows(clip, {.frames = 4})
          .equal(at::stack({numbers({0, 1, 2, 3}), numbers({1, 2, 3, 4}), numbers({2, 3, 4, 5})})));
  EXPECT_TRUE(all_windows(clip, {.frames = 3, .every_nth = 2})
                  .equal(at::stack({numbers({0, 2, 4}), numbers({1, 3, 5})})));
  EXPECT_TRUE(all_windows(clip, {.frames = 1, .every_nth = 9}).equal(clip.unsqueeze(1)));
}

// 4 windows of 3 frames, 2 apart, of 8 frames: each is drawn, and as often.
TEST(Windows, AreDrawnEachAsOften) {
  const auto clips = at::arange(8, at::kLong).expand({400, 8});
  Random random(1);
  const auto windows = draw_windows(clips, {.frames = 3, .every_nth = 2}, random);
  EXPECT_TRUE((windows - windows.slice(1, 0, 1)).equal(numbers({0, 2, 4}).expand({400, 3})));
  const auto counts = windows.select(1, 0).bincount();
  ASSERT_EQ(counts.numel(), 4);
  EXPECT_GT(counts.min().item<int>(), 70);
}

TEST(Windows, StayWithinEachClipsLength) {
  const auto clips = at::arange(9, at::kLong).expand({300, 9});
  Random random(2);
  const auto lengths = at::arange(300, at::kLong).remainder(3) + 4;
  const auto last = draw_windows(clips, {.frames = 4}, random, lengths).select(1, 3);
  EXPECT_TRUE((last < lengths).all().item<bool>());
  EXPECT_EQ(last.max().item<int>(), 5);
  EXPECT_TRUE(last.slice(0, 0, 300, 3).eq(3).all().item<bool>());  // the only window of 4 frames
}

TEST(Windows, WrongUseIsNamed) {
  Random random(3);
  EXPECT_THAT([] { window_count(15, {}); },
              ThrowsUsageError(HasSubstr("15 frames"), HasSubstr("takes 16")));
  EXPECT_THAT([] { window_count(30, {.every_nth = 2}); },
              ThrowsUsageError(HasSubstr("30 frames"), HasSubstr("2 apart")));
  EXPECT_EQ(window_count(31, {.every_nth = 2}), 1);
  EXPECT_THAT([] { window_count(5, {.frames = 3, .every_nth = std::int64_t{1} << 62}); },
              ThrowsUsageError(HasSubstr("apart")));
  EXPECT_THAT([] { window_count(5, {.frames = 0}); }, ThrowsUsageError(HasSubstr("0 frames")));
  EXPECT_THAT([] { window_count(0, {.frames = 1}); }, ThrowsUsageError(HasSubstr("has 0 frames")));
  const auto clips = at::zeros({2, 6});
  EXPECT_THAT(
      [&] {
        draw_windows(clips, {.frames = 4}, random, numbers({4, 3}));
      },
      ThrowsUsageError(HasSubstr("clip 1")));
  EXPECT_THAT(
      [&] {
        draw_windows(clips, {.frames = 4}, random, numbers({4, 7}));
      },
      ThrowsUsageError(HasSubstr("7 frames")));
  EXPECT_THAT([&] { draw_windows(clips, {.frames = 4}, random, numbers({4})); },
              ThrowsUsageError(HasSubstr("for 2 clips")));
  EXPECT_EQ(draw_windows(at::zeros({0, 6, 3}), {.frames = 4}, random).sizes(),
            (std::vector<std::int64_t>{0, 4, 3}));
}

TEST(LengthHistogram, SamplesLengthsAsOftenAsTheyAreThere) {
  const LengthHistogram histogram({16, 24, 16, 40});
  EXPECT_EQ(histogram.probability(16), 0.5);
  EXPECT_EQ(histogram.probability(40), 0.25);
  EXPECT_EQ(histogram.probability(17), 0);
  std::map<std::int64_t, int> counts;
  Random random(4);
  for (int i = 0; i < 2000; ++i) ++counts[histogram.sample(random)];
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_NEAR(counts[16], 1000, 100);
  EXPECT_NEAR(counts[40], 500, 90);
  EXPECT_THAT([] { LengthHistogram({}); }, ThrowsUsageError(HasSubstr("no clip lengths")));
  EXPECT_THAT([] { LengthHistogram({3, 0}); }, ThrowsUsageError(HasSubstr("0 frames")));
}

}  // namespace
}  // namespace reprise::training
