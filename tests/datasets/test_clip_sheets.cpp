// A sheet of clips shows every frame at its place, enlarged by a whole number.
#include <torch/torch.h>

#include "datasets/formats/clip_sheets.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

/// Frame t of clip i is 10 i + t + 100 all over.
at::Tensor numbered(std::int64_t n, std::int64_t frames, std::int64_t side) {
  const auto number =
      100 + 10 * torch::arange(n).view({n, 1}) + torch::arange(frames).view({1, frames});
  return number.view({n, frames, 1, 1, 1}).expand({n, frames, side, side, 3}).to(at::kByte);
}

TEST(ClipSheets, EachFrameLiesInItsClipsRowBehindALine) {
  const auto sheet = draw_strips(numbered(2, 3, 32));
  ASSERT_EQ(sheet.sizes(), (std::vector<std::int64_t>{2 * 65, 3 * 65, 3}));
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t t = 0; t < 3; ++t)
      EXPECT_TRUE(sheet.slice(0, 65 * i, 65 * i + 64)
                      .slice(1, 65 * t, 65 * t + 64)
                      .eq(100 + 10 * i + t)
                      .all()
                      .item<bool>());
  EXPECT_TRUE(sheet.select(0, 64).eq(64).all().item<bool>());
}

TEST(ClipSheets, LabelsStandBesideTheirRows) {
  const auto clips = numbered(2, 3, 64), plain = draw_strips(clips),
             sheet = draw_strips(clips, {"content 12\nmotion 3", ""});
  const auto column = sheet.size(1) - plain.size(1);
  EXPECT_GT(column, 20);
  EXPECT_TRUE(sheet.slice(1, column).equal(plain));
  const auto letters = sheet.slice(1, 0, column);
  EXPECT_GT(letters.slice(0, 0, 65).max().item<int>(), 150);
  EXPECT_EQ(letters.slice(0, 65).max().item<int>(), 0);
}

TEST(ClipSheets, EnlargesByWholeFactorsAndNotWhatIsLargeEnough) {
  EXPECT_EQ(enlarge(numbered(1, 1, 24)).size(2), 72);
  EXPECT_EQ(enlarge(numbered(1, 1, 64)).size(2), 64);
  EXPECT_EQ(enlarge(numbered(1, 1, 100)).size(2), 100);
}

TEST(ClipSheets, NamesWhatDoesNotFit) {
  EXPECT_THAT([] { draw_strips(numbered(2, 3, 8), {"one"}); },
              ThrowsUsageError(HasSubstr("1 labels for 2 clips")));
  EXPECT_THAT(
      [] {
        draw_strips(torch::zeros({2, 3, 8, 8, 3}));
      },
      ThrowsUsageError(HasSubstr("Float"), HasSubstr("bytes")));
  EXPECT_THAT(
      [] {
        draw_strips(torch::zeros({0, 3, 8, 8, 3}, at::kByte));
      },
      ThrowsUsageError(HasSubstr("at least one")));
}

}  // namespace
}  // namespace reprise::datasets
