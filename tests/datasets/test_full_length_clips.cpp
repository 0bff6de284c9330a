#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <opencv2/imgcodecs.hpp>
#include <set>

#include "datasets/formats/images.h"
#include "datasets/full_length_clips.h"
#include "datasets/readers/action_videos.h"
#include "datasets/scene/synthetic_head.h"
#include "datasets/transforms/face_windows.h"
#include "tests/datasets/small_videos.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_videos::gray_of;
using testing_videos::write_video;

std::vector<std::int64_t> lengths_of(const FullLengthClips& read) {
  const auto* values = read.lengths.const_data_ptr<std::int64_t>();
  return {values, values + read.lengths.numel()};
}

/// A strip of `frames` frames, frame t all `first + t`.
void write_strip(const std::filesystem::path& file, std::int64_t frames, std::int64_t first = 0,
                 std::int64_t side = 8) {
  std::filesystem::create_directories(file.parent_path());
  const auto grays = at::arange(first, first + frames, at::kByte)
                         .view({1, frames, 1, 1})
                         .expand({side, frames, side, 3});
  write_png(file, grays.reshape({side, frames * side, 3}));
}

/// Videos v00, v01, ... of the lengths given, in classes a and b.
VideoSet draw_strips(const TemporaryFolder& folder, const std::vector<std::int64_t>& lengths) {
  for (std::size_t i = 0; i < lengths.size(); ++i)
    write_strip(folder.path() / (i % 2 ? "b" : "a") / fmt::format("v{:02}.png", i), lengths[i]);
  return read_video_folders(folder.path());
}

// Every n-th frame from one of the first n, all of them, then black; the lengths are the histogram
// that p_K is.
TEST(FullLengthClips, AreAsLongAsTheirVideosAndTellIt) {
  const TemporaryFolder folder;
  const auto set = draw_strips(folder, {9, 5, 12});  // items a/v00, a/v02, b/v01
  const auto all = read_full_length_clips(set, {0, 1, 2}, {.least = 3, .size = 8}, 1);
  EXPECT_THAT(lengths_of(all), ElementsAre(9, 12, 5));
  EXPECT_EQ(all.clips.colour.sizes(), at::IntArrayRef({3, 12, 8, 8, 3}));
  for (int t = 0; t < 12; ++t) {
    EXPECT_EQ(gray_of(all.clips.colour[1][t]), t);
    EXPECT_EQ(gray_of(all.clips.colour[2][t]), t < 5 ? t : 0);
  }
  std::set<double> begins;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto third =
        read_full_length_clips(set, {0}, {.least = 3, .every_nth = 3, .size = 8}, seed);
    ASSERT_THAT(lengths_of(third), ElementsAre(3));
    begins.insert(gray_of(third.clips.colour[0][0]));
    EXPECT_EQ(gray_of(third.clips.colour[0][2]), gray_of(third.clips.colour[0][0]) + 6);
  }
  EXPECT_EQ(begins, (std::set<double>{0, 1, 2}));
  // 5 frames hold one window of 3 that lie 2 apart: it begins at 0 whatever is drawn.
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(
        gray_of(read_full_length_clips(set, {2}, {.least = 3, .every_nth = 2, .size = 8}, seed)
                    .clips.colour[0][0]),
        0);
}

TEST(FullLengthClips, OfALongOneAStretchIsKept) {
  const TemporaryFolder folder;
  const auto set = draw_strips(folder, {40, 3});
  std::set<double> begins;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto read =
        read_full_length_clips(set, {0}, {.least = 3, .longest = 36, .size = 8}, seed);
    ASSERT_EQ(read.clips.colour.size(1), 36);
    begins.insert(gray_of(read.clips.colour[0][0]));
    EXPECT_EQ(gray_of(read.clips.colour[0][35]), gray_of(read.clips.colour[0][0]) + 35);
  }
  EXPECT_EQ(begins, (std::set<double>{0, 1, 2, 3, 4}));
}

