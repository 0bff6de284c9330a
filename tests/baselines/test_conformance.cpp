// Every registered sequence estimator, the documents' own and the baselines, on a tiny set: a new line in a registry is tested by being
// there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <set>

#include "baselines/methods.h"
#include "core/files.h"
#include "docs/examples/running_mean.cpp"  // no library has it: it is documentation
#include "models/methods.h"
#include "models/vgg.h"
#include "training/fit.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::baselines {
namespace {

constexpr std::int64_t features = 12, outputs = 6;

std::vector<models::Method> every_method() {
  auto all = baselines::methods();
  all.insert(all.end(), models::methods().begin(), models::methods().end());
  return all;
}

models::TrainedLayers trained_layers() {
  Random random(1);
  models::Vgg cnn(models::VggOptions().size(4).trunk("3 p").width(16).outputs(outputs), random);
  return {cnn->fc6, cnn->fc7, cnn->out};
}

std::unique_ptr<training::SequenceNetwork> made(const models::Method& method, std::uint64_t seed = 2) {
  Random random(seed);
  return method.make(trained_layers(), random);
}

torch::Tensor uniform(std::vector<std::int64_t> shape, std::uint64_t seed) {
  Random random(seed);
  auto values = torch::empty(shape);
  for (std::int64_t i = 0; i < values.numel(); ++i) values.data_ptr<float>()[i] = static_cast<float>(random.uniform());
  return values;
}

class EveryMethod : public testing::TestWithParam<models::Method> {};

TEST_P(EveryMethod, GivesOneOutputAFrame) {
  EXPECT_EQ(made(GetParam())->forward(uniform({3, 5, features}, 3)).sizes(), (std::vector<std::int64_t>{3, 5, outputs}));
}

TEST_P(EveryMethod, SameSeedGivesTheSameNetwork) {
  const auto x = uniform({2, 4, features}, 4);
  EXPECT_TRUE(made(GetParam())->forward(x).equal(made(GetParam())->forward(x)));
}

TEST_P(EveryMethod, ClipsOfABatchDoNotTouchEachOther) {
  const auto x = uniform({3, 4, features}, 5);
  const auto network = made(GetParam());
  EXPECT_LT((network->forward(x)[1] - network->forward(x.narrow(0, 1, 1))[0]).abs().max().item<double>(), 1e-5);
}

TEST_P(EveryMethod, SavedAndLoadedItPredictsTheSame) {
  const TemporaryFolder folder;
  const auto x = uniform({2, 4, features}, 6);
  const auto saved = made(GetParam(), 2), loaded = made(GetParam(), 99);
  training::save_weights(*saved, folder.path() / "weights.safetensors");
  training::load_weights(*loaded, folder.path() / "weights.safetensors");
  EXPECT_TRUE(saved->forward(x).equal(loaded->forward(x)));
}

TEST_P(EveryMethod, FreshParametersAreItsOwn) {
  const auto network = made(GetParam());
  std::set<void*> own;
  for (const auto& p : network->parameters()) own.insert(p.unsafeGetTensorImpl());
  for (const auto& p : network->fresh()) EXPECT_TRUE(own.contains(p.unsafeGetTensorImpl()));
}

// The target is a fixed linear map of the features: a method that trains at all more than halves the error.
TEST_P(EveryMethod, LearnsAToyProblem) {
  const auto network = made(GetParam());
  const auto x = uniform({32, 4, features}, 7), y = x.matmul(uniform({features, outputs}, 8)) / features;
  training::Task task;
  task.batches_per_epoch = 8;
  task.batch = [&](std::int64_t, std::int64_t index, Random&) {
    return training::Batch{x.narrow(0, 4 * index, 4), y.narrow(0, 4 * index, 4)};
  };
  task.forward = [&](const torch::Tensor& clip) { return network->forward(clip); };
  task.loss = [](const torch::Tensor& prediction, const torch::Tensor& truth) { return torch::mse_loss(prediction, truth); };
  task.validate = [&] { return torch::mse_loss(network->forward(x), y).item<double>(); };
  const auto before = task.validate();
  training::Progress silent(nullptr);
  const auto report = training::fit(*network, {{network->parameters(), 5e-3}}, task, {.epochs = 25, .warmup_steps = 5, .seed = 1}, silent);
  EXPECT_LT(report.validation_error.at(report.best_epoch), 0.5 * before);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMethod, testing::ValuesIn(every_method()), [](const auto& info) { return info.param.name; });

// docs/new_method.md explains this method line by line: what a reader copies must pass.
INSTANTIATE_TEST_SUITE_P(WorkedExample, EveryMethod, testing::Values(running_mean()), [](const auto& info) { return info.param.name; });

TEST(WorkedExample, IsThePlainCnnOnAClipOfOneFrame) {
  const auto x = uniform({2, 1, features}, 9);
  EXPECT_LT((made(running_mean())->forward(x) - made(baselines::methods().front())->forward(x)).abs().max().item<double>(), 1e-6);
}

TEST(Registry, HoldsTheTwentyOneCellsOfTable1AndThePlainCnnOnceEach) {
  std::set<std::string> names;
  for (const auto& method : every_method()) names.insert(method.name);
  EXPECT_EQ(names.size(), 22U);
  EXPECT_EQ(every_method().size(), 22U);
  EXPECT_TRUE(names.contains("cnn"));
}

TEST(Registry, OnlyTheRecurrentMethodsAddParameters) {
  for (const auto& method : every_method())
    EXPECT_EQ(made(method)->recurrent_parameters(features, 16) > 0, method.name != "cnn") << method.name;
}

}  // namespace
}  // namespace reprise::baselines
