// A reader finds the study's words with their meanings behind one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/glossary.h"

namespace reprise::reports {
namespace {

TEST(Glossary, AllEntriesAreCollapsedBehindOneLine) {
  EXPECT_TRUE(glossary_html({}, "words").empty());
  EXPECT_EQ(
      glossary_html({{"D", "a <network>"}}, "words").bytes(),
      "<details class=\"words\"><summary>words</summary><dl class=\"glossary\"><dt>D</dt><dd>a &lt;network&gt;</dd></dl></details>");
}

}  // namespace
}  // namespace reprise::reports
