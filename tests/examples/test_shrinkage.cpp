#include "examples/shrinkage/study.h"
#include "experiments/reporting.h"
#include "experiments/run/runner.h"
#include "tests/reproduce/run_cells.h"

namespace reprise::reproduce {
namespace {

TEST(Shrinkage, RisksAtTheOriginAreThoseOfTheFormulas) {
  const auto study = shrinkage();
  CellsInProcess run(study, Settings(study.profiles.front().second, "smoke"));
  const auto risk = [&](const std::string& cell) {
    return *run("risk/" + cell + "/seed0").metric("risk");
  };
  EXPECT_NEAR(risk("three/observation"), 3, 0.15);  // four standard errors of 5000 draws
  EXPECT_NEAR(risk("ten/observation"), 10, 0.25);
  EXPECT_NEAR(risk("ten/james_stein"), 2, 0.15);
  EXPECT_LT(risk("ten/positive_part"), risk("ten/james_stein"));
}

TEST(Shrinkage, FarFromTheOriginAllEstimatorsAgree) {
  const auto study = shrinkage();
  Settings settings(study.profiles.front().second, "smoke");
  settings.set("distances=[1000]");
  CellsInProcess run(study, settings);
  const auto far = [&](const std::string& estimator) {
    return run.curves(run("risk/ten/" + estimator + "/seed0")).at("risk").at(0);
  };
  EXPECT_NEAR(far("james_stein"), far("observation"), 1e-2);
  EXPECT_EQ(far("positive_part"), far("james_stein"));
}

TEST(Shrinkage, SlowRunReproducesItsClaimsAndItsPageHasTheFigure) {
  const TemporaryFolder folder;
  const auto study = shrinkage();
  const auto done =
      run(study, {.results = folder.path() / "results", .jobs = 2, .progress = nullptr});
  EXPECT_EQ(done.cells.size(), 30U);
  const auto report = make_report({study}, done.results, folder.path() / "page");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "page" / "figures" / "risk_ten.svg"));
  std::map<std::string, records::Verdict> verdicts;
  for (const auto& claim : report.claims) verdicts[claim.id] = claim.verdict;
  using enum records::Verdict;
  EXPECT_EQ(verdicts,
            (std::map<std::string, records::Verdict>{{"1, mean at the origin", Reproduced},
                                                     {"2", NotRun},
                                                     {"own 1, mean at the origin", Reproduced}}));
  EXPECT_THAT(report.stale, testing::IsEmpty())
      << "every sentence of findings.toml is supported by the records";
}

}  // namespace
}  // namespace reprise::reproduce
