#include <ATen/ATen.h>

#include "core/random.h"
#include "datasets/formats/video_files.h"
#include "datasets/formats/whole_video.h"
#include "datasets/videos.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

/// 60 frames of 96 x 64 pixels that a codec cannot make small: coarse blocks of changing colours.
std::string video_bytes(const TemporaryFolder& folder, const std::string& name) {
  VideoWriter writer(folder.path() / name, 25);
  Random random(4);
  for (int t = 0; t < 60; ++t) {
    auto blocks = at::empty({8, 12, 3}, at::kByte);
    for (int i = 0; i < 8 * 12 * 3; ++i) blocks.data_ptr<std::uint8_t>()[i] = static_cast<std::uint8_t>(random.below(256));
    writer.write(blocks.repeat_interleave(8, 0).repeat_interleave(8, 1));
  }
  writer.close();
  return read_file(folder.path() / name);
}

struct WholeVideo : testing::TestWithParam<std::string> {
  TemporaryFolder folder;
  const std::string name = GetParam(), whole = video_bytes(folder, name);
  const std::filesystem::path file = folder.path() / name;

  bool found(const std::string& bytes) const {
    write_file(file, bytes);
    try {
      check_whole_video(file);
      return false;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.problem(), HasSubstr(file.string()));
      return true;
    }
  }
  std::string with_zeros(std::size_t at, std::size_t count) const {
    auto bytes = whole;
    return bytes.replace(at, count, count, '\0');
  }
};

TEST_P(WholeVideo, PassesWhole) { EXPECT_EQ(check_whole_video(file), 60); }

// A decoder conceals all of this: it ends early, or repeats what came before.
TEST_P(WholeVideo, CutAndOverwrittenFilesAreFound) {
  EXPECT_TRUE(found(whole.substr(0, whole.size() / 2)));
  EXPECT_TRUE(found(whole.substr(0, whole.size() / 10)));
  EXPECT_TRUE(found(whole.substr(0, whole.size() - 1000)));
  ASSERT_GT(whole.size(), 60'000U);
  EXPECT_TRUE(found(with_zeros(whole.size() / 2, 20'000)));
  EXPECT_TRUE(found(with_zeros(whole.size() / 3, 4'000)));
  write_file(file, whole.substr(0, whole.size() / 2));
  VideoSet set{.videos = {{.item = "v", .person = "p", .colour = {.file = file, .end = {}}, .depth = {}}},
               .classes = {"a"},
               .train = {},
               .test = {}};
  const auto problems = check_videos(set);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].where, "v");
}

// Nearly every damaged copy is found; in the rest only a few values of a picture, its rate or a comment have changed.
TEST_P(WholeVideo, SlowOfManyCutCopiesNoneIsCalledWhole) {
  for (int i = 1; i < 20; ++i) EXPECT_TRUE(found(whole.substr(0, whole.size() * static_cast<std::size_t>(i) / 20))) << i;
  for (std::size_t i = 2; i < 19; ++i) EXPECT_TRUE(found(with_zeros(whole.size() * i / 20, 5'000))) << i;
}

INSTANTIATE_TEST_SUITE_P(Containers, WholeVideo, testing::Values("clip.avi", "clip.mp4"),
                         [](const auto& info) { return info.param.substr(5); });

TEST(Avi, AWholeOneAndOtherKindsPass) {
  const TemporaryFolder folder;
  video_bytes(folder, "a.avi");
  EXPECT_NO_THROW(check_avi(folder.path() / "a.avi"));
  write_file(folder.path() / "b.avi", "no video at all");
  EXPECT_NO_THROW(check_avi(folder.path() / "b.avi"));
}

// The head's own number of frames, which FFmpeg does not compare.
TEST(Avi, FewerFramesThanTheHeadCountsAreNamed) {
  const TemporaryFolder folder;
  auto bytes = video_bytes(folder, "a.avi");
  bytes[48] = 70;  // avih's dwTotalFrames
  write_file(folder.path() / "a.avi", bytes);
  EXPECT_THAT([&] { check_avi(folder.path() / "a.avi"); }, ThrowsUsageError(HasSubstr("a.avi"), HasSubstr("counts 70 frames, and 60")));
}

}  // namespace
}  // namespace reprise::datasets
