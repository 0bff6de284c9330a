// The suite of the sequence contract (training/sequence_network.h): every test holds for every network that fulfils it.
//
//     INSTANTIATE_TEST_SUITE_P(Registry, SequenceContract, testing::ValuesIn(cases), name_of_case);
//
// One file of a test program includes it. A test that asks for more than the contract promises belongs to its method, not here.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/random.h"
#include "training/fit.h"
#include "training/module_state.h"
#include "training/progress.h"
#include "training/sequence_network.h"

namespace reprise::testing_contracts {

/// A network to be tested, and what its registry says of it.
struct SequenceCase {
  std::string name;
  std::function<std::unique_ptr<training::SequenceNetwork>(Random&)> make;
  std::vector<std::int64_t> input;  ///< shape of a frame's features
  std::int64_t outputs = 0;         ///< per frame
  bool causal = true;
  bool recurs = true;
};

inline std::string name_of_case(const testing::TestParamInfo<SequenceCase>& info) {
  return info.param.name;
}

/// Uniform in [0, 1).
inline torch::Tensor uniform(const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  Random random(seed);
  auto values = torch::empty(shape);
  for (std::int64_t i = 0; i < values.numel(); ++i)
    values.data_ptr<float>()[i] = static_cast<float>(random.uniform());
  return values;
}

inline double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

class SequenceContract : public testing::TestWithParam<SequenceCase> {
 protected:
  /// In evaluation mode: what a network draws while it trains, such as dropout, is no part of the contract.
  static std::unique_ptr<training::SequenceNetwork> made(std::uint64_t seed = 2) {
    Random random(seed);
    auto network = GetParam().make(random);
    network->eval();
    return network;
  }
  static torch::Tensor frames(std::int64_t clips, std::int64_t steps, std::uint64_t seed) {
    auto shape = GetParam().input;
    shape.insert(shape.begin(), {clips, steps});
    return uniform(shape, seed);
  }
};

TEST_P(SequenceContract, GivesOneOutputPerFrame) {
  for (const std::int64_t steps : {1, 5})
    EXPECT_EQ(made()->forward(frames(3, steps, 3)).sizes(),
              (std::vector<std::int64_t>{3, steps, GetParam().outputs}));
}

TEST_P(SequenceContract, SameSeedGivesTheSameNetwork) {
  const auto x = frames(2, 4, 4);
  EXPECT_TRUE(made()->forward(x).equal(made()->forward(x)));
}

TEST_P(SequenceContract, ClipsOfABatchDoNotTouchEachOther) {
  const auto x = frames(3, 4, 5);
  const auto network = made();
  EXPECT_LT(difference(network->forward(x)[1], network->forward(x.narrow(0, 1, 1))[0]), 1e-5);
}

TEST_P(SequenceContract, TheStateStartsAtZeroForEveryClip) {
  const auto x = frames(2, 4, 6);
  const auto network = made();
  const auto before = network->forward(x).clone();
  network->forward(frames(2, 7, 7));
  EXPECT_TRUE(network->forward(x).equal(before));
}

TEST_P(SequenceContract, LaterFramesDoNotReachEarlierOutputs) {
  if (!GetParam().causal) GTEST_SKIP() << "the registry says that it sees frames to come";
  const auto network = made();
  auto x = frames(2, 5, 11);
  const auto before = network->forward(x).narrow(1, 0, 3).clone();
  x.narrow(1, 3, 2).fill_(9);
  EXPECT_LT(difference(before, network->forward(x).narrow(1, 0, 3)), 1e-6);
}

/// The outputs of follow(), a piece of the clip at a time; std::nullopt: the network keeps no state between calls.
inline std::optional<torch::Tensor> followed(training::SequenceNetwork& network,
                                             const torch::Tensor& x,
                                             const std::vector<std::int64_t>& pieces) {
  std::vector<torch::Tensor> outputs;
  try {
    for (const auto& piece : x.split_with_sizes(pieces, 1))
      outputs.push_back(network.follow(piece));
  } catch (const Error&) {
    return std::nullopt;
  }
  return torch::cat(outputs, 1);
}

TEST_P(SequenceContract, AClipFollowedInPiecesHasTheOutputsOfTheWhole) {
  const auto network = made();
  network->eval();
  const auto x = frames(2, 5, 12);
  const auto whole = network->forward(x);
  for (const auto& pieces :
       {std::vector<std::int64_t>{1, 1, 1, 1, 1}, std::vector<std::int64_t>{2, 3}}) {
    const auto outputs = followed(*network, x, pieces);
    if (!outputs) return;
    EXPECT_LT(difference(*outputs, whole), 1e-5);
    EXPECT_FALSE(outputs->requires_grad());
    network->forward(x);  // a clip beside the stream
    network->restart();
  }
}

TEST_P(SequenceContract, SavedAndLoadedItPredictsTheSame) {
  const TemporaryFolder folder;
  const auto x = frames(2, 4, 6);
  const auto saved = made(2), loaded = made(99);
  training::save_weights(*saved, folder.path() / "weights.safetensors");
  training::load_weights(*loaded, folder.path() / "weights.safetensors");
  EXPECT_TRUE(saved->forward(x).equal(loaded->forward(x)));
}

TEST_P(SequenceContract, FreshParametersAreItsOwn) {
  const auto network = made();
  std::set<void*> own;
  for (const auto& p : network->parameters()) own.insert(p.unsafeGetTensorImpl());
  for (const auto& p : network->untrained_parameters())
    EXPECT_TRUE(own.contains(p.unsafeGetTensorImpl()));
}

TEST_P(SequenceContract, GatesLieBetweenZeroAndOneForEveryFrame) {
  for (const auto& [name, gate] : made()->gates(frames(2, 3, 13))) {
    EXPECT_NE(name.find('.'), std::string::npos) << name << ": LAYER.GATE";
    ASSERT_EQ(gate.dim(), 3) << name;
    EXPECT_EQ(gate.size(0), 2) << name;
    EXPECT_EQ(gate.size(1), 3) << name;
    EXPECT_GE(gate.min().item<double>(), 0) << name;
    EXPECT_LE(gate.max().item<double>(), 1) << name;
  }
}

TEST_P(SequenceContract, OnlyWhatRecursAddsRecurrentParameters) {
  const auto added = made()->recurrent_parameters(12, 16);
  EXPECT_GE(added, 0);
  if (!GetParam().recurs) EXPECT_EQ(added, 0);
}

// The target is a fixed linear map of the features: a network that learns at all more than halves the error.
TEST_P(SequenceContract, LearnsAToyProblemSlow) {
  const auto network = made();
  std::vector<torch::Tensor> learning;
  for (const auto& parameter : network->parameters())
    if (parameter.requires_grad()) learning.push_back(parameter);
  if (learning.empty()) GTEST_SKIP() << "nothing in it learns";
  const auto x = frames(32, 4, 7), values = x.flatten(2);
  const auto y = values.matmul(uniform({values.size(2), GetParam().outputs}, 8)) / values.size(2);
  training::Task task;
  task.batches_per_epoch = 8;
  task.batch = [&](std::int64_t, std::int64_t index, Random&) {
    return training::Batch{x.narrow(0, 4 * index, 4), y.narrow(0, 4 * index, 4)};
  };
  task.forward = [&](const torch::Tensor& clip) { return network->forward(clip); };
  task.loss = [](const torch::Tensor& prediction, const torch::Tensor& truth) {
    return torch::mse_loss(prediction, truth);
  };
  task.validate = [&] { return torch::mse_loss(network->forward(x), y).item<double>(); };
  const auto before = task.validate();
  training::Progress silent(nullptr);
  const auto report = training::fit(*network, {{learning, 5e-3}}, task,
                                    {.epochs = 25, .warmup_steps = 5, .seed = 1}, silent);
  EXPECT_LT(report.validation_error.at(report.best_epoch), 0.5 * before);
}

}  // namespace reprise::testing_contracts
