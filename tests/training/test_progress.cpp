#include <cstdio>

#include "tests/support.h"
#include "training/progress.h"

namespace reprise::training {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string written(std::FILE* file) {
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(Progress, WritesPlainLinesWhereThereIsNoTerminal) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    Progress progress(file, "table1");
    for (int i = 0; i <= 1000; ++i) progress.update(i / 1000.0, "epoch 1/10");
    progress.done("10 epochs, best 0.03");
  }
  const std::string text = written(file);
  EXPECT_THAT(text, testing::StartsWith("table1:   0%  epoch 1/10\n"));
  EXPECT_THAT(text, testing::EndsWith("\ntable1: 10 epochs, best 0.03\n"));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_LT(std::ranges::count(text, '\n'), 1000) << "a line for every update floods a log";
  std::fclose(file);
}

TEST(Progress, AFractionOutsideZeroToOneIsHeldInside) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  Progress(file).update(7, "over");
  EXPECT_EQ(written(file), "100%  over\n");
  std::fclose(file);
}

TEST(Progress, SaysNothingWithoutAFile) {
  Progress progress(nullptr, "quiet");
  EXPECT_NO_THROW(progress.update(0.5, "half"));
  EXPECT_NO_THROW(progress.done("all"));
}

}  // namespace
}  // namespace reprise::training
