// Methods from outside in study langevin: a denoiser as D', samples of any generator, and the pictures that both are made from.
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
#include "experiments/reporting.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "reproduce/langevin/outside.h"
#include "reproduce/langevin/study.h"
#include "reproduce/langevin/worlds.h"
#include "tests/experiments/toy_study.h"
#include "tests/support.h"
#include "training/scripted_denoiser.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using Pictures = ExportedSet<datasets::NamedPictures>;
using testing::AllOf;
using testing::HasSubstr;

constexpr auto a_script = OutsideMethod::Kind::TorchScript;
constexpr auto generated_samples = OutsideMethod::Kind::Predictions;

const std::vector<std::string> small_digits{R"(worlds=["digits"])",
                                            "digits.size=8",
                                            "digits.prior=64",
                                            "digits.judge=64",
                                            "digits.validation=16",
                                            "digits.test=24",
                                            "digits.channels=[8, 8]",
                                            "digits.epochs=1",
                                            "methods.exact=[]",
                                            "exact.items=100",
                                            "prior.steps_an_epoch=4",
                                            "prior.batch=8",
                                            "prior.embedding=16",
                                            "judge.trunk=8 p 8",
                                            "judge.width=8",
                                            "judge.steps=30",
                                            "judge.batch=16",
                                            "quality.samples=20",
                                            "quality.trial_samples=20",
                                            "quality.steps=3",
                                            "methods.inversion=[\"backprop\"]",
                                            "inversion.items=8",
                                            "inversion.sigmas=[1.0]",
                                            "inversion.adam_steps=3",
                                            "methods.churn=[\"backprop\"]",
                                            "churn.items=8",
                                            "churn.likelihood_items=4",
                                            "churn.rounds=2",
                                            "methods.steering=[]",
                                            "methods.completion=[\"backprop\"]",
                                            "completion.items=8",
                                            "completion.rounds=2",
                                            "methods.painting=[]"};

struct LangevinOutside : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results";

  static RunRequest request() {
    RunRequest made;
    made.set = small_digits;
    made.seeds = 2;
    return made;
  }
  static Settings settings() { return settings_of(langevin(), request()); }
  fs::path file(const std::string& name) const { return folder.path() / name; }
  fs::path script(const std::string& body) const {
    torch::jit::Module module("Example");
    module.define("def forward(self, x, sigma):\n" + body);
    module.save(file("mine.pt").string());
    return file("mine.pt");
  }
  /// D of Gaussian data of deviation 1/2.
  fs::path gaussian() const { return script("  s = (sigma * sigma).view(-1, 1, 1, 1)\n  return x * (0.25 / (0.25 + s))\n"); }
  static auto plan(OutsideMethod::Kind kind, const fs::path& path) {
    return langevin().outside.plan({kind, "mine", path.string()}, settings(), "");
  }
  RunResult go(const std::string& only, std::vector<OutsideMethod> outside) const {
    auto asked = request();
    asked.only = {only}, asked.results = results, asked.device = "cpu", asked.jobs = 2, asked.progress = nullptr;
    asked.outside = std::move(outside);
    return run(langevin(), asked);
  }
};

TEST_F(LangevinOutside, AScriptIsPlannedInEveryTableOfTheProfileThatTakesOne) {
  std::set<std::string> own, tables;
  for (const auto& planned : langevin().plan(settings(), "")) own.insert(planned.cell.id());
  const auto cells = plan(a_script, gaussian());
  for (const auto& planned : cells) own.insert(planned.cell.id());
  for (const auto& planned : cells) {
    tables.insert(planned.cell.table);
    EXPECT_TRUE(planned.file.has_value()) << planned.cell.id();
    for (const auto& need : planned.needs) EXPECT_TRUE(own.contains(need.id())) << planned.cell.id() << " needs " << need.id();
  }
  EXPECT_EQ(tables, (std::set<std::string>{"inversion", "churn", "completion", "search_completion"}));
}

TEST_F(LangevinOutside, AScriptThatIsSearchedHasNoFrontierForNoFigureDrawsOne) {
  auto searched = settings();
  searched.set(R"(search.churn.loop=["first=1|2"])");
  for (const auto& planned : langevin().outside.plan({a_script, "mine", gaussian().string()}, searched, ""))
    EXPECT_NE(planned.cell.table, "frontier");
}

TEST_F(LangevinOutside, AScriptThatDoesNotFitIsRefusedBeforeAnythingRuns) {
  EXPECT_THAT([&] { plan(a_script, script("  return x.mean(3)\n")); },
              ThrowsUsageError(HasSubstr("mine.pt"), HasSubstr("[2, 1, 8, 8]"), HasSubstr("[2, 1, 8]")));
  EXPECT_THAT([&] { plan(a_script, script("  return x.detach()\n")); }, ThrowsUsageError(HasSubstr("no gradient in x")));
  EXPECT_THAT([&] { plan(a_script, script("  return x * sigma\n")); }, ThrowsUsageError(HasSubstr("forward fails")));
  EXPECT_THAT([&] { plan(a_script, file("none.pt")); }, ThrowsUsageError(HasSubstr("none.pt")));
  write_file(file("text.pt"), "no script");
  EXPECT_THAT([&] { plan(a_script, file("text.pt")); }, ThrowsUsageError(HasSubstr("cannot be loaded as TorchScript")));
}

TEST_F(LangevinOutside, AScriptsValuesThatAreNotFiniteNameTheFileAndTheItem) {
  training::ScriptedDenoiser D(script("  return x / x.mean([1, 2, 3], keepdim=True)\n"));
  auto x = torch::ones({3, 1, 8, 8});
  x[1] = 0;
  EXPECT_THAT([&] { D(x, 0.5); }, ThrowsError(HasSubstr("mine.pt"), HasSubstr("item 1 of a batch of 3"), HasSubstr("sigma = 0.5")));
  EXPECT_THAT(
      [&] {
        D(torch::ones({1, 1, 8, 8}), 0.5, torch::zeros({1}, at::kLong));
      },
      ThrowsUsageError(HasSubstr("conditioned on nothing")));
}

