// The doors of study dynamic_face for methods from outside: a TorchScript network is trained, predictions of poses and of landmarks are
// scored, all end in tables beside the study's own, and what does not fit is refused by name.
#include <fmt/format.h>
#include <torch/script.h>
#include <torch/torch.h>

#include <map>

#include "core/csv.h"
#include "datasets/export.h"
#include "datasets/formats/npy.h"
#include "datasets/predictions.h"
#include "experiments/reporting.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "reproduce/dynamic_face/study.h"
#include "tests/experiments/toy_study.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using datasets::PredictionKind;
using testing::AllOf;
using testing::HasSubstr;

using PoseSet = ExportedSet<datasets::PoseFrames>;

/// 128 features a frame.
const std::vector<std::string> small_dynamic_face{"seeds=2",
                                                  "heads.count=8",
                                                  "tracks.count=8",
                                                  "tracks.frames=40",
                                                  "image.size=16",
                                                  "cnn.trunk=6/2 p 8",
                                                  "cnn.width=12",
                                                  "cnn.epochs=1",
                                                  "cnn.frames_an_epoch=64",
                                                  "cnn.validation_frames=16",
                                                  "clips.training=6",
                                                  "clips.validation=4",
                                                  "clips.frames=6",
                                                  "test.frames=10",
                                                  "test.sequences=3",
                                                  "sequence.epochs=1",
                                                  "search.epochs=1",
                                                  "methods=[\"cnn\"]",
                                                  "size.heads=[]",
                                                  "test.kinds=[\"clean\", \"gaps\"]",
                                                  "strength.kinds=[\"gaps\"]"};

struct NewTracker : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results";

  static Settings settings() { return settings_of(dynamic_face(), {.profile = "smoke", .set = small_dynamic_face}); }
  static std::vector<PlannedCell> planned(const OutsideMethod& method) { return dynamic_face().outside.plan(method, settings(), ""); }
  RunResult go(std::vector<OutsideMethod> outside) const {
    RunRequest request;
    request.set = small_dynamic_face;
    request.results = results;
    request.device = "cpu";
    request.jobs = 2;
    request.progress = nullptr;
    request.only = {"pose/*"};
    request.outside = std::move(outside);
    return run(dynamic_face(), request);
  }
  static datasets::PoseFrames test_frames(std::int64_t seed) {
    const auto exported = std::get<PoseSet>(dynamic_face().outside.exported("synhead", seed, settings(), ""));
    return exported.set.at(exported.split.test);
  }
  /// The truth of a seed's test frames, `off` beside it.
  static std::string csv(std::int64_t seed, PredictionKind kind, double off) {
    const auto frames = test_frames(seed);
    datasets::Predictions predictions{.values = (kind == PredictionKind::Pose ? frames.pose : frames.landmarks).to(at::kDouble) + off};
    for (std::size_t i = 0; i < frames.images.size(); ++i) predictions.item.push_back(frames.item(i));
    return datasets::predictions_csv(predictions, kind);
  }
  fs::path script(const std::string& forward, bool learns = true) const {
    torch::jit::Module module("Example");
    if (learns) module.register_parameter("w", torch::full({3}, 0.1).requires_grad_(true), false);
    module.define(forward);
    module.save((folder.path() / "method.pt").string());
    return folder.path() / "method.pt";
  }
  std::string error_of(const std::string& text) const {
    write_file(folder.path() / "poses.csv", text);
    for (const auto& cell : go({{as_predictions, "poses", folder.path() / "poses.csv"}}).cells)
      if (cell.cell.method == "poses") return cell.error;
    return "not run";
  }
};

constexpr auto mean_times_w = "def forward(self, x):\n  return x.mean(2, True) * self.w\n";

TEST_F(NewTracker, AScriptIsPlannedWithASearchOfItsRateAndOneThatDoesNotLearnWithout) {
  const auto rates = static_cast<int>(settings().numbers("search.learning_rates").size());
  EXPECT_EQ(tables_of(planned({as_script, "mine", script(mean_times_w)})), (std::map<std::string, int>{{"pose", 2}, {"search", rates}}));
  const auto fixed = script("def forward(self, x):\n  return x[:, :, 0:3] * 0\n", /*learns=*/false);
  const auto cells = planned({as_script, "zero", fixed});
  EXPECT_EQ(tables_of(cells), (std::map<std::string, int>{{"pose", 2}}));
  for (const auto& cell : cells) EXPECT_TRUE(cell.file.has_value());
}

TEST_F(NewTracker, AScriptOfAnotherShapeIsRefusedBeforeAnythingRunsAndBothShapesAreNamed) {
  EXPECT_THAT(
      [&] {
        planned({as_script, "mine", script("def forward(self, x):\n  return x\n", false)});
      },
      ThrowsUsageError(HasSubstr("[2, 3, 128]"), HasSubstr("[2, 3, 3]")));
  EXPECT_THAT([&] { planned({as_script, "mine", folder.path() / "none.pt"}); }, ThrowsUsageError(HasSubstr("none.pt")));
}

