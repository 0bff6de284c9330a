#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <set>

#include "datasets/formats/images.h"
#include "datasets/generators/landscapes.h"
#include "datasets/readers/day_night.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Of one colour, so that a piece of it tells the photograph.
at::Tensor plain(std::int64_t height, std::int64_t width, int gray) {
  return at::full({height, width, 3}, gray, at::kByte);
}

/// Two photographs by day and one by night, of different shapes.
struct DayNightFolder : testing::Test {
  DayNightFolder() {
    write_png(folder.path() / "day/b.png", plain(90, 160, 200));
    write_png(folder.path() / "day/a.png", plain(60, 40, 100));
    write_png(folder.path() / "night/c.png", plain(40, 120, 20));
    write_file(folder.path() / "night/notes.txt", "no photograph");
  }
  TemporaryFolder folder;
};

TEST_F(DayNightFolder, PhotographsAreReadInOrderWithTheirShorterSideAsAsked) {
  const auto photos = read_day_night(folder.path(), 30);
  EXPECT_THAT(photos.item, ElementsAre("day/a", "day/b", "night/c"));
  EXPECT_TRUE(at::equal(photos.labels, at::tensor({0, 0, 1}, at::kLong)));
  EXPECT_THAT(photos.photo_size, ElementsAre("40x60", "160x90", "120x40"));
  EXPECT_TRUE(at::equal(photos.images[0], plain(45, 30, 100)));
  EXPECT_TRUE(at::equal(photos.images[1], plain(30, 53, 200)));
  EXPECT_TRUE(at::equal(photos.images[2], plain(30, 90, 20)));
  EXPECT_THAT(verify_day_night(folder.path()), IsEmpty());
}

// Held-out photographs stay out, labels go with their photographs, and piece i is the same in a
// longer set.
TEST_F(DayNightFolder, PiecesComeFromThePhotographsAskedForAlone) {
  const auto photos = read_day_night(folder.path(), 30);
  const auto set = crop_landscapes(photos, {0, 2}, 40, 24, Random(5));
  EXPECT_EQ(set.images.sizes(), at::IntArrayRef({40, 24, 24, 3}));
  const auto gray = set.images.to(at::kFloat).mean({1, 2, 3});
  EXPECT_TRUE(at::equal(gray, at::where(set.labels == 1, 20.0, 100.0).to(at::kFloat)));
  EXPECT_GT(set.labels.sum().item<int>(), 8);
  EXPECT_LT(set.labels.sum().item<int>(), 32);
  const auto more = crop_landscapes(photos, {0, 2}, 60, 24, Random(5));
  EXPECT_TRUE(at::equal(set.images, more.images.narrow(0, 0, 40)));
}

// A piece is a piece: its pixels lie in the photograph as they lie in it, and every place is drawn.
TEST(Landscapes, PiecesAreCutFromEveryPlace) {
  const auto places =
      at::arange(6 * 9).to(at::kByte).reshape({6, 9, 1}).expand({6, 9, 3}).contiguous();
  const LandscapePhotos photos{{{places}, {"night/a"}, {"9x6"}}, at::tensor({1}, at::kLong)};
  const auto set = crop_landscapes(photos, {0}, 200, 4, Random(1));
  std::set<int> corners;
  for (std::int64_t i = 0; i < 200; ++i) {
    const int corner = set.images[i][0][0][0].item<int>();
    corners.insert(corner);
    EXPECT_TRUE(at::equal(set.images[i], places.narrow(0, corner / 9, 4).narrow(1, corner % 9, 4)));
  }
  EXPECT_EQ(corners.size(), 3U * 6U);
}

TEST_F(DayNightFolder, WhatIsWrongIsNamed) {
  const auto photos = read_day_night(folder.path(), 30);
  EXPECT_THAT([&] { crop_landscapes(photos, {1}, 1, 31, Random(0)); },
              ThrowsUsageError(HasSubstr("31 pixels"), HasSubstr("day/b"), HasSubstr("53 x 30")));
  EXPECT_THAT([&] { crop_landscapes(photos, {3}, 1, 8, Random(0)); },
              ThrowsUsageError(HasSubstr("no photograph 3 in a set of 3")));
  EXPECT_THAT([&] { crop_landscapes(photos, {}, 1, 8, Random(0)); },
              ThrowsUsageError(HasSubstr("no photograph was given")));
  EXPECT_THAT([&] { crop_landscapes(photos, {0}, -1, 8, Random(0)); },
              ThrowsUsageError(HasSubstr("-1 pieces")));
  EXPECT_THAT([&] { read_day_night(folder.path(), 0); }, ThrowsUsageError(HasSubstr("0 pixels")));
  write_file(folder.path() / "day/broken.jpg", "no image");
  EXPECT_THAT([&] { read_day_night(folder.path()); }, ThrowsUsageError(HasSubstr("day/broken")));
  EXPECT_THAT(verify_day_night(folder.path()), SizeIs(1));
  std::filesystem::remove_all(folder.path() / "night");
  EXPECT_THAT([&] { read_day_night(folder.path()); }, ThrowsUsageError(HasSubstr("day/broken")));
  std::filesystem::remove(folder.path() / "day/broken.jpg");
  EXPECT_THAT([&] { read_day_night(folder.path()); },
              ThrowsUsageError(HasSubstr("night"), HasSubstr("night/NAME.jpg")));
  EXPECT_THAT(verify_day_night(folder.path()), SizeIs(1));
}

