#include <ATen/ATen.h>

#include <opencv2/videoio.hpp>

#include "datasets/face_drawing.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "tests/datasets/small_videos.h"
#include "tests/full_disk.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_videos::gray_of;

at::Tensor gray(int value, std::int64_t width = 64, std::int64_t height = 48) {
  return at::full({height, width, 3}, value, at::kByte);
}

std::filesystem::path write_video(const TemporaryFolder& folder, int frames) {
  const auto path = folder.path() / "clip.AVI";
  cv::VideoWriter writer(path.string(), cv::CAP_OPENCV_MJPEG,
                         cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 25, {64, 48});
  for (int i = 0; i < frames; ++i)
    writer.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar(10, 100, 40 * i)));  // blue, green, red
  return path;
}

TEST(ReadVideo, ShowsEveryFrameInRgbAndOrder) {
  const TemporaryFolder folder;
  const auto path = write_video(folder, 5);
  EXPECT_TRUE(is_video(path));
  EXPECT_FALSE(is_video("clip.png"));
  std::vector<at::Tensor> frames;
  EXPECT_EQ(read_video(path, [&](const at::Tensor& frame) { frames.push_back(frame); }).frames, 5);
  ASSERT_EQ(frames.size(), 5U);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(frames[i].sizes(), (std::vector<std::int64_t>{48, 64, 3}));
    EXPECT_NEAR(frames[i].select(2, 0).to(at::kFloat).mean().item<double>(), 40 * i,
                15);  // JPEG is not exact
    EXPECT_NEAR(frames[i].select(2, 2).to(at::kFloat).mean().item<double>(), 10, 15);
  }
}

TEST(ReadVideo, SaysThatAFileIsMissingOrNoVideo) {
  const TemporaryFolder folder;
  write_file(folder.path() / "text.mp4", "no video");
  const auto reading = [&](const char* name) {
    return [&folder, name] { read_video(folder.path() / name, [](const at::Tensor&) {}); };
  };
  EXPECT_THAT(reading("none.mp4"),
              ThrowsUsageError(HasSubstr("none.mp4"), HasSubstr("no such file")));
  EXPECT_THAT(reading("text.mp4"),
              ThrowsUsageError(HasSubstr("text.mp4"), HasSubstr("does not open")));
}

TEST(VideoReader, RefusesFramesBeyondTheLimitBeforeOneIsDecodedSlow) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "large.avi";
  cv::VideoWriter writer(path.string(), cv::CAP_OPENCV_MJPEG,
                         cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 25, {4112, 4096});
  writer.write(cv::Mat(4096, 4112, CV_8UC3, cv::Scalar(10, 100, 40)));
  writer.release();
  EXPECT_THAT([&] { VideoReader{path}; },
              ThrowsUsageError(HasSubstr("4112 x 4096"), HasSubstr("smaller")));
}

TEST(VideoWriter, WhatIsWrittenIsReadBackFrameByFrame) {
  const TemporaryFolder folder;
  for (const char* name : {"new/a.avi", "new/a.mp4"}) {
    const auto path = folder.path() / name;
    VideoWriter writer(path, 29.6);
    try {
      for (int n = 0; n < 7; ++n) writer.write(gray(30 * n));
    } catch (const Error& error) {
      if (path.extension() == ".mp4") GTEST_SKIP() << error.what();
      throw;
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    writer.close();
    EXPECT_EQ(read_video_metadata(path).frames, 7);
    EXPECT_NEAR(read_video_metadata(path).rate, path.extension() == ".avi" ? 30 : 29.6, 0.01);
    int n = 0;
    EXPECT_EQ(read_frames(path,
                          [&](const at::Tensor& frame) {
                            EXPECT_THAT(frame.sizes(), ElementsAre(48, 64, 3));
                            EXPECT_NEAR(gray_of(frame), 30 * n++, 4);
                          })
                  .frames,
              7);
  }
}

TEST(VideoWriter, WhatCannotBeWrittenIsNamedAndLeavesNothing) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { VideoWriter(folder.path() / "a.mov", 25); },
              ThrowsUsageError(HasSubstr("a.mov"), HasSubstr(".avi or .mp4")));
  {
    VideoWriter writer(folder.path() / "a.avi", 25);
    EXPECT_THAT([&] { writer.close(); }, ThrowsError(HasSubstr("a.avi: no frame")));
    writer.write(gray(0));
    EXPECT_THAT([&] { writer.write(gray(0, 60)); },
                ThrowsUsageError(HasSubstr("frame 1 has 60 x 48 pixels, the first 64 x 48")));
  }
  write_file(folder.path() / "file", "");
  VideoWriter writer(folder.path() / "file" / "a.avi", 25);
  EXPECT_THAT([&] { writer.write(gray(0)); },
              ThrowsError(HasSubstr("a.avi"), HasSubstr("cannot be opened")));
  EXPECT_EQ(files_below(folder.path()).size(), 1U);
}

