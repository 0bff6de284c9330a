// What generators and translators from outside hand over: folders and arrays read alike, and what does not fit is named.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/video_files.h"
#include "datasets/predicted_pictures.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

at::Tensor pixels(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const auto side : shape) n *= side;
  return (at::arange(n) * 37).remainder(256).to(at::kByte).view(shape);
}

TEST(PredictedPictures, AFolderAndAnArrayOfTheSamePicturesAreReadAlikeInTheOrderOfTheirNumbers) {
  const TemporaryFolder folder;
  const auto pictures = pixels({11, 6, 5, 3});
  for (std::int64_t i = 0; i < 11; ++i) write_png(folder.path() / "all" / (std::to_string(i) + ".png"), pictures[i]);
  write_npy(folder.path() / "all.npy", pictures);
  EXPECT_TRUE(read_predicted_pictures(folder.path() / "all").equal(pictures));
  EXPECT_TRUE(read_predicted_pictures(folder.path() / "all.npy").equal(pictures));
}

TEST(PredictedPictures, GrayBecomesThreeEqualColours) {
  const TemporaryFolder folder;
  const auto gray = pixels({4, 6, 5});
  write_npy(folder.path() / "gray.npy", gray);
  const auto read = read_predicted_pictures(folder.path() / "gray.npy");
  EXPECT_EQ(read.sizes(), (std::vector<std::int64_t>{4, 6, 5, 3}));
  for (std::int64_t c = 0; c < 3; ++c) EXPECT_TRUE(read.select(3, c).equal(gray));
}

TEST(PredictedPictures, WhatDoesNotFitIsRefusedByName) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "x.npy";
  const auto pictures = [&] { return read_predicted_pictures(file); };
  EXPECT_THAT(pictures, ThrowsUsageError(HasSubstr("there is no such file or folder")));
  write_npy(file, at::rand({4, 6, 5, 3}));
  EXPECT_THAT(pictures, ThrowsUsageError(HasSubstr("[4, 6, 5, 3]"), HasSubstr("uint8")));
  write_npy(file, pixels({4, 6, 5, 4}));
  EXPECT_THAT(pictures, ThrowsUsageError(HasSubstr("[4, 6, 5, 4]")));
  std::filesystem::create_directories(folder.path() / "empty");
  EXPECT_THAT([&] { read_predicted_pictures(folder.path() / "empty"); }, ThrowsUsageError(HasSubstr("empty")));
  write_png(folder.path() / "two" / "0.png", pixels({6, 5, 3}));
  write_png(folder.path() / "two" / "1.png", pixels({5, 5, 3}));
  EXPECT_THAT([&] { return read_predicted_pictures(folder.path() / "two"); },
              ThrowsUsageError(HasSubstr("picture 1"), HasSubstr("[5, 5, 3]"), HasSubstr("[6, 5, 3]")));
}

TEST(PredictedClips, AFolderOfFoldersAndAnArrayAreReadAlikeAndClipsOfOtherLengthsAreRefused) {
  const TemporaryFolder folder;
  const auto clips = pixels({3, 4, 8, 8, 3});
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t t = 0; t < 4; ++t) write_png(folder.path() / "clips" / std::to_string(i) / (std::to_string(t) + ".png"), clips[i][t]);
  write_npy(folder.path() / "clips.npy", clips);
  EXPECT_TRUE(read_predicted_clips(folder.path() / "clips").equal(clips));
  EXPECT_TRUE(read_predicted_clips(folder.path() / "clips.npy").equal(clips));
  std::filesystem::remove(folder.path() / "clips" / "1" / "3.png");
  EXPECT_THAT([&] { read_predicted_clips(folder.path() / "clips"); }, ThrowsUsageError(HasSubstr("1 has the shape [3, 8, 8, 3]")));
}

TEST(PredictedClips, VideosAreReadFrameByFrame) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "videos");
  for (const auto* name : {"a.avi", "b.avi"}) {
    VideoWriter writer(folder.path() / "videos" / name, 10);
    for (std::int64_t t = 0; t < 5; ++t) writer.write(at::full({16, 16, 3}, 40 * t, at::kByte));
    writer.close();
  }
  const auto clips = read_predicted_clips(folder.path() / "videos");
  EXPECT_EQ(clips.sizes(), (std::vector<std::int64_t>{2, 5, 16, 16, 3}));
  EXPECT_NEAR(clips[1][3].to(at::kFloat).mean().item<double>(), 120, 3);  // Motion JPEG is lossy
}

}  // namespace
}  // namespace reprise::datasets