// Night is darker than day in every picture, above and below; both are there, half of each.
TEST(GeneratedLandscapes, NightIsDarkerThanDay) {
  const auto set = draw_landscapes(60, 32, 48, 3);
  const auto light = set.images.to(at::kFloat).mean({1, 2, 3});
  EXPECT_LT(light.masked_select(set.labels == 1).max().item<double>(), 85);
  EXPECT_GT(light.masked_select(set.labels == 0).min().item<double>(), 100);
  EXPECT_TRUE(at::equal(set.labels.reshape({30, 2}).sum(1), at::ones({30}, at::kLong)));
  EXPECT_GT(set.labels.reshape({30, 2}).select(1, 0).sum().item<int>(), 5);
  EXPECT_LT(set.labels.reshape({30, 2}).select(1, 0).sum().item<int>(), 25);
}

// A wide picture is as full as a narrow one: its hills rise and fall as often a length, and its
// quarters look alike but are not the same.
TEST(GeneratedLandscapes, AWidePictureHasMoreHillsNotWiderOnes) {
  const auto steepness = [](std::int64_t width) {
    const auto images = draw_landscapes(30, 32, width, 9).images.to(at::kFloat);
    return (images.slice(2, 1) - images.slice(2, 0, -1)).abs().mean().item<double>();
  };
  EXPECT_NEAR(steepness(256) / steepness(64), 1, 0.25);
  const auto wide = draw_landscapes(1, 32, 256, 9).images[0].to(at::kFloat);
  const auto first = wide.narrow(1, 0, 64);
  for (int quarter = 1; quarter < 4; ++quarter) {
    const auto other = wide.narrow(1, 64 * quarter, 64);
    EXPECT_NEAR(other.mean().item<double>(), first.mean().item<double>(), 25) << quarter;
    EXPECT_GT((other - first).abs().mean().item<double>(), 2) << quarter;
  }
}

// The lines between sky and hills are at the same pixels in both lights; only the colours differ.
TEST(GeneratedLandscapes, APairIsOneSceneInBothLights) {
  const auto pairs = draw_landscape_pairs(12, 48, 48, 7);
  const auto luminance = [](const at::Tensor& images) { return images.to(at::kDouble).mean(3); };
  EXPECT_TRUE((luminance(pairs.day).mean({1, 2}) > luminance(pairs.night).mean({1, 2}) + 40)
                  .all()
                  .item<bool>());
  // Gray values of one scene by day and by night correlate; those of two scenes do less.
  const auto correlation = [](const at::Tensor& a, const at::Tensor& b) {
    return at::corrcoef(at::stack({a.flatten(), b.flatten()}))[0][1].item<double>();
  };
  const auto day = luminance(pairs.day);
  const auto night = luminance(pairs.night);
  double same = 0;
  double other = 0;
  for (std::int64_t i = 0; i < 12; ++i) {
    same += correlation(day[i], night[i]) / 12;
    other += correlation(day[i], night[(i + 1) % 12]) / 12;
  }
  EXPECT_GT(same, 0.5);
  EXPECT_GT(same, other + 0.05);
  EXPECT_TRUE(at::equal(draw_landscape_pairs(3, 48, 48, 7).night, pairs.night.narrow(0, 0, 3)));
}

TEST(GeneratedLandscapes, WrongUseIsNamed) {
  EXPECT_THAT([] { draw_landscapes(-1, 32, 32, 0); }, ThrowsUsageError(HasSubstr("-1 landscapes")));
  EXPECT_THAT([] { draw_landscapes(1, 32, 4097, 0); },
              ThrowsUsageError(HasSubstr("4097 x 32"), HasSubstr("8 to 4096")));
}

}  // namespace
}  // namespace reprise::datasets
