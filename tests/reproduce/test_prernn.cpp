// Study prernn: its profiles, plan and claims, and its cells on a very small set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <map>

#include "core/random.h"
#include "experiments/resampling.h"
#include "experiments/run/runner.h"
#include "models/backbones/known_backbones.h"
#include "models/recurrent/recurrent_backbone.h"
#include "records/claims/claims.h"
#include "reports/published.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/measure.h"
#include "reproduce/prernn/study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

Settings profile(const std::string& name) { return settings_of(prernn(), {.profile = name}); }

std::map<std::string, PlannedCell> plan_profile(const std::string& name) {
  std::map<std::string, PlannedCell> cells;
  for (const auto& cell : prernn().plan(profile(name), "")) cells[cell.cell.id()] = cell;
  return cells;
}

TEST(PrernnStudy, PlansEveryMethodForEverySeedAndWithoutMemoryWhereItHasAny) {
  const auto cells = plan_profile("smoke");
  for (const auto& method : prernn_study::methods_for(prernn_study::NetworkKind::Fc))
    for (std::int64_t seed = 0; seed < profile("smoke").integer("seeds"); ++seed) {
      const auto planned = [&](const std::string& table) {
        return cells.contains(
            prernn_study::cell(table, "faces_in_motion", method.info.id, seed).id());
      };
      EXPECT_TRUE(planned("table1")) << method.info.id;
      EXPECT_EQ(planned("nomemory"), method.traits.recurs() && method.traits.train_inputs)
          << method.info.id;
    }
}

TEST(PrernnStudy, ListsEveryMethodThatAProfileCanNameOnce) {
  std::map<std::string, int> listed;
  for (const auto& method : prernn().methods()) {
    EXPECT_EQ(method.contract, training::Contract::Sequence);
    EXPECT_NE(method.facts, "") << method.info.id;
    ++listed[method.info.id];
  }
  for (const auto& [id, count] : listed) EXPECT_EQ(count, 1) << id;
  for (const auto& network : prernn_study::network_kinds())
    for (const auto& method : prernn_study::methods_for(network.kind))
      EXPECT_TRUE(listed.contains(method.info.id)) << method.info.id;
}

TEST(PrernnStudy, EveryTableOfThePlanIsKnownAndAnotherIsNamed) {
  using prernn_study::study_table;
  for (const auto& [id, planned] : plan_profile("smoke"))
    EXPECT_EQ(study_table(planned.cell.table).name, planned.cell.table);
  EXPECT_THAT([] { study_table("gestures_4d"); },
              ThrowsUsageError(HasSubstr("gestures_4d"), HasSubstr("gestures_3d")));
}

TEST(PrernnStudy, ADataSetOrASourceOfFacesThatItDoesNotKnowIsNamed) {
  const auto planned_with = [](const std::vector<std::string>& set) {
    auto settings = profile("smoke");
    for (const auto& value : set) settings.set(value);
    prernn().plan(settings, "");
  };
  EXPECT_THAT([&] { planned_with({R"(clips.datasets=["face_in_motion"])"}); },
              ThrowsUsageError(HasSubstr("face_in_motion"), HasSubstr("faces_in_motion")));
  EXPECT_THAT([&] { planned_with({R"(clips.datasets=["walkers"])"}); },
              ThrowsUsageError(HasSubstr("walkers"), HasSubstr("actions.datasets")));
  EXPECT_THAT([&] { planned_with({"stills.source=photos"}); },
              ThrowsUsageError(HasSubstr("photos"), HasSubstr("synthetic_head")));
  EXPECT_THAT([&] { planned_with({R"(clips.datasets=["ytf_bursts"])"}); },
              ThrowsUsageError(HasSubstr("ytf_bursts"), HasSubstr("stills.source=real")));
}

// With replicates = "weights" all seeds share the clips and networks of seed 0.
TEST(PrernnStudy, WithReplicatesWeightsSeedsShareClipsAndNetworks) {
  const auto cells = plan_profile("ci");
  std::size_t table = 0;
  for (const auto& [id, planned] : cells) {
    const auto& [study, name, dataset, method, seed] = planned.cell;
    if (name == "cnn" || name == "features" || name == "clips" || name.starts_with("networks_"))
      EXPECT_EQ(seed, 0) << id;
    table += name == "table1";
    for (const auto& need : planned.needs) {
      EXPECT_TRUE(cells.contains(need.id())) << id << " needs " << need.id();
      EXPECT_EQ(need.seed, 0) << id;
    }
    EXPECT_FALSE(name.starts_with("search")) << id << ": one rate needs no search";
  }
  const auto settings_of_gate = profile("ci");
  EXPECT_EQ(table, prernn_study::face_methods(settings_of_gate).size() *
                       settings_of_gate.integer("seeds"));
  auto settings = profile("ci");
  settings.set("replicates=everything");
  std::map<std::string, PlannedCell> apart;
  for (const auto& planned : prernn().plan(settings, "")) apart[planned.cell.id()] = planned;
  EXPECT_TRUE(apart.contains("features/faces_in_motion/cnn/seed4"));
  EXPECT_EQ(apart.at("table1/faces_in_motion/cnn/seed4").needs.at(0).id(),
            "features/faces_in_motion/cnn/seed4");
  EXPECT_THAT([&] { settings.set("replicates=people"); },
              ThrowsUsageError(HasSubstr("resampled"), HasSubstr("weights")));
}

