// Study mocogan end to end on tiny networks: what is promised of its cells, not how well they generate.
#include "reproduce/mocogan/study.h"
#include "tests/reproduce/run_cells.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

Settings tiny(const Study& study) {
  Settings settings(study.profiles.front().second, "quick");
  for (const auto* assignment :
       {"seeds=1",        "clips.size=8",       "clips.frames=8",    "clips.training=64", "clips.test=32",       "judge.clips=128",
        "judge.steps=20", "judge.trunk=8 p 16", "mocogan.width_G=2", "mocogan.width_D=2", "mocogan.d_C=4",       "mocogan.d_M=3",
        "mocogan.d_E=3",  "vgan.width_G=2",     "vgan.width_D=2",    "tgan.width_G=2",    "tgan.width_D=2",      "recipe.iterations=4",
        "recipe.batch=8", "control.contents=3", "control.motions=3", "control.times=2",   "control.long_clips=4"})
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
    if (planned.cell.table != "judge" && planned.cell.table != "control") {
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
  refused("worthless.methods=[\"real\",\"blak\"]", "black");
  refused("worthless.methods=[\"black\"]", "lacks real clips");
}

}  // namespace
}  // namespace reprise::reproduce