TEST_F(LangevinOutside, SamplesOfAnotherNumberSizeOrTypeAreRefusedBeforeAnythingRuns) {
  const auto saved = [&](const at::Tensor& x) {
    datasets::write_npy(file("mine.npy"), x);
    return file("mine.npy");
  };
  const auto bytes = at::TensorOptions(at::kByte);
  EXPECT_EQ(plan(generated_samples, saved(torch::zeros({20, 8, 8}, bytes))).size(), 1U) << "without {seed} they are of seed 0";
  EXPECT_THAT(
      [&] {
        plan(generated_samples, saved(torch::zeros({19, 8, 8}, bytes)));
      },
      ThrowsUsageError(HasSubstr("mine.npy"), HasSubstr("19 pictures"), HasSubstr("expected 20 of 8 x 8")));
  EXPECT_THAT([&] { plan(generated_samples, saved(torch::zeros({20, 8, 9}, bytes))); }, ThrowsUsageError(HasSubstr("9 x 8 pixels")));
  EXPECT_THAT([&] { plan(generated_samples, saved(torch::zeros({20, 8, 8}))); }, ThrowsUsageError(HasSubstr("uint8")));
  EXPECT_THAT([&] { plan(generated_samples, file("none_{seed}")); }, ThrowsUsageError(HasSubstr("none_0"), HasSubstr("none_1")));
}

TEST_F(LangevinOutside, AFolderMaySayWhichClassEachSampleIsOf) {
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
  EXPECT_EQ(plan(generated_samples, file("mine")).size(), 1U);
  write("10");
  EXPECT_THAT([&] { plan(generated_samples, file("mine")); },
              ThrowsUsageError(HasSubstr("labels.csv"), HasSubstr("row 4 is 10"), HasSubstr("0 to 9")));
  fs::remove(file("mine") / "5.png");
  EXPECT_THAT([&] { plan(generated_samples, file("mine")); }, ThrowsUsageError(HasSubstr("5.png")));
}

TEST_F(LangevinOutside, ExportedPicturesAreThoseOfThatReplicateAndNoneThatAJudgeLearnsFrom) {
  const auto exported = std::get<Pictures>(langevin().outside.exported("digits", 1, settings(), ""));
  const auto world = langevin_study::world_named("digits", settings(), "", 1);
  EXPECT_EQ(exported.split.train.size(), 64U);
  EXPECT_EQ(exported.split.validation.size(), 16U);
  const auto test = exported.set.at(exported.split.test);
  EXPECT_EQ(test.item.front(), "seed1/00080");
  EXPECT_TRUE(test.labels.equal(world.test.labels));
  EXPECT_LT((langevin_study::items_of(test.images) - world.test.x_0).abs().max().item<float>(), 0.01);
  datasets::export_split(exported.set, exported.split, file("out"), datasets::TestLabels::HeldBack);
  EXPECT_EQ(read_csv(file("out") / "train.csv").header, (std::vector<std::string>{"item", "label"}));
  EXPECT_EQ(read_csv(file("out") / "test.csv").header, std::vector<std::string>{"item"});
  EXPECT_TRUE(datasets::read_npy(file("out") / "test.npy").equal(test.images));
  EXPECT_TRUE(datasets::read_image(file("out") / "test" / "images" / "seed1" / "00080.png").select(2, 0).equal(test.images[0]));
  EXPECT_THAT([] { langevin().outside.exported("sounds", 0, settings(), ""); }, ThrowsUsageError(HasSubstr("digits, landscapes, solids")));
  EXPECT_THAT([] { langevin().outside.exported("digit", 0, settings(), ""); }, ThrowsUsageError(HasSubstr("digits")));
}

TEST_F(LangevinOutside, BothDoorsEndInTheTableSlow) {
  for (int seed = 0; seed < 2; ++seed) {
    const auto exported = std::get<Pictures>(langevin().outside.exported("digits", seed, settings(), ""));
    datasets::write_npy(file("real_" + std::to_string(seed) + ".npy"),
                        exported.set.at(exported.split.test).images.slice(0, 0, 20).contiguous());
  }
  const OutsideMethod real{generated_samples, "real", file("real_{seed}.npy").string()};
  for (const auto& cell : go("*/mine*/*", {{a_script, "mine", gaussian().string()}}).cells)
    EXPECT_NE(cell.outcome, Outcome::Failed) << cell.cell.id() << ": " << cell.error;
  for (const auto& cell : go("quality/*", {real}).cells) EXPECT_NE(cell.outcome, Outcome::Failed) << cell.error;
  const auto record = [&](const std::string& table, const std::string& method) {
    return cells_in(results).find({"langevin", table, "digits", method, 1}).value();
  };
  EXPECT_LT(*record("quality", "real").metric("frechet"), 0.2 * *record("quality", "edm").metric("frechet")) << "they are the test items";
  EXPECT_TRUE(record("completion", "mine").metric("with_first").has_value()) << "it is searched as the study's own are";
  EXPECT_EQ(record("churn", "mine").options->at("method.kind"), "torchscript");
  make_report({langevin()}, results, results);
  EXPECT_THAT(read_file(results / "tables" / "your_methods_churn.md"), HasSubstr("| mine |"));
  EXPECT_THAT(read_file(results / "tables" / "your_methods_quality.md"), AllOf(HasSubstr("| real |"), HasSubstr("| D, guided |")));
}

}  // namespace
}  // namespace reprise::reproduce