// What a video's clip is does not depend on which others are read, in which order, on how many
// threads.
TEST(FullLengthClips, AClipDependsOnItsVideoAndTheSeedAlone) {
  const TemporaryFolder folder;
  const auto set = draw_strips(folder, {30, 31, 32, 33});
  const FullLengthClipOptions options{.least = 3, .every_nth = 2, .longest = 5, .size = 8};
  const auto all = read_full_length_clips(set, {0, 1, 2, 3}, options, 7);
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  const auto turned = read_full_length_clips(set, {3, 1}, options, 7);
  at::set_num_threads(before);
  EXPECT_TRUE(turned.clips.colour.equal(all.clips.colour.index_select(0, at::tensor({3, 1}))));
  EXPECT_THAT(turned.clips.item, ElementsAre(all.clips.item[3], all.clips.item[1]));
  EXPECT_FALSE(
      read_full_length_clips(set, {0, 1, 2, 3}, options, 8).clips.colour.equal(all.clips.colour));
}

TEST(FullLengthClips, AShortVideoIsNamedWithWhatItHasAndWhatWasExpected) {
  const TemporaryFolder folder;
  const auto set = draw_strips(folder, {9, 6, 7});
  EXPECT_THAT(
      [&] {
        read_full_length_clips(set, {0, 1, 2}, {.least = 4, .every_nth = 2, .size = 8}, 1);
      },
      ThrowsUsageError(AllOf(HasSubstr("b/v01.png"), HasSubstr("the video has 6 frames"),
                             HasSubstr("4 that lie 2 apart takes 7"))));
  write_video(folder.path() / "c/film.avi", 5);
  const auto more = read_video_folders(folder.path());
  EXPECT_THAT(
      [&] { read_full_length_clips(more, {3}, {.least = 6, .size = 8}, 1); },
      ThrowsUsageError(AllOf(HasSubstr("film.avi"), HasSubstr("5 frames"), HasSubstr("takes 6"))));
  auto range = more;
  range.videos[3].colour.end = 8;
  EXPECT_THAT([&] { read_full_length_clips(range, {3}, {.least = 3, .size = 8}, 1); },
              ThrowsUsageError(HasSubstr("ends after 5 frames")));
}

TEST(FullLengthClips, ABrokenVideoAndAPictureThatIsNoStripAreNamed) {
  const TemporaryFolder folder;
  write_video(folder.path() / "a/whole.avi", 8);
  write_file(folder.path() / "a/broken.avi", "no video");
  write_video(folder.path() / "a/cut.avi", 8);
  std::filesystem::resize_file(folder.path() / "a/cut.avi",
                               std::filesystem::file_size(folder.path() / "a/cut.avi") / 2);
  write_png(folder.path() / "a/odd.png", at::zeros({8, 20, 3}, at::kByte));
  const auto set = read_video_folders(folder.path());
  EXPECT_THAT(
      [&] {
        read_full_length_clips(set, {0, 1, 2, 3}, {.least = 2, .size = 8}, 1);
      },
      ThrowsUsageError(AllOf(HasSubstr("3 things are wrong"), HasSubstr("broken.avi"),
                             HasSubstr("cut.avi"), HasSubstr("20 x 8 pixels are not a strip"))));
}

// Gray and transparent pictures are taken as what they show: RGB of three like channels, and the
// colours below the transparency.
TEST(FullLengthClips, GrayPicturesAndTransparentOnesBecomeRgb) {
  const TemporaryFolder folder;
  write_png(folder.path() / "a/gray.png", at::full({8, 32}, 77, at::kByte));
  std::filesystem::create_directories(folder.path() / "b");
  ASSERT_TRUE(cv::imwrite((folder.path() / "b/clear.png").string(),
                          cv::Mat(8, 32, CV_8UC4, cv::Scalar(30, 20, 10, 0))));
  const auto read =
      read_full_length_clips(read_video_folders(folder.path()), {0, 1}, {.least = 4, .size = 8}, 1);
  EXPECT_TRUE(read.clips.colour[0].eq(77).all().item<bool>());
  EXPECT_TRUE(read.clips.colour[1].eq(255).all().item<bool>())
      << "the colour below transparent pixels is not seen";
}

