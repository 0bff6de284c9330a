// Study mocogan end to end on tiny networks: what is promised of its cells, not how well they
// generate.
#include <fmt/format.h>

#include <set>

#include "datasets/formats/images.h"
#include "datasets/generators/shape_motion.h"
#include "models/adversarial/mocogan.h"
#include "models/adversarial/trained_mocogan.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "reproduce/mocogan/study.h"
#include "tests/reproduce/run_cells.h"
#include "training/optimizer.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

Settings tiny(const Study& study) {
  auto settings = profile_settings(study, "smoke");
  for (
      const auto& assignment : split_settings(
          R"(seeds=1; clips.size=8; clips.frames=8; clips.training=64; clips.test=32; evaluator.clips=128; evaluator.steps=20; evaluator.trunk=8 p 16;
    mocogan.width_G=2; mocogan.width_D=2; mocogan.d_C=4; mocogan.d_M=3; mocogan.d_E=3; vgan.width_G=2; vgan.width_D=2;
    tgan.width_G=2; tgan.width_D=2; recipe.iterations=50; recipe.iterations_of_actions=50; recipe.batch=8; lengths.shortest=4;
    lengths.longest=6; lengths.iterations=4; control.contents=3; control.motions=3; control.times=2; control.long_clips=4;
    image_to_video.steps=10; image_to_video.batch=4; image_to_video.width=2)"))
    settings.set(assignment);
  return settings;
}

TEST(MocoganStudy, EveryPlannedCellRunsAndHasItsNumbersSlow) {
  const auto study = mocogan();
  const auto settings = tiny(study);
  CellsInProcess run(study, settings);
  for (const auto& planned : study.plan(settings, DataFolder())) {
    const auto& record = run(planned.cell.id());
    EXPECT_FALSE(record.metrics.empty()) << planned.cell.id();
    if (planned.cell.table == "worthless" || planned.cell.table == "generated" ||
        planned.cell.table == "actions") {
      EXPECT_TRUE(record.metric("acd").has_value()) << planned.cell.id();
      EXPECT_TRUE(record.metric("passes").has_value()) << planned.cell.id();
    }
    EXPECT_EQ(record.metric("motion_control").has_value(),
              planned.cell.table == "actions" || planned.cell.table == "worthless")
        << planned.cell.id();
  }
  EXPECT_THAT(run.claims_that_are(records::Verdict::NotComparable), testing::IsEmpty());
}

// A cell depends on its axes, not on which cells ran before.
TEST(MocoganStudy, TheSameCellHasTheSameNumbersSlow) {
  const auto study = mocogan();
  CellsInProcess once(study, tiny(study)), again(study, tiny(study));
  const std::string id = "generated/shape_motion/mocogan/seed0";
  EXPECT_EQ(once(id).metric("frechet"), again(id).metric("frechet"));
  EXPECT_EQ(once.curves(once(id)), again.curves(again(id)));
}

// The setting and the table of optimisers name the same ones, and another one trains otherwise.
TEST(MocoganStudy, ATrainingTakesEveryOptimizerByNameSlow) {
  const auto study = mocogan();
  std::set<double> losses;
  for (const auto& name : training::optimizer_names()) {
    auto settings = tiny(study);
    settings.set("recipe.optimizer=" + name);
    CellsInProcess run(study, settings);
    const auto record = run("generated/shape_motion/mocogan/seed0");
    losses.insert(run.curves(record).at("loss_G").back());
  }
  EXPECT_EQ(losses.size(), training::optimizer_names().size());
  EXPECT_THAT([&] { tiny(study).set("recipe.optimizer=sgd"); },
              ThrowsUsageError(HasSubstr("adam")));
}

// With an evaluator of seconds real clips may leave a band; a black screen leaves most of them, the
// best ACD notwithstanding.
TEST(MocoganStudy, ABlackScreenHasThePerfectAcdAndFailsAllTheSameSlow) {
  const auto study = mocogan();
  CellsInProcess run(study, tiny(study));
  const auto black = run("worthless/shape_motion/black/seed0"),
             real = run("worthless/shape_motion/real/seed0");
  EXPECT_EQ(black.metric("acd"), 0);
  EXPECT_EQ(black.metric("passes"), 0);
  EXPECT_GE(*black.metric("failures"), 4);
  EXPECT_LT(*real.metric("failures"), *black.metric("failures"));
}

/// Strips of shapes as the released ones, `frames` long, in DIR/NAME: right to left is another
/// class than down.
void write_strips(const std::filesystem::path& folder, std::int64_t n, std::int64_t frames) {
  const auto shapes = datasets::generate_shape_motion(n, {.frames = frames, .size = 8}, 3);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto place = folder / std::to_string(shapes.clips.labels[i].item<int>());
    std::filesystem::create_directories(place);
    datasets::write_png(place / fmt::format("{:08}.png", i),
                        shapes.clips.colour[i].transpose(0, 1).flatten(1, 2).contiguous());
  }
}