TEST(VideoWriter, OddSidesOfAnMp4ArePaddedByTheLastRowAndColumnAndStated) {
  const TemporaryFolder folder;
  for (const char* name : {"a.avi", "a.mp4"}) {
    VideoWriter writer(folder.path() / name, 25);
    try {
      for (int n = 0; n < 4; ++n) writer.write(gray(100, 95, 63));
      writer.close();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    const bool padded = std::string(name) == "a.mp4";
    EXPECT_EQ(writer.size_note().empty(), !padded);
    if (padded) EXPECT_THAT(writer.size_note(), AllOf(HasSubstr("95 x 63"), HasSubstr("96 x 64")));
    read_frames(folder.path() / name, [&](const at::Tensor& frame) {
      EXPECT_THAT(frame.sizes(), ElementsAre(padded ? 64 : 63, padded ? 96 : 95, 3));
      EXPECT_NEAR(frame[frame.size(0) - 1][frame.size(1) - 1][0].item<int>(), 100, 6);
    });
  }
}

// FFmpeg takes what stands before a colon for a protocol.
TEST(VideoFiles, ARelativeNameWithAColonIsAFile) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const char* name : {"10:30.avi", "10:30.mp4"}) {
    VideoWriter writer(name, 25);
    try {
      for (int n = 0; n < 3; ++n) writer.write(gray(100));
      writer.close();
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
      continue;
    }
    EXPECT_EQ(read_video(name, [](const at::Tensor&) {}).frames, 3) << name;
  }
  std::filesystem::current_path(before);
}

TEST(ReadVideo, ACutVideoGivesTheFramesThatThereAreAndAProblem) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.avi";
  VideoWriter writer(path, 25);
  for (int n = 0; n < 20; ++n) writer.write(at::randint(256, {48, 64, 3}, at::kByte));
  writer.close();
  const auto whole = read_file(path);
  const auto all = read_video(path, [](const at::Tensor&) {});
  EXPECT_EQ(all.frames, 20);
  EXPECT_TRUE(all.problems.empty()) << all.problems.front().problem();
  EXPECT_FALSE(all.uneven_timing);
  write_file(path, whole.substr(0, whole.size() / 2));
  const auto read = read_video(path, [](const at::Tensor&) {});
  EXPECT_LT(read.frames, 12);
  ASSERT_EQ(read.problems.size(), 1U);
  EXPECT_THAT(read.problems[0].problem(),
              AllOf(HasSubstr(path.string()), HasSubstr("of 20 frames")));
}

TEST(ReadFrames, APictureThatCannotBeReadIsAMissingFrameWhereThatIsAskedFor) {
  const TemporaryFolder folder;
  for (const char* name : {"1.png", "3.png"}) write_png(folder.path() / name, gray(100));
  write_file(folder.path() / "2.png", "");
  std::string order;
  const auto read = read_frames(
      folder.path(), [&](const at::Tensor&) { order += "x"; }, [&] { order += "-"; });
  EXPECT_EQ(order, "x-x");
  EXPECT_EQ(read.frames, 3);
  ASSERT_EQ(read.problems.size(), 1U);
  EXPECT_THAT(read.problems[0].problem(), HasSubstr("2.png"));
}

