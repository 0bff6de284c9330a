// Study mocogan end to end on tiny networks: what is promised of its cells, not how well they generate.
#include "models/adversarial/mocogan.h"
#include "models/adversarial/trained_mocogan.h"
#include "reproduce/mocogan/study.h"
#include "tests/reproduce/run_cells.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

Settings tiny(const Study& study) {
  Settings settings(study.profiles.front().second, "quick");
  for (const auto* assignment : {"seeds=1",
                                 "clips.size=8",
                                 "clips.frames=8",
                                 "clips.training=64",
                                 "clips.test=32",
                                 "judge.clips=128",
                                 "judge.steps=20",
                                 "judge.trunk=8 p 16",
                                 "mocogan.width_G=2",
                                 "mocogan.width_D=2",
                                 "mocogan.d_C=4",
                                 "mocogan.d_M=3",
                                 "mocogan.d_E=3",
                                 "vgan.width_G=2",
                                 "vgan.width_D=2",
                                 "tgan.width_G=2",
                                 "tgan.width_D=2",
                                 "recipe.iterations=4",
                                 "recipe.batch=8",
                                 "control.contents=3",
                                 "control.motions=3",
                                 "control.times=2",
                                 "control.long_clips=4",
                                 "image_to_video.steps=10",
                                 "image_to_video.batch=4",
                                 "image_to_video.width=2"})
    settings.set(assignment);
  return settings;
}

TEST(MocoganStudy, EveryPlannedCellRunsAndHasItsNumbers) {
  const auto study = mocogan();
  const auto settings = tiny(study);
  CellsInProcess run(study, settings);
  for (const auto& planned : study.plan(settings, DataFolder())) {
    const auto& record = run(planned.cell.id());
    EXPECT_FALSE(record.metrics.empty()) << planned.cell.id();
    if (planned.cell.table != "judge" && planned.cell.table != "control" && planned.cell.table != "image_to_video") {
      EXPECT_TRUE(record.metric("acd").has_value()) << planned.cell.id();
      EXPECT_TRUE(record.metric("passes").has_value()) << planned.cell.id();
    }
    EXPECT_EQ(record.metric("motion_control").has_value(), planned.cell.table == "actions" || planned.cell.table == "worthless")
        << planned.cell.id();
  }
}

// A cell depends on its axes, not on which cells ran before.
TEST(MocoganStudy, TheSameCellHasTheSameNumbers) {
  const auto study = mocogan();
  CellsInProcess once(study, tiny(study)), again(study, tiny(study));
  const std::string id = "generated/shape_motion/mocogan/seed0";
  EXPECT_EQ(once(id).metric("frechet"), again(id).metric("frechet"));
  EXPECT_EQ(once.curves(once(id)), again.curves(again(id)));
}

// With a judge of seconds real clips may leave a band; a black screen leaves most of them, the best ACD notwithstanding.
TEST(MocoganStudy, ABlackScreenHasThePerfectAcdAndFailsAllTheSame) {
  const auto study = mocogan();
  CellsInProcess run(study, tiny(study));
  const auto black = run("worthless/shape_motion/black/seed0"), real = run("worthless/shape_motion/real/seed0");
  EXPECT_EQ(black.metric("acd"), 0);
  EXPECT_EQ(black.metric("passes"), 0);
  EXPECT_GE(*black.metric("failures"), 4);
  EXPECT_LT(*real.metric("failures"), *black.metric("failures"));
}

// What a cell of image to video compares with has the numbers that it must have, whatever the generator: no error and no motion of a repeated
// image; and the trained generator with its encoder is a file for others.
TEST(MocoganStudy, ImagesBecomeClipsByTheEncoderAndWithoutIt) {
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
             alone = models::load_mocogan(run.folder("generated/shape_motion/mocogan/seed0") / "generator.safetensors");
  EXPECT_TRUE(with_encoder.E);
  EXPECT_FALSE(alone.E);
  EXPECT_EQ(with_encoder.facts.source, table + "mocogan/seed0");
  const models::ClipRequest request{.count = 2, .frames = 5};
  EXPECT_TRUE(models::sample_clips(with_encoder.G, request).equal(models::sample_clips(alone.G, request)));
  run("actions/shape_motion/mocogan_action/seed0");
  const auto asked = models::load_mocogan(run.folder("actions/shape_motion/mocogan_action/seed0") / "generator.safetensors");
  EXPECT_THAT(asked.facts.actions, testing::ElementsAre("right", "down"));
}

TEST(MocoganStudy, AMethodInATableThatCannotHaveItIsRefusedBeforeTheRun) {
  const auto study = mocogan();
  const auto refused = [&](const char* assignment, const char* message) {
    auto settings = tiny(study);
    settings.set(assignment);
    EXPECT_THAT([&] { study.plan(settings, DataFolder()); }, ThrowsUsageError(HasSubstr(message)));
  };
  refused("generated.methods=[\"mocogan_action\"]", "needs labels");
  refused("actions.methods=[\"mocogan\"]", "cannot be asked for a class");
  refused("control.methods=[\"vgan\"]", "no codes of content and motion");
  refused("control.methods=[\"mocogan_discovered\"]", "does not train");
  refused("image_to_video.methods=[\"vgan\"]", "no codes of content and motion");
  refused("image_to_video.methods=[]", "no method to compare");
  refused("image_to_video.compared=[\"repeat\"]", "repeat_frame");
  refused("worthless.methods=[\"real\",\"blak\"]", "black");
  refused("worthless.methods=[\"black\"]", "lacks real clips");
}

}  // namespace
}  // namespace reprise::reproduce
