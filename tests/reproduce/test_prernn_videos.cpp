// Gestures, actions and the selection of layers: each piece alone, then all steps in small.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "models/backbones/known_backbones.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/selection.h"
#include "reproduce/prernn/study.h"
#include "reproduce/prernn/video_tasks.h"
#include "tests/datasets/small_videos.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"
#include "training/module_state.h"

namespace reprise::reproduce::prernn_study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Settings small_quick(const std::vector<std::string>& more = {}) {
  auto settings = profile_settings(prernn(), "smoke");
  for (const auto* value :
       {"seeds=1", "clips.datasets=[]", "videos.size=16", "videos.frames=4", "videos.training=24",
        "videos.validation=12", "videos.test=12", "videos.people=4",
        "videos.split=[0.5, 0.25, 0.25]", "video_networks.trunk_fc=4/2 p",
        "video_networks.trunk_conv=4/2 p 6", "video_networks.trunk_3d=4/2 p",
        "video_networks.width=6", "video_networks.clips=24", "video_networks.steps_an_epoch=48",
        "video_networks.epochs=1", "video_sequence.epochs=2", "video_search.epochs=1",
        "video_search.learning_rates=[3e-3]"})
    settings.set(value);
  for (const auto& value : more) settings.set(value);
  return settings;
}

TEST(VideoSteps, AreFramesOrOverlappingSnippetsThatStandStillBeyondTheClipsEnds) {
  const auto settings = small_quick();
  const auto frames = torch::arange(8).view({1, 8, 1, 1, 1}).to(torch::kByte);
  EXPECT_TRUE(make_steps(frames, NetworkKind::Fc, settings).equal(frames));
  const auto snippets = make_steps(frames, NetworkKind::ThreeD, settings);
  ASSERT_EQ(snippets.sizes(), (std::vector<std::int64_t>{1, 4, 1, 4, 1, 1}));
  EXPECT_TRUE(snippets.flatten(1, 5).view({4, 4}).equal(
      torch::tensor({{0, 0, 1, 2}, {1, 2, 3, 4}, {3, 4, 5, 6}, {5, 6, 7, 7}}).to(torch::kByte)));
}

TEST(VideoInput, OfSmallNetworksIsCentredAndOfPublishedOnesAsTheyWereTrained) {
  const auto steps = torch::full({1, 1, 2, 2}, 255, torch::kByte);
  EXPECT_FLOAT_EQ(video_input(steps, "4 p").max().item<float>(), 127.5F / 64);
  const auto white = video_input(steps, "vgg16");
  ASSERT_EQ(white.sizes(), (std::vector<std::int64_t>{1, 3, 2, 2}));
  EXPECT_NEAR(white[0][2][0][0].item<float>(), (1 - 0.406) / 0.225, 1e-5);
  EXPECT_FLOAT_EQ(video_input(steps.unsqueeze(2), "c3d").min().item<float>(), 255.0F);
}

TEST(ClipScores, AreTheMeanSoftmaxOverTheSteps) {
  // a network that gives back what it is shown
  struct Echo : training::SequenceNetwork {
    torch::Tensor forward(const torch::Tensor& x) override { return x; }
    std::vector<torch::Tensor> untrained_parameters() const override { return {}; }
  } echo;
  const auto x = torch::tensor({{{0.0F, 0.0F}, {100.0F, 0.0F}}});
  const auto scores = clip_scores(echo, x);
  EXPECT_NEAR(scores[0][0].item<double>(), 0.75, 1e-6);
  EXPECT_NEAR(clip_loss(scores, torch::tensor({1})), -std::log(0.25), 1e-6);
}

