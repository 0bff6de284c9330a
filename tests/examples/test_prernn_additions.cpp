// A claim and a figure more, judged and drawn from the committed records of prernn.
#include <algorithm>

#include "examples/prernn_additions.h"
#include "experiments/reporting.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

TEST(PrernnAdditions, CommittedRecordsJudgeTheClaimAndDrawTheFigure) {
  const TemporaryFolder folder;
  const auto report = make_report({prernn_with_additions()}, fixture("../../results/prernn"), folder.path() / "page");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "page" / "figures" / "loss_faces_in_motion.svg"));
  const auto own = std::find_if(report.claims.begin(), report.claims.end(), [](const auto& claim) { return claim.id == "own 7"; });
  ASSERT_NE(own, report.claims.end());
  EXPECT_EQ(own->verdict, records::Verdict::Contradicted);
  EXPECT_THAT(report.stale, testing::Contains(testing::HasSubstr("own 7"))) << "its verdict has no explanation in findings.toml";
}

}  // namespace
}  // namespace reprise::reproduce
