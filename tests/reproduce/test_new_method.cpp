// The worked examples of docs/new_method.md on a very small study prernn: a TorchScript file is trained and predictions are scored, and
// both end in the table.
#include <fmt/format.h>
#include <torch/script.h>
#include <torch/torch.h>

#include <map>
#include <set>
#include <sstream>

#include "core/csv.h"
#include "core/text.h"
#include "datasets/export.h"
#include "datasets/predictions.h"
#include "experiments/outside_network.h"
#include "experiments/reporting.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "metrics/landmarks.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/prernn/outside.h"
#include "reproduce/prernn/study.h"
#include "tests/experiments/toy_study.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

using LandmarkSet = ExportedSet<datasets::LandmarkFrames>;
using Clips = ExportedSet<datasets::LabelledClips>;

/// 64 features, width 8: the sizes of tests/fixtures/methods/my_gru.pt.
const std::vector<std::string> small_prernn{"stills.count=24",
                                            "stills.identities=12",
                                            "image.size=16",
                                            "camera.frames=3",
                                            "clips.training=16",
                                            "clips.validation=8",
                                            "clips.test=8",
                                            "cnn.trunk=4 p p",
                                            "cnn.width=8",
                                            "cnn.epochs=1",
                                            "cnn.batch=8",
                                            "cnn.frames_an_epoch=32",
                                            "cnn.validation_frames=16",
                                            "sequence.epochs=2",
                                            "sequence.batch=4",
                                            "search.epochs=1",
                                            "gestures.datasets=[]",
                                            "actions.datasets=[]"};

Settings small_settings(std::int64_t seeds = 2) {
  RunRequest request;
  request.set = small_prernn;
  request.seeds = seeds;
  return settings_of(prernn(), request);
}

struct NewMethod : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results";
  const fs::path my_gru = fixture("methods/my_gru.pt");

  RunResult go(const std::string& only, std::vector<OutsideMethod> outside, const std::vector<std::string>& set = small_prernn) const {
    RunRequest request;
    request.set = set;
    request.seeds = 2;
    request.only = {only};
    request.results = results;
    request.device = "cpu";
    request.jobs = 2;
    request.progress = nullptr;
    request.outside = std::move(outside);
    return run(prernn(), request);
  }
  records::Record record(const std::string& table, const std::string& method, std::int64_t seed) const {
    return cells_in(results).find({"prernn", table, "faces_in_motion", method, seed}).value();
  }
  fs::path write_script(const std::string& forward) const {
    torch::jit::Module module("Example");
    module.register_buffer("mean_face", torch::zeros({136}));
    module.define(forward);
    module.save((folder.path() / "method.pt").string());
    return folder.path() / "method.pt";
  }
};

TEST_F(NewMethod, ATorchScriptMethodIsPlannedLikeTheStudysOwn) {
  const auto cells = prernn().outside.plan({as_script, "my_gru", my_gru}, small_settings(), "");
  EXPECT_EQ(tables_of(cells), (std::map<std::string, int>{{"nomemory", 2}, {"search", 2}, {"search_nomemory", 2}, {"table1", 2}}));
  for (const auto& planned : cells) {
    EXPECT_TRUE(planned.cell.method.starts_with("my_gru"));
    for (const auto& need : planned.needs) EXPECT_EQ(need.method.find("trad"), std::string::npos) << planned.cell.id();
  }
}

