// Cells of study dynamic_face on a very small set.
#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "experiments/run/request.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/face_tracker.h"
#include "reproduce/dynamic_face/study.h"
#include "tests/reproduce/dynamic_face_settings.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"
#include "weights/safetensors.h"

namespace reprise::reproduce {
namespace {

using dynamic_face_study::methods;
using testing::HasSubstr;

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
      EXPECT_EQ(record.metric("auc_" + kind).has_value(), gives_landmarks(method.output()))
          << method.info.id;
      EXPECT_EQ(record.metric("error_3d_" + kind).has_value(),
                method.output() == dynamic_face_study::Output::Landmarks3d)
          << method.info.id;
    }
  }
  // A filter reads the estimates of its method, and the bound is at least as good as the filter.
  const auto of = [&](const std::string& method, const char* metric) {
    return run("pose/synhead/" + method + "/seed0").metric(metric).value();
  };
  EXPECT_LT(of("kalman_velocity", "jitter_gaps"), of("cnn", "jitter_gaps"));
  EXPECT_LT(of("moving_average", "jitter_gaps"), of("cnn", "jitter_gaps"));
  EXPECT_LT(of("kalman_landmarks", "landmark_jitter_gaps"),
            of("cnn_landmarks", "landmark_jitter_gaps"));
  EXPECT_LE(of("kalman_bound", "error_gaps"), of("kalman_velocity", "error_gaps") + 0.05);
  // A written tracker gives, frame by frame, the outputs of the method on the whole clip.
  const auto settings = tiny();
  const auto parts = dynamic_face_study::load_scenes(settings, "", 0);
  const auto clips = dynamic_face_study::test_sequences(parts, "gaps@0.5", settings, 0);
  for (const std::string name : {"cnn", "fc_lstm", "fc_gru_joint", "fc_gru_end_to_end"}) {
    const auto folder = run.folder("pose/synhead/" + name + "/seed0");
    FaceTracker tracker(folder / "tracker.safetensors");
    EXPECT_EQ(tracker.side(), 16);
    EXPECT_EQ(tracker.gives_landmarks(), name == "fc_gru_joint");
    const auto estimates = weights::read_safetensors(folder / "estimates.safetensors").tensors;
    const auto expected = std::find_if(estimates.begin(), estimates.end(), [](const auto& item) {
                            return item.first == "gaps@0.5";
                          })->second;
    for (int sequence = 0; sequence < 2; ++sequence, tracker.restart())
      for (int t = 0; t < 20; ++t) {
        const auto estimate = tracker.next(clips.images[sequence][t]);
        for (int a = 0; a < 3; ++a)
          ASSERT_NEAR(estimate[a].item<double>(), expected[sequence][t][a].item<double>(), 2e-3)
              << name << " frame " << t;
        EXPECT_EQ(tracker.split_estimate(estimate).landmarks.has_value(),
                  tracker.gives_landmarks());
      }
    EXPECT_THAT(
        [&] {
          tracker.next(torch::zeros({8, 8, 3}, torch::kByte));
        },
        ThrowsUsageError(HasSubstr("[16, 16, 3]")));
  }
  EXPECT_THAT([&] { FaceTracker(run.folder("cnn/synhead/pose/seed0") / "weights.safetensors"); },
              ThrowsUsageError(HasSubstr("is not a tracker")));
  EXPECT_TRUE(of("kalman_velocity", "w_ih_1") > 0);
  EXPECT_TRUE(run("size/synhead/heads-2/seed0").metric("error_gaps").has_value());
}

// All steps of the full-size run in small: layers and weights of VGG16, ReLU, recurrent layers.
TEST(DynamicFaceStudySlow, StartsFromVgg16sWeightsSlow) {
  const TemporaryFolder folder;
  Random random(5);
  const auto vgg16 = models::make_small_network(
      {.channels = 3,
       .size = 32,
       .trunk = "64 64 p 128 128 p 256 256 256 p 512 512 512 p 512 512 512 p",
       .batch_norm = false,
       .width = 8},
      random);
  weights::StateDict state;
  for (const auto& item : vgg16->named_parameters()) {
    auto name = item.key();
    for (const auto& [ours, theirs] :
         {std::pair{"trunk.", "features."}, {"fc6.", "classifier.0."}, {"fc7.", "classifier.3."}})
      if (name.starts_with(ours)) name = theirs + name.substr(std::string(ours).size());
    state.emplace_back(name, item.value().detach());
  }
  weights::write_safetensors(folder.path() / "vgg16.safetensors", state);
  const auto settings = tiny({"cnn.trunk=vgg16", "cnn.width=8", "image.size=32",
                              "cnn.frames_an_epoch=4", "cnn.batch=4", "clips.training=2",
                              "cnn.learning_rate=1e-12", "clips.validation=2", "test.sequences=2"});
  CellsInProcess run(dynamic_face(), settings, folder.path());
  EXPECT_TRUE(std::isfinite(run("pose/synhead/fc_rnn/seed0").metric("error_clean").value()));
  const auto trained =
      weights::read_safetensors(run.folder("cnn/synhead/pose/seed0") / "weights.safetensors")
          .tensors;
  const auto given = std::find_if(trained.begin(), trained.end(),
                                  [](const auto& item) { return item.first == "trunk.0.weight"; });
  ASSERT_NE(given, trained.end());
  EXPECT_TRUE(at::allclose(given->second, vgg16->named_parameters()["trunk.0.weight"], 1e-4, 1e-6));
  EXPECT_THAT([&] { require_present(dynamic_face().plan(settings, "")); },
              ThrowsUsageError(HasSubstr("vgg16.pth")));
}

// A run of confirmation seeds has no seed 0, but its page still shows tracks.
TEST(DynamicFaceStudySlow, TheFirstConfirmationSeedLeavesTheTracksThatThePageShows) {
  CellsInProcess run(dynamic_face(), planned_seeds(tiny({"confirm.seeds=2..3"}), {}).settings);
  for (const int seed : {2, 3}) {
    const auto cell = fmt::format("pose/synhead/cnn/seed{}", seed);
    const auto curves = run.curves(run(cell));
    for (const std::string name : {"track_gaps", "truth_gaps"})
      EXPECT_EQ(curves.contains(name), seed == 2) << seed;
    for (const std::string name : {"track.webp", "truth.webp"})
      EXPECT_EQ(std::filesystem::exists(run.folder(cell) / name), seed == 2) << seed;
  }
}

TEST(DynamicFaceStudySlow, TheSameSeedGivesTheSameRecordAndAnotherAnotherSlow) {
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