TEST(Replicates, APageShowsSeedZeroAndTheFirstThatConfirms) {
  Settings settings({{"confirm.seeds", "8..15"}});
  for (const std::int64_t seed : {0, 8}) EXPECT_TRUE(is_shown(settings, seed)) << seed;
  for (const std::int64_t seed : {1, 7, 9, 15}) EXPECT_FALSE(is_shown(settings, seed)) << seed;
  EXPECT_FALSE(is_shown(Settings({{"confirm.seeds", ""}}), 8));
}

TEST(PrernnStudy, WeightsThatDoNotComeWithTheProjectAreNamed) {
  auto settings = profile("ci");
  settings.set("cnn.weights=tests/accuracy/networks/none.safetensors");
  EXPECT_THAT([&] { prernn().plan(settings, ""); },
              ThrowsUsageError(HasSubstr("none.safetensors"), HasSubstr("project's folder")));
}

TEST(PrernnStudy, FlowIsDisByDefaultAndAnUnknownMethodIsNamed) {
  for (const auto* name : {"smoke", "ci", "small", "paper"})
    EXPECT_EQ(profile(name).text("actions.flow"), "dis") << name;
  auto settings = profile("smoke");
  settings.set("actions.flow=farneback");
  EXPECT_THAT([&] { prernn().plan(settings, ""); },
              ThrowsUsageError(HasSubstr("farneback"), HasSubstr("tvl1")));
}

TEST(PrernnStudy, EveryMethodHasTheSameSearch) {
  std::map<std::string, int> trials;
  for (const auto& [id, cell] : plan_profile("smoke"))
    if (cell.cell.table == "search") {
      EXPECT_EQ(cell.cell.seed, 0);
      ++trials[cell.cell.method.substr(0, cell.cell.method.find('+'))];
    }
  EXPECT_EQ(trials.size(), prernn_study::methods_for(prernn_study::NetworkKind::Fc).size());
  for (const auto& [method, count] : trials) EXPECT_EQ(count, 2) << method;
}

TEST(PrernnStudy, ASeedsMethodsShareItsCnnAndOnlyIts) {
  for (const auto& [id, cell] : plan_profile("smoke")) {
    if (cell.cell.table != "table1") continue;
    for (const auto& need : cell.needs)
      if (need.table == "features") EXPECT_EQ(need.seed, cell.cell.seed) << id;
  }
}

TEST(PrernnStudy, PublishesTheTwentyOneFiguresOfTheDocumentAndTheQuotedOnesOfNvgesture) {
  const reports::Published published(prernn().published, "published.toml");
  EXPECT_EQ(published.all().size(), 21U + 3 + 2 + 2);
  ASSERT_NE(published.find("table1", "GRU", "SIH fc6"), nullptr);
  EXPECT_DOUBLE_EQ(*published.find("table1", "GRU", "SIH fc6")->value, 0.768);
  EXPECT_DOUBLE_EQ(*published.find("table1", "LSTM", "Pre fc6")->value, 0.769);
}

TEST(PrernnStudy, ClaimsOneToFiveAreThereAndUnjudgedWithoutRecords) {
  const TemporaryFolder folder;
  const auto judgements =
      records::judge(prernn().claims, "claims.toml", records::Store(folder.path()));
  std::map<std::string, records::Verdict> verdicts;
  for (const auto& claim : records::claim_verdicts(judgements)) verdicts[claim.id] = claim.verdict;
  for (const auto* id : {"1", "2", "3", "4", "5"}) {
    ASSERT_TRUE(verdicts.contains(id)) << id;
    EXPECT_EQ(verdicts[id], records::Verdict::NotRun) << id;
  }
}

/// Returns profile smoke with and without table 1 on generated heads.
std::vector<Settings> settings_of_pages() {
  auto with_heads = profile("smoke");
  with_heads.set("heads.methods=[\"*\"]");
  return {profile("smoke"), with_heads};
}

std::set<std::string> planned_cells(const Settings& settings) {
  std::set<std::string> ids;
  for (const auto& planned : prernn().plan(settings, "")) ids.insert(planned.cell.id());
  return ids;
}

