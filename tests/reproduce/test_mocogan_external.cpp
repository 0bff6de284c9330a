// External methods in study mocogan: clips of any generator and TorchScript generators are measured
// as the study's own, and what does not fit is refused by name.
#include <fmt/format.h>
#include <torch/torch.h>

#include "core/csv.h"
#include "datasets/export.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "datasets/generators/shape_motion.h"
#include "reproduce/mocogan/study.h"
#include "tests/reproduce/external_run.h"

namespace reprise::reproduce {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MocoganExternal : public ExternalRun {
 protected:
  MocoganExternal()
      : ExternalRun(mocogan(),
                    {"clips.size=8", "clips.frames=8", "clips.training=64", "clips.test=32",
                     "evaluator.clips=128", "evaluator.steps=60", "evaluator.trunk=8 p 16"}) {}
  /// n clips like the study's own: uint8 [n, 8, 8, 8, 3], and their classes.
  datasets::LabelledClips clips_like_real(std::int64_t n) const {
    return datasets::generate_shape_motion(
               n, {.frames = 8, .size = 8, .scale = settings().number("clips.scale")}, /*seed=*/99)
        .clips;
  }
  std::filesystem::path saved(const at::Tensor& x) const {
    datasets::write_npy(file("mine.npy"), x.contiguous());
    return file("mine.npy");
  }
};

TEST_F(MocoganExternal, ClipsOfAnotherNumberSizeOrTypeAreRefusedBeforeAnythingRuns) {
  const auto planned = [&](std::vector<std::int64_t> shape, at::ScalarType type = at::kByte) {
    return plan({as_predictions, "mine", saved(torch::zeros(shape, type))});
  };
  EXPECT_EQ(planned({32, 8, 8, 8, 3}).size(), 1U) << "without {seed} they are of seed 0";
  EXPECT_EQ(planned({32, 8, 8, 8, 3}).front().cell.table, "generated");
  EXPECT_THAT(
      [&] {
        planned({31, 8, 8, 8, 3});
      },
      ThrowsUsageError(HasSubstr("[31, 8, 8, 8, 3], expected [32, 8, 8, 8, 3]"),
                       HasSubstr("32 clips of 8 frames of 8 x 8 pixels")));
  EXPECT_THAT([&] { planned({32, 8, 8, 8, 3}, at::kFloat); }, ThrowsUsageError(HasSubstr("uint8")));
  EXPECT_THAT(
      [&] {
        plan({as_predictions, "mine", file("none")});
      },
      ThrowsUsageError(HasSubstr("there is no file or folder")));
}

TEST_F(MocoganExternal, AScriptOfAnotherShapeOrRangeIsRefusedBeforeAnythingRuns) {
  const auto planned = [&](const std::string& arguments, const std::string& body) {
    return plan({as_script, "mine",
                 script("def forward(self, " + arguments + "):\n  return " + body + "\n")});
  };
  EXPECT_EQ(planned("n: int", "torch.zeros([n, 8, 3, 8, 8])").front().cell.table, "generated");
  EXPECT_EQ(planned("n: int, labels", "torch.zeros([n, 8, 3, 8, 8])").front().cell.table,
            "actions");
  EXPECT_THAT([&] { planned("n: int", "torch.zeros([n, 3, 8, 8])"); },
              ThrowsUsageError(HasSubstr("[2, 3, 8, 8], expected float [2, 8, 3, 8, 8]")));
  EXPECT_THAT([&] { planned("n: int", "torch.full([n, 8, 3, 8, 8], 255.0)"); },
              ThrowsUsageError(HasSubstr("from 255 to 255, expected -1 to 1")));
  EXPECT_THAT([&] { planned("n: int, a: int, b: int", "torch.zeros([n, 8, 3, 8, 8])"); },
              ThrowsUsageError(HasSubstr("takes 3 arguments")));
}

TEST_F(MocoganExternal, AFolderMayNameTheClassOfEachClipSlow) {
  const auto clips = clips_like_real(32);
  const auto write = [&](const std::string& last) {
    std::string table = "item,label\n";
    for (int i = 0; i < 32; ++i) {
      const auto name = fmt::format("{:02}", i);
      for (int t = 0; t < 8; ++t)
        datasets::write_png(file("mine") / name / fmt::format("{}.png", t),
                            clips.colour[i][t].contiguous());
      table += name + "," + (i == 31 ? last : std::to_string(clips.labels[i].item<int>())) + "\n";
    }
    write_file(file("mine") / "labels.csv", table);
  };
  write("1");
  EXPECT_EQ(plan({as_predictions, "mine", file("mine")}).front().cell.table, "actions");
  write("2");
  EXPECT_THAT(
      [&] {
        plan({as_predictions, "mine", file("mine")});
      },
      ThrowsUsageError(HasSubstr("label of 31 is 2, expected 0 to 1")));
}

// Real clips of other seeds are the best that a generator can give; noise is as bad as a generator
// can be.
TEST_F(MocoganExternal, RealClipsAreNearAndNoiseIsFarInTheTableSlow) {
  const auto real = saved(clips_like_real(32).colour);
  const auto noise =
      script("def forward(self, n: int):\n  return torch.rand([n, 8, 3, 8, 8]) * 2 - 1\n");
  done({"generated/*/like_real/*", "generated/*/noise/*"},
       {{as_predictions, "like_real", real}, {as_script, "noise", noise}});
  const auto near = record("generated", "shape_motion", "like_real", 0),
             far = record("generated", "shape_motion", "noise", 0);
  EXPECT_LT(*near.metric("frechet"), 0.5 * *far.metric("frechet"));
  EXPECT_GT(*far.metric("failures"), *near.metric("failures"));
  EXPECT_NE(far.metric("acd"), record("generated", "shape_motion", "noise", 1).metric("acd"))
      << "a seed of its own";
  EXPECT_THAT(page_table("your_methods_generated_shape_motion"),
              AllOf(HasSubstr("| like\\_real |"), HasSubstr("| noise |")));
}

TEST_F(MocoganExternal, ExportedClipsAreThoseThatGeneratorsOfThatSeedLearnFromSlow) {
  const auto first = exported<datasets::LabelledClips>("shape_motion", 0),
             second = exported<datasets::LabelledClips>("shape_motion", 1);
  EXPECT_EQ(first.set.colour.sizes(), (std::vector<std::int64_t>{64, 8, 8, 8, 3}));
  EXPECT_EQ(first.split.train.size(), 64U);
  EXPECT_TRUE(first.split.test.empty()) << "what clips are compared with is not given away";
  EXPECT_FALSE(first.set.colour.equal(second.set.colour));
  datasets::export_split(first.set, first.split, file("out"), datasets::TestLabels::HeldBack);
  EXPECT_EQ(read_csv(file("out") / "train.csv").header,
            (std::vector<std::string>{"item", "label"}));
  EXPECT_THAT([&] { exported<datasets::LabelledClips>("shape_moton", 0); },
              ThrowsUsageError(HasSubstr("shape_motion")));
}

}  // namespace
}  // namespace reprise::reproduce
