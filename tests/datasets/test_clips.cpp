#include "datasets/clips.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LabelledClips three_clips() {
  LabelledClips set;
  set.colour = at::arange(3).reshape({3, 1, 1, 1, 1}).expand({3, 4, 2, 2, 3}).to(at::kByte);
  set.depth = at::full({3, 4, 2, 2, 1}, 200, at::kByte);
  set.labels = at::arange(3);
  set.classes = {"a", "b", "c"};
  set.item = {"x/0", "x/1", "y/2"};
  set.person = {"x", "x", "y"};
  return set;
}

// The rule floor((t + offset) n / T), by hand.
TEST(Clips, FramesAreDrawnEvenlyOverTheWholeVideo) {
  EXPECT_THAT(clip_frames(4, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(clip_frames(80, 4), ElementsAre(10, 30, 50, 70));
  EXPECT_THAT(clip_frames(10, 4), ElementsAre(1, 3, 6, 8));
  EXPECT_THAT(clip_frames(10, 4, 0), ElementsAre(0, 2, 5, 7));
  EXPECT_THAT(clip_frames(10, 4, 0.999999), ElementsAre(2, 4, 7, 9));
}

// A video shorter than the clip repeats frames and loses none.
TEST(Clips, AShortVideoRepeatsItsFrames) {
  EXPECT_THAT(clip_frames(1, 3), ElementsAre(0, 0, 0));
  EXPECT_THAT(clip_frames(2, 4), ElementsAre(0, 0, 1, 1));
}

// Whatever the numbers: ascending, inside the video.
TEST(Clips, FramesAscendAndStayInside) {
  for (const std::int64_t n : {1, 2, 7, 79, 80, 1001})
    for (const std::int64_t frames : {1, 3, 8, 33})
      for (const double offset : {0.0, 0.5, 1 - 1e-16}) {
        if (offset >= 1) continue;
        const auto drawn = clip_frames(n, frames, offset);
        ASSERT_EQ(static_cast<std::int64_t>(drawn.size()), frames);
        EXPECT_TRUE(std::ranges::is_sorted(drawn));
        EXPECT_GE(drawn.front(), 0);
        EXPECT_LT(drawn.back(), n);
      }
}

// What cannot be drawn is named.
TEST(Clips, WrongNumbersAreNamed) {
  EXPECT_THAT([] { clip_frames(0, 4); },
              ThrowsUsageError(HasSubstr("a clip of 4 frames"), HasSubstr("a video of 0")));
  EXPECT_THAT([] { clip_frames(5, 0); }, ThrowsUsageError(HasSubstr("a clip of 0 frames")));
  EXPECT_THAT([] { clip_frames(5, 4, 1); }, ThrowsUsageError(HasSubstr("offset 1")));
}

// A part keeps every modality, label and name together.
TEST(Clips, APartKeepsWhatBelongsTogether) {
  const auto part = three_clips().at({2, 0});
  EXPECT_EQ(part.size(), 2);
  EXPECT_EQ(part.labels[0].item<int>(), 2);
  EXPECT_EQ(part.colour[0][0][0][0][0].item<int>(), 2);
  EXPECT_THAT(part.item, ElementsAre("y/2", "x/0"));
  EXPECT_THAT(part.person, ElementsAre("y", "x"));
  EXPECT_TRUE(part.depth.defined());
  EXPECT_FALSE(part.flow.defined());
  EXPECT_EQ(three_clips().at({}).size(), 0);
  EXPECT_THAT([] { three_clips().at({3}); },
              ThrowsUsageError(HasSubstr("clip 3"), HasSubstr("set of 3")));
}

// A row a modality, the frames side by side.
TEST(Clips, ASheetShowsEveryModalityOfTheClipsNamed) {
  const auto sheet = draw_clip_sheet(three_clips(), {1, 2}, 4);
  EXPECT_EQ(sheet.sizes(), at::IntArrayRef({2 * 2 * 2, 4 * 2, 3}));
  EXPECT_EQ(sheet[0][0][0].item<int>(), 1);
  EXPECT_EQ(sheet[2][7][2].item<int>(), 200);
  EXPECT_EQ(sheet[4][0][0].item<int>(), 2);
  EXPECT_EQ(draw_clip_sheet(three_clips(), {0}, 2).size(1), 4);
  EXPECT_THAT([] { draw_clip_sheet(three_clips(), {}); }, ThrowsUsageError(HasSubstr("no clip")));
}

}  // namespace
}  // namespace reprise::datasets
