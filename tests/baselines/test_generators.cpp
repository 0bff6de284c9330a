// Every registered generator keeps the promises of training/generator.h, and each does what its row in a table stands for.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <set>

#include "baselines/adversarial/methods.h"
#include "baselines/generators.h"
#include "tests/generator_contract.h"

namespace reprise::baselines {
namespace {

using training::Examples;

using testing_contracts::GeneratorCase;
using testing_contracts::GeneratorContract;

Examples pictures(std::uint64_t seed = 1, std::int64_t n = 24) { return testing_contracts::halves(4, 6, 0, seed, n); }
Examples clips() { return testing_contracts::halves(4, 6, 3); }

/// Narrow networks on 8 x 8 pixels and four frames.
std::vector<GeneratorMethod> adversarial(std::int64_t iterations) {
  ClipGanOptions vgan{.width_G = 16, .width_D = 16, .d_z = 8, .batch = 12}, tgan{.width_G = 8, .width_D = 8, .d_z = 8, .batch = 12};
  vgan.training.iterations = tgan.training.iterations = iterations;
  vgan.training.ema_decay = tgan.training.ema_decay = 0.95;
  vgan.training.noise.sigma = 0.2;
  vgan.training.G.learning_rate = 8e-3;
  vgan.training.D.learning_rate = 4e-3;
  using enum training::OptimizerOptions::Kind;
  tgan.training.G = {.kind = RmsProp, .learning_rate = 1e-3};
  tgan.training.D = {.kind = RmsProp, .learning_rate = 5e-3};
  return adversarial_clip_generators(vgan, tgan);
}

std::vector<GeneratorCase> cases() {
  std::vector<GeneratorCase> all;
  for (const auto& method : generators()) all.push_back({.method = method, .examples = {pictures(), clips()}, .learning = method.make});
  const auto quick = adversarial(4), learning = adversarial(300);
  for (std::size_t i = 0; i < quick.size(); ++i) {
    all.push_back({.method = quick[i], .examples = {testing_contracts::halves(8, 8, 4)}, .fraction = 0.75});
    if (quick[i].info.id != "vgan_one_stream") all.back().learning = learning[i].make;
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, GeneratorContract, testing::ValuesIn(cases()), testing_contracts::name_of_generator);

TEST(Generators, NoTwoHaveOneName) {
  std::set<std::string> names;
  for (const auto& method : cases()) EXPECT_TRUE(names.insert(method.method.info.id).second) << method.method.info.id;
}

std::unique_ptr<training::Generator> fitted(const std::string& id, const Examples& examples) {
  for (const auto& method : generators())
    if (method.info.id == id) {
      auto generator = method.make();
      training::Progress silent(nullptr);
      generator->fit(examples, 5, silent);
      return generator;
    }
  throw Error("no generator " + id, "");
}

TEST(TrainingItems, AreExamplesToTheBit) {
  const auto examples = pictures();
  const auto x = fitted("training_items", examples)->sample({.count = 12, .seed = 3});
  EXPECT_EQ(std::get<0>(torch::cdist(x.flatten(1), examples.x.flatten(1)).min(1)).max().item<double>(), 0);
}

TEST(Still, HasNoMotion) {
  const auto x = fitted("still", clips())->sample({.count = 4, .seed = 3, .frames = 5});
  EXPECT_EQ((x - x.slice(1, 0, 1)).abs().max().item<double>(), 0);
}

// The mean and the standard deviation of what it draws are the examples' own: that is all a Gaussian knows.
TEST(Gaussian, HasTheMomentsOfTheExamplesOfTheClass) {
  const auto examples = pictures(1, 400);
  const auto x = fitted("gaussian", examples)->sample({.count = 4000, .seed = 3, .labels = torch::zeros({4000}, at::kLong)});
  const auto own = examples.x.index_select(0, (examples.labels == 0).nonzero().flatten());
  EXPECT_LT((x.mean(0) - own.mean(0)).abs().max().item<double>(), 0.01);
  EXPECT_LT((x.std(0) - own.std(0)).abs().max().item<double>(), 0.012);
}

}  // namespace
}  // namespace reprise::baselines
