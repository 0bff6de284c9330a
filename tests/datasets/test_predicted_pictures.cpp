// What external generators and translators return: folders and arrays read alike, and what does not
// fit is named.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/video_files.h"
#include "datasets/predicted_pictures.h"
#include "tests/datasets/tagged_files.h"
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
  for (std::int64_t i = 0; i < 11; ++i)
    write_png(folder.path() / "all" / (std::to_string(i) + ".png"), pictures[i]);
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
  EXPECT_THAT([&] { read_predicted_pictures(folder.path() / "empty"); },
              ThrowsUsageError(HasSubstr("empty")));
  write_png(folder.path() / "two" / "0.png", pixels({6, 5, 3}));
  write_png(folder.path() / "two" / "1.png", pixels({5, 5, 3}));
  EXPECT_THAT(
      [&] { return read_predicted_pictures(folder.path() / "two"); },
      ThrowsUsageError(HasSubstr("picture 1"), HasSubstr("[5, 5, 3]"), HasSubstr("[6, 5, 3]")));
}

struct Pairs : testing::Test {
  TemporaryFolder folder;
  const std::filesystem::path mine = folder.path() / "mine", known = folder.path() / "known";
  /// A picture of one gray.
  void add(const std::filesystem::path& file, int gray) const {
    write_png(file, at::full({4, 5, 3}, gray, at::kByte));
  }
  std::vector<int> grays(const at::Tensor& pictures) const {
    std::vector<int> all;
    for (const auto& picture : pictures.unbind(0)) all.push_back(picture[0][0][0].item<int>());
    return all;
  }
};

TEST_F(Pairs, AreMadeByNameWhateverItsEndingAndCapitals) {
  add(mine / "IMG_10.png", 10), add(mine / "img_9.png", 9);
  write_file(known / "img_10.bmp",
             testing_tags::encode(at::full({4, 5, 3}, 10, at::kByte), ".bmp"));
  write_file(known / "img_9.png", read_file(mine / "img_9.png"));
  const auto pairs = read_paired_pictures(mine, known);
  EXPECT_FALSE(pairs.by_order);
  EXPECT_TRUE(pairs.predicted.equal(pairs.truth));
}

TEST_F(Pairs, APictureWithoutAPartnerIsNamed) {
  for (const int i : {1, 2, 4, 5}) add(mine / (std::to_string(i) + ".png"), i);
  for (const int i : {1, 2, 3, 4}) add(known / (std::to_string(i) + ".png"), i);
  EXPECT_THAT([&] { read_paired_pictures(mine, known); },
              ThrowsUsageError(HasSubstr("mine lacks 3.png"), HasSubstr("known lacks 5.png")));
  add(mine / "1.PNG", 7);
  EXPECT_THAT([&] { read_paired_pictures(mine, known); },
              ThrowsUsageError(HasSubstr("1.PNG"), HasSubstr("have one name")));
}

TEST_F(Pairs, FoldersThatShareNoNameArePairedByOrderWhichIsStated) {
  for (const int i : {2, 10})
    add(mine / (std::to_string(i) + "_fake.png"), i),
        add(known / (std::to_string(i) + "_real.png"), i);
  const auto pairs = read_paired_pictures(mine, known);
  EXPECT_TRUE(pairs.by_order);
  EXPECT_EQ(grays(pairs.predicted), (std::vector<int>{2, 10}));
  EXPECT_EQ(grays(pairs.truth), (std::vector<int>{2, 10}));
}

TEST(PredictedClips, AFolderOfFoldersAndAnArrayAreReadAlikeAndClipsOfOtherLengthsAreRefused) {
  const TemporaryFolder folder;
  const auto clips = pixels({3, 4, 8, 8, 3});
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t t = 0; t < 4; ++t)
      write_png(folder.path() / "clips" / std::to_string(i) / (std::to_string(t) + ".png"),
                clips[i][t]);
  write_npy(folder.path() / "clips.npy", clips);
  EXPECT_TRUE(read_predicted_clips(folder.path() / "clips").equal(clips));
  EXPECT_TRUE(read_predicted_clips(folder.path() / "clips.npy").equal(clips));
  std::filesystem::remove(folder.path() / "clips" / "1" / "3.png");
  EXPECT_THAT([&] { read_predicted_clips(folder.path() / "clips"); },
              ThrowsUsageError(HasSubstr("1 has the shape [3, 8, 8, 3]")));
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
