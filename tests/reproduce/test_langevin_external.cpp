// External methods in study langevin: a denoiser as D', samples of any generator, and the pictures
// that both are made from.
#include <torch/script.h>
#include <torch/torch.h>

#include <limits>
#include <map>
#include <set>

#include "core/csv.h"
#include "core/files.h"
#include "datasets/export.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "reproduce/langevin/domains.h"
#include "reproduce/langevin/external.h"
#include "reproduce/langevin/study.h"
#include "tests/reproduce/external_run.h"
#include "training/scripted_denoiser.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> small_digits = split_settings(
    R"(domains=["digits"]; digits.size=8; digits.prior=64; digits.evaluator=64; digits.validation=16; digits.test=24;
    digits.channels=[8, 8]; digits.epochs=1; methods.exact=[]; exact.items=100; prior.steps_an_epoch=4; prior.batch=8;
    prior.embedding=16; evaluator.trunk=8 p 8; evaluator.width=8; evaluator.steps=30; evaluator.batch=16; quality.samples=20;
    quality.trial_samples=20; quality.steps=3; methods.inversion=["backprop"]; inversion.items=8; inversion.sigmas=[1.0];
    inversion.adam_steps=3; methods.churn=["backprop"]; churn.items=8; churn.likelihood_items=4; churn.rounds=2;
    methods.steering=[]; methods.completion=["backprop"]; completion.items=8; completion.rounds=2; methods.painting=[])");

class LangevinExternal : public ExternalRun {
 protected:
  LangevinExternal() : ExternalRun(langevin(), small_digits) {}

  std::filesystem::path denoiser(const std::string& body) const {
    return script("def forward(self, x, sigma):\n" + body, {}, "mine.pt");
  }
  /// D of Gaussian data of deviation 1/2.
  std::filesystem::path gaussian() const {
    return denoiser("  s = (sigma * sigma).view(-1, 1, 1, 1)\n  return x * (0.25 / (0.25 + s))\n");
  }
  auto planned(ExternalMethod::Kind kind, const std::filesystem::path& path) const {
    return plan({kind, "mine", path.string()});
  }
};

TEST_F(LangevinExternal, AScriptIsPlannedInEveryTableOfTheProfileThatTakesOne) {
  std::set<std::string> own, tables;
  for (const auto& planned : langevin().plan(settings(), "")) own.insert(planned.cell.id());
  const auto cells = planned(as_script, gaussian());
  for (const auto& planned : cells) own.insert(planned.cell.id());
  for (const auto& planned : cells) {
    tables.insert(planned.cell.table);
    EXPECT_TRUE(planned.file.has_value()) << planned.cell.id();
    for (const auto& need : planned.needs)
      EXPECT_TRUE(own.contains(need.id())) << planned.cell.id() << " needs " << need.id();
  }
  EXPECT_EQ(tables,
            (std::set<std::string>{"inversion", "churn", "completion", "search_completion"}));
}

TEST_F(LangevinExternal, AScriptThatIsSearchedHasNoParetoFrontSinceNoFigureShowsOne) {
  for (const auto& planned :
       plan({as_script, "mine", gaussian().string()}, {R"(search.churn.loop=["first=1|2"])"}))
    EXPECT_NE(planned.cell.table, "frontier");
}

TEST_F(LangevinExternal, AScriptThatDoesNotFitIsRefusedBeforeAnythingRuns) {
  EXPECT_THAT(
      [&] { planned(as_script, denoiser("  return x.mean(3)\n")); },
      ThrowsUsageError(HasSubstr("mine.pt"), HasSubstr("[2, 1, 8, 8]"), HasSubstr("[2, 1, 8]")));
  EXPECT_THAT([&] { planned(as_script, denoiser("  return x.detach()\n")); },
              ThrowsUsageError(HasSubstr("no gradient in x")));
  EXPECT_THAT([&] { planned(as_script, denoiser("  return x * sigma\n")); },
              ThrowsUsageError(HasSubstr("forward fails")));
  EXPECT_THAT([&] { planned(as_script, file("none.pt")); }, ThrowsUsageError(HasSubstr("none.pt")));
  write_file(file("text.pt"), "no script");
  EXPECT_THAT([&] { planned(as_script, file("text.pt")); },
              ThrowsUsageError(HasSubstr("cannot be loaded as TorchScript")));
}

TEST_F(LangevinExternal, AScriptsValuesThatAreNotFiniteNameTheFileAndTheItem) {
  training::ScriptedDenoiser D(denoiser("  return x / x.mean([1, 2, 3], keepdim=True)\n"));
  auto x = torch::ones({3, 1, 8, 8});
  x[1] = 0;
  EXPECT_THAT([&] { D(x, 0.5); },
              ThrowsError(HasSubstr("mine.pt"), HasSubstr("item 1 of a batch of 3"),
                          HasSubstr("sigma = 0.5")));
  EXPECT_THAT(
      [&] {
        D(torch::ones({1, 1, 8, 8}), 0.5, torch::zeros({1}, at::kLong));
      },
      ThrowsUsageError(HasSubstr("unconditional")));
}

