// The study of document dynamic_face as a description, and its cells on a very small set.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "datasets/formats/images.h"
#include "datasets/scene/synthetic_head.h"
#include "metrics/landmarks.h"
#include "metrics/pose.h"
#include "models/backbones/known_backbones.h"
#include "records/claims.h"
#include "records/claims_file.h"
#include "reports/published.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/face_tracker.h"
#include "reproduce/dynamic_face/study.h"
#include "reproduce/run/runner.h"
#include "reproduce/sequence_training.h"
#include "tests/damage.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::reproduce {
namespace {

using dynamic_face_study::methods;
using testing::HasSubstr;

Settings faces_profile(const std::string& name, const std::vector<std::string>& changes = {}) {
  return settings_of(dynamic_face(), {.profile = name, .set = changes});
}

/// Cells of a second each.
Settings tiny(const std::vector<std::string>& changes = {}) {
  auto all = std::vector<std::string>{"seeds=2",
                                      "heads.count=8",
                                      "tracks.count=8",
                                      "tracks.frames=40",
                                      "image.size=16",
                                      "cnn.trunk=6/2 p 8",
                                      "cnn.width=12",
                                      "cnn.epochs=1",
                                      "cnn.frames_an_epoch=256",
                                      "cnn.validation_frames=32",
                                      "clips.training=12",
                                      "clips.validation=6",
                                      "clips.frames=8",
                                      "test.frames=20",
                                      "test.sequences=3",
                                      "sequence.epochs=1",
                                      "search.epochs=1",
                                      "filter.particles=50",
                                      "test.kinds=[\"clean\", \"gaps\"]",
                                      "strength.kinds=[\"gaps\"]"};
  all.insert(all.end(), changes.begin(), changes.end());
  return faces_profile("quick", all);
}

TEST(DynamicFaceStudy, EveryProfileHasTheSameKeys) {
  const auto keys = [](const Settings& settings) {
    std::vector<std::string> out;
    for (const auto& item : settings.all().items()) out.push_back(item.key());
    return out;
  };
  for (const auto& [name, text] : dynamic_face().profiles) EXPECT_EQ(keys(faces_profile("quick")), keys(faces_profile(name))) << name;
}

TEST(DynamicFaceStudy, EveryNeedIsInThePlanAndOfTheSameSeedOrATrial) {
  std::map<std::string, PlannedCell> cells;
  for (const auto& cell : dynamic_face().plan(faces_profile("quick"), ""))
    EXPECT_TRUE(cells.emplace(cell.cell.id(), cell).second) << cell.cell.id();
  for (const auto& [id, cell] : cells)
    for (const auto& need : cell.needs) {
      EXPECT_TRUE(cells.contains(need.id())) << id << " needs " << need.id();
      EXPECT_TRUE(need.seed == cell.cell.seed || need.table == "search") << id;
    }
  const auto last = "/seed" + std::to_string(faces_profile("quick").integer("seeds") - 1);
  for (const auto& method : methods()) EXPECT_TRUE(cells.contains("pose/synhead/" + method.info.id + last)) << method.info.id;
}

TEST(DynamicFaceStudy, ASearchOfOneRateHasNoTrials) {
  const auto searched = [](const std::vector<std::string>& changes) {
    std::set<std::string> methods;
    for (const auto& cell : dynamic_face().plan(faces_profile("quick", changes), "")) {
      if (cell.cell.table == "search") methods.insert(trial_of(cell.cell.method).method);
      for (const auto& need : cell.needs)
        if (need.table == "search") methods.insert(trial_of(need.method).method);
    }
    return methods;
  };
  const auto of_quick = searched({});
  EXPECT_TRUE(of_quick.contains("fc_gru"));
  EXPECT_FALSE(of_quick.contains("fc_gru_end_to_end")) << "its section has one rate";
  EXPECT_EQ(searched({"search.learning_rates=[1e-3]"}), std::set<std::string>{});
  EXPECT_EQ(searched({"search.learning_rates=[1e-3]", "search.joint_weights=[1, 3]"}), std::set<std::string>{"fc_gru_joint"});
  EXPECT_TRUE(searched({"search.learning_rates=[1e-3]", "search.dropouts=[0, 0.1]"}).contains("cnn_continued"));
  EXPECT_EQ(searched({"search.learning_rates=[1e-3]", "search_end_to_end.learning_rates=[1e-3, 1e-4]"}),
            (std::set<std::string>{"cnn_continued_end_to_end", "fc_rnn_end_to_end", "fc_lstm_end_to_end", "fc_gru_end_to_end"}));
  // every combination, named by its knobs, on each seed of the search
  std::set<std::string> trials;
  for (const auto& cell : dynamic_face().plan(faces_profile("quick", {"search.learning_rates=[1e-3, 1e-2]", "search.dropouts=[0, 0.25]",
                                                                      "search.seeds=2", "methods=[\"fc_rnn\"]"}),
                                              ""))
    if (cell.cell.table == "search") trials.insert(cell.cell.method + "/" + std::to_string(cell.cell.seed));
  EXPECT_EQ(trials.size(), 8U);
  EXPECT_TRUE(trials.contains("fc_rnn+lr=0.01+dropout=0.25/1"));
}

// What a profile of CI rests on: all seeds of a method are judged on the same items, and start from the same per-frame networks.
TEST(DynamicFaceStudy, WhereASeedRenewsWeightsAloneDataAndPerFrameNetworksAreOfSeedZero) {
  std::map<std::string, PlannedCell> cells;
  for (const auto& cell : dynamic_face().plan(faces_profile("quick", {"replicates=weights"}), "")) cells.emplace(cell.cell.id(), cell);
  const auto seeds = faces_profile("quick").integer("seeds");
  std::map<std::string, int> counts;
  for (const auto& [id, cell] : cells) {
    if (cell.cell.table != "pose") EXPECT_EQ(cell.cell.seed, 0) << id;
    ++counts[cell.cell.table + "/" + cell.cell.method];
    for (const auto& need : cell.needs) {
      EXPECT_TRUE(cells.contains(need.id())) << id << " needs " << need.id();
      EXPECT_EQ(need.seed, need.table == "pose" ? cell.cell.seed : 0) << id << " needs " << need.id();
    }
  }
  for (const auto& network : dynamic_face_study::frame_networks()) EXPECT_EQ(counts["cnn/" + network.name], 1) << network.name;
  for (const auto& method : methods()) EXPECT_EQ(counts["pose/" + method.info.id], seeds) << method.info.id;
  // With everything renewed each seed has its own.
  int networks = 0;
  for (const auto& cell : dynamic_face().plan(faces_profile("quick"), "")) networks += cell.cell.table == "cnn";
  EXPECT_EQ(networks, seeds * static_cast<int>(dynamic_face_study::frame_networks().size()));
  EXPECT_THAT([] { dynamic_face().plan(faces_profile("quick", {"replicates=nothing"}), ""); },
              ThrowsUsageError(HasSubstr("everything or weights")));
}

TEST(DynamicFaceStudy, WhereASeedRenewsWeightsAloneSeedsShareTheirTruth) {
  CellsInProcess run(dynamic_face(), tiny({"replicates=weights", "cnn.frames_an_epoch=64", "methods=[\"cnn\", \"fc_rnn\"]",
                                           "search.learning_rates=[1e-3]", "size.heads=[]"}));
  const auto estimates = [&](const std::string& cell) {
    run(cell);
    std::map<std::string, at::Tensor> parts;
    for (const auto& [part, poses] : weights::read_safetensors(run.folder(cell) / "estimates.safetensors").tensors) parts[part] = poses;
    return parts;
  };
  // The per-frame network draws nothing: the same estimates, and against the same truth the same errors.
  const auto first = estimates("pose/synhead/cnn/seed0"), second = estimates("pose/synhead/cnn/seed1");
  ASSERT_TRUE(first.contains("gaps") && second.contains("gaps"));
  EXPECT_TRUE(first.at("gaps").equal(second.at("gaps")));
  for (const auto* metric : {"error_clean", "error_gaps", "jitter_gaps", "error_validation"})
    EXPECT_EQ(run("pose/synhead/cnn/seed0").metric(metric), run("pose/synhead/cnn/seed1").metric(metric)) << metric;
  // A recurrent one sees the clips in another order, under other dropout.
  EXPECT_NE(run("pose/synhead/fc_rnn/seed0").metric("error_gaps"), run("pose/synhead/fc_rnn/seed1").metric("error_gaps"));
}

// CI's time is bounded, and no search may turn out otherwise on another machine.
TEST(DynamicFaceStudy, TheGateSearchesNothingAndSharesItsData) {
  const auto settings = faces_profile("gate");
  EXPECT_EQ(settings.text("replicates"), "weights");
  EXPECT_EQ(settings.integer("seeds"), 5);
  EXPECT_EQ(settings.integer("rounding"), 0);
  for (const auto& cell : dynamic_face().plan(settings, "")) {
    EXPECT_NE(cell.cell.table, "search") << cell.cell.id();
    EXPECT_NE(cell.cell.table, "size") << cell.cell.id();
    EXPECT_TRUE(cell.cell.table == "pose" || cell.cell.seed == 0) << cell.cell.id();
    for (const auto& need : cell.needs) EXPECT_NE(need.table, "cnn") << cell.cell.id() << ": its networks come with the project";
  }
  EXPECT_THAT([] { dynamic_face().plan(faces_profile("gate", {"cnn.weights=tests/accuracy/networks/none"}), ""); },
              ThrowsUsageError(HasSubstr("none_pose.safetensors")));
}

// A kept network that another trunk was trained with would fail in every cell of a run.
TEST(DynamicFaceStudy, TheNetworksOfTheGateFitItsSettings) {
  const auto settings = faces_profile("gate");
  auto names = dynamic_face_study::fold_networks();
  names.emplace_back("pose");
  for (const auto& name : names) {
    auto network = dynamic_face_study::new_network(dynamic_face_study::Output::Pose, settings, name, 0);
    EXPECT_NO_THROW(training::load_weights(*network, dynamic_face_study::kept_network(settings, name, ""))) << name;
  }
}

TEST(DynamicFaceStudy, AFilterAloneBringsWhatItFilters) {
  std::set<std::string> poses;
  for (const auto& cell : dynamic_face().plan(faces_profile("quick", {"methods=[\"kalman_continued\"]"}), ""))
    if (cell.cell.table == "pose") poses.insert(cell.cell.method);
  EXPECT_EQ(poses, (std::set<std::string>{"cnn_continued", "kalman_continued"}));
}

TEST(DynamicFaceStudy, PartsShareNeitherTracksNorHeads) {
  const auto parts = dynamic_face_study::load_scenes(faces_profile("quick"), "", 3);
  std::set<std::string> tracks;
  std::set<std::int64_t> heads;
  std::size_t all_tracks = 0, all_heads = 0;
  for (const auto* part : {&parts.train, &parts.validation, &parts.test}) {
    for (const auto& track : part->tracks) tracks.insert(track.sequence), ++all_tracks;
    for (const auto head : part->heads) heads.insert(head), ++all_heads;
  }
  EXPECT_EQ(tracks.size(), all_tracks);
  EXPECT_EQ(heads.size(), all_heads);
  EXPECT_EQ(all_heads, 20U);
  // heads of another seed are other people
  for (const auto head : dynamic_face_study::load_scenes(faces_profile("quick"), "", 4).train.heads) EXPECT_FALSE(heads.contains(head));
}

TEST(DynamicFaceStudy, AFoldSharesNothingWithTheOthers) {
  const auto scenes = dynamic_face_study::load_scenes(faces_profile("quick"), "", 3).train;
  std::size_t tracks = 0, heads = 0;
  for (std::int64_t k = 0; k < 5; ++k) {
    const auto in = fold_of(scenes, {.of = 5, .index = k}), out = fold_of(scenes, {.of = 5, .index = k, .others = true});
    tracks += in.tracks.size(), heads += in.heads.size();
    EXPECT_EQ(in.tracks.size() + out.tracks.size(), scenes.tracks.size());
    EXPECT_EQ(in.heads.size() + out.heads.size(), scenes.heads.size());
    for (const auto head : in.heads) EXPECT_EQ(std::count(out.heads.begin(), out.heads.end(), head), 0);
    for (const auto& track : in.tracks)
      for (const auto& other : out.tracks) EXPECT_NE(track.sequence, other.sequence);
  }
  EXPECT_EQ(tracks, scenes.tracks.size());
  EXPECT_EQ(heads, scenes.heads.size());
  EXPECT_EQ(fold_of(scenes, {}).heads, scenes.heads);
  EXPECT_THAT([&] { fold_of(scenes, {.of = 100}); }, ThrowsUsageError(HasSubstr("100 folds")));
}

// A stride that is a multiple of the number of heads once tested two heads of ten.
TEST(DynamicFaceStudy, TheTestShowsEveryHeadAndEveryTrackAsOftenAsTheOthers) {
  const auto settings = faces_profile("desk", {"test.kinds=[\"gaps\"]", "strength.kinds=[]"});
  for (std::int64_t seed = 0; seed < 3; ++seed) {
    const auto scenes = dynamic_face_study::load_scenes(settings, "", seed).test;
    const auto set = dynamic_face_study::synhead_of(scenes, {"gaps"}, settings, 1);
    Random random(static_cast<std::uint64_t>(seed));
    const auto places = dynamic_face_study::test_places(set, 40, 120, random);
    std::map<std::int64_t, int> of_head;
    std::map<std::string, int> of_track;
    std::set<std::pair<std::int64_t, std::int64_t>> pairs;
    std::set<std::int64_t> starts;
    for (const auto& place : places) {
      ++of_head[set.head(place.sequence)], ++of_track[set.track(place.sequence).sequence];
      starts.insert(place.first);
      EXPECT_TRUE(pairs.insert({place.sequence, place.take}).second);
      EXPECT_LE(place.first + 120, 400);
    }
    EXPECT_EQ(of_head.size(), scenes.heads.size());
    EXPECT_EQ(of_track.size(), scenes.tracks.size());
    const auto even = [](const auto& counts) {
      const auto [least, most] = std::ranges::minmax(counts | std::views::values);
      return most - least <= 1;
    };
    EXPECT_TRUE(even(of_head));
    EXPECT_TRUE(even(of_track));
    EXPECT_GT(starts.size(), 20U);
  }
}

TEST(DynamicFaceStudy, TargetsComeBack) {
  using dynamic_face_study::Output;
  const dynamic_face_study::Truth truth{torch::randn({2, 5, 3}) * 30, torch::rand({2, 5, 68, 2}) * 48, torch::randn({2, 5, 68, 3})};
  const auto off = [](const torch::Tensor& a, const torch::Tensor& b) { return (a - b).abs().max().item<float>(); };
  for (const auto output : {Output::Pose, Output::Landmarks, Output::Joint, Output::Places}) {
    const auto target = dynamic_face_study::target_of(output, truth, 48);
    EXPECT_EQ(target.size(-1), dynamic_face_study::size_of(output));
    if (gives_pose(output)) EXPECT_LT(off(dynamic_face_study::pose_of(target), truth.pose), 1e-4);
    if (gives_landmarks(output)) EXPECT_LT(off(dynamic_face_study::landmarks_of(target, 48), truth.landmarks), 1e-4);
    if (output == Output::Places) EXPECT_LT(off(dynamic_face_study::places_of(target), truth.places), 1e-6);
    EXPECT_EQ(dynamic_face_study::squared_error(target, target).item<float>(), 0);
    EXPECT_LT(mean_error(output, target, truth, 48), 1e-4);
    EXPECT_GT(mean_error(output, target + 0.1, truth, 48), 1e-3);
  }
}

TEST(DynamicFaceStudy, ClaimsAndPublishedFiguresCanBeRead) {
  const TemporaryFolder folder;
  const auto study = dynamic_face();
  EXPECT_GE(records::judge(study.claims, "claims.toml", records::Store(folder.path())).size(), 15U);
  const reports::Published published(study.published, "published.toml");
  ASSERT_NE(published.find("axes", "FC-RNN, end to end", "yaw"), nullptr);
  EXPECT_EQ(published.find("axes", "FC-RNN, end to end", "yaw")->value, 3.14);
}

TEST(DynamicFaceStudy, EveryProfileMeasuresWhatAClaimIsAboutOrTheClaimMayDoWithout) {
  const std::set<std::string> measures{"error", "jitter", "auc", "lag", "landmark"};
  const auto all_kinds = faces_profile("desk").texts("test.kinds");
  for (const auto& [name, text] : dynamic_face().profiles) {
    const auto kinds = faces_profile(name).texts("test.kinds");
    for (const auto& claim : records::read_claims(dynamic_face().claims, "claims.toml"))
      for (const auto& test : claim.tests) {
        if (test.metric.empty()) continue;
        const auto kind = test.metric.substr(test.metric.rfind('_') + 1);
        // What some profiles do without is a metric of desk all the same: a slip in its name would pass as a test that is not run.
        EXPECT_TRUE(measures.contains(test.metric.substr(0, test.metric.find('_')))) << claim.id << ": " << test.metric;
        EXPECT_EQ(std::count(all_kinds.begin(), all_kinds.end(), kind), 1) << claim.id << ": " << test.metric;
        if (test.optional) continue;
        EXPECT_EQ(std::count(kinds.begin(), kinds.end(), kind), 1) << name << ", claim " << claim.id << ": " << test.metric;
      }
  }
}

TEST(DynamicFaceStudy, RefusesWhatCannotRun) {
  const auto plan = [](const std::string& change) { dynamic_face().plan(faces_profile("quick", {change}), ""); };
  EXPECT_THAT([&] { plan("test.frames=2"); }, ThrowsUsageError(HasSubstr("test.frames is below 3")));
  EXPECT_THAT([&] { plan("strength.kinds=[\"blur\"]"); }, ThrowsUsageError(HasSubstr("test.kinds lacks it")));
  EXPECT_THAT([&] { plan("strength.values=[1.0]"); }, ThrowsUsageError(HasSubstr("strength.values has 1")));
  EXPECT_THAT([&] { plan("test.kinds=[\"fog\"]"); }, ThrowsUsageError(HasSubstr("'fog'")));
  EXPECT_THAT([&] { plan("tracks.source=video"); }, ThrowsUsageError(HasSubstr("biwi_tracks or generated")));
  EXPECT_THAT([] { dynamic_face().plan(faces_profile("desk"), ""); }, ThrowsUsageError(HasSubstr("biwi_plus.csv"), HasSubstr("--data")));
}

TEST(DynamicFaceStudy, PhotographsAreAskedForOnlyWhereTheProfileSaysSo) {
  const auto cells = [](const std::vector<std::string>& changes) {
    std::set<std::string> names;
    for (const auto& cell : dynamic_face().plan(faces_profile("quick", changes), ""))
      if (cell.cell.table == "photographs" && cell.cell.seed == 0) names.insert(cell.cell.method);
    return names;
  };
  EXPECT_EQ(cells({"photographs.source=drawn"}), (std::set<std::string>{"mean_face", "drawn", "photographed", "photographed_gru"}));
  EXPECT_TRUE(cells({}).empty());
  EXPECT_THAT([&] { cells({"photographs.source=paintings"}); }, ThrowsUsageError(HasSubstr("paintings")));
  EXPECT_THAT([&] { cells({"photographs.source=real"}); }, ThrowsUsageError(HasSubstr("faces_300w"), HasSubstr("--data")));
}

// Drawn faces stand in for photographs: the whole way, down to a tracker's file that `track` takes.
TEST(DynamicFaceStudySlow, ATrackerOfPhotographsIsTrainedAndJudgedOnTheWayOfTrack) {
  CellsInProcess run(dynamic_face(), tiny({"photographs.source=drawn", "photographs.size=32", "photographs.epochs=2",
                                           "photographs.frames_an_epoch=256", "photographs.clips=16", "photographs.drawn=32"}));
  const auto null = run("photographs/faces/mean_face/seed0");
  EXPECT_EQ(null.metric("roll_follows"), 40) << "it knows nothing of a picture";
  EXPECT_EQ(null.metric("sway"), 0);
  EXPECT_EQ(null.metric("yaw"), null.metric("yaw_zero"));
  const auto record = run("photographs/faces/photographed_gru/seed0");
  for (const auto* metric : {"landmarks", "yaw", "roll", "sway", "roll_follows"})
    EXPECT_TRUE(std::isfinite(record.metric(metric).value_or(NAN))) << metric;
  EXPECT_GT(record.metric("found").value(), 0);
  EXPECT_EQ(record.metric("found"), null.metric("found")) << "the same pictures, whoever looks at them";
  FaceTracker tracker(run.folder("photographs/faces/photographed_gru/seed0") / "tracker.safetensors");
  EXPECT_TRUE(tracker.gives_landmarks() && tracker.recurrent());
  EXPECT_EQ(tracker.side(), 32);
  EXPECT_EQ(tracker.window().margin, 1.5);
}

TEST(DynamicFaceStudySlow, EveryMethodRunsAndIsMeasuredOnEveryKind) {
  CellsInProcess run(dynamic_face(), tiny());
  for (const auto& method : methods()) {
    const auto record = run("pose/synhead/" + method.info.id + "/seed0");
    for (const std::string kind : {"clean", "gaps"}) {
      if (gives_pose(method.output())) {
        EXPECT_TRUE(std::isfinite(record.metric("error_" + kind).value())) << method.info.id;
        EXPECT_GT(record.metric("jitter_" + kind).value(), 0) << method.info.id;
        EXPECT_TRUE(std::isfinite(record.metric("lag_" + kind).value())) << method.info.id;
      }
      EXPECT_EQ(record.metric("auc_" + kind).has_value(), gives_landmarks(method.output())) << method.info.id;
      EXPECT_EQ(record.metric("error_3d_" + kind).has_value(), method.output() == dynamic_face_study::Output::Places) << method.info.id;
    }
  }
  // A filter smooths what it is given, and its bound is no worse than itself.
  const auto of = [&](const std::string& method, const char* metric) {
    return run("pose/synhead/" + method + "/seed0").metric(metric).value();
  };
  EXPECT_LT(of("kalman_velocity", "jitter_gaps"), of("cnn", "jitter_gaps"));
  EXPECT_NEAR(of("held", "lag_gaps") - of("cnn", "lag_gaps"), 1, 0.5) << "a frame late";
  EXPECT_LT(of("moving_average", "jitter_gaps"), of("cnn", "jitter_gaps"));
  EXPECT_LT(of("kalman_landmarks", "landmark_jitter_gaps"), of("cnn_landmarks", "landmark_jitter_gaps"));
  EXPECT_LE(of("kalman_bound", "error_gaps"), of("kalman_velocity", "error_gaps") + 0.05);
  // A tracker that was left behind gives, frame by frame, what the method gave for the whole clip.
  const auto settings = tiny();
  const auto parts = dynamic_face_study::load_scenes(settings, "", 0);
  const auto clips = dynamic_face_study::test_sequences(parts, "gaps@0.5", settings, 0);
  for (const std::string name : {"cnn", "fc_lstm", "fc_gru_joint", "fc_gru_end_to_end"}) {
    const auto folder = run.folder("pose/synhead/" + name + "/seed0");
    FaceTracker tracker(folder / "tracker.safetensors");
    EXPECT_EQ(tracker.side(), 16);
    EXPECT_EQ(tracker.gives_landmarks(), name == "fc_gru_joint");
    const auto estimates = weights::read_safetensors(folder / "estimates.safetensors").tensors;
    const auto expected =
        std::find_if(estimates.begin(), estimates.end(), [](const auto& item) { return item.first == "gaps@0.5"; })->second;
    for (int sequence = 0; sequence < 2; ++sequence, tracker.restart())
      for (int t = 0; t < 20; ++t) {
        const auto estimate = tracker.next(clips.images[sequence][t]);
        for (int a = 0; a < 3; ++a)
          ASSERT_NEAR(estimate[a].item<double>(), expected[sequence][t][a].item<double>(), 2e-3) << name << " frame " << t;
        EXPECT_EQ(tracker.parts_of(estimate).landmarks.has_value(), tracker.gives_landmarks());
      }
    EXPECT_THAT([&] { tracker.next(torch::zeros({8, 8, 3}, torch::kByte)); }, ThrowsUsageError(HasSubstr("[16, 16, 3]")));
  }
  EXPECT_THAT([&] { FaceTracker(run.folder("cnn/synhead/pose/seed0") / "weights.safetensors"); },
              ThrowsUsageError(HasSubstr("is not a tracker")));
  EXPECT_TRUE(of("kalman_velocity", "w_ih_1") > 0);
  EXPECT_TRUE(run("size/synhead/heads-2/seed0").metric("error_gaps").has_value());
}

// The way of the full-size run with everything made small: VGG16's layers and weights, ReLU, recurrent layers on them.
TEST(DynamicFaceStudySlow, StartsFromVgg16sWeights) {
  const TemporaryFolder folder;
  Random random(5);
  const auto vgg16 = models::small_network(
      {.channels = 3, .size = 32, .trunk = "64 64 p 128 128 p 256 256 256 p 512 512 512 p 512 512 512 p", .batch_norm = false, .width = 8},
      random);
  weights::StateDict state;
  for (const auto& item : vgg16->named_parameters()) {
    auto name = item.key();
    for (const auto& [ours, theirs] : {std::pair{"trunk.", "features."}, {"fc6.", "classifier.0."}, {"fc7.", "classifier.3."}})
      if (name.starts_with(ours)) name = theirs + name.substr(std::string(ours).size());
    state.emplace_back(name, item.value().detach());
  }
  weights::write_safetensors(folder.path() / "vgg16.safetensors", state);
  const auto settings = tiny({"cnn.trunk=vgg16", "cnn.width=8", "image.size=32", "cnn.frames_an_epoch=4", "cnn.batch=4", "clips.training=2",
                              "cnn.learning_rate=1e-12", "clips.validation=2", "test.sequences=2"});
  CellsInProcess run(dynamic_face(), settings, folder.path());
  EXPECT_TRUE(std::isfinite(run("pose/synhead/fc_rnn/seed0").metric("error_clean").value()));
  const auto trained = weights::read_safetensors(run.folder("cnn/synhead/pose/seed0") / "weights.safetensors").tensors;
  const auto given = std::find_if(trained.begin(), trained.end(), [](const auto& item) { return item.first == "trunk.0.weight"; });
  ASSERT_NE(given, trained.end());
  EXPECT_TRUE(at::allclose(given->second, vgg16->named_parameters()["trunk.0.weight"], 1e-4, 1e-6));
  EXPECT_THAT([&] { dynamic_face().plan(settings, ""); }, ThrowsUsageError(HasSubstr("vgg16.pth")));
}

// The tracker that is handed out stays readable, and follows people and tracks that it never saw.
TEST(FaceTracker, SettingsThatAreMadeToBreakItAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "tracker.safetensors";
  const std::string deep = R"({"cnn.trunk": )" + std::string(100000, '[') + std::string(100000, ']') + "}";
  for (const auto& [settings, why] : {std::pair(deep, "lists and objects"), std::pair(std::string("{}{"), "not whole JSON")}) {
    weights::write_safetensors(file, {}, {{"method", "fc_rnn"}, {"settings", settings}});
    EXPECT_THAT([&] { FaceTracker{file}; }, ThrowsUsageError(HasSubstr("tracker.safetensors, metadata \"settings\""), HasSubstr(why)));
  }
}

// People whom it never saw, in the window that it asks for: it finds their landmarks, and follows a picture that is turned.
TEST(FaceTracker, TheOneInTheExamplesFindsFaces) {
  at::set_num_threads(1);
  FaceTracker tracker(fixture("../../docs/examples/face_tracker.safetensors"));
  ASSERT_TRUE(tracker.gives_pose() && tracker.gives_landmarks());
  const auto heads = datasets::synthetic_stills(12, 160, {90001, 90002, 90003}, 5, {.pitch = 12, .yaw = 25, .roll = 5});
  double off = 0, follows = 0, sure = 0;
  for (int i = 0; i < 12; ++i) {
    double roll[2];
    for (const int turned : {0, 1}) {
      const auto turn = datasets::turn_affine(160, 160, 20 * turned);
      const auto landmarks = datasets::move_points(heads.landmarks[i], turn);
      const auto window = datasets::smooth_windows({datasets::box_of_landmarks(landmarks)}, tracker.window()).front();
      const auto picture = datasets::crop_window(datasets::warp_image(heads.images[i], turn, 160), window, tracker.side());
      tracker.restart();
      const auto face = tracker.parts_of(tracker.next(picture));
      const auto found = datasets::points_in_frame(*face.landmarks, window, tracker.side());
      off += metrics::landmark_error(found.unsqueeze(0), landmarks.unsqueeze(0).to(at::kDouble)).item<double>() / 24;
      roll[turned] = (*face.pose)[2];
      sure += tracker.confidence(picture) / 24;
    }
    follows += (roll[1] - roll[0]) / 12;
  }
  EXPECT_LT(off, 0.06);
  EXPECT_NEAR(follows, 20, 6);
  EXPECT_GT(sure, 0.6);
  const auto noise = at::randint(0, 255, {tracker.side(), tracker.side(), 3}, at::kByte);
  EXPECT_LT(tracker.confidence(noise), sure);
}

// Settings in the file say how much is built: none is believed that the tensors do not bear out.
TEST(FaceTracker, SettingsAreHeldAgainstTheTensorsBeforeAnythingIsBuilt) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.safetensors";
  const auto whole = weights::read_safetensors(fixture("../../docs/examples/face_tracker.safetensors"));
  const auto refused = [&](const std::string& key, const nlohmann::json& value, const std::string& says) {
    auto changed = whole;
    auto settings = nlohmann::json::parse(changed.metadata.at("settings"));
    settings[key] = value;
    changed.metadata["settings"] = settings.dump();
    weights::write_safetensors(file, changed.tensors, changed.metadata);
    const MemoryLimit limit(std::int64_t{1} << 30);
    EXPECT_THAT([&] { FaceTracker tracker(file); }, ThrowsUsageError(HasSubstr(file.string()), HasSubstr(key), HasSubstr(says))) << value;
  };
  refused("cnn.width", 1000000000, "1000000000");
  refused("cnn.width", 999999, "999999");
  refused("cnn.width", -1, "-1");
  refused("cnn.width", "wide", "expected an integer");
  refused("image.size", 1000000, "1000000");
  refused("image.size", 4000, "image.size");
  refused("image.size", 0, "0");
  refused("cnn.trunk", "99999 99999", "99999");
  refused("cnn.trunk", std::string(100000, 'p'), "100000");
  weights::write_safetensors(file, whole.tensors, whole.metadata);
  EXPECT_NO_THROW(FaceTracker tracker(file));
}

TEST(DynamicFaceStudySlow, TheSameSeedGivesTheSameRecordAndAnotherAnother) {
  const auto measure = [](std::int64_t seed) {
    CellsInProcess run(dynamic_face(), tiny());
    return run(fmt::format("pose/synhead/post_linear/seed{}", seed)).metric("error_gaps").value();
  };
  const auto first = measure(0);
  EXPECT_EQ(first, measure(0));
  EXPECT_NE(first, measure(1));
}

}  // namespace
}  // namespace reprise::reproduce