TEST(VideoClips, NoPersonIsInTwoParts) {
  const auto settings = small_quick({"videos.people=9"});
  for (const auto* dataset : {"gestures", "walkers"}) {
    const auto parts = make_video_clips(dataset, 3, settings, "");
    EXPECT_EQ(parts.test.size(), 12) << dataset;
    std::set<std::string> seen;
    std::size_t people = 0;
    for (const auto* part : {&parts.train, &parts.validation, &parts.test}) {
      const std::set<std::string> own(part->person.begin(), part->person.end());
      people += own.size();
      seen.insert(own.begin(), own.end());
    }
    EXPECT_EQ(seen.size(), people) << dataset;
    const auto pool = make_network_clips(dataset, NetworkKind::Fc, 3, settings);
    const std::set<std::string> learning(parts.train.person.begin(), parts.train.person.end());
    for (const auto& person : pool.person)
      EXPECT_TRUE(learning.contains(person)) << dataset << " " << person;
  }
}

TEST(VideoClips, OfASetWithoutItsOwnSplitAreDrawnByVideoUpToTheRequestedNumber) {
  const TemporaryFolder data;
  for (int v = 0; v < 12; ++v)
    datasets::testing_videos::write_video(data.path() / "video_folders" / (v % 2 ? "jump" : "run") /
                                              ("v" + std::to_string(v) + ".avi"),
                                          6);
  const auto settings = small_quick(
      {"gestures.datasets=[]", "actions.datasets=[\"video_folders\"]", "videos.training=4"});
  const auto parts = make_video_clips("video_folders", 0, settings, data.path());
  EXPECT_EQ(parts.train.size(), 4);
  EXPECT_EQ(parts.train.classes, (std::vector<std::string>{"jump", "run"}));
  std::set<std::string> items(parts.test.item.begin(), parts.test.item.end());
  for (const auto& item : parts.train.item) EXPECT_FALSE(items.contains(item)) << item;
  EXPECT_TRUE(parts.test.flow.defined());
}

TEST(VideoPlan, NamesAMissingSetAndItsFolder) {
  EXPECT_THAT(
      [] {
        require_present(prernn().plan(small_quick({"gestures.datasets=[\"nvgesture\"]"}), ""));
      },
      ThrowsUsageError(HasSubstr("nvgesture"), HasSubstr("--data"),
                       HasSubstr("nvgesture_{train,test}")));
  EXPECT_THAT([] { plan_videos(small_quick({"actions.datasets=[\"walker\"]"})); },
              ThrowsUsageError(HasSubstr("'walker'"), HasSubstr("walkers")));
  EXPECT_THAT(
      [] { plan_videos(small_quick({"actions.networks=[\"4d\"]"})); },
      ThrowsUsageError(HasSubstr("4d"), HasSubstr("fc"), HasSubstr("conv"), HasSubstr("3d")));
}

// A change of settings of faces leaves the cells of videos up to date, and vice versa. Only cells
// of generated heads read the section of generated heads, so older records stay up to date.
TEST(VideoPlan, CellsOfFacesAndOfVideosReadNoSectionOfTheOthers) {
  const CellsInProcess run(
      prernn(), small_quick({"clips.datasets=[\"faces_in_motion\"]", "heads.methods=[\"cnn\"]"}));
  for (const auto& [id, cell] : run.cells()) {
    const auto reads = [&](const char* section) {
      return std::ranges::find(cell.reads, section) != cell.reads.end();
    };
    const bool heads = cell.cell.dataset == heads_in_motion ||
                       cell.cell.dataset == stills_dataset(heads_in_motion);
    const bool faces = heads || id.find("faces_in_motion") != std::string::npos ||
                       id.find("stills") != std::string::npos;
    for (const auto* section : {"stills", "camera", "cnn", "sequence", "search"})
      EXPECT_EQ(reads(section), faces) << id << " " << section;
    for (const auto* section : {"videos", "gestures", "actions"})
      EXPECT_EQ(reads(section), !faces) << id << " " << section;
    EXPECT_EQ(reads("heads"), heads) << id;
    EXPECT_EQ(reads("video_networks"), !faces && !id.starts_with("clips/")) << id;
    EXPECT_EQ(reads("video_search"),
              !faces && !id.starts_with("clips/") && !id.starts_with("networks_"))
        << id;
  }
}

