// Cells of study langevin on very small sets: closed forms, choices of the search, and a record for
// every table.
#include <cmath>
#include <map>

#include "core/sha256.h"
#include "core/text.h"
#include "tests/reproduce/run_cells.h"
#include "tests/reproduce/tiny_domains.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

TEST(LangevinCells, ChurnsOnAGaussianEndInTheVarianceOfTheClosedForm) {
  CellsInProcess cells(
      langevin(), tiny_domains({"exact.items=20000", "exact.steps=[0.3]", "exact.sigmas=[2.0]"}));
  for (const std::string form : {"langevin", "balanced", "sigma_in_root", "beta_out_of_root"}) {
    const auto curves = cells.curves(cells("exact/gaussian/" + form + "/seed0"));
    EXPECT_NEAR(curves.at("variance_2").front(), curves.at("closed_2").front(),
                0.06 * curves.at("closed_2").front())
        << form;
  }
  EXPECT_LT(*cells("exact/gaussian/langevin/seed0").metric("bias_2"), 0.25);
  EXPECT_GT(*cells("exact/gaussian/sigma_in_root/seed0").metric("bias_2"), 0.25);
}

/// Claim "4 exact" must be able to fail: wrong forms of the noise move the level, right ones do
/// not.
TEST(LangevinCells, TheLevelThatManyChurnsEndAtTellsAWrongFormOfTheNoiseSlow) {
  CellsInProcess cells(
      langevin(), tiny_domains({"exact.items=20000", "exact.steps=[0.05]", "exact.sigmas=[2.0]"}));
  const auto moved = [&](const std::string& form) {
    const auto record = cells("exact/gaussian/" + form + "/seed0");
    return std::abs(*record.metric("level_end_2") - *record.metric("level_before_2"));
  };
  for (const std::string right : {"langevin", "balanced"}) EXPECT_LT(moved(right), 0.05) << right;
  for (const std::string wrong : {"sigma_in_root", "beta_out_of_root"})
    EXPECT_GT(moved(wrong), 0.1) << wrong;
}

TEST(LangevinCells, AlgorithmOneMakesPointsOffAMixtureLikelier) {
  CellsInProcess cells(langevin(), tiny_domains({"churn.rounds=8", "inversion.adam_steps=20",
                                                 "inversion.ode_steps=12"}));
  const auto record = cells("exact/mixture/noised_ode/seed0");
  EXPECT_LT(*record.metric("nll_end"), *record.metric("nll_start") - 1);
}

TEST(LangevinCells, WhatEndsLikelierThanAMixturesDataIsLessVariedAsTheClosedFormSays) {
  CellsInProcess cells(langevin(), tiny_domains({"churn.rounds=8", "churn.last=0.2"}));
  const auto record = cells("exact/mixture/renoised/seed0");
  EXPECT_NEAR(*record.metric("spread_data"), 1, 0.03);
  EXPECT_LT(*record.metric("nll_end"), *record.metric("nll_data"));
  const double s = 0.1, sigma = 0.2, a = s * s / (s * s + sigma * sigma);
  EXPECT_NEAR(*record.metric("spread"), a * sigma / std::sqrt(1 - a * a) / s, 0.03);
}

/// An ODE cannot reach levels below its start. That is no reason for its row to fail.
TEST(LangevinCells, AnOdeIsMeasuredAtTheLevelsAboveItsStart) {
  CellsInProcess cells(langevin(),
                       tiny_domains({R"(methods.inversion=["noised_ode+sigma_min=0.2"])",
                                     "inversion.sigmas=[0.2, 1.0]"}));
  const auto record = cells("inversion/mixture/noised_ode+sigma_min=0.2/seed0");
  EXPECT_FALSE(record.metric("level_on_0.2"));
  EXPECT_TRUE(record.metric("level_on_1"));
}

TEST(LangevinCells, AChoiceKeepsWhatItMustAndIsTheBestOfThoseSlow) {
  const auto best = [](const std::string& keep) {
    CellsInProcess cells(langevin(), tiny_domains({R"(methods.exact=["renoised"])",
                                                   R"(search.exact.renoising=["first=0.3|3"])",
                                                   "churn.rounds=6", "churn.keep=" + keep}));
    return *cells("exact/mixture/renoised/seed0").metric("with_first");
  };
  EXPECT_EQ(best("0.0"), 3) << "more noise is likelier in the end";
  EXPECT_EQ(best("0.9"), 0.3) << "and keeps less";
}

