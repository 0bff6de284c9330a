// MATLAB's files as MathWorks describes them are read; damaged and hostile ones are refused by
// name.
#include <ATen/ATen.h>

#include <cstring>

#include "datasets/formats/mat.h"
#include "tests/damage.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_in(const MatArrays& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, values] : arrays) names.push_back(name);
  return names;
}

// tests/fixtures/mat.py says what is in it. The text is passed over.
TEST(Mat, CompressedArraysAreColumnByColumn) {
  const auto arrays = read_mat(fixture("mat/train_32x32.mat"));
  EXPECT_THAT(names_in(arrays), ElementsAre("X", "y"));
  const auto& X = find_array(arrays, "X", "file");
  const auto at = [](std::int64_t dimension, std::int64_t n) {
    std::vector<std::int64_t> shape(4, 1);
    shape[static_cast<std::size_t>(dimension)] = n;
    return at::arange(n).view(shape);
  };
  const auto expected = (7 * at(0, 32) + 13 * at(1, 32) + 29 * at(2, 3) + 31 * at(3, 12))
                            .remainder(251)
                            .to(at::kByte);
  EXPECT_TRUE(at::equal(X, expected));
  const auto& y = find_array(arrays, "y", "file");
  EXPECT_EQ(y.scalar_type(), at::kDouble);
  EXPECT_TRUE(at::equal(y, (at::arange(12).remainder(10) + 1).to(at::kDouble).view({12, 1})));
  EXPECT_THAT([&] { find_array(arrays, "Z", "file"); },
              ThrowsUsageError(HasSubstr("file: there is no array Z"), HasSubstr("X, y")));
}

TEST(Mat, BigEndianSmallAndEmptyArraysAreRead) {
  const auto arrays = read_mat(fixture("mat/big_endian.mat"));
  EXPECT_THAT(names_in(arrays), ElementsAre("a", "b", "d"));
  EXPECT_EQ(arrays[0].second.scalar_type(), at::kShort);
  EXPECT_TRUE(
      at::equal(arrays[0].second, at::tensor({1, 3, 5, -2, -4, -6}).view({2, 3}).to(at::kShort)));
  EXPECT_EQ(arrays[1].second.item<float>(), 0.5F);
  EXPECT_EQ(arrays[2].second.sizes(), (std::vector<std::int64_t>{0, 4}));
}

// What a hostile file says of itself is held against the file before anything is allocated.
TEST(Mat, RefusesWhatDoesNotFitTheFile) {
  const auto whole = read_file(fixture("mat/big_endian.mat"));
  const auto with = [&](std::size_t at, std::string_view bytes) {
    auto changed = whole;
    changed.replace(at, bytes.size(), bytes);
    return [changed] { parse_mat(changed, "file"); };
  };
  using std::string_view_literals::operator""sv;
  EXPECT_THAT([] { parse_mat("short", "file"); },
              ThrowsUsageError(HasSubstr("file: "), HasSubstr("5 bytes")));
  EXPECT_THAT(with(126, "XY"), ThrowsUsageError(HasSubstr("\"XY\"")));
  EXPECT_THAT(with(0, "MATLAB 7.3"), ThrowsUsageError(HasSubstr("HDF5")));
  EXPECT_THAT(with(124, "\x02\x00"sv), ThrowsUsageError(HasSubstr("0x0200")));
  EXPECT_THAT(with(132, "\x7f\xff\xff\xff"sv), ThrowsUsageError(HasSubstr("2147483647 bytes")));
  // Flags end at 152; sizes' tag is 152 to 159, their values 160 to 167.
  EXPECT_THAT(with(160, "\x7f\xff\xff\xff\x7f\xff\xff\xff"sv),
              ThrowsUsageError(HasSubstr("array a"), HasSubstr("more than 2 GiB")));
  EXPECT_THAT(with(160, "\x00\x00\x00\x02\x00\x00\x00\x04"sv),
              ThrowsUsageError(HasSubstr("2 x 4"), HasSubstr("6 bytes"), HasSubstr("expected 8")));
  EXPECT_THAT(with(160, "\xff\xff\xff\xff"sv), ThrowsUsageError(HasSubstr("a size of -1")));
}

// A megabyte of zlib can say that it holds four gigabytes.
TEST(Mat, RefusesCompressedElementsThatAreNotWhole) {
  auto bytes = read_file(fixture("mat/train_32x32.mat"));
  EXPECT_THAT([&] { parse_mat(bytes.substr(0, bytes.size() - 3), "file"); },
              ThrowsUsageError(HasSubstr("file: an element of")));
  bytes[150] = static_cast<char>(bytes[150] ^ 0x55);
  EXPECT_THAT([&] { parse_mat(bytes, "file"); }, ThrowsUsageError(HasSubstr("compressed element")));
}

TEST(Mat, DamagedFilesGiveArraysOrOurErrorSlow) {
  const TemporaryFolder folder;
  for (const std::string name : {"train_32x32.mat", "big_endian.mat"}) {
    const auto whole = read_file(fixture("mat/" + name));
    EXPECT_GE(
        read_damaged_copies(folder.path() / name, whole, [](const auto& path) { read_mat(path); }),
        60)
        << name;
  }
}

}  // namespace
}  // namespace reprise::datasets