/// y = NAME(relu(fc7(relu(fc6(x))))) for the small networks, with fixed weights; `more`: another layer of the output layer's shape.
fs::path write_layers(const fs::path& file, const std::string& output, bool learns = true, const std::string& more = "",
                      std::int64_t outputs = 136, std::int64_t features = 64, std::int64_t width = 8) {
  torch::jit::Module module("Example");
  const auto add = [&](const std::string& name, std::int64_t from, std::int64_t to) {
    torch::jit::Module layer("Layer_" + name);
    const auto values = torch::linspace(-0.3, 0.3, to * from).view({to, from});
    layer.register_parameter("weight", values.clone().set_requires_grad(learns), false);
    layer.register_parameter("bias", torch::linspace(-0.1, 0.1, to).set_requires_grad(learns), false);
    module.register_module(name, layer);
  };
  add("fc6", features, width), add("fc7", width, width), add(output, width, outputs);
  if (!more.empty()) add(more, width, outputs);
  module.define(
      "def forward(self, x):\n  h = torch.relu(torch.matmul(x, self.fc6.weight.t()) + self.fc6.bias)\n"
      "  h = torch.relu(torch.matmul(h, self.fc7.weight.t()) + self.fc7.bias)\n  return torch.matmul(h, self." +
      output + ".weight.t()) + self." + output + ".bias\n");
  module.save(file.string());
  return file;
}

models::Backbone small_cnn(double output_times = 1) {
  Random random(4);
  auto cnn = models::small_network({.channels = 3, .size = 16, .trunk = "4 p p", .width = 8, .outputs = 136}, random);
  const torch::NoGradGuard no_gradient;
  cnn->stages().back().parts.back().map->weight.mul_(output_times);
  return cnn;
}

torch::Tensor first_outputs(const fs::path& file, bool draw_output, double output_times = 1) {
  return scripted_network(file, small_cnn(output_times), draw_output)->forward(torch::linspace(0, 1, 2 * 3 * 64).view({2, 3, 64}));
}

// The trained output layer is a head start of a factor of 30 in AUC with the smoke profile: what a layer is called must not decide who has it.
TEST_F(NewMethod, TheOutputLayerStartsTheSameWhateverItsName) {
  const auto out = write_layers(folder.path() / "out.pt", "out"), head = write_layers(folder.path() / "head.pt", "head");
  for (const bool draw_output : {true, false}) {
    EXPECT_TRUE(first_outputs(out, draw_output).equal(first_outputs(head, draw_output))) << draw_output;
    EXPECT_EQ(scripted_network(out, small_cnn(), draw_output)->fresh().size(), draw_output ? 2U : 0U);
    EXPECT_EQ(scripted_network(head, small_cnn(), draw_output)->fresh().size(), draw_output ? 2U : 0U);
    EXPECT_EQ(first_outputs(head, draw_output, 1).equal(first_outputs(head, draw_output, 2)), draw_output) << "of the trained layer";
  }
  EXPECT_TRUE(first_outputs(write_layers(folder.path() / "fixed.pt", "head", /*learns=*/false), true).equal(first_outputs(head, false)))
      << "nothing to train: the plain network's layers";
}

TEST_F(NewMethod, OfSeveralLayersWithTheOutputLayersShapeTheOneNamedOutIsMeant) {
  const auto kept = [&](const std::string& output, const std::string& more) {
    RunRequest request;
    request.set = small_prernn;
    request.set.emplace_back("start.draw_output=false");
    const auto file = write_layers(folder.path() / (output + more + ".pt"), output, true, more);
    return prernn().outside.plan({as_script, "mine", file}, settings_of(prernn(), request), "");
  };
  EXPECT_THAT([&] { kept("head", "other"); }, ThrowsUsageError(HasSubstr("layers head, other"), HasSubstr("name the output layer out")));
  EXPECT_TRUE(kept("out", "other").front().file->notes.empty());
  EXPECT_TRUE(first_outputs(folder.path() / "outother.pt", false).equal(first_outputs(write_layers(folder.path() / "o.pt", "out"), false)));
  EXPECT_NO_THROW(prernn().outside.plan({as_script, "mine", folder.path() / "headother.pt"}, small_settings(), "")) << "all layers drawn";
}

