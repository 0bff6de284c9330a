// Clips of images without a network are what they say.
#include <torch/torch.h>

#include "baselines/image_clips.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;

TEST(ImageClips, ARepeatedFrameIsTheImageInEveryFrame) {
  const auto images = torch::arange(2 * 3 * 4 * 4).view({2, 3, 4, 4}).to(at::kFloat);
  const auto clips = repeat_frames(images, 5);
  EXPECT_EQ(clips.sizes(), (std::vector<std::int64_t>{2, 5, 3, 4, 4}));
  for (std::int64_t t = 0; t < 5; ++t) EXPECT_TRUE(clips.select(1, t).equal(images));
}

// By the sum of differences: squares would call a clip nearer that is off by 2 everywhere than one
// off by 9 in one of 16 pixels.
TEST(ImageClips, TheNearestClipIsTheOneWhoseFirstFrameDiffersLeast) {
  auto clips = torch::zeros({3, 2, 1, 4, 4});
  clips[0].fill_(2);
  clips[1][0][0][0][0] = 9;
  clips[2].fill_(-3);
  clips.select(1, 1).fill_(7);  // later frames do not count
  const auto found = find_nearest_clips(torch::zeros({1, 1, 4, 4}), clips);
  EXPECT_TRUE(found.equal(clips.slice(0, 1, 2)));
  EXPECT_TRUE(find_nearest_clips(clips.select(1, 0), clips).equal(clips));
}

TEST(ImageClips, NamesShapesThatDoNotFit) {
  EXPECT_THAT(
      [] {
        find_nearest_clips(torch::zeros({1, 1, 4, 4}), torch::zeros({2, 3, 1, 8, 8}));
      },
      ThrowsUsageError(HasSubstr("[1, 1, 4, 4]"), HasSubstr("[2, 3, 1, 8, 8]")));
  EXPECT_THAT(
      [] {
        find_nearest_clips(torch::zeros({1, 1, 4, 4}), torch::zeros({0, 3, 1, 4, 4}));
      },
      ThrowsUsageError(HasSubstr("[0, 3")));
}

}  // namespace
}  // namespace reprise::baselines
