// External methods in study dynamic_face: a TorchScript network is trained, predictions of poses
// and landmarks are measured, and invalid files are refused by name.
#include <fmt/format.h>
#include <torch/script.h>
#include <torch/torch.h>

#include <map>

#include "core/csv.h"
#include "datasets/export.h"
#include "datasets/formats/npy.h"
#include "datasets/predictions.h"
#include "reproduce/dynamic_face/study.h"
#include "tests/reproduce/external_run.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using datasets::PredictionKind;
using testing::AllOf;
using testing::HasSubstr;

/// Fixture with 128 features per frame.
const std::vector<std::string> small_dynamic_face = split_settings(
    R"(heads.count=8; tracks.count=8; tracks.frames=40; image.size=16; cnn.trunk=6/2 p 8; cnn.width=12; cnn.epochs=1;
    cnn.frames_an_epoch=64; cnn.validation_frames=16; clips.training=6; clips.validation=4; clips.frames=6; test.frames=10;
    test.sequences=3; sequence.epochs=1; search.epochs=1; methods=["cnn"]; size.heads=[]; test.kinds=["clean", "gaps"];
    strength.kinds=["gaps"])");

class DynamicFaceExternal : public ExternalRun {
 protected:
  DynamicFaceExternal() : ExternalRun(dynamic_face(), small_dynamic_face) {}

  datasets::PoseFrames test_frames(std::int64_t seed) const {
    const auto frames = exported<datasets::PoseFrames>("synhead", seed);
    return frames.set.at(frames.split.test);
  }
  /// Writes the ground truth of a seed's test frames plus `off`.
  std::string csv(std::int64_t seed, PredictionKind kind, double off) const {
    const auto frames = test_frames(seed);
    datasets::Predictions predictions{
        .values =
            (kind == PredictionKind::Pose ? frames.pose : frames.landmarks).to(at::kDouble) + off};
    for (std::size_t i = 0; i < frames.images.size(); ++i)
      predictions.item.push_back(frames.item(i));
    return datasets::format_predictions(predictions, kind);
  }
  static void learn(torch::jit::Module& module) {
    module.register_parameter("w", torch::full({3}, 0.1).requires_grad_(true), false);
  }
  std::string error_of_poses(const std::string& text) const {
    write_file(file("poses.csv"), text);
    return run_and_get_error("pose/*/poses/*", {as_predictions, "poses", file("poses.csv")});
  }
};

constexpr auto mean_times_w = "def forward(self, x):\n  return x.mean(2, True) * self.w\n";

TEST_F(DynamicFaceExternal, AScriptIsPlannedWithASearchOfItsRateAndOneThatDoesNotLearnWithout) {
  const auto rates = static_cast<int>(settings().numbers("search.learning_rates").size());
  EXPECT_EQ(count_cells_by_table(plan({as_script, "mine", script(mean_times_w, learn)})),
            (std::map<std::string, int>{{"pose", 2}, {"search", rates}}));
  const auto fixed = script("def forward(self, x):\n  return x[:, :, 0:3] * 0\n");
  const auto cells = plan({as_script, "zero", fixed});
  EXPECT_EQ(count_cells_by_table(cells), (std::map<std::string, int>{{"pose", 2}}));
  for (const auto& cell : cells) EXPECT_TRUE(cell.file.has_value());
}

TEST_F(DynamicFaceExternal, AScriptOfAnotherShapeIsRefusedBeforeAnythingRunsAndBothShapesAreNamed) {
  EXPECT_THAT(
      [&] {
        plan({as_script, "mine", script("def forward(self, x):\n  return x\n")});
      },
      ThrowsUsageError(HasSubstr("[2, 3, 128]"), HasSubstr("[2, 3, 3]")));
  EXPECT_THAT(
      [&] {
        plan({as_script, "mine", folder.path() / "none.pt"});
      },
      ThrowsUsageError(HasSubstr("none.pt")));
}

