#include <ATen/ATen.h>

#include "datasets/readers/usps.h"
#include "tests/compressed.h"
#include "tests/damage.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// Two digits, a 3 and a 9: paper but for a pixel; the second leaves all but two out.
std::string two_digits() {
  std::string text = "4";
  for (int i = 1; i <= 256; ++i) text += " " + std::to_string(i) + (i == 18 ? ":1" : ":-1");
  return text + "\n10 1:-1 256:0.5\r\n";
}

std::string bzip2ed(const std::string& text) {
  return compressed(text, archive_write_add_filter_bzip2);
}

TEST(Usps, LinesBecomeDigits) {
  const auto set = parse_usps(two_digits(), "file");
  EXPECT_TRUE(at::equal(set.labels, at::tensor({3, 9}, at::kLong)));
  EXPECT_EQ(set.images.sizes(), (std::vector<std::int64_t>{2, 16, 16}));
  EXPECT_EQ(set.images[0][1][1].item<int>(), 255);  // index 18
  EXPECT_EQ(set.images[0].to(at::kLong).sum().item<int>(), 255);
  EXPECT_EQ(set.images[1][0][0].item<int>(), 0);
  EXPECT_EQ(set.images[1][15][15].item<int>(), 191);
  EXPECT_EQ(set.images[1][0][1].item<int>(), 128);  // left out: 0
}

TEST(Usps, PartsAreReadPlainOrCompressed) {
  const TemporaryFolder folder;
  write_file(folder.path() / "usps", two_digits());
  write_file(folder.path() / "usps.t.bz2", bzip2ed(two_digits() + two_digits()));
  EXPECT_EQ(read_usps(folder.path(), OfficialPart::Train).size(), 2);
  EXPECT_EQ(read_usps(folder.path(), OfficialPart::Test).size(), 4);
  EXPECT_THAT(verify_usps(folder.path()), SizeIs(16));  // eight digits of ten are missing in both
  auto damaged = bzip2ed(two_digits());
  write_file(folder.path() / "usps.t.bz2", damaged.substr(0, damaged.size() - 9));
  EXPECT_THAT([&] { read_usps(folder.path(), OfficialPart::Test); },
              ThrowsUsageError(HasSubstr("usps.t.bz2"), HasSubstr("damaged or cut short")));
  std::filesystem::remove(folder.path() / "usps");
  EXPECT_THAT([&] { read_usps(folder.path(), OfficialPart::Train); },
              ThrowsUsageError(HasSubstr("usps: the file is missing"), HasSubstr(".bz2")));
}

TEST(Usps, LinesThatAreNotOfTheLayoutAreNamed) {
  const auto refused = [](const std::string& text, const std::string& says) {
    EXPECT_THAT([&] { parse_usps(text, "file"); },
                ThrowsUsageError(HasSubstr("file"), HasSubstr(says)));
  };
  refused("", "no line");
  refused("1 1:0\n11 1:0\n", "line 2: the label is \"11\"");
  refused("x 1:0\n", "the label is \"x\"");
  refused("1 5:0 5:0\n", "index 5 after 5");
  refused("1 257:0\n", "up to 256");
  refused("1 1:1.5\n", "value 1.5 of index 1");
  refused("1 1:nan\n", "expected -1 to 1");
  refused("1 1=0\n", "expected INDEX:VALUE");
}

TEST(Usps, DamagedFilesGiveDigitsOrOurErrorSlow) {
  const TemporaryFolder folder;
  std::string text;
  for (int digit = 1; digit <= 10; ++digit)
    text += std::to_string(digit) + " 1:-1 2:-0.5 17:0.25 256:1\n";
  const int refused = read_damaged_copies(folder.path() / "usps", text, [&](const auto&) {
    read_usps(folder.path(), OfficialPart::Train);
  });
  EXPECT_GE(refused, 75);
}

}  // namespace
}  // namespace reprise::datasets