INSTANTIATE_TEST_SUITE_P(Kind, FullDisk, every_disk, name_of_disk);

// OpenCV reports no write that fails: the file is looked at when it is closed.
TEST_P(FullDisk, AVideoIsRefused) {
  on_disk([](Disk& disk) {
    disk.fill(1000);
    const auto write = [&] {
      VideoWriter writer(disk.folder() / "a.avi", 25);
      for (int n = 0; n < 5; ++n) writer.write(at::randint(256, {48, 64, 3}, at::kByte));
      writer.close();
    };
    EXPECT_THAT(write, ThrowsError(HasSubstr("a.avi")));
    EXPECT_TRUE(files_below(disk.folder()).empty());
  });
}

TEST(ReadFrames, AFolderIsReadInTheOrderOfTheNumbersInItsNames) {
  const TemporaryFolder folder;
  const std::vector<std::string> names{"a1.png",    "a2.png", "a10.png",
                                       "a010b.png", "b.png",  "b0.png"};
  for (std::size_t i = 0; i < names.size(); ++i)
    write_png(folder.path() / names[i], gray(static_cast<int>(40 * i)));
  write_file(folder.path() / "notes.txt", "no picture");
  std::vector<long> seen;
  EXPECT_EQ(read_frames(
                folder.path(),
                [&](const at::Tensor& frame) { seen.push_back(std::lround(gray_of(frame) / 40)); })
                .frames,
            6);
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(read_video_metadata(folder.path()).frames, 6);
  write_file(folder.path() / "a3.png", "no picture");
  EXPECT_THAT([&] { read_frames(folder.path(), [](const auto&) {}); },
              ThrowsUsageError(HasSubstr("a3.png")));
  const TemporaryFolder empty;
  EXPECT_THAT([&] { read_frames(empty.path(), [](const auto&) {}); },
              ThrowsUsageError(HasSubstr("no picture")));
  EXPECT_EQ(read_video_metadata(empty.path() / "none.avi").frames, 0);
}

/// Which colour is strongest at a pixel: 0 red, 1 green, 2 blue; -1 where it is gray.
std::int64_t colour_at(const at::Tensor& frame, std::int64_t x, std::int64_t y) {
  const auto pixel = frame[y][x].to(at::kInt);
  return (pixel.max() - pixel.min()).item<int>() < 60 ? -1 : pixel.argmax().item<std::int64_t>();
}

TEST(DrawFace, AxesPointAsTheHeadIsTurned) {
  const FaceWindow window{50, 50, 60};
  const auto drawn = [&](const std::optional<std::array<double, 3>>& pose,
                         const std::optional<at::Tensor>& points = {}) {
    auto frame = gray(20, 101, 101);
    draw_face(frame, window, pose, points);
    return frame;
  };
  const auto rest = drawn(std::array<double, 3>{0, 0, 0});
  EXPECT_EQ(colour_at(rest, 68, 50), 0);   // x red, to the right
  EXPECT_EQ(colour_at(rest, 50, 68), 1);   // y green, down
  EXPECT_EQ(colour_at(rest, 32, 50), -1);  // z comes towards the viewer
  EXPECT_EQ(colour_at(drawn(std::array<double, 3>{0, 80, 0}), 32, 50),
            2);  // turned to the picture's left: the face looks there
  EXPECT_EQ(colour_at(drawn(std::array<double, 3>{70, 0, 0}), 50, 32), 2);  // looks up
  EXPECT_EQ(colour_at(drawn(std::array<double, 3>{0, 0, 90}), 50, 68),
            0);                                        // tilts clockwise: x points down
  EXPECT_TRUE(rest[20][50].equal(drawn({})[20][50]));  // the window's border
  EXPECT_GT(rest[20][50].min().item<int>(), 100);
  const auto points = at::tensor({30.0, 40.0}).view({1, 2});
  EXPECT_GT(drawn({}, points)[40][30][0].item<int>(), 150);
  EXPECT_TRUE(drawn({}, points)[90][90].equal(gray(20)[0][0]));
}

}  // namespace
}  // namespace reprise::datasets
