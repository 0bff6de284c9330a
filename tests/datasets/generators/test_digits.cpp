#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "core/compression.h"
#include "datasets/generators/digits.h"
#include "datasets/readers/mnist.h"
#include "tests/datasets/idx_files.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_idx::idx;

/// A folder in MNIST's layout: 20 training and 10 test images of 6 x 6 pixels, the training images
/// compressed.
struct MnistFolder : testing::Test {
  MnistFolder() {
    write_file(file("train-images-idx3-ubyte.gz"), gzip(idx(images(20))));
    write_file(file("train-labels-idx1-ubyte"), idx((at::arange(20) % 10).to(at::kByte)));
    write_file(file("t10k-images-idx3-ubyte"), idx(images(10) + 1));
    write_file(file("t10k-labels-idx1-ubyte.gz"),
               gzip(idx(at::arange(10).flip({0}).to(at::kByte))));
  }
  static at::Tensor images(std::int64_t n) {
    return (at::arange(n * 36) % 200).to(at::kByte).reshape({n, 6, 6});
  }
  std::filesystem::path file(const std::string& name) const { return folder.path() / name; }
  TemporaryFolder folder;
};

TEST_F(MnistFolder, BothPartsAreReadPlainOrCompressed) {
  const auto train = read_mnist(folder.path(), OfficialPart::Train),
             test = read_mnist(folder.path(), OfficialPart::Test);
  EXPECT_TRUE(at::equal(train.images, images(20)));
  EXPECT_TRUE(at::equal(train.labels, at::arange(20) % 10));
  EXPECT_TRUE(at::equal(test.images, images(10) + 1));
  EXPECT_TRUE(at::equal(test.labels, at::arange(10).flip({0})));
  EXPECT_THAT(verify_mnist(folder.path()), IsEmpty());
}

// Labels beside the wrong images would be learnt without a word.
TEST_F(MnistFolder, FilesThatDoNotBelongTogetherAreRefused) {
  const auto refused = [&](const char* name, const at::Tensor& values, const auto&... says) {
    const auto before = read_file(file(name));
    write_file(file(name), idx(values));
    EXPECT_THAT([&] { read_mnist(folder.path(), OfficialPart::Train); },
                ThrowsUsageError(HasSubstr(name), HasSubstr(says)...));
    EXPECT_THAT(verify_mnist(folder.path()), SizeIs(1));
    write_file(file(name), before);
  };
  refused("train-labels-idx1-ubyte", at::zeros({19}, at::kByte), "[19]", "20 images");
  refused("train-labels-idx1-ubyte", at::arange(20).to(at::kByte), "label 10 is 10", "0 to 9");
  refused("train-images-idx3-ubyte.gz", at::zeros({20, 6, 5}, at::kByte), "[20, 6, 5]",
          "[N, S, S]");
  std::filesystem::remove(file("t10k-images-idx3-ubyte"));
  EXPECT_THAT(
      [&] { read_mnist(folder.path(), OfficialPart::Test); },
      ThrowsUsageError(HasSubstr("t10k-images-idx3-ubyte: the file is missing"), HasSubstr(".gz")));
}

TEST_F(MnistFolder, VerifyNamesADigitThatAPartLacks) {
  write_file(file("train-labels-idx1-ubyte"), idx((at::arange(20) % 9).to(at::kByte)));
  const auto issues = verify_mnist(folder.path());
  ASSERT_THAT(issues, SizeIs(1));
  EXPECT_EQ(issues[0].where, "train");
  EXPECT_THAT(issues[0].what, HasSubstr("no 9"));
}

// Each ten digits are one of each class, and their order does not give the class away.
TEST(GeneratedDigits, LabelsAreBalancedInADrawnOrder) {
  const auto labels = draw_digits(200, 8, 3).labels.reshape({20, 10});
  EXPECT_TRUE(at::equal(std::get<0>(labels.sort(1)), at::arange(10).expand({20, 10})));
  EXPECT_FALSE(at::equal(labels[0], labels[1]));
}

// Ink on paper, of a share that a pen leaves, none cut off by the border, soft at its edges.
TEST(GeneratedDigits, InkLiesWithinThePictureAtEverySize) {
  for (const int size : {12, 16, 28, 64}) {
    const auto images = draw_digits(500, size, 1).images;
    const auto border = at::cat({images.select(1, 0), images.select(1, size - 1),
                                 images.select(2, 0), images.select(2, size - 1)},
                                1);
    EXPECT_EQ(border.to(at::kLong).amax().item<int>(), 0) << size;
    const auto ink = images.to(at::kFloat).mean({1, 2}) / 255;
    EXPECT_GT(ink.min().item<double>(), 0.02) << size;
    EXPECT_LT(ink.max().item<double>(), 0.35) << size;
    EXPECT_GT(images.reshape({500, -1}).to(at::kLong).amax(1).min().item<int>(), 150) << size;
    EXPECT_GT(((images > 20) & (images < 235)).to(at::kFloat).mean().item<double>(), 0.02) << size;
  }
}

// A classifier that has seen 2,000 of them names others: the classes are told apart by their
// pixels. Yet no two are alike.
TEST(GeneratedDigits, ClassesAreTellableAndDigitsVary) {
  for (const int size : {16, 28}) {
    const auto seen = draw_digits(2000, size, 1), fresh = draw_digits(300, size, 2);
    const auto x = seen.images.reshape({2000, -1}).to(at::kFloat) / 255,
               y = fresh.images.reshape({300, -1}).to(at::kFloat) / 255;
    const auto distance = at::cdist(y, x);
    const auto named = seen.labels.index_select(0, distance.argmin(1));
    EXPECT_GT((named == fresh.labels).to(at::kFloat).mean().item<double>(), 0.93) << size;
    EXPECT_GT(distance.min().item<double>(), 0.5) << size;
  }
}

TEST(GeneratedDigits, WrongUseIsNamed) {
  EXPECT_THAT([] { draw_digits(-1, 28, 0); }, ThrowsUsageError(HasSubstr("-1 digits")));
  EXPECT_THAT([] { draw_digits(1, 7, 0); },
              ThrowsUsageError(HasSubstr("7 pixels"), HasSubstr("8 to 512")));
  EXPECT_EQ(draw_digits(0, 28, 0).size(), 0);
}

}  // namespace
}  // namespace reprise::datasets
