// How the verdicts of its rows become the verdict of a claim.
#include "tests/records/claims/claim_text.h"

namespace reprise::records {
namespace {

using testing::HasSubstr;

/// Rows of claim "1" with these verdicts, called "a", "b", ...
std::vector<Judgement> rows_with(const std::vector<Verdict>& verdicts) {
  std::vector<Judgement> rows;
  char name = 'a';
  for (const auto verdict : verdicts) {
    const std::string row(1, name++);
    rows.push_back({.claim_id = "1",
                    .row = row,
                    .id = "1, " + row,
                    .statement = "it is so",
                    .source = "document",
                    .verdict = verdict});
    rows.back().reason = "reason of " + row;
    rows.back().n = 3;
  }
  return rows;
}

Verdict verdict_with(const std::vector<Verdict>& verdicts) {
  const auto rows = rows_with(verdicts);
  return claim_verdicts(rows).at(0).verdict;
}

constexpr Verdict every_verdict[] = {
    Verdict::Reproduced,  Verdict::Contradicted,  Verdict::NoEffect, Verdict::Undecided,
    Verdict::NotTestable, Verdict::NotComparable, Verdict::NotRun};

TEST(ClaimVerdict, RowsThatAgreeGiveTheClaimTheirVerdict) {
  for (const auto verdict : every_verdict) {
    EXPECT_EQ(verdict_with({verdict}), verdict);
    EXPECT_EQ(verdict_with({verdict, verdict, verdict}), verdict);
  }
}

TEST(ClaimVerdict, OfRowsThatDisagreeOneThatIsReproducedMakesItInPart) {
  for (const auto other :
       {Verdict::Contradicted, Verdict::NoEffect, Verdict::Undecided, Verdict::NotComparable}) {
    EXPECT_EQ(verdict_with({Verdict::Reproduced, other}), Verdict::InPart) << verdict_text(other);
    EXPECT_EQ(verdict_with({other, Verdict::Reproduced}), Verdict::InPart) << verdict_text(other);
  }
}

TEST(ClaimVerdict, OfRowsThatDisagreeWithNoneReproducedOneThatIsContradictedDecides) {
  for (const auto other : {Verdict::NoEffect, Verdict::Undecided, Verdict::NotComparable})
    EXPECT_EQ(verdict_with({other, Verdict::Contradicted}), Verdict::Contradicted)
        << verdict_text(other);
  EXPECT_EQ(verdict_with({Verdict::NoEffect, Verdict::Undecided}), Verdict::Undecided);
}

TEST(ClaimVerdict, RowsThatDidNotRunOrAreNotTestableAreLeftOutWhereOthersAreThere) {
  for (const auto out : {Verdict::NotRun, Verdict::NotTestable})
    for (const auto verdict :
         {Verdict::Reproduced, Verdict::Contradicted, Verdict::NoEffect, Verdict::Undecided})
      EXPECT_EQ(verdict_with({out, verdict, out}), verdict)
          << verdict_text(out) << " beside " << verdict_text(verdict);
  EXPECT_EQ(verdict_with({Verdict::NotRun, Verdict::NotTestable}), Verdict::NotTestable);
}

TEST(ClaimVerdict, ItsReasonCountsTheRows) {
  const auto reason = [](const std::vector<Verdict>& verdicts) {
    const auto rows = rows_with(verdicts);
    return claim_verdicts(rows).at(0).reason;
  };
  EXPECT_EQ(reason({Verdict::Reproduced, Verdict::Contradicted, Verdict::Reproduced}),
            "2 of 3 rows reproduced, 1 contradicted");
  EXPECT_EQ(reason({Verdict::NotRun, Verdict::Undecided}), "1 of 2 rows undecided, 1 not run");
  EXPECT_EQ(reason({Verdict::Undecided}), "reason of a") << "of one row its own";
}

TEST(ClaimVerdict, FurtherRowsAreShownAndNotCounted) {
  auto rows = rows_with({Verdict::Reproduced, Verdict::Contradicted});
  rows[1].further = true;
  const auto claims = claim_verdicts(rows);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].verdict, Verdict::Reproduced);
  EXPECT_EQ(claims[0].reason, "reason of a");
  EXPECT_EQ(claims[0].rows.size(), 2U);
  ASSERT_EQ(claims[0].counted_rows().size(), 1U);
  EXPECT_EQ(claims[0].counted_rows()[0], rows.data());
}

TEST(ClaimVerdict, AClaimOfFurtherRowsAloneIsJudgedOnThem) {
  auto rows = rows_with({Verdict::Reproduced, Verdict::Undecided});
  for (auto& row : rows) row.further = true;
  const auto claims = claim_verdicts(rows);
  EXPECT_EQ(claims.at(0).verdict, Verdict::InPart);
  EXPECT_TRUE(claims[0].counted_rows().empty());
}

