// External methods in study unit: translations of the exported test pictures, and TorchScript
// translators, are measured as the study's own.
#include <fmt/format.h>
#include <torch/torch.h>

#include "core/csv.h"
#include "datasets/export.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/digit_sets.h"
#include "reproduce/unit/picture_sets.h"
#include "reproduce/unit/study.h"
#include "tests/reproduce/external_run.h"

namespace reprise::reproduce {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class UnitExternal : public ExternalRun {
 protected:
  UnitExternal()
      : ExternalRun(unit(), {"digits.size=16", "digits.training=48", "digits.test=30",
                             "digit_classifier.training=800", "digit_classifier.steps=200",
                             "map.training=12", "map.test=6", "map.side=16",
                             "evaluator.trunk=16 p 32 p 64", "evaluator.steps=30", "photos.side=16",
                             "photos.training=10", "photos.test=8", "photos.evaluator_pictures=20",
                             "digits.methods=[]", "photos.methods=[]", "sweep.seeds=0"}) {}
  unit_study::PictureParts pictures(const std::string& set, const std::string& section,
                                    std::int64_t seed) const {
    const auto chosen = settings();
    return load_picture_parts(
        unit_study::find_picture_set(set, section),
        DataContext(unit_study::cell(section, set, "", seed), chosen, "").cell());
  }
  /// Pictures from -1 to 1 as a file of predictions.
  std::filesystem::path saved(const std::string& name, const at::Tensor& x) const {
    datasets::write_npy(
        file(name),
        datasets::to_pixels(x.expand({-1, 3, -1, -1})).permute({0, 2, 3, 1}).contiguous());
    return file(name);
  }
};

TEST_F(UnitExternal, PredictionsJoinTheTableOfTheirShapeAndOthersAreRefused) {
  const auto planned = [&](std::int64_t n, std::int64_t side) {
    return plan({as_predictions, "mine", saved("mine.npy", torch::zeros({n, 3, side, side}))});
  };
  EXPECT_EQ(planned(6, 16).front().cell.id(), "map/scenes/mine/seed0");
  EXPECT_EQ(planned(8, 16).front().cell.id(), "photos/landscapes/mine/seed0");
  EXPECT_EQ(planned(30, 16).front().cell.id(), "digits/street_written/mine/seed0");
  EXPECT_THAT([&] { planned(6, 8); },
              ThrowsUsageError(HasSubstr("[6, 8, 8, 3], expected [6, 16, 16, 3]"),
                               HasSubstr("6 translated test pictures of 16 x 16")));
}

TEST_F(UnitExternal, AFoldersPicturesHaveTheItemsNames) {
  for (const auto* name :
       {"00000.png", "00001.png", "00002.png", "00003.png", "00004.png", "6.png"})
    datasets::write_png(file("mine") / name, torch::zeros({16, 16, 3}, at::kByte));
  EXPECT_THAT(
      [&] {
        plan({as_predictions, "mine", file("mine")});
      },
      ThrowsUsageError(HasSubstr("6.png"), HasSubstr("test.csv")));
}

TEST_F(UnitExternal, AScriptJoinsTheTablesThatItFits) {
  EXPECT_EQ(plan({as_script, "mine", script("def forward(self, x):\n  return x * 0.5\n")}).size(),
            6U)
      << "three tables, two seeds";
  EXPECT_THAT(
      [&] {
        plan({as_script, "mine", script("def forward(self, x):\n  return x[:, :1]\n")});
      },
      ThrowsUsageError(HasSubstr("[2, 1, 16, 16], expected float [2, 3, 16, 16]")));
}

// The truth itself has the perfect score, and noise a bad one; the exported pictures are those that
// are translated.
TEST_F(UnitExternal, ThePerfectTranslationHasThePerfectScoreAndNoiseABadOneSlow) {
  for (std::int64_t seed = 0; seed < 2; ++seed)
    saved(fmt::format("maps_{}.npy", seed), pictures("scenes", "map", seed).test_b),
        saved(fmt::format("photos_{}.npy", seed), pictures("landscapes", "photos", seed).test_b);
  const auto noise = script("def forward(self, x):\n  return torch.rand_like(x) * 2 - 1\n");
  done({"map/*/perfect/*", "map/*/noise/*", "map/*/same/*", "map/*/identity/*",
        "photos/*/perfect_photos/*", "photos/*/noise/*", "digits/*/noise/*", "digits/*/same/*"},
       {{as_predictions, "perfect", file("maps_{seed}.npy")},
        {as_predictions, "perfect_photos", file("photos_{seed}.npy")},
        {as_script, "noise", noise},
        {as_script, "same", script("def forward(self, x):\n  return x\n", {}, "same.pt")}});
  EXPECT_EQ(record("map", "scenes", "perfect", 1).metric("pixel_accuracy"), 1);
  EXPECT_EQ(record("map", "scenes", "perfect", 1).metric("code_top_1"), 1);
  EXPECT_LT(*record("map", "scenes", "noise", 1).metric("pixel_accuracy"), 0.1);
  EXPECT_EQ(record("map", "scenes", "same", 0).metric("edges"),
            record("map", "scenes", "identity", 0).metric("edges"));
  EXPECT_NEAR(*record("photos", "landscapes", "perfect_photos", 0).metric("frechet"), 0, 1e-3);
  EXPECT_GT(*record("photos", "landscapes", "noise", 0).metric("frechet"), 1);
  const auto same = record("digits", "street_written", "same", 0);
  EXPECT_EQ(same.metric("read"), same.metric("read_untouched")) << "nothing was translated";
  EXPECT_THAT(page_table("your_methods_map_scenes"),
              AllOf(HasSubstr("| perfect | **1.000"), HasSubstr("| noise |"),
                    HasSubstr("| nothing done |")));
  EXPECT_THAT(page_table("your_methods_digits_street_written"), HasSubstr("| same |"));
}

// A perfect translator of digits gives digits of the target with the classes of the source's test
// digits.
TEST_F(UnitExternal, DigitsOfTheTargetAreReadAndNoiseIsNotSlow) {
  const auto chosen = settings();
  const DataContext context(unit_study::cell("digits", "street_written", "", 0), chosen, "");
  const auto parts = unit_study::load_digit_parts("street_written", context.cell());
  std::vector<std::int64_t> alike;  // of each source digit, a target digit of its class
  for (std::int64_t i = 0; i < parts.source_test.labels.size(0); ++i) {
    const auto same_class = parts.target_test.labels.eq(parts.source_test.labels[i]).nonzero();
    alike.push_back(same_class.size(0) > 0 ? same_class[0][0].item<std::int64_t>() : 0);
  }
  const auto translated =
      saved("digits.npy", parts.target_test.x.index_select(0, at::tensor(alike, at::kLong)));
  const auto noise = saved("noise.npy", torch::rand_like(parts.source_test.x) * 2 - 1);
  done({"digits/*"}, {{as_predictions, "alike", translated}, {as_predictions, "noise", noise}});
  EXPECT_GT(*record("digits", "street_written", "alike", 0).metric("read"),
            *record("digits", "street_written", "noise", 0).metric("read") + 0.2);
}

TEST_F(UnitExternal, ExportedPicturesAreThoseOfThatSeedWithTheTestPicturesOfASlow) {
  const auto maps = exported<datasets::NamedPictures>("scenes", 1);
  const auto parts = pictures("scenes", "map", 1);
  const auto test = maps.set.at(maps.split.test);
  EXPECT_EQ(maps.split.train.size(), 24U);
  EXPECT_EQ(test.item.front(), "seed1/00000");
  EXPECT_TRUE(test.images.equal(datasets::to_pixels(parts.test_a).permute({0, 2, 3, 1})));
  datasets::export_split(maps.set, maps.split, file("out"), datasets::TestLabels::HeldBack,
                         "what to return\n");
  EXPECT_EQ(read_csv(file("out") / "test.csv").header, std::vector<std::string>{"item"});
  EXPECT_EQ(read_file(file("out") / "README.md"), "what to return\n");
  const auto digits = exported<datasets::NamedPictures>("street_written", 0);
  EXPECT_EQ(digits.split.train.size(), 96U);
  EXPECT_EQ(digits.set.labels.slice(0, 48, 96).min().item<int>(), 10)
      << "the target's labels are held back";
  EXPECT_THAT([&] { exported<datasets::NamedPictures>("street_writen", 0); },
              ThrowsUsageError(HasSubstr("written")));
}

}  // namespace
}  // namespace reprise::reproduce