TEST_F(NewMethod, LayersThatDoNotStartAsTheOthersDoAreSaid) {
  RunRequest request;
  request.set = small_prernn;
  request.set.emplace_back("start.draw_output=false");
  torch::jit::Module module("Example");
  module.register_parameter("w", torch::full({136}, 0.1).requires_grad_(true), false);
  module.define("def forward(self, x):\n  return x.mean(2, True) * self.w\n");
  module.save((folder.path() / "w.pt").string());
  const OutsideMethod method{as_script, "mine", folder.path() / "w.pt"};
  const auto hidden = HasSubstr("w.pt has no fc6.weight, fc7.weight");
  EXPECT_THAT(prernn().outside.plan(method, settings_of(prernn(), request), "").front().file->notes,
              testing::ElementsAre(hidden, AllOf(HasSubstr("w.pt starts as it is in the file"), HasSubstr("[136, 8]"))));
  EXPECT_THAT(prernn().outside.plan(method, small_settings(), "").front().file->notes, testing::ElementsAre(hidden));
  EXPECT_TRUE(prernn().outside.plan({as_script, "mine", my_gru}, small_settings(), "").front().file->notes.empty());
}

// As above, from the file to the record.
TEST_F(NewMethod, TheSameNetworkHasTheSameRecordWhateverItsOutputLayerIsCalledSlow) {
  std::vector<std::vector<records::Metric>> found;
  for (const std::string output : {"out", "head"}) {
    RunRequest request;
    request.set = small_prernn;
    request.seeds = 2;
    request.only = {"table1/*/mine/*"};
    request.results = folder.path() / output;
    request.device = "cpu";
    request.jobs = 2;
    request.progress = nullptr;
    request.outside = {{as_script, "mine", write_layers(folder.path() / (output + ".pt"), output)}};
    for (const auto& cell : run(prernn(), request).cells) EXPECT_NE(cell.outcome, Outcome::Failed) << cell.error;
    found.push_back(cells_in(request.results).find({"prernn", "table1", "faces_in_motion", "mine", 1}).value().metrics);
  }
  ASSERT_EQ(found[0].size(), found[1].size());
  for (std::size_t i = 0; i < found[0].size(); ++i) EXPECT_EQ(found[0][i].value, found[1][i].value) << found[0][i].name;
}

TEST_F(NewMethod, AScriptWithoutParametersIsOnlyMeasured) {
  const auto file = write_script("def forward(self, x):\n  return self.mean_face.expand(x.size(0), x.size(1), 136)\n");
  EXPECT_EQ(tables_of(prernn().outside.plan({as_script, "mean", file}, small_settings(), "")),
            (std::map<std::string, int>{{"nomemory", 2}, {"table1", 2}}));
}

TEST_F(NewMethod, AScriptOfAnotherShapeIsRefusedBeforeAnythingRunsAndBothShapesAreNamed) {
  const auto planned_with = [&](const fs::path& file, const std::string& set) {
    RunRequest request;
    request.set = small_prernn;
    request.set.push_back(set);
    return prernn().outside.plan({as_script, "my_gru", file}, settings_of(prernn(), request), "");
  };
  EXPECT_THAT([&] { planned_with(my_gru, "cnn.width=16"); },
              ThrowsUsageError(HasSubstr("fc6.weight"), HasSubstr("[8, 64]"), HasSubstr("[16, 64]")));
  EXPECT_THAT([&] { planned_with(write_script("def forward(self, x):\n  return x\n"), "cnn.width=8"); },
              ThrowsUsageError(HasSubstr("[2, 3, 64]"), HasSubstr("[2, 3, 136]")));
}

TEST_F(NewMethod, ExportedFramesAreWhatTheCellsOfThatSeedHave) {
  const auto exported = std::get<LandmarkSet>(prernn().outside.exported("faces_in_motion", 1, small_settings(), ""));
  EXPECT_EQ(exported.split.train.size(), 16u * 3);
  EXPECT_EQ(exported.split.test.size(), 8u * 3);
  const auto test = exported.set.at(exported.split.test);
  EXPECT_EQ(test.item.at(4), "seed1/clip00001/001");
  EXPECT_EQ(exported.set.item.at(4), "seed1/train/clip00001/001");
  EXPECT_EQ(std::set<std::string>(exported.set.item.begin(), exported.set.item.end()).size(), exported.set.item.size())
      << "no name stands for two pictures";
  EXPECT_EQ(test.images.at(0).sizes(), (std::vector<std::int64_t>{16, 16, 3}));
  EXPECT_THAT([] { prernn().outside.exported("faces_in_moton", 0, small_settings(), ""); }, ThrowsUsageError(HasSubstr("faces_in_motion")));
  datasets::export_split(exported.set, exported.split, folder.path() / "export", datasets::TestLabels::HeldBack);
  const auto held_back = read_csv(folder.path() / "export" / "test.csv");
  EXPECT_EQ(held_back.header, std::vector<std::string>{"item"});
  EXPECT_EQ(read_csv(folder.path() / "export" / "train.csv").header.size(), 137u);
}

