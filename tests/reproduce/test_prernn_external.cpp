// Examples of docs/new_method.md on a very small study prernn: a TorchScript file is trained,
// predictions are scored, and both appear in the table.
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
#include "experiments/external_network.h"
#include "metrics/landmarks.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/prernn/external.h"
#include "reproduce/prernn/study.h"
#include "tests/reproduce/external_run.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// Fixture with 64 features and width 8, the sizes of tests/fixtures/methods/my_gru.pt.
const std::vector<std::string> small_prernn = split_settings(
    R"(stills.count=24; stills.identities=12; image.size=16; camera.frames=3; clips.training=16; clips.validation=8; clips.test=8;
    cnn.trunk=4 p p; cnn.width=8; cnn.epochs=1; cnn.batch=8; cnn.frames_an_epoch=32; cnn.validation_frames=16; sequence.epochs=2;
    sequence.batch=4; search.epochs=1; gestures.datasets=[]; actions.datasets=[])");

class PrernnExternal : public ExternalRun {
 protected:
  explicit PrernnExternal(std::vector<std::string> set = small_prernn)
      : ExternalRun(prernn(), std::move(set)) {}

  records::Record record(const std::string& table, const std::string& method,
                         std::int64_t seed) const {
    return ExternalRun::record(table, "faces_in_motion", method, seed);
  }
  std::filesystem::path mean_face(const std::string& forward) const {
    return script(forward, [](torch::jit::Module& module) {
      module.register_buffer("mean_face", torch::zeros({136}));
    });
  }
  /// Writes the landmarks of a seed's test frames plus `off` pixels.
  std::string format_predictions(std::int64_t seed, double off,
                                 const std::string& dataset = "faces_in_motion",
                                 const std::vector<std::string>& changes = {}) const {
    const auto exported = this->exported<datasets::LandmarkFrames>(dataset, seed, changes);
    const auto test = exported.set.at(exported.split.test);
    return datasets::format_predictions(
        {.item = test.item, .values = test.landmarks.to(at::kDouble) + off},
        datasets::PredictionKind::Landmarks);
  }
  const std::filesystem::path my_gru = fixture("methods/my_gru.pt");
};

TEST_F(PrernnExternal, ATorchScriptMethodIsPlannedLikeTheStudysOwn) {
  const auto cells = plan({as_script, "my_gru", my_gru});
  EXPECT_EQ(count_cells_by_table(cells),
            (std::map<std::string, int>{
                {"nomemory", 2}, {"search", 2}, {"search_nomemory", 2}, {"table1", 2}}));
  for (const auto& planned : cells) {
    EXPECT_TRUE(planned.cell.method.starts_with("my_gru"));
    for (const auto& need : planned.needs)
      EXPECT_EQ(need.method.find("trad"), std::string::npos) << planned.cell.id();
  }
}

