// UNIT and its ablations keep the promises of training/translator.h; a killed run ends with the
// same bits.
#include "models/translation/methods.h"
#include "tests/translator_contract.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using testing_contracts::paired_squares;
using testing_contracts::TranslatorCase;
using testing_contracts::TranslatorContract;

UnitOptions small_unit(std::int64_t iterations) {
  UnitOptions options{.batch = 8, .start = UnitStart::He};
  options.network = {
      .width = 8, .halvings = 1, .blocks_E = 2, .shared_E = 1, .blocks_G = 2, .shared_G = 1};
  options.network.width_D = 8;
  options.network.layers_D = 3;
  options.network.shared_D = 1;
  options.network.kernel_D = 3;
  options.training.iterations = iterations;
  options.training.G.learning_rate = options.training.D.learning_rate = 2e-3;
  options.equal_start =
      true;  // so that whether shades are found does not hang on the first weights
  return options;
}

std::vector<TranslatorCase> unit_cases() {
  std::vector<TranslatorCase> all;
  const auto quick = learned_translators(small_unit(2)),
             learning = learned_translators(small_unit(600));
  for (std::size_t i = 0; i < quick.size(); ++i) {
    all.push_back({.method = quick[i]});
    if (quick[i].info.id == "unit" || quick[i].info.id == "paired")
      all.back().learning = learning[i].make;
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, TranslatorContract, testing::ValuesIn(unit_cases()),
                         testing_contracts::name_of_translator);

struct UnitInterrupted : std::exception {};

TEST(UnitMethod, AnInterruptedRunEndsWithTheSameBitsSlow) {
  const auto all = paired_squares(20, 1);
  training::Progress silent(nullptr);
  auto options = small_unit(6);
  options.training.window = 2;
  const auto translations = [&](const UnitOptions& of_run) {
    Unit unit(of_run);
    unit.fit(all.a, all.b, 4, silent);
    return unit.translate(all.a, training::Domain::A);
  };
  const auto whole = translations(options);
  const TemporaryFolder folder;
  options.training.checkpoint = folder.path() / "run.safetensors";
  auto interrupted = options;
  interrupted.watch = [](std::int64_t step) {
    if (step == 5) throw UnitInterrupted();
  };
  EXPECT_THROW(translations(interrupted), UnitInterrupted);
  ASSERT_TRUE(std::filesystem::exists(options.training.checkpoint));
  EXPECT_TRUE(translations(options).equal(whole));
}

// What D_i sees beside translations, and what closes a cycle, changes what is learned; so does
// whether anybody learns from D.
TEST(UnitMethod, EverySettingReachesTheObjectiveSlow) {
  const auto all = paired_squares(20, 1);
  training::Progress silent(nullptr);
  std::vector<at::Tensor> seen;
  for (const auto& method : learned_translators(small_unit(2))) {
    if (method.one_way) continue;  // it has fewer weights
    const auto translator = method.make();
    translator->fit(all.a, all.b, 4, silent);
    const auto y = translator->translate(all.a, training::Domain::A);
    for (const auto& other : seen) EXPECT_FALSE(y.equal(other)) << method.info.id;
    seen.push_back(y);
  }
}

// Whoever watches may ask for translations, and what is learned stays the same.
TEST(UnitMethod, BeingWatchedChangesNothing) {
  const auto all = paired_squares(20, 1);
  training::Progress silent(nullptr);
  const auto translations = [&](bool watched) {
    auto options = small_unit(3);
    Unit* self = nullptr;
    if (watched) options.watch = [&](std::int64_t) { self->translate(all.a, training::Domain::A); };
    Unit unit(options);
    self = &unit;
    unit.fit(all.a, all.b, 4, silent);
    return unit.translate(all.a, training::Domain::A);
  };
  EXPECT_TRUE(translations(true).equal(translations(false)));
}

TEST(UnitMethod, CodesAndReconstructionsAreOfTheirDomain) {
  const auto all = paired_squares(20, 1);
  training::Progress silent(nullptr);
  Unit unit(small_unit(2));
  unit.fit(all.a, all.b, 4, silent);
  const auto z = unit.code(all.a, training::Domain::A);
  EXPECT_EQ(z.sizes(), (std::vector<std::int64_t>{20, 16, 4, 4}));
  EXPECT_FALSE(z.requires_grad());
  EXPECT_FALSE(unit.code(all.a, training::Domain::B).equal(z));
  EXPECT_EQ(unit.report().iterations, 2);
  EXPECT_TRUE(unit.report().curves.contains("accuracy_2"));
}

// Three scales: three discriminators per domain, each with its accuracy.
TEST(UnitMethod, TrainsWithDiscriminatorsOfSeveralScalesAndNearestUpsampling) {
  const auto all = paired_squares(20, 1);
  training::Progress silent(nullptr);
  auto options = small_unit(2);
  options.network.scales_D = 3;
  options.network.shared_D = 0;
  options.network.upsampling = Upsampling::Nearest;
  Unit unit(options);
  unit.fit(all.a, all.b, 4, silent);
  EXPECT_TRUE(unit.report().curves.contains("accuracy_6"));
  EXPECT_TRUE(unit.translate(all.a, training::Domain::A).isfinite().all().item<bool>());
}

// The clock decides, whatever `iterations` is, and a later run with more time continues.
TEST(UnitMethod, TheClockEndsATrainingAndMoreTimeContinuesItSlow) {
  const auto all = paired_squares(20, 1);
  training::Progress silent(nullptr);
  const TemporaryFolder folder;
  auto options = small_unit(1);
  options.training.window = 2;
  options.training.decay_from = 0.5;
  options.training.checkpoint = folder.path() / "run.safetensors";
  const auto train = [&](double seconds) {
    options.training.seconds = seconds;
    Unit unit(options);
    unit.fit(all.a, all.b, 4, silent);
    return unit.report();
  };
  const auto first = train(0.5);
  const double elapsed = first.seconds.at("elapsed");
  EXPECT_GE(elapsed, 0.5);
  EXPECT_GE(first.iterations, 1);
  EXPECT_EQ(train(0.4).iterations, first.iterations) << "its time is over";
  const auto second = train(elapsed + 0.2);
  EXPECT_GT(second.iterations, first.iterations);
  EXPECT_GE(second.seconds.at("elapsed"), elapsed + 0.2);
}

TEST(UnitMethod, NamesWhatItCannotLearnFrom) {
  training::Progress silent(nullptr);
  const auto all = paired_squares(4, 1);
  Unit unit(small_unit(1));
  EXPECT_THAT([&] { unit.fit(all.a, all.b.slice(0, 0, 1), 0, silent); },
              ThrowsUsageError(HasSubstr("B has one picture")));
  EXPECT_THAT(
      [&] {
        unit.fit(torch::zeros({2, 3, 8, 7}), torch::zeros({2, 3, 8, 7}), 0, silent);
      },
      ThrowsUsageError(HasSubstr("7 x 8"), HasSubstr("multiples of 2")));
  auto options = small_unit(1);
  options.network.one_way = true;
  EXPECT_THAT([&] { Unit(options).fit(all.a, all.b, 0, silent); },
              ThrowsUsageError(HasSubstr("cannot close a cycle")));
  options = small_unit(1);
  options.paired = true;
  EXPECT_THAT([&] { Unit(options).fit(all.a, all.b.slice(0, 1), 0, silent); },
              ThrowsUsageError(HasSubstr("4 pictures of A and 3 of B")));
}

}  // namespace
}  // namespace reprise::models