TEST_F(NewMethod, PredictionsOfSeveralDataSetsNeedTheirNameInTheFile) {
  auto settings = small_settings();
  settings.set(R"(clips.datasets=["faces_in_motion", "ytf_bursts"])");
  EXPECT_THAT([&] { prernn().outside.plan({as_predictions, "mine", "mine.csv"}, settings, ""); }, ThrowsUsageError(HasSubstr("{dataset}")));
  EXPECT_THAT(
      [&] {
        prernn().outside.plan({as_predictions, "mine", "none_{seed}.csv"}, small_settings(), "");
      },
      ThrowsUsageError(HasSubstr("none_0.csv"), HasSubstr("none_1.csv")));
}

/// Gestures alone, and small.
const std::vector<std::string> small_videos{"clips.datasets=[]",
                                            "actions.datasets=[]",
                                            "gestures.networks=[\"fc\"]",
                                            "videos.size=16",
                                            "videos.frames=4",
                                            "videos.training=24",
                                            "videos.validation=12",
                                            "videos.test=12",
                                            "videos.people=4",
                                            "videos.split=[0.5, 0.25, 0.25]",
                                            "video_networks.trunk_fc=4/2 p",
                                            "video_networks.width=8",
                                            "video_networks.clips=24",
                                            "video_networks.steps_an_epoch=48",
                                            "video_networks.epochs=1",
                                            "video_sequence.epochs=2",
                                            "video_search.epochs=1"};

struct NewMethodOnGestures : NewMethod {
  static Settings settings() {
    RunRequest request;
    request.set = small_videos;
    request.seeds = 2;
    return settings_of(prernn(), request);
  }
  RunResult go_gestures(const std::string& only, std::vector<OutsideMethod> outside) const {
    return go(only, std::move(outside), small_videos);
  }
  /// One output a class for 64 features, with one weight to train.
  fs::path gesture_script() const {
    torch::jit::Module module("Example");
    module.register_parameter("w", torch::full({12}, 0.1).requires_grad_(true), false);
    module.define("def forward(self, x):\n  return x.mean(2, True) * self.w\n");
    module.save((folder.path() / "gesture.pt").string());
    return folder.path() / "gesture.pt";
  }
  /// The true class of every test clip of a seed, the first `wrong` of them false.
  std::string labels_csv(std::int64_t seed, std::int64_t wrong) const {
    const auto exported = std::get<Clips>(prernn().outside.exported("gestures", seed, settings(), ""));
    auto test = exported.set.at(exported.split.test);
    test.labels.narrow(0, 0, wrong).add_(1).remainder_(12);
    return datasets::predictions_csv({.item = test.item, .values = test.labels}, datasets::PredictionKind::Labels);
  }
};

TEST_F(NewMethodOnGestures, AScriptJoinsTheTablesWhoseShapesItHas) {
  EXPECT_EQ(tables_of(prernn().outside.plan({as_script, "mine", gesture_script()}, settings(), "")),
            (std::map<std::string, int>{{"gestures_fc", 2}, {"search_fc", 2}}));
  EXPECT_THAT(
      [&] {
        prernn().outside.plan({as_script, "mine", gesture_script()}, small_settings(), "");
      },
      ThrowsUsageError(HasSubstr("136")))
      << "faces alone: it does not fit";
}