/// A fraction of 200 labels is known to 0.03, so closer trials count as equal.
TEST(LangevinCells, AChoiceAmongEqualTrialsWithinNoiseIsByTheOtherMetricSlow) {
  const auto settings = tiny_domains(
      {R"(methods.completion=["sdedit"])", R"(search.completion.sdedit=["sigma=0.05|5"])"});
  CellsInProcess cells(langevin(), settings);
  const auto chosen = *cells("completion/digits/sdedit/seed0").metric("with_sigma");
  std::map<double, std::pair<double, double>> trials;
  for (const double sigma : {0.05, 5.0}) {
    const auto trial =
        cells("search_completion/digits/sdedit+sigma=" + number_text(sigma) + "/seed0");
    trials[sigma] = {*trial.metric("label_right"), *trial.metric("psnr_unknown")};
  }
  const auto other = chosen == 5 ? 0.05 : 5.0;
  const auto [label, psnr] = trials.at(chosen);
  const auto [other_label, other_psnr] = trials.at(other);
  EXPECT_TRUE(std::abs(label - other_label) <= 0.03 ? psnr > other_psnr : label > other_label)
      << label << " " << psnr << " against " << other_label << " " << other_psnr;
}

TEST(LangevinCells, AParetoFrontHoldsTheTrialsThatNoOtherBeatsSlow) {
  CellsInProcess cells(
      langevin(), tiny_domains({R"(methods.exact=["renoised"])",
                                R"(search.exact.renoising=["first=0.3|1|3"])", "churn.rounds=6"}));
  const auto curves = cells.curves(cells("frontier/mixture/renoised/seed0"));
  const auto& kept = curves.at("x_kept");
  const auto& lost = curves.at("y_kept");
  ASSERT_GE(kept.size(), 2U);
  for (std::size_t i = 1; i < kept.size(); ++i)
    EXPECT_TRUE(kept[i] < kept[i - 1] && lost[i] < lost[i - 1]) << i;
}

TEST(LangevinCells, SeedsThatShareDataAreEvaluatedOnTheSameItemsAndDrawTheirOwnNoiseSlow) {
  CellsInProcess shared(langevin(), tiny_domains({"replicates=weights"})),
      apart(langevin(), tiny_domains());
  const auto expect = [](CellsInProcess& cells, const std::string& cell, const std::string& metric,
                         bool same) {
    const auto first = cells(cell + "/seed0"), second = cells(cell + "/seed1");
    EXPECT_EQ(*first.metric(metric + "_start") == *second.metric(metric + "_start"), same) << cell;
    EXPECT_NE(*first.metric(metric + "_end"), *second.metric(metric + "_end")) << cell;
  };
  expect(shared, "exact/mixture/naive", "nll", true);
  expect(apart, "exact/mixture/naive", "nll", false);
  // Off the manifold and measured by a network: the same items, corruptions and network.
  expect(shared, "churn/digits/naive", "energy", true);
}

TEST(LangevinCells, ProtocolsNameTheEvaluatorsWeightsTheSameInEverySeedSlow) {
  CellsInProcess cells(langevin(), tiny_domains());
  const auto protocols = [&](const std::string& seed) {
    std::map<std::string, std::string> out;
    for (const auto& metric : cells("quality/digits/edm/" + seed).metrics)
      out[metric.name] = metric.protocol;
    return out;
  };
  const auto first = protocols("seed0"), second = protocols("seed1");
  const auto hash =
      sha256_file(cells.folder("prior/digits/judge/seed0") / "weights.safetensors").substr(0, 8);
  EXPECT_EQ(first.at("frechet"), "frechet/judge-" + hash + "/N=20");
  EXPECT_EQ(first.at("agreement"), "agreement/judge-" + hash);
  EXPECT_EQ(first, second);
}

/// And the claims find there what they ask for.
TEST(LangevinCellsSlow, EveryTableRunsToItsRecordAndPictureSlow) {
  CellsInProcess cells(langevin(), tiny_domains({"inversion.sigmas=[0.2, 1.0, 2.0, 3.0]",
                                                 "latent.sigmas=[0.5, 1.0, 2.0]"}));
  for (const auto& [id, planned] : cells.cells()) {
    if (planned.cell.seed != 0) continue;
    const auto record = cells(id);
    if (planned.cell.table != "exact" || planned.cell.dataset == "gaussian")
      EXPECT_FALSE(record.metrics.empty()) << id;
    for (const auto& metric : record.metrics)
      // Six samples of nothing learnt: a seam without any difference elsewhere may be infinite.
      if (!metric.name.starts_with("seam"))
        EXPECT_TRUE(std::isfinite(metric.value)) << id << " " << metric.name;
  }
  for (const std::string file : {"quality/digits/edm/seed0", "extension/landscapes/backprop/seed0",
                                 "object/solids/backprop/seed0"})
    EXPECT_TRUE(std::filesystem::exists(cells.folder(file) /
                                        (file.starts_with("quality")  ? "samples.png"
                                         : file.starts_with("object") ? "views.png"
                                                                      : "extended.png")));
  EXPECT_TRUE(
      std::filesystem::exists(cells.folder("extension/sounds/backprop/seed0") / "extended.wav"));
  EXPECT_THAT(cells.claims_that_are(records::Verdict::NotComparable), testing::IsEmpty());
  EXPECT_THAT(cells.claims_that_are(records::Verdict::NotRun), testing::IsEmpty());
}

}  // namespace
}  // namespace reprise::reproduce