Settings of_data(const Study& study, const char* datasets) {
  auto settings = tiny(study);
  for (const auto* assignment : {"clips.training=24", "clips.test=8", "evaluator.clips=64"})
    settings.set(assignment);
  settings.set(std::string("datasets=") + datasets);
  return settings;
}

/// 24 + 64 + 8 + 5 * 8
constexpr std::int64_t needed = 136;

// A recorded set next to the generated one: all cells run, and the page shows both.
TEST(MocoganStudy, ReleasedStripsAreASetAsAnyOtherSlow) {
  const TemporaryFolder data;
  write_strips(data.path() / "shapes", needed + 4, 20);
  const auto study = mocogan();
  auto settings = of_data(study, "[\"shape_motion\",\"shapes\"]");
  CellsInProcess run(study, settings, data.path());
  for (const auto* id : {"worthless/shapes/training_items/seed0", "generated/shapes/mocogan/seed0",
                         "generated/shapes/tgan/seed0", "actions/shapes/mocogan_action/seed0",
                         "control/shapes/mocogan/seed0"})
    EXPECT_FALSE(run(id).metrics.empty()) << id;
  EXPECT_TRUE(run("worthless/shapes/real/seed0").metric("acd").has_value());
  // 20 frames, every 2nd of them, are two more than T: lengths are not all one, or all 10.
  settings.set("clips.every_nth=1");
  EXPECT_TRUE(CellsInProcess(study, settings, data.path())("generated/shapes/mocogan/seed0")
                  .metric("recall")
                  .has_value());
  const auto page = study.report(settings);
  std::set<std::string> ids;
  for (const auto& table : page.tables) EXPECT_TRUE(ids.insert(table.id).second) << table.id;
  for (const auto* id : {"generated", "generated_shapes", "worthless", "worthless_shapes",
                         "control_shapes", "resemblance"})
    EXPECT_TRUE(ids.contains(id)) << id;
  const auto& real = page.galleries.back();
  EXPECT_EQ(real.id, "real_clips_frames");
  EXPECT_EQ(real.pictures.size(), 2U);
}

// Every video is in one part: with windows as long as the strips, clips of two parts that are alike
// would be one video.
TEST(MocoganStudy, NoVideoIsInTwoPartsSlow) {
  using namespace mocogan_study;
  const TemporaryFolder data, results;
  write_strips(data.path() / "shapes", needed + 4, 8);
  const auto study = mocogan();
  auto settings = of_data(study, "[\"shapes\"]");
  settings.set("clips.every_nth=1");
  const records::Store store(results.path());
  records::Record record;
  training::Progress silent(nullptr);
  const CellContext context{settings, store, results.path(), data.path(), "cpu", record, silent};
  const auto parts = [&](std::int64_t seed) {
    record.cell = cell(generated_table, "shapes", "mocogan", seed);
    std::vector<at::Tensor> all{load_clips("shapes", Part::Training, 24, context).x,
                                load_evaluator_clips("shapes", 64, context).x,
                                load_clips("shapes", Part::Evaluator, 8, context, 1).x};
    for (std::int64_t segment = 0; segment < 5; ++segment)
      all.push_back(load_clips("shapes", Part::Test, 8, context, segment).x);
    return at::cat(all).flatten(1);
  };
  const auto first = parts(0);
  EXPECT_EQ(first.size(0), needed);
  const auto apart = at::cdist(first, first, 2, /*compute_mode=*/2) + 1e3 * at::eye(needed);
  EXPECT_GT(apart.min().item<double>(), 0.1);
  EXPECT_TRUE(parts(0).equal(first));
  const auto second = parts(1);
  EXPECT_FALSE(second.slice(0, 0, 24).equal(first.slice(0, 0, 24)));
  EXPECT_TRUE(second.slice(0, 24, 96).equal(first.slice(0, 24, 96)));  // the evaluator's
}