TEST(ClaimVerdict, ClaimsKeepTheirOrderTheirRowsAndWhatTheySay) {
  auto rows =
      rows_with({Verdict::Reproduced, Verdict::Undecided, Verdict::Contradicted, Verdict::NotRun});
  rows[2].claim_id = "own 1";
  rows[2].own = true;
  rows[2].statement = "we ask more";
  rows[3].claim_id = "2";
  const auto claims = claim_verdicts(rows);
  ASSERT_EQ(claims.size(), 3U);
  EXPECT_EQ(claims[0].id, "1");
  EXPECT_EQ(claims[0].rows.size(), 2U);
  EXPECT_FALSE(claims[0].own);
  EXPECT_EQ(claims[1].id, "own 1");
  EXPECT_EQ(claims[1].statement, "we ask more");
  EXPECT_EQ(claims[1].source, "document");
  EXPECT_TRUE(claims[1].own);
  EXPECT_EQ(claims[2].verdict, Verdict::NotRun);
  EXPECT_TRUE(claim_verdicts({}).empty());
}

TEST(ClaimVerdict, OneCountedRowThatIsPostHocMakesTheClaimPostHoc) {
  auto rows = rows_with({Verdict::Reproduced, Verdict::Reproduced, Verdict::NotRun});
  const auto preregistration = [&] { return claim_verdicts(rows).at(0).preregistration; };
  EXPECT_EQ(preregistration(), Preregistration::Unknown);
  rows[0].preregistration = rows[1].preregistration = Preregistration::Before;
  rows[2].n = 0;
  EXPECT_EQ(preregistration(), Preregistration::Before) << "what did not run was not seen";
  rows[1].preregistration = Preregistration::PostHoc;
  EXPECT_EQ(preregistration(), Preregistration::PostHoc);
  rows[1].further = true;
  EXPECT_EQ(preregistration(), Preregistration::Before) << "a further row is no matter of it";
}

const std::string of_conditions = R"toml(
[[claim]]
id = "1"
statement = "mine is better"
source = "document, table 1"
kind = "better"
methods = "mine"
than = "base"
metric = "auc"
table = "table1"
row = [
  { for_each = { dataset = ["faces", "hands"] }, dataset = "{dataset}" },
  { id = "with noise", further = true, table = "noisy" },
]
[[claim]]
id = "2"
statement = "fewer parameters and as good"
source = "document, table 2"
methods = "mine"
than = "base"
table = "table1"
row = [
  { id = "parameters", kind = "ratio", metric = "parameters.recurrent", at_most = 1 },
  { id = "accuracy", kind = "no_worse", metric = "auc", margin = 0.01, dataset = "faces" },
]
[[claim]]
id = "3"
statement = "it works for 3-D scenes"
source = "document, table 3"
because = "needs 3D CNNs"
)toml";

struct ClaimsOfRecords : ResultsToJudge {
  void add(const std::string& table, const std::string& dataset, const std::vector<double>& base,
           const std::vector<double>& mine) const {
    ResultsToJudge::add(make_seeds({.method = "base", .table = table, .dataset = dataset}, base));
    ResultsToJudge::add(make_seeds({.method = "mine", .table = table, .dataset = dataset}, mine));
  }
  /// The verdict of the claim at this place of the file, with its reason.
  std::pair<Verdict, std::string> claim(std::size_t at) const {
    const auto judgements = judged(of_conditions);
    const auto found = claim_verdicts(judgements).at(at);
    return {found.verdict, found.reason};
  }
};

const std::vector<double> of_base{0.50, 0.51, 0.52, 0.50}, above_base{0.60, 0.62, 0.61, 0.60},
    below_base{0.40, 0.41, 0.43, 0.40};

TEST_F(ClaimsOfRecords, AClaimIsReproducedWhereAllItsConditionsAreAndInPartWhereOneIsNotSlow) {
  EXPECT_EQ(claim(0).first, Verdict::NotRun);
  add("table1", "faces", of_base, above_base);
  EXPECT_EQ(claim(0).first, Verdict::Reproduced) << "hands did not run";
  EXPECT_EQ(claim(0).second, "1 of 2 rows reproduced, 1 not run");
  add("noisy", "faces", of_base, below_base);
  EXPECT_EQ(claim(0).first, Verdict::Reproduced) << "the noise is a condition of ours";
  add("table1", "hands", of_base, below_base);
  EXPECT_EQ(claim(0).first, Verdict::InPart);
  EXPECT_EQ(claim(0).second, "1 of 2 rows reproduced, 1 contradicted");
  add("table1", "hands", of_base, above_base);
  EXPECT_EQ(claim(0).first, Verdict::Reproduced);
}

TEST_F(ClaimsOfRecords, ACountAndATestAreRowsOfOneClaim) {
  add("table1", "faces", of_base, above_base);
  EXPECT_EQ(claim(1), std::pair(Verdict::Reproduced, std::string("2 of 2 rows reproduced")));
  add("table1", "faces", of_base, below_base);
  EXPECT_EQ(claim(1),
            std::pair(Verdict::InPart, std::string("1 of 2 rows reproduced, 1 contradicted")));
}

TEST_F(ClaimsOfRecords, AClaimWithoutRowsIsNotRunAndSaysWhy) {
  EXPECT_EQ(claim(2), std::pair(Verdict::NotRun, std::string("needs 3D CNNs")));
  const auto judgements = judge(of_conditions, "claims.toml", Store(TemporaryFolder().path()));
  EXPECT_EQ(judgements.back().row, "");
  EXPECT_EQ(judgements.back().id, "3");
  EXPECT_EQ(row_statement(judgements.back()), "it works for 3-D scenes");
}

}  // namespace
}  // namespace reprise::records
