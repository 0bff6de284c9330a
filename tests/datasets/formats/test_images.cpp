#include <opencv2/imgcodecs.hpp>

#include "core/random.h"
#include "datasets/formats/images.h"
#include "tests/datasets/faces.h"
#include "tests/datasets/tagged_files.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing_faces::points_at;
using testing_faces::ramp;

/// A bright dot, softly drawn, at (x, y) on black: its centre of mass can be measured after a warp.
at::Tensor dot(std::int64_t width, std::int64_t height, double x, double y, double radius) {
  const auto dx = at::arange(width, at::kDouble).unsqueeze(0) - x,
             dy = at::arange(height, at::kDouble).unsqueeze(1) - y;
  return (255 * at::exp(-(dx * dx + dy * dy) / (2 * radius * radius))).to(at::kByte);
}

std::pair<double, double> centre_of(const at::Tensor& gray) {
  const auto weight = gray.to(at::kDouble);
  const auto total = weight.sum();
  return {((weight.sum(0) * at::arange(gray.size(1), at::kDouble)).sum() / total).item<double>(),
          ((weight.sum(1) * at::arange(gray.size(0), at::kDouble)).sum() / total).item<double>()};
}

std::string encoded(const at::Tensor& image, const std::string& ending) {
  const auto pixels = image.contiguous();
  std::vector<unsigned char> bytes;
  cv::imencode(ending,
               cv::Mat(static_cast<int>(image.size(0)), static_cast<int>(image.size(1)), CV_8UC3,
                       pixels.data_ptr()),
               bytes);
  return {bytes.begin(), bytes.end()};
}

TEST(Images, PngKeepsEveryPixelOfColourAndGray) {
  const TemporaryFolder folder;
  write_png(folder.path() / "a.png", ramp(31, 17));
  EXPECT_TRUE(at::equal(read_image(folder.path() / "a.png"), ramp(31, 17)));
  const auto gray = to_gray(ramp(31, 17));
  ASSERT_EQ(gray.dim(), 2);
  write_png(folder.path() / "g.png", gray);
  EXPECT_TRUE(
      at::equal(read_image(folder.path() / "g.png"), gray.unsqueeze(2).expand({17, 31, 3})));
  EXPECT_TRUE(at::equal(to_gray(gray), gray));
}

/// A PNG of one row of pixels: 8 or 16 bits, with the number of channels that the values' last size
/// says (BGRA order).
template <typename Value>
std::string png_row(const std::vector<cv::Vec<Value, 4>>& pixels) {
  std::vector<unsigned char> bytes;
  EXPECT_TRUE(cv::imencode(".png", cv::Mat(pixels, true).reshape(4, 1), bytes));
  return {bytes.begin(), bytes.end()};
}

TEST(Images, TransparentPixelsLieOverWhiteAndHideTheirColour) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.png";
  write_file(path, png_row<std::uint8_t>({{255, 0, 255, 0}, {30, 20, 10, 255}, {0, 0, 0, 51}}));
  EXPECT_TRUE(read_image(path).equal(
      at::tensor({255, 255, 255, 10, 20, 30, 204, 204, 204}, at::kByte).view({1, 3, 3})));
  write_file(path,
             png_row<std::uint16_t>({{65535, 0, 65535, 0}, {30 * 257, 20 * 257, 10 * 257, 65535}}));
  EXPECT_TRUE(
      read_image(path).equal(at::tensor({255, 255, 255, 10, 20, 30}, at::kByte).view({1, 2, 3})));
}

TEST(Images, TheColourThatAPngDeclaresTransparentIsWhite) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.png";
  const auto image = at::tensor({200, 0, 200, 1, 2, 3}, at::kByte).view({1, 2, 3});
  const auto key = std::string("\0\xc8\0\0\0\xc8", 6);
  write_file(path, testing_tags::with_png_chunk(testing_tags::encode(image, ".png"), "tRNS", key));
  EXPECT_TRUE(
      read_image(path).equal(at::tensor({255, 255, 255, 1, 2, 3}, at::kByte).view({1, 2, 3})));
  write_png(path, at::tensor({7, 90}, at::kByte).view({1, 2}));
  write_file(path, testing_tags::with_png_chunk(read_file(path), "tRNS", std::string("\0\x07", 2)));
  EXPECT_TRUE(
      read_image(path).equal(at::tensor({255, 255, 255, 90, 90, 90}, at::kByte).view({1, 2, 3})));
}