TEST_F(LangevinExternal, SamplesOfAnotherNumberSizeOrTypeAreRefusedBeforeAnythingRuns) {
  const auto saved = [&](const at::Tensor& x) {
    datasets::write_npy(file("mine.npy"), x);
    return file("mine.npy");
  };
  const auto bytes = at::TensorOptions(at::kByte);
  EXPECT_EQ(planned(as_predictions, saved(torch::zeros({20, 8, 8}, bytes))).size(), 1U)
      << "without {seed} they are of seed 0";
  EXPECT_THAT(
      [&] {
        planned(as_predictions, saved(torch::zeros({19, 8, 8}, bytes)));
      },
      ThrowsUsageError(HasSubstr("mine.npy"), HasSubstr("[19, 8, 8, 3], expected [20, 8, 8, 3]")));
  EXPECT_THAT(
      [&] {
        planned(as_predictions, saved(torch::zeros({20, 8, 9}, bytes)));
      },
      ThrowsUsageError(HasSubstr("[20, 8, 9, 3]"), HasSubstr("20 samples of 8 x 8 pixels")));
  EXPECT_THAT(
      [&] {
        planned(as_predictions, saved(torch::zeros({20, 8, 8})));
      },
      ThrowsUsageError(HasSubstr("uint8")));
  EXPECT_THAT([&] { planned(as_predictions, file("none_{seed}")); },
              ThrowsUsageError(HasSubstr("none_0"), HasSubstr("none_1")));
}

TEST_F(LangevinExternal, AFolderMayStateTheClassOfEachSampleSlow) {
  const auto write = [&](const std::string& label) {
    std::string table = "item,label\n";
    for (int i = 0; i < 20; ++i) {
      const auto name = std::to_string(i) + ".png";
      datasets::write_png(file("mine") / name, torch::full({8, 8}, i, at::kByte));
      table += name + "," + (i == 3 ? label : "7") + "\n";
    }
    write_file(file("mine") / "labels.csv", table);
  };
  write("7");
  EXPECT_EQ(planned(as_predictions, file("mine")).size(), 1U);
  write("10");
  EXPECT_THAT(
      [&] { planned(as_predictions, file("mine")); },
      ThrowsUsageError(HasSubstr("labels.csv"), HasSubstr("row 4 is 10"), HasSubstr("0 to 9")));
  fs::remove(file("mine") / "5.png");
  EXPECT_THAT([&] { planned(as_predictions, file("mine")); }, ThrowsUsageError(HasSubstr("5.png")));
}

TEST_F(LangevinExternal, ExportedPicturesAreThoseOfThatSeedAndNoneThatTheEvaluatorLearnsFromSlow) {
  const auto exported = this->exported<datasets::NamedPictures>("digits", 1);
  const auto domain = langevin_study::load_domain("digits", settings(), "", 1);
  EXPECT_EQ(exported.split.train.size(), 64U);
  EXPECT_EQ(exported.split.validation.size(), 16U);
  const auto test = exported.set.at(exported.split.test);
  EXPECT_EQ(test.item.front(), "seed1/00080");
  EXPECT_TRUE(test.labels.equal(domain.test.labels));
  EXPECT_LT((langevin_study::to_items(test.images) - domain.test.x_0).abs().max().item<float>(),
            0.01);
  datasets::export_split(exported.set, exported.split, file("out"), datasets::TestLabels::HeldBack);
  EXPECT_EQ(read_csv(file("out") / "train.csv").header,
            (std::vector<std::string>{"item", "label"}));
  EXPECT_EQ(read_csv(file("out") / "test.csv").header, std::vector<std::string>{"item"});
  EXPECT_TRUE(datasets::read_npy(file("out") / "test.npy").equal(test.images));
  EXPECT_TRUE(datasets::read_image(file("out") / "test" / "images" / "seed1" / "00080.png")
                  .select(2, 0)
                  .equal(test.images[0]));
  EXPECT_THAT([&] { this->exported<datasets::NamedPictures>("sounds", 0); },
              ThrowsUsageError(HasSubstr("digits, landscapes, solids")));
  EXPECT_THAT([&] { this->exported<datasets::NamedPictures>("digit", 0); },
              ThrowsUsageError(HasSubstr("digits")));
}

TEST_F(LangevinExternal, BothKindsEndInTheTableSlow) {
  for (int seed = 0; seed < 2; ++seed) {
    const auto exported = this->exported<datasets::NamedPictures>("digits", seed);
    datasets::write_npy(file("real_" + std::to_string(seed) + ".npy"),
                        exported.set.at(exported.split.test).images.slice(0, 0, 20).contiguous());
  }
  const ExternalMethod real{as_predictions, "real", file("real_{seed}.npy").string()};
  done({"*/mine*/*"}, {{as_script, "mine", gaussian().string()}});
  done({"quality/*"}, {real});
  const auto record = [&](const std::string& table, const std::string& method) {
    return this->record(table, "digits", method, 1);
  };
  EXPECT_LT(*record("quality", "real").metric("frechet"),
            0.2 * *record("quality", "edm").metric("frechet"))
      << "they are the test items";
  EXPECT_TRUE(record("completion", "mine").metric("with_first").has_value())
      << "it is searched as the study's own are";
  EXPECT_EQ(record("churn", "mine").options->at("method.kind"), "torchscript");
  EXPECT_THAT(page_table("your_methods_churn_digits"), HasSubstr("| mine |"));
  EXPECT_THAT(page_table("your_methods_quality_digits"),
              AllOf(HasSubstr("| real |"), HasSubstr("| D, guided |")));
}

}  // namespace
}  // namespace reprise::reproduce
