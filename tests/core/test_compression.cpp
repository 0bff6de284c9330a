#include "core/compression.h"
#include "core/memory.h"
#include "tests/compressed.h"
#include "tests/support.h"

namespace reprise {
namespace {

using testing::HasSubstr;

const std::string& some_text() {
  static const std::string text = [] {
    std::string all;
    for (int i = 0; i < 20'000; ++i) all += std::to_string(i * i % 977) + '\n';
    return all;
  }();
  return text;
}

void expect_refused(const std::string& bytes, const char* problem) {
  EXPECT_THAT([&] { decompress(bytes, "a.gz", ""); },
              ThrowsUsageError(HasSubstr("a.gz"), HasSubstr(problem)))
      << problem;
}

TEST(Compression, EachKindIsKnownByItsFirstBytesAndOtherFilesStayAsTheyAre) {
  for (const auto filter : {archive_write_add_filter_gzip, archive_write_add_filter_bzip2,
                            archive_write_add_filter_xz}) {
    const auto packed = compressed(some_text(), filter);
    EXPECT_LT(packed.size(), some_text().size() / 2);
    EXPECT_EQ(decompress(packed, "packed", ""), some_text());
    EXPECT_EQ(decompress(compressed("", filter), "nothing", ""), "");
  }
  EXPECT_EQ(decompress(gzip(some_text()), "own", ""), some_text());
  EXPECT_EQ(gzip(some_text()), gzip(some_text()));
  EXPECT_EQ(gzip(some_text()).substr(4, 4), std::string(4, '\0')) << "no time stamp";
  EXPECT_EQ(decompress(gzip(some_text()) + gzip("") + gzip("more"), "several members", ""),
            some_text() + "more");
  EXPECT_EQ(decompress(some_text(), "plain", ""), some_text());
  EXPECT_EQ(decompress("", "empty", ""), "");
}

TEST(Compression, AFileThatIsNotWholeIsNamed) {
  const auto whole = gzip(some_text());
  expect_refused(whole.substr(0, whole.size() - 3), "cut short");
  expect_refused(whole.substr(0, whole.size() / 2), "cut short");
  expect_refused(whole + "more", "incorrect header check");
  for (const auto& [from_the_end, problem] :
       {std::pair{1U, "incorrect length check"}, {8U, "incorrect data check"}}) {
    auto changed = whole;
    changed[changed.size() - from_the_end] ^= 1;
    expect_refused(changed, problem);
    expect_refused(changed + whole, problem);
  }
  const auto other = compressed(some_text(), archive_write_add_filter_bzip2);
  expect_refused(other.substr(0, other.size() - 9), "damaged or cut short");
}

// A megabyte of gzip can hold a gigabyte of zeros.
TEST(Compression, AFileMayNotHoldAThousandTimesItsSizeSlow) {
  const auto bomb = gzip(std::string(std::size_t{1} << 28, '\0'));
  const PeakMemory peak;
  expect_refused(bomb, "hold more than");
  EXPECT_LT(peak.bytes(), 96 << 20);
}

TEST(Compression, WhatTheReaderWouldRefuseIsNotWritten) {
  const std::string zeros(1 << 20, '\0');
  EXPECT_THAT([&] { gzip(zeros, 1 << 10); }, ThrowsError(HasSubstr("no reader accepts")));
  EXPECT_EQ(decompress(gzip(zeros, 1 << 20), "zeros", "", 1 << 20), zeros);
}

}  // namespace
}  // namespace reprise