TEST(PrernnStudy, EveryEntryOfATableIsACellOfThePlan) {
  for (const auto& settings : settings_of_pages()) {
    const auto cells = planned_cells(settings);
    for (const auto& table : prernn().report(settings).tables) {
      ASSERT_EQ(table.entries.size(), table.rows.size()) << table.id;
      for (const auto& row : table.entries) {
        ASSERT_EQ(row.size(), table.columns.size()) << table.id;
        for (const auto& entry : row)
          if (entry) {
            const records::Cell cell{.study = "prernn",
                                     .table = entry->table,
                                     .dataset = entry->dataset,
                                     .method = entry->method,
                                     .seed = 0};
            EXPECT_TRUE(cells.contains(cell.id())) << table.id << " " << cell.id();
          }
      }
    }
  }
}

TEST(PrernnStudy, EverySeriesOfAFigureIsACellOfThePlan) {
  for (const auto& settings : settings_of_pages()) {
    const auto cells = planned_cells(settings);
    for (const auto& figure : prernn().report(settings).figures)
      for (const auto& series : figure.series) {
        const records::Cell cell{.study = "prernn",
                                 .table = series.table,
                                 .dataset = series.dataset,
                                 .method = series.method,
                                 .seed = 0};
        EXPECT_TRUE(cells.contains(cell.id())) << figure.id << " " << cell.id();
      }
  }
}

TEST(PrernnClips, PointDistanceIsTheMeanDistanceOfThePoints) {
  const auto target = torch::zeros({1, 136});
  auto prediction = torch::zeros({1, 136});
  prediction[0][0] = 0.3;
  prediction[0][1] = 0.4;
  EXPECT_NEAR(prernn_study::point_distance(prediction, target).item<double>(),
              (0.5 + 67 * 1e-4) / 68, 1e-6);
}

TEST(PrernnClips, WithoutMemoryEveryFrameIsAClipAndKeepsItsLandmarks) {
  const prernn_study::ClipSet set{.features = torch::rand({2, 3, 5}),
                                  .landmarks = torch::rand({2, 3, 68, 2})};
  const auto apart = prernn_study::split_into_frames(set);
  EXPECT_EQ(apart.features.sizes(), (std::vector<std::int64_t>{6, 1, 5}));
  EXPECT_TRUE(apart.landmarks[4][0].equal(set.landmarks[1][1]));
}

TEST(PrernnClips, SurviveTheFile) {
  const TemporaryFolder folder;
  const auto set = [](std::int64_t n) {
    return prernn_study::ClipSet{.features = torch::rand({n, 3, 5}),
                                 .landmarks = torch::rand({n, 3, 68, 2})};
  };
  prernn_study::ClipSets sets{
      .train = {set(4), set(4)},
      .validation = set(2),
      .test = set(3),
      .test_damaged =
          torch::tensor({1, 0, 0, 1, 1, 0, 0, 0, 0}, torch::kByte).view({3, 3}).to(torch::kBool),
      .test_frames = torch::zeros({3, 3, 16, 16, 3}, torch::kByte)};
  prernn_study::write_clips(folder.path() / "clips.safetensors", sets);
  const auto back = prernn_study::read_clips(folder.path() / "clips.safetensors");
  EXPECT_TRUE(back.validation.landmarks.equal(sets.validation.landmarks));
  ASSERT_EQ(back.train.size(), 2U);
  EXPECT_TRUE(back.train[1].features.equal(sets.train[1].features));
  EXPECT_TRUE(back.test_damaged.equal(sets.test_damaged));
  EXPECT_EQ(back.size, 16);
}

// Landmarks on a line are bridged exactly if two clear frames determine the line, and never from a
// damaged frame.
TEST(PrernnClips, DamagedFramesAreBridgedByClearOnesAlone) {
  const auto time = torch::arange(7, torch::kFloat).view({1, 7, 1, 1});
  const auto truth = (time * 0.5 + torch::rand({1, 1, 68, 2})).contiguous();
  const auto damaged =
      torch::tensor({1, 0, 0, 1, 1, 0, 1}, torch::kByte).view({1, 7}).to(torch::kBool);
  auto predicted = truth.clone();
  predicted.index_put_({damaged}, 1e6);
  const auto earlier = prernn_study::bridge_gaps(predicted, damaged, /*causal=*/true);
  EXPECT_LT((earlier - truth).slice(1, 1, 6).abs().max().item<double>(), 1e-4);
  EXPECT_EQ(earlier[0][0][0][0].item<float>(), 1e6F);  // no earlier clear frame
  EXPECT_TRUE(earlier[0][6].equal(truth[0][5]));       // a single clear frame is copied
  const auto nearest = prernn_study::bridge_gaps(predicted, damaged, /*causal=*/false);
  EXPECT_LT((nearest - truth).slice(1, 1, 6).abs().max().item<double>(), 1e-4);
  EXPECT_TRUE(nearest[0][0].equal(truth[0][1]));
}