TEST(VideoNetwork, OfPublishedWeightsHasThemInAllLayersButTheLastSlow) {
  const TemporaryFolder data;
  {
    Random random(1);
    auto published = models::resnet50(7);
    published->draw(random);
    training::save_weights(*published, data.path() / "resnet50.safetensors");
  }
  const auto settings = small_quick({"video_networks.trunk_conv=resnet50"});
  Random random(2);
  const auto network = video_network(NetworkKind::Conv, 3, 5, settings, data.path(), random);
  EXPECT_EQ(network->stages().back().options().outputs, 5);
  Random again(1);
  auto published = models::resnet50(7);
  published->draw(again);
  EXPECT_TRUE(network->named_parameters()["layer4.2.conv3.weight"].equal(
      published->named_parameters()["layer4.2.conv3.weight"]));
  EXPECT_THAT([&] { video_network(NetworkKind::Conv, 3, 5, settings, "", random); },
              ThrowsUsageError(HasSubstr("resnet50.pth"), HasSubstr("--data")));
}

// All steps from clips to accuracies, for every kind of network.
TEST(VideoCells, GoFromClipsToAccuracyInEachModalityAndBothSlow) {
  CellsInProcess run(prernn(), small_quick());
  for (const auto* id :
       {"gestures_fc/gestures/pre_lstm_fc67/seed0", "gestures_conv/gestures/sih_gru_conv/seed0",
        "gestures_3d/gestures/trad_gru_1/seed0", "actions_fc/walkers/wh_gru_fc6/seed0"}) {
    const auto record = run(id);
    for (const auto* metric : {"accuracy", "accuracy_colour"}) {
      ASSERT_TRUE(record.metric(metric)) << id << " " << metric;
      EXPECT_GE(*record.metric(metric), 0) << id;
      EXPECT_LE(*record.metric(metric), 1) << id;
    }
    const auto classes = record.cell.dataset == "gestures" ? 12U : 10U;
    const auto confusion = run.curves(record).at("confusion");
    ASSERT_EQ(confusion.size(), classes * classes) << id;
    for (std::size_t c = 0; c < classes;
         ++c) {  // each class that has clips gives them all to some class
      double sum = 0;
      for (std::size_t k = 0; k < classes; ++k) sum += confusion[c * classes + k];
      EXPECT_NEAR(sum, 1, 1e-9) << id;
    }
  }
  const auto gates = run("gestures_fc/gestures/pre_lstm_fc67/seed0");
  for (const auto* metric : {"kept_first_colour", "kept_second_depth", "saturation_gain_depth"})
    EXPECT_TRUE(gates.metric(metric)) << metric;
  EXPECT_TRUE(run.curves(gates).contains("depth.first.f.left"));
}

TEST(VideoCells, SameSeedSameRecordSlow) {
  const auto accuracy = [] {
    CellsInProcess run(prernn(), small_quick());
    const auto record = run("actions_conv/walkers/pre_gru_conv/seed0");
    return std::pair{*record.metric("accuracy_flow"), *record.metric("validation_error_colour")};
  };
  EXPECT_EQ(accuracy(), accuracy());
}

/// Two classes, one that grows light and one that grows dark, in the layout and with the lists of
/// UCF101: groups 1 to 4 train, 5 and 6 test.
void write_ucf101(const std::filesystem::path& folder) {
  std::string train, test;
  const std::vector<std::string> classes{"Archery", "BabyCrawling"};
  for (std::size_t c = 0; c < classes.size(); ++c)
    for (int group = 1; group <= 6; ++group) {
      const auto item = fmt::format("{0}/v_{0}_g{1:02d}_c01.avi", classes[c], group);
      datasets::testing_videos::write_video(folder / "UCF-101" / item, 6,
                                            c == 0 ? 20 + group : 200 - group, c == 0 ? 20 : -20);
      group < 5 ? train += fmt::format("{} {}\n", item, c + 1) : test += item + "\n";
    }
  write_file(folder / "ucfTrainTestlist/classInd.txt", "1 Archery\n2 BabyCrawling\n");
  write_file(folder / "ucfTrainTestlist/trainlist01.txt", train);
  write_file(folder / "ucfTrainTestlist/testlist01.txt", test);
}

