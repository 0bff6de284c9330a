#include <ATen/ATen.h>

#include "datasets/readers/svhn.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

struct SvhnFolder : testing::Test {
  SvhnFolder() {
    for (const auto* name : {"train_32x32.mat", "test_32x32.mat"})
      write_file(folder.path() / name, read_file(fixture("mat/train_32x32.mat")));
  }
  TemporaryFolder folder;
};

// Rows stay rows and columns columns, and 10 is the digit 0 (tests/fixtures/mat.py).
TEST_F(SvhnFolder, DigitsAreReadInTheirOrientation) {
  const auto train = read_svhn(folder.path(), OfficialPart::Train);
  EXPECT_EQ(train.images.sizes(), (std::vector<std::int64_t>{12, 32, 32, 3}));
  EXPECT_EQ(train.images[3][5][9][2].item<int>(), (7 * 5 + 13 * 9 + 29 * 2 + 31 * 3) % 251);
  EXPECT_EQ(train.labels[0].item<int>(), 1);
  EXPECT_EQ(train.labels[9].item<int>(), 0);
  EXPECT_THAT(verify_svhn(folder.path()), testing::IsEmpty());
}

TEST_F(SvhnFolder, MissingAndForeignFilesAreNamed) {
  std::filesystem::remove(folder.path() / "train_32x32.mat");
  EXPECT_THAT([&] { read_svhn(folder.path(), OfficialPart::Train); },
              ThrowsUsageError(HasSubstr("train_32x32.mat: the file is missing")));
  write_file(folder.path() / "test_32x32.mat", read_file(fixture("mat/big_endian.mat")));
  EXPECT_THAT(
      [&] { read_svhn(folder.path(), OfficialPart::Test); },
      ThrowsUsageError(HasSubstr("test_32x32.mat: there is no array X"), HasSubstr("a, b, d")));
  EXPECT_THAT(verify_svhn(folder.path()), SizeIs(2));
}

TEST_F(SvhnFolder, ALabelThatIsNoDigitIsNamed) {
  write_file(folder.path() / "test_32x32.mat", read_file(fixture("mat/wrong_label.mat")));
  EXPECT_THAT([&] { read_svhn(folder.path(), OfficialPart::Test); },
              ThrowsUsageError(HasSubstr("test_32x32.mat: label 1 is 11"), HasSubstr("1 to 10")));
}

}  // namespace
}  // namespace reprise::datasets