TEST(PrernnMeasure, GatesSaturatedByDesignAreCountedAsSuch) {
  Random random(1);
  const auto cnn = models::make_small_network({.size = 4, .trunk = "3 p", .width = 16}, random);
  const auto head = models::transform(
      cnn, {.layers = {"fc6"}, .hidden_scale = 0, .features_of = "pool1"}, random);
  {
    const torch::NoGradGuard no_gradient;
    for (auto& p : head->named_parameters())
      if (p.key() == "fc6.bias") p.value().fill_(-20);
  }
  records::Record record;
  records::Curves curves;
  prernn_study::measure_gates(*head, torch::rand({2, 3, 12}), "start.", "", true, record, curves);
  prernn_study::measure_gates(*head, torch::rand({2, 3, 12}), "", "", true, record, curves);
  EXPECT_DOUBLE_EQ(*record.metric("saturation_first"), 1.0);
  EXPECT_DOUBLE_EQ(*record.metric("saturation_gain"), 0.0);
  EXPECT_DOUBLE_EQ(*record.metric("kept_first"), 1.0);
  EXPECT_DOUBLE_EQ(curves.at("first.z.histogram")[0], 1.0);
  EXPECT_THAT(curves.at("first.r.left"), testing::Each(1.0));
}

// Forget gates are counted separately: here only they are open, and half of all gates is saturated.
TEST(PrernnMeasure, ForgetGatesAreCountedApart) {
  Random random(1);
  const auto cnn = models::make_small_network({.size = 4, .trunk = "3 p", .width = 16}, random);
  const auto head = models::transform(cnn,
                                      {.layers = {"fc6"},
                                       .cell = models::RecurrentCell::Lstm,
                                       .hidden_scale = 0,
                                       .features_of = "pool1"},
                                      random);
  const auto x = torch::linspace(0, 1, 72).view({2, 3, 12});
  records::Record record;
  records::Curves curves;
  prernn_study::measure_gates(*head, x, "", "", true, record, curves);
  const auto all = record.metric("saturation_first"),
             forget = record.metric("forget_saturation_first");
  ASSERT_TRUE(all && forget);
  EXPECT_GE(*forget, *record.metric("remembers_first") - 1e-9)
      << "shares are counted once as what is inside and once as what is outside";
  Random again(1);
  const auto gru = models::transform(
      cnn, {.layers = {"fc6"}, .cell = models::RecurrentCell::Gru, .features_of = "pool1"}, again);
  records::Record of_gru;
  prernn_study::measure_gates(*gru, x, "", "", true, of_gru, curves);
  EXPECT_FALSE(of_gru.metric("forget_saturation_first")) << "a GRU has none";
}

// Errors 4, 2, 1: the first is three times and the second once the minimum above it. The error
// before training does not count.
TEST(PrernnMeasure, ConvergenceIsTheErrorAboveItsOwnBest) {
  records::Record record;
  records::Curves curves{{"validation_error", {4, 2, 1}},
                         {"validation_error_depth", {90, 4, 2, 1}},
                         {"epoch_depth", {0, 1, 2, 3}}};
  prernn_study::measure_convergence(curves, "", record);
  prernn_study::measure_convergence(curves, "depth", record);
  EXPECT_DOUBLE_EQ(*record.metric("above_its_best"), 4);
  EXPECT_DOUBLE_EQ(*record.metric("above_its_best_depth"), 4);
}

// A head at rest with noise gains by averaging. A head that jumps in each frame does not, and stays
// as it is.
TEST(PrernnMeasure, SmoothingIsChosenOnValidation) {
  torch::manual_seed(1);
  const auto shape = torch::rand({1, 1, 68, 2}) * 40;
  const auto still = shape.expand({6, 8, 68, 2}).contiguous();
  const auto noisy = still + torch::randn_like(still) * 4;
  EXPECT_TRUE(prernn_study::smooth_landmarks(noisy, 1).equal(noisy));
  EXPECT_TRUE(
      prernn_study::smooth_landmarks(noisy, 0.5)[0][1].allclose((noisy[0][0] + noisy[0][1]) / 2));
  records::Record rests, jumps;
  prernn_study::measure_smoothed(noisy, still, noisy, still, rests);
  EXPECT_LT(*rests.metric("smoothing_weight"), 0.7);
  prernn_study::measure_error(metrics::landmark_error(noisy.flatten(0, 1), still.flatten(0, 1)), "",
                              "", rests);
  EXPECT_GT(*rests.metric("auc_smoothed"), *rests.metric("auc"));
  const auto far = still + torch::randn({6, 8, 1, 1}) * 60;
  prernn_study::measure_smoothed(far, far, far, far, jumps);
  EXPECT_DOUBLE_EQ(*jumps.metric("smoothing_weight"), 1);
}

}  // namespace
}  // namespace reprise::reproduce