TEST(Images, AFileCutAnywhereIsRefusedAndNamed) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "face.jpg";
  const auto noise = at::empty({40, 40, 3}, at::kByte);
  Random random(7);
  for (std::int64_t i = 0; i < noise.numel(); ++i)
    noise.data_ptr<std::uint8_t>()[i] = static_cast<std::uint8_t>(random.below(256));
  for (const std::string ending : {".jpg", ".png"}) {
    const std::string whole = encoded(noise, ending);
    write_file(path, whole);
    EXPECT_EQ(read_image(path).size(0), 40);
    for (const double part : {0.0, 0.01, 0.1, 0.5, 0.9, 0.99}) {
      write_file(path, whole.substr(
                           0, static_cast<std::size_t>(part * static_cast<double>(whole.size()))));
      EXPECT_THAT([&] { read_image(path); },
                  ThrowsUsageError(HasSubstr("face.jpg"), HasSubstr("damaged")))
          << ending << " " << part;
    }
  }
  EXPECT_THAT([&] { read_image(folder.path() / "none.jpg"); }, ThrowsError(HasSubstr("none.jpg")));
}

TEST(Images, ACroppedFaceFillsTheSquareByItsScale) {
  const FaceCrop crop{.size = 64, .scale = 1.5};
  const auto landmarks = points_at(120, 90, 30);
  const auto face = crop_face(ramp(200, 180), landmarks, crop);
  ASSERT_EQ(face.image.sizes(), (std::vector<std::int64_t>{64, 64, 3}));
  const auto extent = face.landmarks.amax(0) - face.landmarks.amin(0),
             middle = (face.landmarks.amax(0) + face.landmarks.amin(0)) / 2;
  EXPECT_NEAR(extent.max().item<double>(), 64 / 1.5, 1e-3);
  EXPECT_NEAR(middle[0].item<double>(), 31.5, 1e-3);
  EXPECT_NEAR(middle[1].item<double>(), 31.5, 1e-3);
}

TEST(Images, PixelsAndPointsMoveTogetherWhenEnlargedShrunkAndTurned) {
  const auto image = dot(400, 300, 210.3, 140.8, 12);
  const auto point = at::tensor({210.3, 140.8}, at::kDouble).reshape({1, 2});
  const auto landmarks = points_at(200, 150, 60);
  for (const std::int64_t size : {16, 40, 90, 300}) {
    const Affine affine = crop_affine(landmarks, {.size = size, .scale = 1.6});
    const auto [x, y] = centre_of(warp_image(image, affine, size));
    const auto moved = move_points(point, affine);
    EXPECT_NEAR(x, moved[0][0].item<double>(), 0.06) << size;
    EXPECT_NEAR(y, moved[0][1].item<double>(), 0.06) << size;
  }
  const double c = 0.25 * std::cos(0.4), s = 0.25 * std::sin(0.4);
  const Affine turned = {c, -s, 16, s, c, -24};
  const auto [x, y] = centre_of(warp_image(image, turned, 80));
  EXPECT_NEAR(x, move_points(point, turned)[0][0].item<double>(), 0.06);
  EXPECT_NEAR(y, move_points(point, turned)[0][1].item<double>(), 0.06);
}

TEST(Images, StrongShrinkingAveragesPixelsInsteadOfSkippingThem) {
  const auto board =
      ((at::arange(256).unsqueeze(0) + at::arange(256).unsqueeze(1)) % 2 * 255).to(at::kByte);
  const auto small = warp_image(board, {0.125, 0, -0.4375, 0, 0.125, -0.4375}, 32);
  EXPECT_NEAR(small.to(at::kDouble).mean().item<double>(), 127.5, 1.5);
  EXPECT_LE((small.to(at::kInt) - 127).abs().max().item<int>(), 2);
}

