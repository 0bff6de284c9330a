// A claim and a figure more, of the committed records of prernn.
#include <algorithm>

#include "examples/prernn_additions.h"
#include "records/claims/claims.h"
#include "reports/figures.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

TEST(PrernnAdditions, CommittedRecordsJudgeTheClaimSlow) {
  const auto study = prernn_with_additions();
  const auto judged =
      records::judge(study.claims, "claims.toml", records::Store(fixture("../../results/prernn")),
                     own_methods(study));
  const auto own = std::find_if(judged.begin(), judged.end(),
                                [](const auto& row) { return row.id == "own 7, faces"; });
  ASSERT_NE(own, judged.end());
  EXPECT_EQ(own->verdict, records::Verdict::Contradicted) << own->reason;
  EXPECT_EQ(own->comparisons.size(), 3U);
}

TEST(PrernnAdditions, CommittedCurvesFillTheFigureSlow) {
  const auto drawing =
      reports::collect(training_loss("faces_in_motion"),
                       reports::Measured(records::Store(fixture("../../results/prernn"))));
  ASSERT_EQ(drawing.series.size(), 3U);
  for (const auto& series : drawing.series)
    EXPECT_FALSE(series.y.empty()) << series.described.label;
}

}  // namespace
}  // namespace reprise::reproduce