/// The same as HMDB51 has it: 1 trains, 2 tests, 0 is in neither.
void write_hmdb51(const std::filesystem::path& folder) {
  const std::vector<std::string> classes{"run", "wave"};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    std::string list;
    for (int film = 0; film < 7; ++film) {
      const auto item = fmt::format("Film{}_{}_u_cm_np1_ba_med_0.avi", film, classes[c]);
      datasets::testing_videos::write_video(folder / classes[c] / item, 6,
                                            c == 0 ? 20 + film : 200 - film, c == 0 ? 20 : -20);
      list += fmt::format("{} {} \n", item, film < 4 ? 1 : film < 6 ? 2 : 0);
    }
    write_file(folder / "testTrainMulti_7030_splits" / (classes[c] + "_test_split1.txt"), list);
  }
}

// All steps of a recorded set: its official test part is scored, and validation is split off its
// training part by group.
TEST(VideoCells, OfUcf101AndHmdb51KeepTheOfficialSplitToTheRowOfTheTableSlow) {
  const TemporaryFolder data;
  write_ucf101(data.path() / "ucf101");
  write_hmdb51(data.path() / "hmdb51");
  CellsInProcess cells(
      prernn(),
      small_quick({"gestures.datasets=[]", R"(actions.datasets=["ucf101", "hmdb51"])",
                   R"(actions.networks=["fc"])", R"(videos.methods_fc=["cnn", "pre_gru_fc6"])"}),
      data.path());
  for (const std::string dataset : {"ucf101", "hmdb51"}) {
    const auto clips = cells("clips/" + dataset + "/clips/seed0");
    EXPECT_EQ(clips.parameters.at("clips_test"), 4) << dataset;
    EXPECT_EQ(clips.parameters.at("clips_train") + clips.parameters.at("clips_validation"), 8)
        << dataset;
    EXPECT_GT(clips.parameters.at("clips_validation"), 0) << dataset;
    const auto record = cells("actions_fc/" + dataset + "/pre_gru_fc6/seed0");
    for (const auto* metric : {"accuracy", "accuracy_colour", "accuracy_flow"}) {
      const auto found = record.metric(metric);
      ASSERT_TRUE(found) << dataset << " " << metric;
      EXPECT_EQ(*found * 4, std::round(*found * 4))
          << "of the four clips of the official test part";
    }
    EXPECT_TRUE(record.metric("learning_rate_flow"));
  }
}

/// Fixture of candidates with given scores and gates.
class Selection : public testing::Test {
 protected:
  void candidate(const std::string& method, double score, double validation_error,
                 double keeps_first = -1, double keeps_second = -1) {
    records::Record record;
    record.cell = {.study = "prernn",
                   .table = "table1",
                   .dataset = "faces_in_motion",
                   .method = method,
                   .seed = 2};
    record.status = records::Status::Done;
    const auto add = [&](const std::string& name, double value) {
      record.metrics.push_back({name, value, "", records::Direction::Neither, ""});
    };
    add("auc", score);
    add("validation_error", validation_error);
    if (keeps_first >= 0) add("kept_first", keeps_first);
    if (keeps_second >= 0) add("kept_second", keeps_second);
    store_.write(record);
  }
  std::string pick(records::Record& record) {
    record.cell = {.study = "prernn",
                   .table = "selection",
                   .dataset = "faces_in_motion",
                   .method = "gru_fc",
                   .seed = 2};
    CellContext context{settings_, store_, folder_.path(), "", "cpu", record, silent_};
    return select_layers(context, "");
  }