TEST_F(NewMethodOnGestures, ExportedClipsAreWhatTheCellsOfThatSeedHave) {
  const auto exported = std::get<Clips>(prernn().outside.exported("gestures", 1, settings(), ""));
  EXPECT_EQ(exported.split.train.size(), 24u);
  EXPECT_EQ(exported.split.test.size(), 12u);
  EXPECT_EQ(exported.set.depth.size(0), 48);
  for (const auto& item : exported.set.item) EXPECT_TRUE(item.starts_with("seed1/person")) << item;
}

TEST_F(NewMethodOnGestures, BothDoorsEndInTheTableSlow) {
  for (int seed = 0; seed < 2; ++seed) write_file(folder.path() / fmt::format("labels_{}.csv", seed), labels_csv(seed, 3));
  const OutsideMethod labels{as_predictions, "labels", folder.path() / "labels_{seed}.csv"};
  const auto result = go_gestures("gestures_fc/*/mine/*", {{as_script, "mine", gesture_script()}});
  for (const auto& cell : result.cells) EXPECT_NE(cell.outcome, Outcome::Failed) << cell.error;
  const auto scored = go_gestures("gestures_fc/*/labels/*", {labels});
  for (const auto& cell : scored.cells) EXPECT_NE(cell.outcome, Outcome::Failed) << cell.error;
  const auto at = [&](const std::string& method) {
    return cells_in(results).find({"prernn", "gestures_fc", "gestures", method, 1}).value();
  };
  EXPECT_DOUBLE_EQ(*at("labels").metric("accuracy"), 0.75);
  EXPECT_TRUE(at("mine").metric("accuracy_depth") && at("mine").metric("learning_rate_colour"));
  make_report(test_studies(), results, results);
  EXPECT_THAT(read_file(results / "tables" / "your_methods_gestures_fc_gestures.md"),
              AllOf(HasSubstr("| labels |"), HasSubstr("| mine |")));
}

TEST_F(NewMethodOnGestures, LabelsThatAreNoClassAndClipsOfAnotherSeedAreNamedSlow) {
  const auto error_of = [&](const std::string& text) {
    write_file(folder.path() / "labels.csv", text);
    const auto result = go_gestures("gestures_fc/*/labels/*", {{as_predictions, "labels", folder.path() / "labels.csv"}});
    for (const auto& cell : result.cells)
      if (cell.cell.method == "labels") return cell.error;
    return std::string("not run");
  };
  EXPECT_THAT(error_of(labels_csv(1, 0)), AllOf(HasSubstr("12 items of the truth have no prediction"), HasSubstr("prernn/gestures")));
  auto wrong = labels_csv(0, 0);
  wrong.replace(wrong.rfind(','), std::string::npos, ",12\n");
  EXPECT_THAT(error_of(wrong), AllOf(HasSubstr("is 12"), HasSubstr("0 to 11")));
}

/// Predictions that are `off` pixels beside the truth of seed `seed`, as an outside program would write them.
std::string predictions_csv(std::int64_t seed, double off) {
  const auto exported = std::get<LandmarkSet>(prernn().outside.exported("faces_in_motion", seed, small_settings(), ""));
  const auto test = exported.set.at(exported.split.test);
  return datasets::predictions_csv({.item = test.item, .values = test.landmarks.to(at::kDouble) + off},
                                   datasets::PredictionKind::Landmarks);
}

