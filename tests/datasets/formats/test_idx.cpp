#include <ATen/ATen.h>

#include "core/compression.h"
#include "datasets/formats/idx.h"
#include "tests/damage.h"
#include "tests/datasets/idx_files.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing_idx::idx;

// Every type by bytes written by hand: big-endian, row by row.
TEST(Idx, EveryTypeIsReadFromItsBigEndianBytes) {
  const auto is = [](const std::string& bytes, const at::Tensor& expected) {
    const auto read = parse_idx(bytes, "a");
    EXPECT_EQ(read.scalar_type(), expected.scalar_type());
    EXPECT_TRUE(at::equal(read, expected)) << read;
  };
  is(idx(0x08, {2, 3}, {'\x01', '\x02', '\x03', '\xff', '\x05', '\x06'}),
     at::tensor({1, 2, 3, 255, 5, 6}, at::kByte).reshape({2, 3}));
  is(idx(0x09, {2}, {'\x7f', '\xff'}), at::tensor({127, -1}, at::kChar));
  is(idx(0x0B, {2}, {'\x01', '\x02', '\xff', '\xfe'}), at::tensor({258, -2}, at::kShort));
  is(idx(0x0C, {1}, {'\x00', '\x01', '\x00', '\x02'}), at::tensor({65538}, at::kInt));
  is(idx(0x0D, {1, 1}, {'\x3f', '\x80', '\x00', '\x00'}),
     at::tensor({1.0}, at::kFloat).reshape({1, 1}));
  is(idx(0x0E, {1}, {'\xc0', '\x04', '\0', '\0', '\0', '\0', '\0', '\0'}),
     at::tensor({-2.5}, at::kDouble));
  is(idx(0x08, {0, 28, 28}, ""), at::empty({0, 28, 28}, at::kByte));
}

// Compression is told by the first bytes: a name without .gz is read too.
TEST(Idx, AGzipFileReadsAsThePlainOne) {
  const TemporaryFolder folder;
  const auto values = (at::arange(5 * 40 * 30) % 251).to(at::kByte).reshape({5, 40, 30});
  write_file(folder.path() / "plain", idx(values));
  write_file(folder.path() / "packed", gzip(idx(values)));
  EXPECT_LT(read_file(folder.path() / "packed").size(), 2000U);
  EXPECT_TRUE(at::equal(read_idx(folder.path() / "plain"), values));
  EXPECT_TRUE(at::equal(read_idx(folder.path() / "packed"), values));
}

TEST(Idx, DamagedAndHostileFilesAreRefusedWithTheReason) {
  const auto parse = [](const std::string& bytes) {
    return [bytes] { parse_idx(bytes, "a.idx"); };
  };
  const std::int64_t huge = 0xffffffff;
  EXPECT_THAT(parse(""), ThrowsUsageError(HasSubstr("a.idx"), HasSubstr("not an IDX file")));
  EXPECT_THAT(parse("PNG of something"), ThrowsUsageError(HasSubstr("not an IDX file")));
  EXPECT_THAT(parse(idx(0x0A, {1}, "x")),
              ThrowsUsageError(HasSubstr("type 0x0A"), HasSubstr("0x08")));
  EXPECT_THAT(parse(idx(0x08, {}, "")), ThrowsUsageError(HasSubstr("0 dimensions")));
  EXPECT_THAT(parse(idx(0x08, std::vector<std::int64_t>(9, 1), "x")),
              ThrowsUsageError(HasSubstr("9 dimensions")));
  EXPECT_THAT(parse(idx(0x08, {2, 2}, "").substr(0, 9)),
              ThrowsUsageError(HasSubstr("9 of 12 bytes")));
  EXPECT_THAT(parse(idx(0x0D, {2, 2}, "123456789012345")),
              ThrowsUsageError(HasSubstr("15 bytes"), HasSubstr("2 x 2"), HasSubstr("for 16")));
  EXPECT_THAT(parse(idx(0x08, {3}, "1234")),
              ThrowsUsageError(HasSubstr("4 bytes"), HasSubstr("ask for 3")));
  EXPECT_THAT(parse(idx(0x0E, std::vector<std::int64_t>(8, huge), "1234")),
              ThrowsUsageError(HasSubstr("more than 1 GiB")));
  EXPECT_THAT(parse(idx(0x08, {huge, 0}, "1")), ThrowsUsageError(HasSubstr("ask for")));
  EXPECT_THAT(parse(idx(0x08, {0, huge, huge}, "")),
              ThrowsUsageError(HasSubstr("a.idx"), HasSubstr("more than 1 GiB")));
}

// As test_damaged_files.cpp has it for the other kinds: of 300 copies about 90 are cut short. In
// gzip every flipped bit shows, but for those of the time and the name of the system.
TEST(Idx, DamagedCopiesGiveAnArrayOrOurErrorSlow) {
  const TemporaryFolder folder;
  const auto values = (at::arange(3 * 9 * 7) % 17).to(at::kByte).reshape({3, 9, 7});
  EXPECT_GE(read_damaged_copies(folder.path() / "plain", idx(values),
                                [](const auto& path) { read_idx(path); }),
            75);
  const auto same = [&](const auto& path) { EXPECT_TRUE(at::equal(read_idx(path), values)); };
  EXPECT_GE(read_damaged_copies(folder.path() / "packed.gz", gzip(idx(values)), same), 250);
}

}  // namespace
}  // namespace reprise::datasets