 private:
  Settings settings_ = small_quick();
  TemporaryFolder folder_;
  training::Progress silent_{nullptr};
  records::Store store_{folder_.path()};
};

TEST_F(Selection, KeepsWhatTheNetworkWithAllLayersSaysAndIsJudgedByTheCandidatesOnTest) {
  candidate("cnn", 0.60, 0.05);
  candidate("pre_gru_fc6", 0.62, 0.04, 0);  // its own gates have no say
  candidate("pre_gru_fc7", 0.66, 0.02, 1);
  candidate("pre_gru_fc67", 0.64, 0.03, 1, 0);
  records::Record record;
  EXPECT_EQ(pick(record), "pre_gru_fc6");
  EXPECT_EQ(record.metric("kept_fc6"), 1);
  EXPECT_EQ(record.metric("kept_fc7"), 0);
  EXPECT_EQ(record.metric("pick_auc"), 0.62);
  EXPECT_EQ(record.metric("best_auc"), 0.66);
  EXPECT_DOUBLE_EQ(*record.metric("recurrent_auc"), 0.64);
  EXPECT_EQ(record.metric("agrees"), 0);
  EXPECT_EQ(record.metric("validation_auc"), 0.66);
  EXPECT_EQ(record.metric("validation_agrees"), 1);
}

TEST_F(Selection, RevertsToThePlainNetworkWhenNothingIsKeptAndKeepsBothWhenBothAre) {
  candidate("cnn", 0.60, 0.05);
  candidate("pre_gru_fc6", 0.62, 0.04, 1);
  candidate("pre_gru_fc7", 0.61, 0.02, 1);
  candidate("pre_gru_fc67", 0.64, 0.03, 0, 0);
  records::Record none, both;
  EXPECT_EQ(pick(none), "cnn");
  candidate("pre_gru_fc67", 0.64, 0.03, 1, 1);
  EXPECT_EQ(pick(both), "pre_gru_fc67");
  EXPECT_EQ(both.metric("agrees"), 1);
}

TEST_F(Selection, NamesTheCandidateThatIsNotThere) {
  candidate("cnn", 0.60, 0.05);
  records::Record record;
  EXPECT_THAT(
      [&] { pick(record); },
      ThrowsError(HasSubstr("table1/faces_in_motion/pre_gru_fc6/seed2"), HasSubstr("--only")));
}

TEST(SelectionCandidates, AreThePlainNetworkEachLayerAndAll) {
  const auto ids_of = [](const std::string& choice) {
    std::vector<std::string> ids;
    for (const auto& method : layer_candidates(selection_named(choice)))
      ids.push_back(method.info.id);
    return ids;
  };
  EXPECT_THAT(ids_of("lstm_fc"),
              ElementsAre("cnn", "pre_lstm_fc6", "pre_lstm_fc7", "pre_lstm_fc67"));
  EXPECT_THAT(ids_of("gru_conv"), ElementsAre("cnn", "pre_gru_conv"));
  EXPECT_THAT([] { selection_named("vrnn_fc"); },
              ThrowsUsageError(HasSubstr("vrnn_fc"), HasSubstr("lstm_fc")));
}

TEST(SelectionCells, TrainThePickAgainWithNewHiddenWeightsSlow) {
  CellsInProcess run(prernn(), small_quick());
  const auto selected = run("selection/gestures/gru_conv/seed0");
  const auto candidate = run("gestures_conv/gestures/pre_gru_conv/seed0");
  ASSERT_TRUE(selected.metric("accuracy_depth"));
  EXPECT_TRUE(selected.metric("kept_conv_depth"));
  if (*selected.metric("kept_conv_depth") == 1) {
    EXPECT_EQ(*selected.metric("pick_accuracy_depth"), *candidate.metric("accuracy_depth"));
    EXPECT_NE(*selected.metric("validation_error_depth"),
              *candidate.metric("validation_error_depth"));
  }
}

}  // namespace
}  // namespace reprise::reproduce::prernn_study