/// Writes y = NAME(relu(fc7(relu(fc6(x))))) for the small networks, with fixed weights. more:
/// another layer of the output layer's shape.
fs::path write_layers(const fs::path& file, const std::string& output, bool learns = true,
                      const std::string& more = "", std::int64_t outputs = 136,
                      std::int64_t features = 64, std::int64_t width = 8) {
  torch::jit::Module module("Example");
  const auto add = [&](const std::string& name, std::int64_t from, std::int64_t to) {
    torch::jit::Module layer("Layer_" + name);
    const auto values = torch::linspace(-0.3, 0.3, to * from).view({to, from});
    layer.register_parameter("weight", values.clone().set_requires_grad(learns), false);
    layer.register_parameter("bias", torch::linspace(-0.1, 0.1, to).set_requires_grad(learns),
                             false);
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
  auto cnn = models::make_small_network(
      {.channels = 3, .size = 16, .trunk = "4 p p", .width = 8, .outputs = 136}, random);
  const torch::NoGradGuard no_gradient;
  cnn->stages().back().parts.back().map->weight.mul_(output_times);
  return cnn;
}

torch::Tensor first_outputs(const fs::path& file, bool draw_output, double output_times = 1) {
  return scripted_network(file, small_cnn(output_times), draw_output)
      ->forward(torch::linspace(0, 1, 2 * 3 * 64).view({2, 3, 64}));
}

// With profile smoke the trained output layer raises AUC by a factor of 30: the name of a layer
// must not decide who has it.
TEST_F(PrernnExternal, TheOutputLayerStartsTheSameWhateverItsName) {
  const auto out = write_layers(folder.path() / "out.pt", "out"),
             head = write_layers(folder.path() / "head.pt", "head");
  for (const bool draw_output : {true, false}) {
    EXPECT_TRUE(first_outputs(out, draw_output).equal(first_outputs(head, draw_output)))
        << draw_output;
    EXPECT_EQ(scripted_network(out, small_cnn(), draw_output)->untrained_parameters().size(),
              draw_output ? 2U : 0U);
    EXPECT_EQ(scripted_network(head, small_cnn(), draw_output)->untrained_parameters().size(),
              draw_output ? 2U : 0U);
    EXPECT_EQ(first_outputs(head, draw_output, 1).equal(first_outputs(head, draw_output, 2)),
              draw_output)
        << "of the trained layer";
  }
  EXPECT_TRUE(
      first_outputs(write_layers(folder.path() / "fixed.pt", "head", /*learns=*/false), true)
          .equal(first_outputs(head, false)))
      << "nothing to train: the plain network's layers";
}

TEST_F(PrernnExternal, OfSeveralLayersWithTheOutputLayersShapeTheOneNamedOutIsMeant) {
  const auto kept = [&](const std::string& output, const std::string& more) {
    return plan({as_script, "mine",
                 write_layers(folder.path() / (output + more + ".pt"), output, true, more)},
                {"start.draw_output=false"});
  };
  EXPECT_THAT(
      [&] { kept("head", "other"); },
      ThrowsUsageError(HasSubstr("layers head, other"), HasSubstr("name the output layer out")));
  EXPECT_TRUE(kept("out", "other").front().file->notes.empty());
  EXPECT_TRUE(first_outputs(folder.path() / "outother.pt", false)
                  .equal(first_outputs(write_layers(folder.path() / "o.pt", "out"), false)));
  EXPECT_NO_THROW(plan({as_script, "mine", folder.path() / "headother.pt"})) << "all layers drawn";
}

TEST_F(PrernnExternal, LayersThatDoNotStartAsTheOthersDoAreReported) {
  script(
      "def forward(self, x):\n  return x.mean(2, True) * self.w\n",
      [](torch::jit::Module& module) {
        module.register_parameter("w", torch::full({136}, 0.1).requires_grad_(true), false);
      },
      "w.pt");
  const ExternalMethod method{as_script, "mine", folder.path() / "w.pt"};
  const auto hidden = HasSubstr("w.pt has no fc6.weight, fc7.weight");
  EXPECT_THAT(plan(method, {"start.draw_output=false"}).front().file->notes,
              testing::ElementsAre(hidden, AllOf(HasSubstr("w.pt starts as it is in the file"),
                                                 HasSubstr("[136, 8]"))));
  EXPECT_THAT(plan(method).front().file->notes, testing::ElementsAre(hidden));
  EXPECT_TRUE(plan({as_script, "mine", my_gru}).front().file->notes.empty());
}

// As above, from the file to the record.
TEST_F(PrernnExternal, TheSameNetworkHasTheSameRecordWhateverItsOutputLayerIsCalledSlow) {
  std::vector<std::vector<records::Metric>> found;
  for (const std::string output : {"out", "head"}) {
    auto adapted = request();
    adapted.only = {"table1/*/mine/*"};
    adapted.results = folder.path() / output;
    adapted.external = {
        {as_script, "mine", write_layers(folder.path() / (output + ".pt"), output)}};
    for (const auto& cell : run(prernn(), adapted).cells)
      EXPECT_NE(cell.outcome, Outcome::Failed) << cell.error;
    found.push_back(cells_in(adapted.results)
                        .find({"prernn", "table1", "faces_in_motion", "mine", 1})
                        .value()
                        .metrics);
  }
  ASSERT_EQ(found[0].size(), found[1].size());
  for (std::size_t i = 0; i < found[0].size(); ++i)
    EXPECT_EQ(found[0][i].value, found[1][i].value) << found[0][i].name;
}

TEST_F(PrernnExternal, AScriptWithoutParametersIsOnlyMeasured) {
  const auto file = mean_face(
      "def forward(self, x):\n  return self.mean_face.expand(x.size(0), x.size(1), 136)\n");
  EXPECT_EQ(count_cells_by_table(plan({as_script, "mean", file})),
            (std::map<std::string, int>{{"nomemory", 2}, {"table1", 2}}));
}

TEST_F(PrernnExternal, AScriptOfAnotherShapeIsRefusedBeforeAnythingRunsAndBothShapesAreNamed) {
  const auto planned_with = [&](const fs::path& file, const std::string& set) {
    return plan({as_script, "my_gru", file}, {set});
  };
  EXPECT_THAT(
      [&] { planned_with(my_gru, "cnn.width=16"); },
      ThrowsUsageError(HasSubstr("fc6.weight"), HasSubstr("[8, 64]"), HasSubstr("[16, 64]")));
  EXPECT_THAT(
      [&] { planned_with(mean_face("def forward(self, x):\n  return x\n"), "cnn.width=8"); },
      ThrowsUsageError(HasSubstr("[2, 3, 64]"), HasSubstr("[2, 3, 136]")));
}

TEST_F(PrernnExternal, ExportedFramesAreWhatTheCellsOfThatSeedHaveSlow) {
  const auto exported = this->exported<datasets::LandmarkFrames>("faces_in_motion", 1);
  EXPECT_EQ(exported.split.train.size(), 16u * 3);
  EXPECT_EQ(exported.split.test.size(), 8u * 3);
  const auto test = exported.set.at(exported.split.test);
  EXPECT_EQ(test.item.at(4), "seed1/clip00001/001");
  EXPECT_EQ(exported.set.item.at(4), "seed1/train/clip00001/001");
  EXPECT_EQ(std::set<std::string>(exported.set.item.begin(), exported.set.item.end()).size(),
            exported.set.item.size())
      << "no name stands for two pictures";
  EXPECT_EQ(test.images.at(0).sizes(), (std::vector<std::int64_t>{16, 16, 3}));
  EXPECT_THAT([&] { this->exported<datasets::LandmarkFrames>("faces_in_moton", 0); },
              ThrowsUsageError(HasSubstr("faces_in_motion")));
  datasets::export_split(exported.set, exported.split, folder.path() / "export",
                         datasets::TestLabels::HeldBack);
  const auto held_back = read_csv(folder.path() / "export" / "test.csv");
  EXPECT_EQ(held_back.header, std::vector<std::string>{"item"});
  EXPECT_EQ(read_csv(folder.path() / "export" / "train.csv").header.size(), 137u);
}

TEST_F(PrernnExternal, PredictionsOfSeveralDataSetsNeedTheirNameInTheFileSlow) {
  write_file(file("mine.csv"), format_predictions(0, 0));
  const std::vector<std::string> two_sets{R"(heads.methods=["cnn"])"};
  EXPECT_THAT(
      [&] {
        plan({as_predictions, "mine", file("mine.csv")}, two_sets);
      },
      ThrowsUsageError(HasSubstr("2 data sets: faces_in_motion, heads_in_motion"),
                       HasSubstr("{dataset}")));
  EXPECT_EQ(plan({as_predictions, "mine", file("mine.csv")}, two_sets, {"*/heads_in_motion/mine/*"})
                .front()
                .cell.dataset,
            "heads_in_motion");
  EXPECT_THAT(
      [&] {
        plan({as_predictions, "mine", "none_{seed}.csv"});
      },
      ThrowsUsageError(HasSubstr("none_0.csv"), HasSubstr("none_1.csv")));
}

/// Fixture with small gestures only.
const std::vector<std::string> small_videos = split_settings(
    R"(clips.datasets=[]; actions.datasets=[]; gestures.networks=["fc"]; videos.size=16; videos.frames=4; videos.training=24;
    videos.validation=12; videos.test=12; videos.people=4; videos.split=[0.5, 0.25, 0.25]; video_networks.trunk_fc=4/2 p;
    video_networks.width=8; video_networks.clips=24; video_networks.steps_an_epoch=48; video_networks.epochs=1;
    video_sequence.epochs=2; video_search.epochs=1)");

class PrernnExternalOnGestures : public PrernnExternal {
 protected:
  PrernnExternalOnGestures() : PrernnExternal(small_videos) {}
  /// Writes a script with one output per class for 64 features, and one weight to train.
  fs::path gesture_script() const {
    return script("def forward(self, x):\n  return x.mean(2, True) * self.w\n",
                  [](torch::jit::Module& module) {
                    module.register_parameter("w", torch::full({12}, 0.1).requires_grad_(true),
                                              false);
                  });
  }
  /// Writes the true class of every test clip of a seed; the first `wrong` are false.
  std::string labels_csv(std::int64_t seed, std::int64_t wrong) const {
    const auto exported = this->exported<datasets::LabelledClips>("gestures", seed);
    auto test = exported.set.at(exported.split.test);
    test.labels.narrow(0, 0, wrong).add_(1).remainder_(12);
    return datasets::format_predictions({.item = test.item, .values = test.labels},
                                        datasets::PredictionKind::Labels);
  }
};

TEST_F(PrernnExternalOnGestures, AScriptJoinsTheTablesWhoseShapesItHas) {
  EXPECT_EQ(count_cells_by_table(plan({as_script, "mine", gesture_script()})),
            (std::map<std::string, int>{{"gestures_fc", 2}, {"search_fc", 2}}));
  EXPECT_THAT(
      [&] {
        plan({as_script, "mine", gesture_script()},
             {"gestures.datasets=[]", "clips.datasets=[\"faces_in_motion\"]"});
      },
      ThrowsUsageError(HasSubstr("136")))
      << "faces alone: it does not fit";
}

TEST_F(PrernnExternalOnGestures, ExportedClipsAreWhatTheCellsOfThatSeedHave) {
  const auto exported = this->exported<datasets::LabelledClips>("gestures", 1);
  EXPECT_EQ(exported.split.train.size(), 24u);
  EXPECT_EQ(exported.split.test.size(), 12u);
  EXPECT_EQ(exported.set.depth.size(0), 48);
  for (const auto& item : exported.set.item) EXPECT_TRUE(item.starts_with("seed1/person")) << item;
}

TEST_F(PrernnExternalOnGestures, BothKindsEndInTheTableSlow) {
  for (int seed = 0; seed < 2; ++seed)
    write_file(folder.path() / fmt::format("labels_{}.csv", seed), labels_csv(seed, 3));
  const ExternalMethod labels{as_predictions, "labels", folder.path() / "labels_{seed}.csv"};
  done({"gestures_fc/*/mine/*"}, {{as_script, "mine", gesture_script()}});
  done({"gestures_fc/*/labels/*"}, {labels});
  const auto at = [&](const std::string& method) {
    return ExternalRun::record("gestures_fc", "gestures", method, 1);
  };
  EXPECT_DOUBLE_EQ(*at("labels").metric("accuracy"), 0.75);
  EXPECT_TRUE(at("mine").metric("accuracy_depth") && at("mine").metric("learning_rate_colour"));
  EXPECT_THAT(page_table("your_methods_gestures_fc_gestures"),
              AllOf(HasSubstr("| labels |"), HasSubstr("| mine |")));
}

TEST_F(PrernnExternalOnGestures, LabelsThatAreNoClassAndClipsOfAnotherSeedAreNamedSlow) {
  const auto error_with = [&](const std::string& text) {
    write_file(file("labels.csv"), text);
    return run_and_get_error("gestures_fc/*/labels/*",
                             {as_predictions, "labels", file("labels.csv")});
  };
  EXPECT_THAT(
      error_with(labels_csv(1, 0)),
      AllOf(HasSubstr("12 items of the truth have no prediction"), HasSubstr("prernn/gestures")));
  auto wrong = labels_csv(0, 0);
  wrong.replace(wrong.rfind(','), std::string::npos, ",12\n");
  EXPECT_THAT(error_with(wrong), AllOf(HasSubstr("is 12"), HasSubstr("0 to 11")));
}

// All steps of docs/new_method.md in small: two external methods and a baseline, from nothing to
// the table.
TEST_F(PrernnExternal, BothKindsEndInTheTableWithTheBaselineSlow) {
  for (int seed = 0; seed < 2; ++seed)
    write_file(folder.path() / fmt::format("mine_{}.csv", seed), format_predictions(seed, 0.25));
  const ExternalMethod mine{as_predictions, "mine", folder.path() / "mine_{seed}.csv"};
  done({"table1/*/my_gru/*"}, {{as_script, "my_gru", my_gru}});
  done({"table1/*/mine/*"}, {mine});
  done({"table1/*/cnn/*"}, {});

  const auto trained = record("table1", "my_gru", 0), scored = record("table1", "mine", 1);
  EXPECT_EQ(trained.options->at("method.file"), "my_gru.pt");
  EXPECT_EQ(trained.parameters.at("all"),
            64 * 8 + 8 + 8 * 8 + 8 + 8 * 136 + 136 + 2 * (3 * 8 * 8 + 3 * 8) + 8);
  EXPECT_FALSE(trained.parameters.contains("recurrent"));
  EXPECT_TRUE(trained.metric("validation_error") && trained.metric("learning_rate"));
  EXPECT_GT(cells_in(results).curves(trained.cell).at("train_loss").size(), 1u);
  // A quarter pixel in x and y: 0.354 pixels over the diagonal of a box of some 10 pixels.
  EXPECT_NEAR(*scored.metric("mean_error"), 0.03, 0.02);
  EXPECT_GT(*scored.metric("auc"), *trained.metric("auc"));

  EXPECT_THAT(page_table("your_methods_table1_faces_in_motion"),
              AllOf(HasSubstr("| mine |"), HasSubstr("| my\\_gru |"), HasSubstr("| CNN |")));
}

/// As in profile small: faces are photographs, and generated heads have rows too.
const std::vector<std::string> photographs_and_heads{"stills.source=real",
                                                     R"(heads.methods=["cnn", "trad_gru_1"])"};

// Users without photographs compare methods on generated heads. Data that no cell of the run reads
// are not required.
TEST_F(PrernnExternal, OnlyCellsThatRunRequireDataSlow) {
  write_file(file("mine.csv"), format_predictions(0, 0, "heads_in_motion", photographs_and_heads));
  const ExternalMethod mine{as_predictions, "mine", file("mine.csv")};
  for (const auto& cell : go({"*/heads_in_motion/mine/*"}, {mine}, photographs_and_heads).cells)
    EXPECT_EQ(cell.error, "");
  EXPECT_EQ(cells_in(results).all().size(), 1U) << "no network is trained for predictions";
  EXPECT_DOUBLE_EQ(*ExternalRun::record("table1", "heads_in_motion", "mine", 0).metric("auc"), 1.0);
  EXPECT_THAT(
      [&] { go({"table1/faces_in_motion/cnn/*"}, {}, photographs_and_heads); },
      ThrowsUsageError(HasSubstr("faces_300w"), HasSubstr("ytf_keypoints"), HasSubstr("--only")));
}

TEST_F(PrernnExternal, AScriptOnGeneratedHeadsIsSearchedThereAndNeedsNoPhotographsSlow) {
  for (const auto& cell :
       go({"table1/heads_in_motion/mine/*"}, {{as_script, "mine", my_gru}}, photographs_and_heads)
           .cells) {
    EXPECT_EQ(cell.error, "") << cell.cell.id();
    EXPECT_TRUE(cell.cell.dataset == "heads_in_motion" || cell.cell.dataset == "heads")
        << cell.cell.id();
  }
  EXPECT_TRUE(ExternalRun::record("table1", "heads_in_motion", "mine", 1)
                  .metric("learning_rate")
                  .has_value());
}

TEST_F(PrernnExternal, PredictionsWithItemsMissingExtraOrRepeatedAreNamedSlow) {
  const auto whole = format_predictions(0, 0);
  const auto lines = [&] {
    std::vector<std::string> all;
    std::istringstream text(whole);
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }();
  const ExternalMethod mine{as_predictions, "mine", file("mine.csv")};
  const auto error_with = [&](const std::string& text) {
    write_file(file("mine.csv"), text);
    return run_and_get_error("table1/*/mine/*", mine);
  };
  EXPECT_THAT(
      error_with(join({lines.begin(), lines.end() - 7}, "\n") + "\n"),
      AllOf(
          HasSubstr("7 items of the truth have no prediction"), HasSubstr("seed0/clip00005/002"),
          HasSubstr("and 2 more"),
          HasSubstr(
              "./reprise data export prernn/faces_in_motion --split test --seed 0 --profile smoke --out items")));
  EXPECT_THAT(error_with(format_predictions(1, 0)), HasSubstr("seed0/clip00000/000"))
      << "predictions of another seed";
  EXPECT_THAT([&] { error_with(whole + lines[3] + "\n"); },
              ThrowsUsageError(HasSubstr("more than one row"), HasSubstr("seed0/clip00000/002")));
  auto broken = lines;
  broken[2] =
      "seed0/clip00000/001,nan" + broken[2].substr(broken[2].find(',', broken[2].find(',') + 1));
  EXPECT_THAT([&] { error_with(join(broken, "\n") + "\n"); },
              ThrowsUsageError(HasSubstr("not finite"), HasSubstr("seed0/clip00000/001")));
  EXPECT_EQ(error_with(whole), "");
  EXPECT_DOUBLE_EQ(*record("table1", "mine", 0).metric("auc"), 1.0);
}

// A dry run writes nothing and does not call a user's file: this one, with outputs of the wrong
// shape, is not detected.
TEST_F(PrernnExternal, ADryRunDoesNotCallTheFileSlow) {
  const auto file = mean_face("def forward(self, x):\n  return x\n");
  ExternalMethod method{as_script, "wrong", file};
  EXPECT_THAT([&] { plan(method); }, ThrowsUsageError(HasSubstr("expected float")));
  method.call = false;
  EXPECT_FALSE(plan(method).empty());
  auto adapted = request();
  adapted.dry_run = true;
  adapted.external = {{as_script, "wrong", file}};
  const auto result = run(prernn(), adapted);
  EXPECT_THAT(result.notes, testing::Contains(HasSubstr("calls nothing in the file of wrong")));
}

}  // namespace
}  // namespace reprise::reproduce
