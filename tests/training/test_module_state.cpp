#include "tests/support.h"
#include "tests/training/toy.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::training {
namespace {

using testing::HasSubstr;

std::vector<std::string> names(const weights::StateDict& state) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state) names.push_back(name);
  return names;
}

TEST(ModuleState, NamesAndOrderAreThoseOfPyTorch) {
  EXPECT_THAT(names(module_state(*ToyNet(1))),
              testing::ElementsAre("hidden.weight", "hidden.bias", "norm.weight", "norm.bias",
                                   "norm.running_mean", "norm.running_var",
                                   "norm.num_batches_tracked", "out.weight", "out.bias"));
}

TEST(ModuleState, SavedWeightsComeBackIntoAnotherNetwork) {
  const TemporaryFolder folder;
  ToyNet saved(1), loaded(2);
  saved->forward(torch::ones({4, 3}));  // moves the batch statistics
  save_weights(*saved, folder.path() / "net.safetensors");
  load_weights(*loaded, folder.path() / "net.safetensors");
  const auto a = module_state(*saved), b = module_state(*loaded);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(at::equal(a[i].second, b[i].second)) << a[i].first;
}

TEST(ModuleState, LoadsAFileThatPyTorchWrote) {
  struct GoldenImpl : torch::nn::Module {
    GoldenImpl() {
      register_module("features",
                      torch::nn::Sequential(torch::nn::Conv2d(3, 4, 3), torch::nn::BatchNorm2d(4)));
      register_module("classifier", torch::nn::Linear(8, 5));
    }
  };
  GoldenImpl network;
  load_weights(network, fixture("weights/plain_stream.pth"));
  const auto golden = fixture_json("weights/values.json")["plain"]["classifier.bias"]["values"]
                          .get<std::vector<double>>();
  EXPECT_TRUE(at::equal(network.named_parameters()["classifier.bias"].to(at::kDouble),
                        torch::tensor(golden, torch::kDouble)));
}

TEST(ModuleState, WhatDoesNotFitIsNamedWithBothShapesAndNothingIsChanged) {
  ToyNet network(1);
  const auto before = network->hidden->weight.detach().clone();
  weights::StateDict state = module_state(*ToyNet(2));
  state.erase(state.begin() + 1);
  state.back().second = torch::zeros({3});
  state.emplace_back("head.weight", torch::zeros({1}));
  EXPECT_THAT([&] { load_state(*network, state, "some.pth"); },
              ThrowsUsageError(HasSubstr("some.pth"), HasSubstr("missing: hidden.bias"),
                               HasSubstr("not in the network: head.weight"),
                               HasSubstr("out.bias is [3] there and [2] in the network")));
  EXPECT_TRUE(at::equal(network->hidden->weight, before));
}

TEST(ModuleState, HalfPrecisionWeightsAreConverted) {
  ToyNet network(1);
  auto state = module_state(*ToyNet(2));
  for (auto& [name, tensor] : state)
    if (tensor.is_floating_point()) tensor = tensor.detach().to(torch::kHalf);
  load_state(*network, state, "half");
  EXPECT_EQ(network->hidden->weight.scalar_type(), torch::kFloat);
  EXPECT_TRUE(at::equal(network->hidden->weight, state[0].second.to(torch::kFloat)));
}

}  // namespace
}  // namespace reprise::training
