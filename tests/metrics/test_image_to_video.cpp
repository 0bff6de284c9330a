// What the scores of a clip that is to continue an image say of clips whose answer is known.
#include <torch/torch.h>

#include <cmath>

#include "metrics/image_to_video.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

/// A square of 2 x 2 pixels of one colour, 0 to 255, with its corner at each of `columns` in turn:
/// [1, T, 3, 16, 16].
torch::Tensor square(const std::vector<std::int64_t>& columns, double red, double green) {
  auto clip = torch::full({1, static_cast<std::int64_t>(columns.size()), 3, 16, 16}, -1.0);
  for (std::size_t t = 0; t < columns.size(); ++t) {
    auto frame =
        clip[0][static_cast<std::int64_t>(t)].slice(1, 4, 6).slice(2, columns[t], columns[t] + 2);
    frame[0].fill_(red / 127.5 - 1);
    frame[1].fill_(green / 127.5 - 1);
  }
  return clip;
}

TEST(ContinuationScores, AreZeroErrorAndTheMotionOfAClipThatBeginsWithTheImage) {
  const auto clip = square({1, 4, 6, 8}, 200, 0);
  const auto scores = continuation_scores(clip.select(1, 0), clip);
  EXPECT_NEAR(scores.place_error, 0, 1e-5);
  EXPECT_NEAR(scores.colour_error, 0, 1e-4);
  EXPECT_NEAR(scores.jump, 3, 1e-4);
  EXPECT_NEAR(scores.step, 7.0 / 3, 1e-4);
  EXPECT_NEAR(scores.acd, 0, 1e-4);
  EXPECT_EQ(scores.empty, 0);
}

TEST(ContinuationScores, AnotherBeginningIsAnErrorInPixelsAndInColour) {
  const auto image = square({1}, 200, 0).select(1, 0);
  const auto scores = continuation_scores(image, square({5, 5, 5}, 140, 80));
  EXPECT_NEAR(scores.place_error, 4, 1e-4);
  EXPECT_NEAR(scores.colour_error, 100, 1e-4);  // 60, 80
  EXPECT_EQ(scores.jump, 0);
  EXPECT_EQ(scores.step, 0);
}

// Black is no way out: the place is the middle, (8, 8), and the image's is (2, 5).
TEST(ContinuationScores, AnEmptyFirstFrameIsAnErrorAndNoJump) {
  auto clip = square({1, 2, 3}, 200, 0);
  const auto image = clip.select(1, 0).clone();
  clip.select(1, 0).fill_(-1);
  const auto scores = continuation_scores(image, clip);
  EXPECT_NEAR(scores.place_error, std::sqrt(36.0 + 9.0), 1e-4);
  EXPECT_NEAR(scores.colour_error, 200, 1e-4);
  EXPECT_EQ(scores.jump, 0);
  EXPECT_NEAR(scores.empty, 1.0 / 3, 1e-9);
}

TEST(ContinuationScores, NamesImagesThatAreNotTheClips) {
  const auto clip = square({1, 2, 3}, 200, 0);
  EXPECT_THAT(
      [&] {
        continuation_scores(torch::zeros({2, 3, 16, 16}), clip);
      },
      ThrowsUsageError(HasSubstr("[2, 3, 16, 16]")));
  EXPECT_THAT([&] { continuation_scores(clip, clip); },
              ThrowsUsageError(HasSubstr("an image for each clip")));
}

}  // namespace
}  // namespace reprise::metrics