// Videos without a bright shape on black have no metrics of shapes.
TEST(MocoganStudy, VideosOfAnyKindHaveTheNumbersThatTheyCanHaveSlow) {
  const TemporaryFolder data;
  write_strips(data.path() / "video_folders", needed, 16);
  const auto study = mocogan();
  CellsInProcess run(study, of_data(study, "[\"video_folders\"]"), data.path());
  const auto& record = run("generated/video_folders/vgan/seed0");
  EXPECT_TRUE(record.metric("frechet").has_value() && record.metric("copies").has_value() &&
              record.metric("passes").has_value());
  EXPECT_FALSE(record.metric("acd").has_value() || record.metric("step").has_value());
  EXPECT_FALSE(run.cells().contains("control/video_folders/mocogan/seed0"));
}

TEST(MocoganStudy, ASetThatIsNotThereOrTooSmallIsNamedBeforeTheRunSlow) {
  const TemporaryFolder data;
  const auto study = mocogan();
  const auto refused = [&](const char* datasets, const char* message) {
    EXPECT_THAT([&] { require_present(study.plan(of_data(study, datasets), data.path())); },
                ThrowsUsageError(HasSubstr(message)));
  };
  refused("[\"shapes\"]", "missing below --data");
  refused("[\"shaeps\"]", "shapes");
  write_strips(data.path() / "shapes", needed - 1, 16);
  refused("[\"shapes\"]", "135 videos are there and 136 are needed");
  std::filesystem::rename(data.path() / "shapes", data.path() / "video_folders");
  std::filesystem::remove_all(data.path() / "video_folders/1");
  refused("[\"video_folders\"]", "of one class (0)");
}

// Trivial baselines of image to video have exact numbers: a repeated image has no error and no
// motion. The trained generator and its encoder are one file.
TEST(MocoganStudy, ImagesBecomeClipsByTheEncoderAndWithoutItSlow) {
  const auto study = mocogan();
  CellsInProcess run(study, tiny(study));
  const std::string table = "image_to_video/shape_motion/";
  const auto& repeated = run(table + "repeat_frame/seed0");
  EXPECT_EQ(repeated.metric("place_error"), 0);
  EXPECT_EQ(repeated.metric("colour_error"), 0);
  EXPECT_EQ(repeated.metric("step"), 0);
  EXPECT_EQ(repeated.metric("place_bound"), 0.5);  // of 8 pixels
  EXPECT_GT(*run(table + "nearest_clip/seed0").metric("step"), 0);
  EXPECT_GT(*run(table + "unrelated_clip/seed0").metric("colour_error"), 0);
  run(table + "mocogan/seed0");
  const auto file = run.folder(table + "mocogan/seed0") / "generator.safetensors";
  const auto with_encoder = models::load_mocogan(file),
             alone = models::load_mocogan(run.folder("generated/shape_motion/mocogan/seed0") /
                                          "generator.safetensors");
  EXPECT_TRUE(with_encoder.E);
  EXPECT_FALSE(alone.E);
  EXPECT_EQ(with_encoder.metadata.source, table + "mocogan/seed0");
  const models::ClipRequest request{.count = 2, .frames = 5};
  EXPECT_TRUE(
      models::sample_clips(with_encoder.G, request).equal(models::sample_clips(alone.G, request)));
  run("actions/shape_motion/mocogan_action/seed0");
  const auto asked = models::load_mocogan(run.folder("actions/shape_motion/mocogan_action/seed0") /
                                          "generator.safetensors");
  EXPECT_THAT(asked.metadata.actions, testing::ElementsAre("right", "down"));
}

