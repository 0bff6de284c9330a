// Pairs side by side in one file are two pictures of one scene, pair by pair.
#include <ATen/ATen.h>

#include "core/files.h"
#include "datasets/formats/images.h"
#include "datasets/readers/aligned_pairs.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// As pix2pix's maps: left gray, right black, by the number of the file.
struct MapsFolder : testing::Test {
  MapsFolder() {
    for (const int i : {1, 2}) {
      auto both = at::zeros({6, 12, 3}, at::kByte);
      both.narrow(1, 0, 6).fill_(100 * i);
      write_png(train / (std::to_string(i) + ".png"), both);
    }
  }
  TemporaryFolder folder;
  std::filesystem::path train = folder.path() / "train";
};

TEST_F(MapsFolder, HalvesGoToTheirSidesInOrder) {
  const auto pairs = read_aligned_pairs(train, 3);
  EXPECT_THAT(pairs.item, ElementsAre("1", "2"));
  EXPECT_EQ(pairs.left.sizes(), at::IntArrayRef({2, 3, 3, 3}));
  EXPECT_TRUE(pairs.left[0].eq(100).all().item<bool>());
  EXPECT_TRUE(pairs.left[1].eq(200).all().item<bool>());
  EXPECT_TRUE(pairs.right.eq(0).all().item<bool>());
  EXPECT_THAT(verify_aligned_pairs(train), IsEmpty());
}

TEST_F(MapsFolder, WhatIsNoPairIsNamed) {
  write_png(train / "odd.png", at::zeros({6, 11, 3}, at::kByte));
  write_file(train / "broken.jpg", "no picture");
  EXPECT_THAT(
      [&] { read_aligned_pairs(train, 3); },
      ThrowsUsageError(HasSubstr("2 things"), HasSubstr("11 pixels wide"), HasSubstr("broken")));
  EXPECT_THAT(verify_aligned_pairs(train), SizeIs(2));
  EXPECT_THAT([&] { read_aligned_pairs(folder.path() / "val", 3); },
              ThrowsUsageError(HasSubstr("val"), HasSubstr("cannot be read")));
  EXPECT_THAT([&] { read_aligned_pairs(train, 0); }, ThrowsUsageError(HasSubstr("0 pixels")));
}

}  // namespace
}  // namespace reprise::datasets
