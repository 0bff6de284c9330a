#include <gtest/gtest.h>

#include "core/error.h"
#include "core/printable.h"

namespace reprise {
namespace {

TEST(Printable, IsOneLineThatATerminalOnlyShows) {
  EXPECT_EQ(printable("fc6.weight"), "fc6.weight");
  EXPECT_EQ(printable("größe"), "größe");
  EXPECT_EQ(printable("a\x1b[2J\n\tb\xc3"), "a\\x1b[2J\\x0a\\x09b\\xc3");
}

TEST(Printable, ALongTextLosesItsMiddleAndSaysHowMuch) {
  const auto shown = printable("begin" + std::string(50'000'000, 'x') + "end");
  EXPECT_LT(shown.size(), 300u);
  EXPECT_TRUE(shown.starts_with("begin"));
  EXPECT_TRUE(shown.ends_with("end"));
  EXPECT_NE(shown.find("characters left out"), std::string::npos);
}

TEST(TerminalText, KeepsReadableUtf8AndNothingThatATerminalObeys) {
  EXPECT_EQ(terminal_text("Größe 日本 😀 ±0.1\n\tnext"), "Größe 日本 😀 ±0.1\n\tnext");
  EXPECT_EQ(terminal_text("a\x1b[31m\rb\x07\x7f"), "a\\x1b[31m\\x0db\\x07\\x7f");
  // C1's control sequence introducer, right-to-left override, line separator, a tag.
  EXPECT_EQ(terminal_text("\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xf3\xa0\x81\x81"),
            "\\xc2\\x9b\\xe2\\x80\\xae\\xe2\\x80\\xa8\\xf3\\xa0\\x81\\x81");
  // Not UTF-8: cut off, too long a spelling, half a pair, beyond the last character.
  EXPECT_EQ(terminal_text("\xc3|\xc0\xaf|\xed\xa0\x80|\xf5\x80"),
            "\\xc3|\\xc0\\xaf|\\xed\\xa0\\x80|\\xf5\\x80");
}

TEST(TerminalText, JsonSaysTheSameByItsOwnEscapes) {
  EXPECT_EQ(terminal_json("{\"ä\": \"\xc2\x9b\x7f\xf3\xa0\x81\x81\"}"),
            "{\"ä\": \"\\u009b\\u007f\\udb40\\udc41\"}");
}

TEST(ErrorText, IsBoundedAndWithoutWhatIsForDevelopersOfLibTorch) {
  const Error large("file.csv: label '" + std::string(50'000'000, 'x') + "' is not a number",
                    "repair it");
  EXPECT_LT(std::string(large.what()).size(), 5000u);
  EXPECT_TRUE(large.problem().starts_with("file.csv: label"));
  EXPECT_TRUE(large.problem().ends_with("is not a number"));
  const Error internal(
      "a.pt: isObject() INTERNAL ASSERT FAILED at \"/pytorch/ivalue.h\":1, please report a bug to PyTorch.",
      "fix");
  EXPECT_EQ(internal.problem(), "a.pt: isObject() an internal check of LibTorch failed");
  const Error traced(
      "sizes differ\nException raised from f at /pytorch/x.cpp:1 (most recent call first):\nframe #0",
      "fix");
  EXPECT_EQ(traced.problem(), "sizes differ");
}

}  // namespace
}  // namespace reprise
