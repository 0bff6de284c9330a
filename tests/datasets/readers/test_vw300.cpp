#include <fmt/format.h>

#include <opencv2/videoio.hpp>

#include "datasets/readers/vw300.h"
#include "tests/datasets/faces.h"
#include "tests/datasets/pts_text.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_faces::points_at;

/// A video whose frame n (counted from 1) is gray 10 n, with annotations of the frames given.
void write_annotated_video(const std::filesystem::path& folder, int frames,
                           const std::vector<int>& annotated) {
  std::filesystem::create_directories(folder / "annot");
  cv::VideoWriter writer((folder / "vid.avi").string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'),
                         25, {64, 48});
  ASSERT_TRUE(writer.isOpened());
  for (int n = 1; n <= frames; ++n) writer.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(10 * n)));
  for (const int n : annotated)
    write_file(folder / "annot" / fmt::format("{:06d}.pts", n), pts_text(points_at(20 + n, 24)));
}

int gray_level(const at::Tensor& image) {
  return image.to(at::kInt).sum().item<int>() / static_cast<int>(image.numel());
}

TEST(Vw300, AClipHasItsOwnFramesAndAnnotationsCountedFromOne) {
  const TemporaryFolder folder;
  write_annotated_video(folder.path() / "007", 12, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  write_annotated_video(folder.path() / "001", 3, {1, 2, 3});
  const auto videos = read_vw300(folder.path());
  ASSERT_EQ(videos.size(), 2U);
  EXPECT_EQ(videos[0].name, "001");
  EXPECT_EQ(videos[1].landmarks.size(0), 12);
  ClipReader reader(videos[1]);
  // Forward, back, and the same again: always the frames asked for.
  for (const int first : {5, 9, 2, 2, 1}) {
    const auto clip = reader.read(first, 3);
    ASSERT_EQ(clip.size(), 3);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(gray_level(clip.images[static_cast<std::size_t>(i)]), 10 * (first + i), 3);
      EXPECT_TRUE(at::allclose(clip.landmarks[i], points_at(20 + first + i, 24), 0, 1e-3));
    }
  }
  const auto clip = reader.read(11, 2);
  EXPECT_THAT(clip.item, ElementsAre("007/000011", "007/000012"));
  EXPECT_THAT(clip.person, ElementsAre("007", "007"));
  EXPECT_THAT(clip.images[0].sizes(), ElementsAre(48, 64, 3));
  EXPECT_THAT(reader.read(1, 1, FaceCrop{.size = 20, .scale = 1.5}).images[0].sizes(),
              ElementsAre(20, 20, 3));
  EXPECT_TRUE(verify_vw300(folder.path()).empty());
}

TEST(Vw300, ClipsDoNotOverlapAndDoNotCrossFramesWithoutAnnotation) {
  AnnotatedVideo video;
  video.frames = {1, 2, 3, 4, 5, 8, 9, 11, 12, 13};
  EXPECT_THAT(find_clip_starts(video, 2), ElementsAre(1, 3, 8, 11));
  EXPECT_THAT(find_clip_starts(video, 3), ElementsAre(1, 11));
  EXPECT_TRUE(find_clip_starts(video, 6).empty());
  EXPECT_THAT([&] { find_clip_starts(video, 0); }, ThrowsUsageError(HasSubstr("0 frames")));
}

TEST(Vw300, AFrameThatIsNotThereIsNamed) {
  const TemporaryFolder folder;
  write_annotated_video(folder.path() / "001", 4, {1, 2, 4, 6});
  const auto videos = read_vw300(folder.path());
  ClipReader reader(videos[0]);
  EXPECT_THAT([&] { reader.read(2, 2); },
              ThrowsUsageError(HasSubstr("video 001: frame 3 is not annotated")));
  EXPECT_THAT([&] { reader.read(6, 1); },
              ThrowsUsageError(HasSubstr("vid.avi: frame 5 cannot be decoded")));
  EXPECT_NEAR(gray_level(reader.read(4, 1).images[0]), 40, 3);
}

TEST(Vw300, VerifyListsMissingShortAndBrokenFiles) {
  const TemporaryFolder folder;
  write_annotated_video(folder.path() / "001", 4, {1, 2, 9});
  write_annotated_video(folder.path() / "002", 2, {1, 2});
  write_file(folder.path() / "002/annot/000002.pts", "version: 1\nn_points: 51\n");
  write_file(folder.path() / "002/annot/first.pts", pts_text(points_at(20, 20)));
  write_annotated_video(folder.path() / "003", 2, {1});
  std::filesystem::remove(folder.path() / "003/vid.avi");
  write_annotated_video(folder.path() / "004", 2, {});
  write_annotated_video(folder.path() / "005", 2, {1});
  write_file(folder.path() / "005/vid.avi", "no video");
  const auto issues = verify_vw300(folder.path());
  std::string all;
  for (const auto& [where, what, fix] : issues) all += where + ": " + what + "\n";
  EXPECT_EQ(issues.size(), 6U) << all;
  for (const char* expected :
       {"001/vid.avi: the video ends after frame 4; annotations go up to 9", "n_points: 51",
        "first.pts: the name is not a frame number", "003/vid.avi: the video is missing",
        "004/annot: there is no .pts", "005/vid.avi: the video does not open"})
    EXPECT_THAT(all, HasSubstr(expected));
  EXPECT_THAT([&] { read_vw300(folder.path()); },
              ThrowsUsageError(HasSubstr("4 things are wrong")));
  EXPECT_THAT([&] { read_vw300(folder.path() / "none"); },
              ThrowsUsageError(HasSubstr("official layout of 300-VW")));
  EXPECT_EQ(verify_vw300(folder.path() / "none").size(), 1U);
}

}  // namespace
}  // namespace reprise::datasets