TEST(Images, WhatLiesBeyondTheBorderRepeatsIt) {
  const auto image = at::full({10, 10}, 77, at::kByte);
  EXPECT_TRUE(
      at::equal(warp_image(image, {1, 0, 100, 0, 1, 100}, 8), at::full({8, 8}, 77, at::kByte)));
  EXPECT_TRUE(
      at::equal(warp_image(image, {0.2, 0, 100, 0, 0.2, 100}, 8), at::full({8, 8}, 77, at::kByte)));
}

TEST(Mirror, TheOrderIsAnInvolutionAndSwapsTheEyes) {
  const auto order = mirror_order();
  for (std::int64_t k = 0; k < 68; ++k)
    EXPECT_EQ(order[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])], k);
  for (std::size_t k = 36; k < 42; ++k) {
    EXPECT_GE(order[k], 42);
    EXPECT_LT(order[k], 48);
  }
  EXPECT_EQ(order[36], 45);  // outer corners
  EXPECT_EQ(order[39], 42);  // inner corners
  EXPECT_EQ(order[37], 44);  // upper lids
  EXPECT_EQ(order[41], 46);  // lower lids
  EXPECT_EQ(order[48], 54);  // corners of the mouth
  for (const std::size_t k : {8U, 27U, 28U, 29U, 30U, 33U, 51U, 57U, 62U, 66U})
    EXPECT_EQ(order[k], static_cast<std::int64_t>(k));
}

TEST(Mirror, PointsStayOnTheirPixelsAndTwoMirrorsAreNone) {
  const auto image = dot(41, 30, 9, 12, 2);
  auto landmarks = points_at(20, 15);
  landmarks[36] = at::tensor({9.0F, 12.0F});
  const auto [x, y] = centre_of(mirror_image(image));
  const auto mirrored = mirror_landmarks(landmarks, 41);
  EXPECT_NEAR(mirrored[45][0].item<double>(), x, 0.01);
  EXPECT_NEAR(mirrored[45][1].item<double>(), y, 0.01);
  EXPECT_TRUE(at::allclose(mirror_landmarks(mirrored, 41), landmarks, 0, 1e-5));
  EXPECT_TRUE(at::equal(mirror_image(mirror_image(image)), image));
  EXPECT_TRUE(at::equal(mirror_landmarks(landmarks.unsqueeze(0).unsqueeze(0), 41)[0][0], mirrored));
}

TEST(Images, WhatCannotBeCutOutIsRefused) {
  EXPECT_THAT([] { crop_affine(at::ones({68, 2}), {}); }, ThrowsUsageError(HasSubstr("coincide")));
  EXPECT_THAT([] { crop_affine(points_at(5, 5), {.size = 0, .scale = 1}); },
              ThrowsUsageError(HasSubstr("0 pixels")));
  EXPECT_THAT(
      [] {
        warp_image(at::zeros({4, 4}), {1, 0, 0, 0, 1, 0}, 4);
      },
      ThrowsUsageError(HasSubstr("uint8")));
  EXPECT_THAT(
      [] {
        warp_image(ramp(4, 4), {1, 1, 0, 1, 1, 0}, 4);
      },
      ThrowsUsageError(HasSubstr("inverse")));
  EXPECT_THAT([] { mirror_landmarks(at::zeros({51, 2}), 10); }, ThrowsUsageError(HasSubstr("68")));
}

TEST(Images, ATurnIsClockwiseAboutTheMiddle) {
  const auto quarter = turn_affine(9, 21, 90);  // the middle is (10, 4)
  const auto points = at::tensor({10.0, 4.0, 12.0, 4.0, 10.0, 1.0}, at::kDouble).view({3, 2});
  const auto expected = at::tensor({10.0, 4.0, 10.0, 6.0, 13.0, 4.0}, at::kDouble).view({3, 2});
  EXPECT_TRUE(at::allclose(move_points(points, quarter), expected, 0, 1e-12));
}

}  // namespace
}  // namespace reprise::datasets