// Videos of other sizes become clips of one; pictures of one take must be of one size.
TEST(FullLengthClips, SizesMayDifferBetweenVideosAndNotWithinOne) {
  const TemporaryFolder folder;
  write_strip(folder.path() / "a/small.png", 4, 0, 8);
  write_strip(folder.path() / "a/large.png", 4, 0, 32);
  EXPECT_EQ(
      read_full_length_clips(read_video_folders(folder.path()), {0, 1}, {.least = 4, .size = 16}, 1)
          .clips.colour.size(2),
      16);
  for (int t = 0; t < 4; ++t) {
    const auto take = folder.path() / "mug/subjects3/001/anger/take000";
    std::filesystem::create_directories(take);
    write_png(take / fmt::format("img_{:04}.png", t),
              at::full({t == 2 ? 12 : 16, 20, 3}, t, at::kByte));
  }
  EXPECT_THAT(
      [&] {
        read_full_length_clips(read_mug(folder.path() / "mug"), {0}, {.least = 2, .size = 8}, 1);
      },
      ThrowsUsageError(
          AllOf(HasSubstr("img_0002.png"), HasSubstr("20 x 12"), HasSubstr("20 x 16"))));
}

// The window of the first frame that shows a face holds for all, those before it too; a clip
// without a face is named.
TEST(FullLengthClips, AreCutToTheFirstFaceThatIsFoundSlow) {
  FaceDetector detector;
  try {
    detector = open_face_detector();
  } catch (const UsageError& error) {
    GTEST_SKIP() << error.problem();
  }
  const auto heads =
      render_head_stills(6, 160, {0, 1, 2}, 5, {.pitch = 4, .yaw = 6, .roll = 3, .expression = 0.2})
          .images;
  std::optional<FaceBox> face;
  std::int64_t head = 0;
  for (; head < 6 && !face; ++head) face = choose_face(detector(heads[head]), {});
  ASSERT_TRUE(face);
  const auto still = heads[head - 1], empty = at::full_like(still, 90);
  const TemporaryFolder folder;
  write_png(folder.path() / "a/face.png", at::cat({empty, still, still.flip(1), empty}, 1));
  write_png(folder.path() / "b/none.png", at::cat({empty, empty}, 1));
  const auto set = read_video_folders(folder.path());
  const FullLengthClipOptions options{
      .least = 2, .size = 32, .face = FirstFaceCrop{.margin = 1.25}};
  const auto clip = read_full_length_clips(set, {0}, options, 1).clips.colour[0];
  const auto window = smooth_windows({face}, {.sigma = 0, .margin = 1.25})[0];
  EXPECT_TRUE(clip[1].equal(crop_window(still, window, 32)));
  EXPECT_TRUE(clip[2].equal(crop_window(still.flip(1), window, 32)));
  EXPECT_TRUE(clip[0].eq(90).all().item<bool>() && clip[3].eq(90).all().item<bool>());
  EXPECT_THAT(
      [&] {
        read_full_length_clips(set, {0, 1}, options, 1);
      },
      ThrowsUsageError(
          AllOf(HasSubstr("none.png"), HasSubstr("no face is found in any of its 2 frames"))));
}

TEST(FullLengthClips, OptionsThatNoClipHasAreRefused) {
  const auto refused = [](const FullLengthClipOptions& options, const char* message) {
    EXPECT_THAT([&] { read_full_length_clips({}, {}, options, 1); },
                ThrowsUsageError(HasSubstr(message)));
  };
  refused({.least = 0}, "clips of 0 to 64 frames");
  refused({.every_nth = 0}, "every 0th");
  refused({.least = 16, .longest = 8}, "16 to 8");
  refused({.size = 0}, "0 pixels");
  refused({.face = FirstFaceCrop{.margin = 0}}, "0 times");
  EXPECT_THAT([] { read_full_length_clips({}, {3}, {}, 1); },
              ThrowsUsageError(HasSubstr("no video 3")));
}

}  // namespace
}  // namespace reprise::datasets
