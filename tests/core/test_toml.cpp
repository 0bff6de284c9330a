// TOML from strangers: what is nested beyond any use is refused before the parser, whose tables
// would end the program when they are freed.
#include "core/toml.h"
#include "tests/support.h"

namespace reprise {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Toml, IsTheTableThatTheTextSays) {
  const auto table = read_toml("a.b = [1.5, 2.5]\n[c]\nd = '''x.y.z'''\n", "some.toml");
  EXPECT_EQ(table.at_path("a.b[1]").value<double>(), 2.5);
  EXPECT_EQ(table.at_path("c.d").value<std::string>(), "x.y.z");
}

TEST(Toml, WhatIsNestedTooDeepIsRefusedWithItsLine) {
  constexpr int many = 100000;
  const auto dots = repeated("a.", many) + "a";
  for (const auto& text : {
           "x = 1\n" + dots + " = 1",
           "x = 1\n[" + dots + "]",
           "x = 1\n[[" + dots + "]]",
           "x = 1\n\"b\" . " + dots + " = 1",
           "x = 1\ny = { " + dots + " = 1 }",
           "x = 1\ny = " + repeated("{ a.a.a = ", 40) + "1" + repeated("}", 40),
           "x = 1\ny = " + repeated("[", many),
           "x = 1\ny = " + repeated("[", 101) + repeated("]", 101),
           "x = 1 # \"\n" + dots + " = 1",
           "y = [ { z = \"\"\"\n\"\"\"\", " + dots + " = 1 } ]",
       })
    EXPECT_THAT([&] { read_toml(text, "deep.toml"); },
                ThrowsUsageError(AllOf(HasSubstr("deep.toml, line 2"),
                                       HasSubstr("more than 100 nested tables and lists"))))
        << text.substr(0, 60);
}

TEST(Toml, DotsOfTextsCommentsAndNumbersAreNoLevels) {
  const auto points = repeated("a. ", 300);
  for (const auto& text : {
           "a = \"" + points + "\"",
           "a = '" + points + "'",
           "a = 1 # " + points,
           "a = [" + repeated("0.5, ", 300) + "]",
           "a = \"\"\"" + points + "\n\\\"" + points + "\"\"\"\"\"",
           "a = '''" + points + "\n" + points + "'''",
           "a = \"\\\"" + points + "\"",
           repeated("[[t]]\na.b = 1.5\n", 300),
       })
    EXPECT_NO_THROW(read_toml(text, "flat.toml")) << text.substr(0, 60);
}

TEST(Toml, ASyntaxErrorNamesItsLineAndWhatToDo) {
  EXPECT_THAT([] { read_toml("a = 1\nb = = 2\n", "bad.toml", "mend it"); },
              ThrowsUsageError(HasSubstr("bad.toml, line 2"), HasSubstr("mend it")));
}

}  // namespace
}  // namespace reprise
