#include "reports/html.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {
using testing::HasSubstr;
using testing::Not;

TEST(Html, TextCannotBecomeMarkup) {
  const std::string hostile = "<script>alert(\"1\" & '2')</script>";
  EXPECT_EQ(element("p", hostile).bytes(),
            "<p>&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;</p>");
  EXPECT_EQ(element("p", {{"title", "\"><b>"}}, "x").bytes(),
            "<p title=\"&quot;&gt;&lt;b&gt;\">x</p>");
  EXPECT_EQ(Html(std::string_view("a\0b", 3)).bytes(),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Html, ANumberCarriesItsFullValue) {
  EXPECT_EQ(number(0.70412345678901234, "0.704").bytes(),
            "<data value=\"0.7041234567890123\">0.704</data>");
}

TEST(Html, LinksHoldOnlyWhatAPathMay) {
  EXPECT_EQ(link_to("tables/a b\"<.csv"), "tables/a%20b%22%3C.csv");
}

TEST(Html, ADocumentNeedsNoNetworkAndNoScript) {
  const std::string page = document("a < b", Html("text"));
  EXPECT_THAT(page, HasSubstr("<title>a &lt; b</title>"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme:dark"));
  for (const char* outside : {"http://", "https://", "<script", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

}  // namespace
}  // namespace reprise::reports
