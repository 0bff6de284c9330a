// UNIT's digit adaptation and its ablations keep the promises of training/adaptation.h, and every
// term of its losses is learned from.
#include "models/translation/digit_unit.h"
#include "tests/adaptation_contract.h"

namespace reprise::models {
namespace {

using testing_contracts::AdaptationContract;
using testing_contracts::AdapterCase;
using testing_contracts::two_lights;
using training::Domain;

DigitUnitOptions small_adaptation(std::int64_t iterations) {
  DigitUnitOptions options{.lambda2 = 0.02};
  auto& common = options.common;
  common.width_G = common.width_D = 4;
  common.batch = 8;
  common.equal_start = true;
  common.lambda_f = 0.01;
  common.training.iterations = iterations;
  common.training.G.learning_rate = common.training.D.learning_rate = 2e-3;
  return options;
}

std::vector<AdapterCase> digit_unit_cases() {
  std::vector<AdapterCase> all;
  const auto quick = learned_adapters(small_adaptation(2)),
             learning = learned_adapters(small_adaptation(150));
  for (std::size_t i = 0; i < quick.size(); ++i) {
    all.push_back({.method = quick[i]});
    if (quick[i].info.id == "unit_digits") all.back().learning = learning[i].make;
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, AdaptationContract, testing::ValuesIn(digit_unit_cases()),
                         testing_contracts::name_of_adapter);

at::Tensor learned_with(const DigitUnitOptions& options) {
  torch::set_num_threads(1);
  const auto set = two_lights(20, 16);
  DigitUnit unit(options);
  training::Progress silent(nullptr);
  unit.fit(set.data, 5, silent);
  return at::cat({unit.probabilities(set.data.target, Domain::B).flatten(),
                  unit.translate(set.data.source, Domain::A).flatten()});
}

TEST(DigitUnitMethod, EverySettingReachesTheObjectiveSlow) {
  using Change = void (*)(DigitUnitOptions&);
  const std::vector<Change> changes{
      [](DigitUnitOptions&) {},
      [](DigitUnitOptions& o) { o.common.lambda0 = 2; },
      [](DigitUnitOptions& o) { o.common.lambda_c = 2; },
      [](DigitUnitOptions& o) { o.common.lambda_f = 0; },
      [](DigitUnitOptions& o) { o.lambda1 = 1; },
      [](DigitUnitOptions& o) { o.lambda2 = 0; },
      [](DigitUnitOptions& o) { o.coordinates = false; },
      [](DigitUnitOptions& o) { o.learned_deviation = true; },
      [](DigitUnitOptions& o) { o.sum_streams = true; },
      [](DigitUnitOptions& o) { o.discriminate_reconstructions = false; },
      [](DigitUnitOptions& o) { o.common.equal_start = false; },
      [](DigitUnitOptions& o) { o.common.own_front_D = false; }};
  std::vector<at::Tensor> seen;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto options = small_adaptation(3);
    changes[i](options);
    seen.push_back(learned_with(options));
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(seen[i].equal(seen[j])) << i << " and " << j;
  }
}

// Whoever watches may ask for probabilities, and what is learned stays the same.
TEST(DigitUnitMethod, BeingWatchedChangesNothingSlow) {
  const auto set = two_lights(20, 16);
  auto options = small_adaptation(6);
  options.common.evaluate_every = 2;
  training::Progress silent(nullptr);
  const auto learned = [&](bool watched) {
    DigitUnit unit(options);
    std::vector<std::int64_t> at;
    if (watched)
      unit.watch = [&](std::int64_t iterations) {
        at.push_back(iterations);
        unit.probabilities(set.data.target, Domain::B);
        unit.translate(set.data.source, Domain::A);
      };
    unit.fit(set.data, 5, silent);
    EXPECT_EQ(at, watched ? std::vector<std::int64_t>({2, 4, 6}) : std::vector<std::int64_t>());
    return unit.probabilities(set.data.target, Domain::B);
  };
  EXPECT_TRUE(learned(true).equal(learned(false)));
}

TEST(DigitUnitMethod, AnInterruptedRunEndsWithTheSameBitsSlow) {
  testing_contracts::expect_goes_on([](const std::filesystem::path& checkpoint) {
    auto options = small_adaptation(10);
    options.common.evaluate_every = 2;
    options.common.training.window = 2;
    options.common.training.checkpoint = checkpoint;
    return std::make_unique<DigitUnit>(options);
  });
}

TEST(DigitUnitMethod, TranslatesEitherWay) {
  const auto set = two_lights(20, 16);
  DigitUnit unit(small_adaptation(2));
  training::Progress silent(nullptr);
  EXPECT_THAT([&] { unit.translate(set.data.source, Domain::A); },
              ThrowsUsageError(testing::HasSubstr("not fitted")));
  unit.fit(set.data, 5, silent);
  const auto there = unit.translate(set.data.source, Domain::A),
             back = unit.translate(set.data.target, Domain::B);
  EXPECT_EQ(there.sizes(), set.data.source.sizes());
  EXPECT_LE(at::cat({there, back}).abs().max().item<double>(), 1);
  EXPECT_FALSE(there.requires_grad());
}

// A whole test part at once needs more memory than a GPU has.
TEST(DigitUnitMethod, PartsAreTranslatedAsTheWhole) {
  const auto set = two_lights(20, 16);
  DigitUnit unit(small_adaptation(2));
  training::Progress silent(nullptr);
  unit.fit(set.data, 5, silent);
  const auto x = set.data.source.repeat({30, 1, 1, 1});
  ASSERT_GT(x.size(0), 512) << "more than two passes";
  const auto whole = unit.translate(x, Domain::A);
  std::vector<at::Tensor> parts;
  for (const auto& part : x.split(100)) parts.push_back(unit.translate(part, Domain::A));
  EXPECT_TRUE(whole.allclose(at::cat(parts), 1e-5, 1e-6));
}

}  // namespace
}  // namespace reprise::models
