// Folders of photographs of any size; the pieces of a set of webcams are split by camera.
#include <ATen/ATen.h>

#include <map>
#include <opencv2/imgcodecs.hpp>
#include <set>

#include "core/files.h"
#include "datasets/formats/images.h"
#include "datasets/readers/day_night.h"
#include "datasets/readers/photos.h"
#include "datasets/splits.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Photos, AreFoundInAnyDepthAndKeepTheirShape) {
  const TemporaryFolder folder;
  write_png(folder.path() / "z.png", at::full({30, 20, 3}, 10, at::kByte));
  write_png(folder.path() / "a/b/c.png", at::full({8, 16, 3}, 20, at::kByte));
  write_file(folder.path() / "a/notes.txt", "no photograph");
  const auto photos = read_photos(folder.path(), 10);
  EXPECT_THAT(photos.item, ElementsAre("a/b/c", "z"));
  EXPECT_THAT(photos.photo_size, ElementsAre("16x8", "20x30"));
  EXPECT_EQ(photos.images[0].sizes(), at::IntArrayRef({10, 20, 3}));
  EXPECT_EQ(photos.images[1].sizes(), at::IntArrayRef({15, 10, 3}));
  EXPECT_THAT([&] { read_photos(folder.path() / "none", 10); },
              ThrowsUsageError(HasSubstr("none"), HasSubstr("cannot be read")));
  std::filesystem::create_directories(folder.path() / "empty");
  EXPECT_THAT([&] { read_photos(folder.path() / "empty", 10); },
              ThrowsUsageError(HasSubstr("no photograph")));
}

// A camera whose frames were cut to two heights is one: its photographs must not be in two parts of
// a split.
TEST(DayNight, SizesThatHardlyDifferAreOneCamera) {
  EXPECT_THAT(identify_cameras({"640x471", "640x439", "640x469", "800x591", "641x472", "800x593"}),
              ElementsAre("640x469", "640x439", "640x469", "800x591", "640x469", "800x591"));
  EXPECT_THAT(identify_cameras({"640x471", "640x469"}, 1), ElementsAre("640x471", "640x469"));
}

/// A JPEG of these pixels that says it was taken with the camera held on its side: orientation 6, a
/// quarter turn clockwise to be upright.
std::string sideways_jpeg(const at::Tensor& image) {
  const cv::Mat pixels(static_cast<int>(image.size(0)), static_cast<int>(image.size(1)), CV_8UC3,
                       image.data_ptr());
  std::vector<unsigned char> bytes;
  EXPECT_TRUE(cv::imencode(".jpg", pixels, bytes));
  // APP1 of 34 bytes: one entry, tag 0x0112, a short, of value 6.
  const std::string exif(
      "\xff\xe1\x00\x22"
      "Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0",
      36);
  std::string file(bytes.begin(), bytes.end());
  return file.substr(0, 2) + exif + file.substr(2);
}

TEST(Photos, ArePutUprightAndFoundWhateverTheCaseOfTheirEnding) {
  const TemporaryFolder folder;
  auto image = at::zeros({16, 32, 3}, at::kByte);
  image.slice(1, 0, 16).fill_(255);  // bright on the left, and after a quarter turn clockwise above
  write_file(folder.path() / "DSC1.JPG", sideways_jpeg(image));
  write_file(folder.path() / "DSC1.txt", "of it");
  const auto photos = read_photos(folder.path(), 16);
  ASSERT_EQ(photos.images[0].sizes(), at::IntArrayRef({32, 16, 3}));
  EXPECT_GT(photos.images[0].slice(0, 0, 12).min().item<int>(), 200);
  EXPECT_LT(photos.images[0].slice(0, 20).max().item<int>(), 50);
}

// No camera is on both sides of a split, however often and whenever it took a photograph, by day or
// by night.
TEST(Photos, ACameraIsInOnePartOfASplit) {
  const TemporaryFolder folder;
  for (int camera = 0; camera < 6; ++camera)
    for (int time = 0; time < 3; ++time)
      for (const std::string part : {"day", "night"})
        write_png(folder.path() / part / (std::to_string(time) + std::to_string(camera) + ".png"),
                  at::zeros({8, 9 + camera, 3}, at::kByte));
  const auto photos = read_day_night(folder.path(), 8);
  const auto split = split_by(photos.photo_size, {.train = 0.6, .validation = 0.2, .test = 0.2}, 3);
  std::map<std::string, std::set<int>> parts;
  int part = 0;
  for (const auto* indices : {&split.train, &split.validation, &split.test}) {
    for (const auto i : *indices)
      parts[photos.photo_size[static_cast<std::size_t>(i)]].insert(part);
    ++part;
  }
  EXPECT_EQ(parts.size(), 6U);
  for (const auto& [camera, of] : parts) EXPECT_EQ(of.size(), 1U) << camera;
}

}  // namespace
}  // namespace reprise::datasets
