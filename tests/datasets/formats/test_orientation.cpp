// Pictures and videos are shown as players show them, whatever stored them and however the camera
// was held.
#include <ATen/ATen.h>

#include <array>

#include "datasets/formats/container.h"
#include "datasets/formats/images.h"
#include "datasets/formats/orientation.h"
#include "datasets/formats/video_files.h"
#include "tests/datasets/tagged_files.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using namespace testing_tags;

/// Pixels that are all different, 6 high and 9 wide.
at::Tensor uneven() { return (at::arange(6 * 9 * 3) * 5 % 256).to(at::kByte).view({6, 9, 3}); }

/// By EXIF's own definition: which stored pixel is shown at (x, y) of a picture that is `height` x
/// `width` as stored.
std::array<std::int64_t, 2> stored_place(int orientation, std::int64_t x, std::int64_t y,
                                         std::int64_t width, std::int64_t height) {
  switch (orientation) {
    case 2:
      return {width - 1 - x, y};
    case 3:
      return {width - 1 - x, height - 1 - y};
    case 4:
      return {x, height - 1 - y};
    case 5:
      return {y, x};
    case 6:
      return {y, height - 1 - x};
    case 7:
      return {width - 1 - y, height - 1 - x};
    case 8:
      return {width - 1 - y, x};
    default:
      return {x, y};
  }
}

at::Tensor shown(const at::Tensor& stored, int orientation) {
  const auto height = stored.size(0), width = stored.size(1);
  const bool swapped = orientation >= 5;
  auto picture = at::empty({swapped ? width : height, swapped ? height : width, 3}, at::kByte);
  for (std::int64_t y = 0; y < picture.size(0); ++y)
    for (std::int64_t x = 0; x < picture.size(1); ++x) {
      const auto [from_x, from_y] = stored_place(orientation, x, y, width, height);
      picture[y][x].copy_(stored[from_y][from_x]);
    }
  return picture;
}

TEST(Orientation, EveryPictureIsTurnedAsItsExifSaysAndAnAnnotatedOneIsNotSlow) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a";
  const auto png = encode(uneven(), ".png"),
             webp = encode(uneven(), ".webp", {cv::IMWRITE_WEBP_QUALITY, 101});
  const auto jpeg = encode(uneven(), ".jpg");
  write_file(file, jpeg);
  const auto lossy = read_image(file);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    write_file(file, png_with_exif(png, orientation));
    EXPECT_TRUE(read_image(file).equal(shown(uneven(), orientation))) << orientation;
    EXPECT_TRUE(read_annotated_image(file).equal(uneven())) << orientation;
    write_file(file, webp_with_exif(webp, orientation, 9, 6));
    EXPECT_TRUE(read_image(file).equal(shown(uneven(), orientation))) << orientation;
    for (const bool little : {true, false}) {
      write_file(file, jpeg_with_exif(jpeg, orientation, little));
      EXPECT_TRUE(read_image(file).equal(shown(lossy, orientation))) << orientation;
      EXPECT_TRUE(read_annotated_image(file).equal(lossy)) << orientation;
    }
  }
  for (const int other : {0, 9, 65535}) {
    write_file(file, jpeg_with_exif(jpeg, other));
    EXPECT_TRUE(read_image(file).equal(lossy)) << other;
  }
}

// OpenCV 4.6 turns by 90 and 270 degrees the wrong way round.
TEST(Orientation, EveryVideoIsTurnedAsItsMatrixSays) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mp4";
  VideoWriter writer(file, 10);
  auto frame = at::full({48, 64, 3}, 30, at::kByte);
  frame.slice(0, 0, 16).slice(1, 0, 16).fill_(220);  // bright in the upper left
  for (int i = 0; i < 3; ++i) writer.write(frame);
  try {
    writer.close();
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto bytes = read_file(file);
  const auto first_frame = [&] {
    VideoReader reader(file);
    EXPECT_TRUE(reader.next());
    return reader.frame();
  };
  const auto stored = first_frame();
  for (int orientation = 1; orientation <= 8; ++orientation) {
    write_file(file, with_matrix(bytes, matrices.at(static_cast<std::size_t>(orientation - 1))));
    EXPECT_EQ(video_orientation(file), orientation);
    EXPECT_TRUE(first_frame().equal(shown(stored, orientation))) << orientation;
  }
  // The movie's matrix comes after the track's: turned, then mirrored.
  write_file(file, with_matrix(with_matrix(bytes, matrices[5]), matrices[1], "mvhd"));
  EXPECT_TRUE(first_frame().equal(shown(shown(stored, 6), 2)));
  // 90 degrees: what was in the upper left is in the upper right.
  write_file(file, with_matrix(bytes, matrices[5]));
  const auto turned = first_frame();
  EXPECT_EQ(turned.sizes(), at::IntArrayRef({64, 48, 3}));
  EXPECT_GT(turned[4][44][0].item<int>(), 180);
  EXPECT_LT(turned[4][4][0].item<int>(), 80);
}

TEST(Orientation, FilesOfOtherKindsAndDamagedHeadsAreNotTurned) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.mp4";
  using namespace std::string_literals;
  for (const auto& bytes : {""s, "RIFF"s,
                            "\0\0\0\x10"
                            "ftypisom"s,
                            "\0\0\0\x08moov\0\0\0\0trak"s, "\0\0\0\0moov\xff\xff\xff\xfftrak"s}) {
    write_file(file, bytes);
    EXPECT_EQ(video_orientation(file), 1);
  }
}

}  // namespace
}  // namespace reprise::datasets