/// A plan by this setting is refused with a message that holds this.
void expect_refused(const char* assignment, const char* message) {
  const auto study = mocogan();
  auto settings = tiny(study);
  const auto plan = [&] {
    settings.set(assignment);
    study.plan(settings, DataFolder());
  };
  EXPECT_THAT(plan, ThrowsUsageError(HasSubstr(message))) << assignment;
}

TEST(MocoganStudy, AMethodInATableThatCannotHaveItIsRefusedBeforeTheRun) {
  expect_refused("generated.methods=[\"mocogan_action\"]", "needs labels");
  expect_refused("actions.methods=[\"mocogan\"]", "takes no class");
  expect_refused("control.methods=[\"vgan\"]", "no codes of content and motion");
  expect_refused("control.methods=[\"mocogan_discovered\"]", "does not train");
  expect_refused("image_to_video.methods=[\"vgan\"]", "no codes of content and motion");
  expect_refused("image_to_video.methods=[]", "names no method");
  expect_refused("image_to_video.compared=[\"repeat\"]", "repeat_frame");
  expect_refused("negative_controls.methods=[\"real\",\"blak\"]", "black");
  expect_refused("negative_controls.methods=[\"black\"]", "lacks \"real\"");
  expect_refused("generated.methods=[\"mocogan_lengths\"]", "other lengths");
  expect_refused("lengths.methods=[\"vgan\"]", "mocogan_lengths");
  expect_refused("few.methods=[\"mocogan_no_imag\"]", "mocogan_no_image");
  expect_refused("few.methods=[\"mocogan\"]", "needs it for every seed");
}

TEST(MocoganStudy, SizesThatNoNetworkCanHaveAreRefusedBeforeTheRun) {
  expect_refused("lengths.shortest=3", "needs 4 frames");
  expect_refused("clips.frames=3", "needs 4 frames");
  expect_refused("lengths.longest=3", "lengths.longest is 3");
  expect_refused("mocogan.turning=1", "mocogan.turning is 1");
  expect_refused("mocogan.turning=-8", "mocogan.turning is -8");
  expect_refused("tgan.temporal_width=6", "tgan.temporal_width is 6");
}

// Methods of few.methods are planned for the first seeds only. Real clips of the longest length
// move until their end.
TEST(MocoganStudy, FewSeedsAndLengthsFollowTheSettings) {
  const auto study = mocogan();
  auto settings = tiny(study);
  for (const auto* assignment :
       {"seeds=3", "few.methods=[\"tgan\"]", "few.seeds=2", "mocogan.turning=4"})
    settings.set(assignment);
  std::set<std::int64_t> of_tgan, of_vgan;
  for (const auto& planned : study.plan(settings, DataFolder()))
    if (planned.cell.method == "tgan")
      of_tgan.insert(planned.cell.seed);
    else if (planned.cell.method == "vgan")
      of_vgan.insert(planned.cell.seed);
  EXPECT_EQ(of_tgan, (std::set<std::int64_t>{0, 1}));
  EXPECT_EQ(of_vgan, (std::set<std::int64_t>{0, 1, 2}));
  CellsInProcess run(study, settings);
  const auto real = run("lengths/shape_motion/real/seed0"),
             made = run("lengths/shape_motion/mocogan_lengths/seed0");
  for (const std::string length : {"short", "middle", "long"}) {
    SCOPED_TRACE(length);
    EXPECT_LT(*real.metric("step_off_" + length), *real.metric("step_off_bound_" + length));
    EXPECT_LT(*real.metric("jerk_" + length), *real.metric("jerk_bound_" + length));
    EXPECT_GT(*made.metric("step_off_" + length),
              *made.metric("step_off_bound_" + length));  // after four iterations it makes stills
  }
}

}  // namespace
}  // namespace reprise::reproduce
