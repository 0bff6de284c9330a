#include <gtest/gtest.h>

#include "core/printable.h"

namespace reprise {
namespace {

TEST(Printable, IsOneLineOfPrintableAscii) {
  EXPECT_EQ(printable("fc6.weight"), "fc6.weight");
  EXPECT_EQ(printable("a\x1b[2J\nb\xc3\xa9"),
            "a\\x1b[2J\\x0a"
            "b\\xc3\\xa9");
}

}  // namespace
}  // namespace reprise