// The whole way of docs/new_method.md, small: two methods from outside and a baseline, from nothing to the table.
TEST_F(NewMethod, BothDoorsEndInTheTableBesideTheBaselineSlow) {
  for (int seed = 0; seed < 2; ++seed) write_file(folder.path() / fmt::format("mine_{}.csv", seed), predictions_csv(seed, 0.25));
  const OutsideMethod mine{as_predictions, "mine", folder.path() / "mine_{seed}.csv"};
  const auto result = go("table1/*/my_gru/*", {{as_script, "my_gru", my_gru}});
  for (const auto& cell : result.cells) EXPECT_NE(cell.outcome, Outcome::Failed) << cell.error;
  go("table1/*/mine/*", {mine});
  go("table1/*/cnn/*", {});

  const auto trained = record("table1", "my_gru", 0), scored = record("table1", "mine", 1);
  EXPECT_EQ(trained.options->at("method.file"), "my_gru.pt");
  EXPECT_EQ(trained.parameters.at("all"), 64 * 8 + 8 + 8 * 8 + 8 + 8 * 136 + 136 + 2 * (3 * 8 * 8 + 3 * 8) + 8);
  EXPECT_FALSE(trained.parameters.contains("recurrent"));
  EXPECT_TRUE(trained.metric("validation_error") && trained.metric("learning_rate"));
  EXPECT_GT(cells_in(results).curves(trained.cell).at("train_loss").size(), 1u);
  // A quarter pixel in x and y: 0.354 pixels over the diagonal of a box of some 10 pixels.
  EXPECT_NEAR(*scored.metric("mean_error"), 0.03, 0.02);
  EXPECT_GT(*scored.metric("auc"), *trained.metric("auc"));

  make_report(test_studies(), results, results);
  EXPECT_THAT(read_file(results / "tables" / "your_methods_faces_in_motion.md"),
              AllOf(HasSubstr("| mine |"), HasSubstr("| my\\_gru |"), HasSubstr("| CNN |")));
}

TEST_F(NewMethod, PredictionsWithItemsMissingExtraOrRepeatedAreNamedSlow) {
  const auto whole = predictions_csv(0, 0);
  const auto lines = [&] {
    std::vector<std::string> all;
    std::istringstream text(whole);
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }();
  const auto go_with = [&](const std::string& text) {
    write_file(folder.path() / "mine.csv", text);
    return go("table1/*/mine/*", {{as_predictions, "mine", folder.path() / "mine.csv"}});
  };
  const auto error_of = [&](const std::string& text) {
    const auto result = go_with(text);
    for (const auto& cell : result.cells)
      if (cell.cell.method == "mine") return cell.error;
    return std::string("not run");
  };
  EXPECT_THAT(error_of(join({lines.begin(), lines.end() - 7}, "\n") + "\n"),
              AllOf(HasSubstr("7 items of the truth have no prediction"), HasSubstr("seed0/clip00005/002"), HasSubstr("and 2 more"),
                    HasSubstr("reprise data export prernn/faces_in_motion --split test --seed 0")));
  EXPECT_THAT(error_of(predictions_csv(1, 0)), HasSubstr("seed0/clip00000/000")) << "predictions of another seed";
  EXPECT_THAT([&] { go_with(whole + lines[3] + "\n"); },
              ThrowsUsageError(HasSubstr("more than one row"), HasSubstr("seed0/clip00000/002")));
  auto broken = lines;
  broken[2] = "seed0/clip00000/001,nan" + broken[2].substr(broken[2].find(',', broken[2].find(',') + 1));
  EXPECT_THAT([&] { go_with(join(broken, "\n") + "\n"); }, ThrowsUsageError(HasSubstr("not finite"), HasSubstr("seed0/clip00000/001")));
  EXPECT_EQ(error_of(whole), "");
  EXPECT_DOUBLE_EQ(*record("table1", "mine", 0).metric("auc"), 1.0);
}

// A dry run writes nothing and calls nothing of a stranger's: this file, which answers in the wrong shape, is not found out.
TEST_F(NewMethod, ADryRunDoesNotCallTheFile) {
  const auto file = write_script("def forward(self, x):\n  return x\n");
  OutsideMethod method{as_script, "wrong", file};
  EXPECT_THAT([&] { prernn().outside.plan(method, small_settings(), ""); }, ThrowsUsageError(HasSubstr("expected float")));
  method.call = false;
  EXPECT_FALSE(prernn().outside.plan(method, small_settings(), "").empty());
  RunRequest request;
  request.set = small_prernn;
  request.results = results;
  request.device = "cpu";
  request.dry_run = true;
  request.outside = {{as_script, "wrong", file}};
  const auto result = run(prernn(), request);
  EXPECT_THAT(result.notes, testing::Contains(HasSubstr("calls nothing in the file of wrong")));
}

}  // namespace
}  // namespace reprise::reproduce