TEST_F(DynamicFaceExternal, ExportedFramesAreWhatTheCellsOfThatSeedHaveSlow) {
  const auto exported = this->exported<datasets::PoseFrames>("synhead", 1);
  EXPECT_EQ(exported.split.train.size(), 6U * 6);
  EXPECT_EQ(exported.split.validation.size(), 4U * 6);
  EXPECT_EQ(exported.split.test.size(), 2U * 3 * 10);
  EXPECT_EQ(exported.set.at(exported.split.test).item(10), "seed1/clean/00001/0");
  EXPECT_THAT([&] { this->exported<datasets::PoseFrames>("synhed", 0); },
              ThrowsUsageError(HasSubstr("synhead")));
  const auto out = folder.path() / "export";
  datasets::export_split(exported.set, exported.split, out, datasets::TestLabels::HeldBack);
  EXPECT_EQ(read_csv(out / "test.csv").header, (std::vector<std::string>{"sequence", "frame"}));
  EXPECT_EQ(read_csv(out / "train.csv").header,
            (std::vector<std::string>{"sequence", "frame", "pitch", "yaw", "roll"}));
  EXPECT_EQ(read_csv(out / "train_landmarks.csv").header.size(), 137U);
  EXPECT_TRUE(fs::exists(out / "test" / "images" / "seed1" / "gaps" / "00002" / "00009.png"));
  EXPECT_FALSE(fs::exists(out / "test_landmarks.csv")) << "that would be the labels";
}

TEST_F(DynamicFaceExternal, PredictionsThatCannotBeReadAreRefusedBeforeAnythingRuns) {
  const auto refused = [&](const std::string& text) {
    write_file(folder.path() / "poses.csv", text);
    return [this] { plan({as_predictions, "mine", folder.path() / "poses.csv"}); };
  };
  EXPECT_THAT(refused("item,label\na,1\n"),
              ThrowsUsageError(HasSubstr("holds labels"), HasSubstr("pitch,yaw,roll")));
  EXPECT_THAT(refused("a,b\n1,2\n"),
              ThrowsUsageError(HasSubstr("title line"), HasSubstr("sequence,frame,pitch")));
  EXPECT_THAT(refused("sequence,frame,pitch,yaw,roll\nseed0/clean/00000,0,nan,1,2\n"),
              ThrowsUsageError(HasSubstr("line 2")));
  EXPECT_THAT(
      [&] {
        plan({as_predictions, "mine", folder.path() / "none_{seed}.csv"});
      },
      ThrowsUsageError(HasSubstr("none_0.csv"), HasSubstr("none_1.csv")));
}

TEST_F(DynamicFaceExternal, EveryKindEndsInTheTablesBesideTheStudysOwnSlow) {
  for (int seed = 0; seed < 2; ++seed) {
    write_file(folder.path() / fmt::format("poses_{}.csv", seed),
               csv(seed, PredictionKind::Pose, 0.5));
    write_file(folder.path() / fmt::format("points_{}.csv", seed),
               csv(seed, PredictionKind::Landmarks, 0.02));
  }
  datasets::write_npy(folder.path() / "array.npy", test_frames(0).pose.to(at::kDouble) - 0.25);
  done({"pose/*"}, {{as_script, "script", script(mean_times_w, learn)},
                    {as_predictions, "poses", file("poses_{seed}.csv")},
                    {as_predictions, "points", file("points_{seed}.csv")},
                    {as_predictions, "array", file("array.npy")}});
  const auto at = [&](const std::string& method, std::int64_t seed) {
    return record("pose", "synhead", method, seed);
  };
  EXPECT_NEAR(*at("poses", 1).metric("error_gaps"), 0.5, 1e-5);
  EXPECT_NEAR(*at("poses", 1).metric("jitter_gaps"), 0, 1e-5);
  EXPECT_NEAR(*at("array", 0).metric("error_clean"), 0.25, 1e-5);
  EXPECT_GT(*at("points", 0).metric("auc_clean"), 0.9);
  EXPECT_FALSE(at("points", 0).metric("error_clean").has_value());
  EXPECT_TRUE(at("script", 1).metric("learning_rate") && at("script", 1).metric("error_gaps"));
  EXPECT_THAT(page_table("your_methods_pose_synhead"),
              AllOf(HasSubstr("| poses |"), HasSubstr("| script |"), HasSubstr("per frame")));
  EXPECT_THAT(page_table("your_methods_pose_landmarks"), HasSubstr("| points |"));
}

TEST_F(DynamicFaceExternal, MissingFramesAndFramesOfAnotherSeedAreNamedSlow) {
  EXPECT_THAT(error_of_poses(csv(1, PredictionKind::Pose, 0)),
              AllOf(HasSubstr("60 items of the truth have no prediction"),
                    HasSubstr("dynamic_face/synhead")));
  auto text = csv(0, PredictionKind::Pose, 0);
  text.resize(text.rfind('\n', text.size() - 2) + 1);
  EXPECT_THAT(error_of_poses(text), AllOf(HasSubstr("1 item"), HasSubstr("seed0/gaps/00002/9")));
}

}  // namespace
}  // namespace reprise::reproduce