TEST_F(NewTracker, ExportedFramesAreWhatTheCellsOfThatSeedHave) {
  const auto exported = std::get<PoseSet>(dynamic_face().outside.exported("synhead", 1, settings(), ""));
  EXPECT_EQ(exported.split.train.size(), 6U * 6);
  EXPECT_EQ(exported.split.validation.size(), 4U * 6);
  EXPECT_EQ(exported.split.test.size(), 2U * 3 * 10);
  EXPECT_EQ(exported.set.at(exported.split.test).item(10), "seed1/clean/00001/0");
  EXPECT_THAT([] { dynamic_face().outside.exported("synhed", 0, settings(), ""); }, ThrowsUsageError(HasSubstr("synhead")));
  const auto out = folder.path() / "export";
  datasets::export_split(exported.set, exported.split, out, datasets::TestLabels::HeldBack);
  EXPECT_EQ(read_csv(out / "test.csv").header, (std::vector<std::string>{"sequence", "frame"}));
  EXPECT_EQ(read_csv(out / "train.csv").header, (std::vector<std::string>{"sequence", "frame", "pitch", "yaw", "roll"}));
  EXPECT_EQ(read_csv(out / "train_landmarks.csv").header.size(), 137U);
  EXPECT_TRUE(fs::exists(out / "test" / "images" / "seed1" / "gaps" / "00002" / "00009.png"));
  EXPECT_FALSE(fs::exists(out / "test_landmarks.csv")) << "that would be the labels";
}

TEST_F(NewTracker, PredictionsThatCannotBeReadAreRefusedBeforeAnythingRuns) {
  const auto refused = [&](const std::string& text) {
    write_file(folder.path() / "poses.csv", text);
    return [this] { planned({as_predictions, "mine", folder.path() / "poses.csv"}); };
  };
  EXPECT_THAT(refused("item,label\na,1\n"), ThrowsUsageError(HasSubstr("holds labels"), HasSubstr("pitch,yaw,roll")));
  EXPECT_THAT(refused("a,b\n1,2\n"), ThrowsUsageError(HasSubstr("title line"), HasSubstr("sequence,frame,pitch")));
  EXPECT_THAT(refused("sequence,frame,pitch,yaw,roll\nseed0/clean/00000,0,nan,1,2\n"), ThrowsUsageError(HasSubstr("line 2")));
  EXPECT_THAT(
      [&] {
        planned({as_predictions, "mine", folder.path() / "none_{seed}.csv"});
      },
      ThrowsUsageError(HasSubstr("none_0.csv"), HasSubstr("none_1.csv")));
}

TEST_F(NewTracker, AllDoorsEndInTheTablesBesideTheStudysOwnSlow) {
  for (int seed = 0; seed < 2; ++seed) {
    write_file(folder.path() / fmt::format("poses_{}.csv", seed), csv(seed, PredictionKind::Pose, 0.5));
    write_file(folder.path() / fmt::format("points_{}.csv", seed), csv(seed, PredictionKind::Landmarks, 0.02));
  }
  datasets::write_npy(folder.path() / "array.npy", test_frames(0).pose.to(at::kDouble) - 0.25);
  const auto result = go({{as_script, "script", script(mean_times_w)},
                          {as_predictions, "poses", folder.path() / "poses_{seed}.csv"},
                          {as_predictions, "points", folder.path() / "points_{seed}.csv"},
                          {as_predictions, "array", folder.path() / "array.npy"}});
  for (const auto& cell : result.cells) EXPECT_NE(cell.outcome, Outcome::Failed) << cell.cell.id() << ": " << cell.error;
  const auto at = [&](const std::string& method, std::int64_t seed) {
    return cells_in(results).find({"dynamic_face", "pose", "synhead", method, seed}).value();
  };
  EXPECT_NEAR(*at("poses", 1).metric("error_gaps"), 0.5, 1e-5);
  EXPECT_NEAR(*at("poses", 1).metric("jitter_gaps"), 0, 1e-5);
  EXPECT_NEAR(*at("array", 0).metric("error_clean"), 0.25, 1e-5);
  EXPECT_GT(*at("points", 0).metric("auc_clean"), 0.9);
  EXPECT_FALSE(at("points", 0).metric("error_clean").has_value());
  EXPECT_TRUE(at("script", 1).metric("learning_rate") && at("script", 1).metric("error_gaps"));
  make_report(test_studies(), results, results);
  EXPECT_THAT(read_file(results / "tables" / "your_methods.md"),
              AllOf(HasSubstr("| poses |"), HasSubstr("| script |"), HasSubstr("per frame")));
  EXPECT_THAT(read_file(results / "tables" / "your_landmarks.md"), HasSubstr("| points |"));
}

TEST_F(NewTracker, MissingFramesAndFramesOfAnotherSeedAreNamedSlow) {
  EXPECT_THAT(error_of(csv(1, PredictionKind::Pose, 0)),
              AllOf(HasSubstr("60 items of the truth have no prediction"), HasSubstr("dynamic_face/synhead")));
  auto text = csv(0, PredictionKind::Pose, 0);
  text.resize(text.rfind('\n', text.size() - 2) + 1);
  EXPECT_THAT(error_of(text), AllOf(HasSubstr("1 item"), HasSubstr("seed0/gaps/00002/9")));
}

}  // namespace
}  // namespace reprise::reproduce
