// Every registered sequence estimator, the documents' own and the baselines, on a tiny set: a new line in a registry is tested by being
// there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <set>

#include "baselines/methods.h"
#include "core/files.h"
#include "docs/examples/running_mean.cpp"  // no library has it: it is documentation
#include "models/backbones/known_backbones.h"
#include "models/methods.h"
#include "training/fit.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::baselines {
namespace {

constexpr std::int64_t outputs = 6;
/// Of both networks below: 12 values a frame.
const std::vector<std::int64_t> features{3, 2, 2};

std::vector<models::Method> every_method() {
  auto all = baselines::methods();
  for (const auto& methods : {models::methods(), models::convolutional_methods()}) all.insert(all.end(), methods.begin(), methods.end());
  return all;
}

bool is_convolutional(const models::Method& method) { return method.name.ends_with("_conv"); }

/// With fc6 and fc7, or with a last convolution and global average pooling.
models::Backbone trained_network(bool convolutional) {
  Random random(1);
  auto network = models::small_network(
      {.size = 4, .trunk = convolutional ? "3 p 16" : "3 p", .width = convolutional ? 0 : 16, .outputs = outputs}, random);
  network->eval();
  return network;
}

std::unique_ptr<training::SequenceNetwork> made(const models::Method& method, std::uint64_t seed = 2) {
  Random random(seed);
  return method.make(trained_network(is_convolutional(method)), random);
}

torch::Tensor uniform(std::vector<std::int64_t> shape, std::uint64_t seed) {
  Random random(seed);
  auto values = torch::empty(shape);
  for (std::int64_t i = 0; i < values.numel(); ++i) values.data_ptr<float>()[i] = static_cast<float>(random.uniform());
  return values;
}

torch::Tensor frames(std::int64_t clips, std::int64_t steps, std::uint64_t seed) {
  auto shape = features;
  shape.insert(shape.begin(), {clips, steps});
  return uniform(shape, seed);
}

class EveryMethod : public testing::TestWithParam<models::Method> {};

TEST_P(EveryMethod, GivesOneOutputAFrame) {
  EXPECT_EQ(made(GetParam())->forward(frames(3, 5, 3)).sizes(), (std::vector<std::int64_t>{3, 5, outputs}));
}

TEST_P(EveryMethod, SameSeedGivesTheSameNetwork) {
  const auto x = frames(2, 4, 4);
  EXPECT_TRUE(made(GetParam())->forward(x).equal(made(GetParam())->forward(x)));
}

TEST_P(EveryMethod, ClipsOfABatchDoNotTouchEachOther) {
  const auto x = frames(3, 4, 5);
  const auto network = made(GetParam());
  EXPECT_LT((network->forward(x)[1] - network->forward(x.narrow(0, 1, 1))[0]).abs().max().item<double>(), 1e-5);
}

TEST_P(EveryMethod, LaterFramesDoNotReachEarlierOutputs) {
  const auto network = made(GetParam());
  auto x = frames(2, 5, 11);
  const auto before = network->forward(x).narrow(1, 0, 3).clone();
  x.narrow(1, 3, 2).fill_(9);
  EXPECT_LT((before - network->forward(x).narrow(1, 0, 3)).abs().max().item<double>(), 1e-6);
}

TEST_P(EveryMethod, SavedAndLoadedItPredictsTheSame) {
  const TemporaryFolder folder;
  const auto x = frames(2, 4, 6);
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
  const auto x = frames(32, 4, 7), y = x.flatten(2).matmul(uniform({12, outputs}, 8)) / 12;
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
  std::vector<torch::Tensor> learning;
  for (const auto& parameter : network->parameters())
    if (parameter.requires_grad()) learning.push_back(parameter);
  const auto report = training::fit(*network, {{learning, 5e-3}}, task, {.epochs = 25, .warmup_steps = 5, .seed = 1}, silent);
  EXPECT_LT(report.validation_error.at(report.best_epoch), 0.5 * before);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMethod, testing::ValuesIn(every_method()), [](const auto& info) { return info.param.name; });

// docs/new_method.md explains this method line by line: what a reader copies must pass.
INSTANTIATE_TEST_SUITE_P(WorkedExample, EveryMethod, testing::Values(running_mean()), [](const auto& info) { return info.param.name; });

TEST(WorkedExample, IsThePlainCnnOnAClipOfOneFrame) {
  const auto x = frames(2, 1, 9);
  EXPECT_LT((made(running_mean())->forward(x) - made(baselines::methods().front())->forward(x)).abs().max().item<double>(), 1e-6);
}

TEST(Registry, HoldsTheTwentyOneCellsOfTable1ThePlainCnnAndTheAblationOnceEach) {
  std::set<std::string> names;
  int table = 0;
  for (const auto& method : every_method()) {
    names.insert(method.name);
    table += !is_convolutional(method) && !method.name.starts_with("wh_");
  }
  EXPECT_EQ(table, 22);
  EXPECT_EQ(names.size(), 22U + 3 + 5 + 3);
  EXPECT_EQ(every_method().size(), names.size());
  EXPECT_TRUE(names.contains("cnn"));
}

// Claim 2 of the document against claim 3.
TEST(Registry, WithFixedInputsOnlyTheHiddenWeightsOfTheRecurrentLayerLearn) {
  for (const auto& method : every_method()) {
    if (!method.name.starts_with("wh_")) continue;
    const auto network = made(method);
    network->forward(frames(2, 3, 10)).square().sum().backward();
    const std::string hidden = network->named_parameters().keys().front().find("trunk") == 0 ? "trunk.4.weight_h" : "fc6.weight_h";
    const auto layer = hidden.substr(0, hidden.find_last_of('.') + 1);
    ASSERT_TRUE(network->named_parameters().contains(hidden)) << method.name;
    for (const auto& parameter : network->named_parameters())
      EXPECT_EQ(parameter.value().grad().defined(), parameter.key() == hidden || !parameter.key().starts_with(layer))
          << method.name << " " << parameter.key();
  }
}

TEST(Registry, OnlyTheRecurrentMethodsAddParameters) {
  for (const auto& method : every_method()) EXPECT_EQ(made(method)->recurrent_parameters(12, 16) > 0, method.name != "cnn") << method.name;
}

}  // namespace
}  // namespace reprise::baselines
