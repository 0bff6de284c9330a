// Trackers of real faces: training, evaluation, and damaged files.
#include <cmath>
#include <set>

#include "datasets/scene/synthetic_head.h"
#include "metrics/landmarks.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/face_tracker.h"
#include "reproduce/dynamic_face/study.h"
#include "tests/damage.h"
#include "tests/reproduce/dynamic_face_settings.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"
#include "weights/safetensors.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

TEST(DynamicFaceStudy, PhotographsAreRequiredOnlyByProfilesThatUseThem) {
  const auto cells = [](const std::vector<std::string>& changes) {
    std::set<std::string> names;
    for (const auto& cell : dynamic_face().plan(faces_profile("smoke", changes), ""))
      if (cell.cell.table == "photographs" && cell.cell.seed == 0) names.insert(cell.cell.method);
    return names;
  };
  EXPECT_EQ(cells({"photographs.source=drawn"}),
            (std::set<std::string>{"mean_face", "drawn", "photographed", "photographed_gru"}));
  EXPECT_TRUE(cells({}).empty());
  EXPECT_THAT([&] { cells({"photographs.source=paintings"}); },
              ThrowsUsageError(HasSubstr("paintings")));
  EXPECT_THAT(
      [] {
        require_present(
            dynamic_face().plan(faces_profile("smoke", {"photographs.source=real"}), ""));
      },
      ThrowsUsageError(HasSubstr("faces_300w"), HasSubstr("--data")));
}

// Drawn faces replace photographs: all steps, up to a tracker file that `track` reads.
TEST(DynamicFaceStudySlow, ATrackerOfPhotographsIsTrainedAndEvaluatedThroughAllStepsOfTrack) {
  CellsInProcess run(
      dynamic_face(),
      tiny({"photographs.source=drawn", "photographs.size=32", "photographs.epochs=2",
            "photographs.frames_an_epoch=256", "photographs.clips=16", "photographs.drawn=32"}));
  const auto null = run("photographs/faces/mean_face/seed0");
  EXPECT_EQ(null.metric("roll_follows"), 40) << "it knows nothing of a picture";
  EXPECT_EQ(null.metric("sway"), 0);
  EXPECT_EQ(null.metric("yaw"), null.metric("yaw_zero"));
  const auto record = run("photographs/faces/photographed_gru/seed0");
  for (const auto* metric : {"landmarks", "yaw", "roll", "sway", "roll_follows"})
    EXPECT_TRUE(std::isfinite(record.metric(metric).value_or(NAN))) << metric;
  EXPECT_GT(record.metric("found").value(), 0);
  EXPECT_EQ(record.metric("found"), null.metric("found"))
      << "the same pictures, whoever looks at them";
  FaceTracker tracker(run.folder("photographs/faces/photographed_gru/seed0") /
                      "tracker.safetensors");
  EXPECT_TRUE(tracker.gives_landmarks() && tracker.recurrent());
  EXPECT_EQ(tracker.side(), 32);
  EXPECT_EQ(tracker.window().margin, 1.5);
}

// The committed tracker stays readable, and tracks unseen people.
TEST(FaceTracker, SettingsThatAreMadeToBreakItAreRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "tracker.safetensors";
  const std::string deep =
      R"({"cnn.trunk": )" + std::string(100000, '[') + std::string(100000, ']') + "}";
  for (const auto& [settings, why] :
       {std::pair(deep, "lists and objects"), std::pair(std::string("{}{"), "not complete JSON")}) {
    weights::write_safetensors(file, {}, {{"method", "fc_rnn"}, {"settings", settings}});
    EXPECT_THAT(
        [&] { FaceTracker{file}; },
        ThrowsUsageError(HasSubstr("tracker.safetensors, metadata \"settings\""), HasSubstr(why)));
  }
}

// On unseen people in its window it finds landmarks and follows a rotated picture.
TEST(FaceTracker, TheOneInTheExamplesFindsFaces) {
  at::set_num_threads(1);
  FaceTracker tracker(fixture("../../docs/examples/face_tracker.safetensors"));
  ASSERT_TRUE(tracker.gives_pose() && tracker.gives_landmarks());
  const auto heads = datasets::render_head_stills(12, 160, {90001, 90002, 90003}, 5,
                                                  {.pitch = 12, .yaw = 25, .roll = 5});
  double off = 0, follows = 0, sure = 0;
  for (int i = 0; i < 12; ++i) {
    double roll[2];
    for (const int turned : {0, 1}) {
      const auto turn = datasets::turn_affine(160, 160, 20 * turned);
      const auto landmarks = datasets::move_points(heads.landmarks[i], turn);
      const auto window =
          datasets::smooth_windows({datasets::landmark_box(landmarks)}, tracker.window()).front();
      const auto picture = datasets::crop_window(datasets::warp_image(heads.images[i], turn, 160),
                                                 window, tracker.side());
      tracker.restart();
      const auto face = tracker.split_estimate(tracker.next(picture));
      const auto found = datasets::points_in_frame(*face.landmarks, window, tracker.side());
      off += metrics::landmark_error(found.unsqueeze(0), landmarks.unsqueeze(0).to(at::kDouble))
                 .item<double>() /
             24;
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

// Settings in the file determine sizes, so they are checked against its tensors first.
TEST(FaceTracker, SettingsAreCheckedAgainstTheTensorsBeforeAnythingIsBuilt) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.safetensors";
  const auto whole =
      weights::read_safetensors(fixture("../../docs/examples/face_tracker.safetensors"));
  const auto refused = [&](const std::string& key, const nlohmann::json& value,
                           const std::string& says) {
    auto changed = whole;
    auto settings = nlohmann::json::parse(changed.metadata.at("settings"));
    settings[key] = value;
    changed.metadata["settings"] = settings.dump();
    weights::write_safetensors(file, changed.tensors, changed.metadata);
    const MemoryLimit limit(std::int64_t{1} << 30);
    EXPECT_THAT([&] { FaceTracker tracker(file); },
                ThrowsUsageError(HasSubstr(file.string()), HasSubstr(key), HasSubstr(says)))
        << value;
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

}  // namespace
}  // namespace reprise::reproduce
