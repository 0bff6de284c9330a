#include <torch/script.h>

#include "tests/support.h"
#include "training/module_state.h"
#include "training/scripted_network.h"

namespace reprise::training {
namespace {

using testing::HasSubstr;

/// A file with the module y = fc6(x) * scale, and a buffer.
struct Scripted : testing::Test {
  TemporaryFolder folder;

  std::filesystem::path write(const std::string& forward, bool learns = true) const {
    torch::jit::Module module("Example"), layer("Layer");
    layer.register_parameter("weight", torch::full({2, 3}, 0.5), false);
    module.register_module("fc6", layer);
    module.register_parameter("scale", torch::ones({2}), false);
    module.register_buffer("seen", torch::zeros({1}));
    module.register_attribute("training", c10::BoolType::get(),
                              true);  // as every module of Python has
    for (auto parameter : module.parameters()) parameter.set_requires_grad(learns);
    module.define(forward);
    module.save((folder.path() / "method.pt").string());
    return folder.path() / "method.pt";
  }
};

constexpr const char* linear =
    "def forward(self, x):\n  return torch.matmul(x, self.fc6.weight.t()) * self.scale\n";

TEST_F(Scripted, MapsClipsAndGivesGradientsToItsParameters) {
  ScriptedNetwork network(write(linear));
  const auto y = network.forward(torch::ones({2, 4, 3}));
  EXPECT_TRUE(y.equal(torch::full({2, 4, 2}, 1.5)));
  EXPECT_TRUE(network.is_trainable());
  EXPECT_EQ(network.parameters().size(), 2u);
  EXPECT_EQ(network.buffers().size(), 1u);
  y.sum().backward();
  for (const auto& parameter : network.parameters()) EXPECT_TRUE(parameter.grad().defined());
}

// A scripted GRU holds its weights twice, as parameters and in a list of its own: both must be the
// same tensors after loading.
TEST(ScriptedGru, EveryWeightOfTheWorkedExampleGetsAGradientAndMovesTheOutput) {
  ScriptedNetwork network(fixture("methods/my_gru.pt"));
  const auto x = torch::linspace(-1, 1, 2 * 3 * 64).view({2, 3, 64});
  network.forward(x).sum().backward();
  for (const auto& parameter : network.named_parameters())
    EXPECT_TRUE(parameter.value().grad().defined()) << parameter.key();
  const torch::NoGradGuard no_gradient;
  for (auto& parameter : network.named_parameters())
    if (parameter.key() == "share") parameter.value().fill_(1);
  const auto before = network.forward(x);
  for (auto& parameter : network.named_parameters())
    if (parameter.key() == "gru/weight_hh_l0") parameter.value().mul_(3);
  EXPECT_FALSE(network.forward(x).equal(before));
}

TEST_F(Scripted, ParametersAreTheScriptsOwnSoThatTrainingMovesIt) {
  ScriptedNetwork network(write(linear));
  const torch::NoGradGuard no_gradient;
  for (auto& parameter : network.named_parameters())
    if (parameter.key() == "scale") parameter.value().fill_(2);
  EXPECT_TRUE(network.forward(torch::ones({1, 1, 3})).equal(torch::full({1, 1, 2}, 3.0)));
}

TEST_F(Scripted, NamedLayersStartFromTheTrainedOnesAndAreNotFresh) {
  ScriptedNetwork network(write(linear));
  EXPECT_EQ(network.load_pretrained(
                {{"fc6.weight", torch::ones({2, 3})}, {"fc7.weight", torch::ones({9, 9})}}),
            1u);
  EXPECT_EQ(network.untrained_parameters().size(), 1u);
  EXPECT_TRUE(network.forward(torch::ones({1, 1, 3})).equal(torch::full({1, 1, 2}, 3.0)));
  EXPECT_THAT(
      [&] {
        network.load_pretrained({{"fc6.weight", torch::ones({2, 4})}});
      },
      ThrowsUsageError(HasSubstr("fc6.weight"), HasSubstr("[2, 3]"), HasSubstr("[2, 4]")));
}

TEST_F(Scripted, LayersAreFoundByTheirShapes) {
  torch::jit::Module module("Example");
  for (const std::string name : {"head", "other", "wide"}) {
    torch::jit::Module layer("Layer_" + name);
    layer.register_parameter("weight", torch::zeros({2, name == "wide" ? 4 : 3}), false);
    if (name != "other") layer.register_parameter("bias", torch::zeros({2}), false);
    module.register_module(name, layer);
  }
  module.define("def forward(self, x):\n  return x\n");
  module.save((folder.path() / "layers.pt").string());
  const ScriptedNetwork network(folder.path() / "layers.pt");
  EXPECT_EQ(network.find_layers(torch::ones({2, 3}), torch::ones({2})),
            std::vector<std::string>{"head"});
  EXPECT_TRUE(network.has_parameter("other.weight"));
  EXPECT_FALSE(network.has_parameter("other.bias"));
}

TEST_F(Scripted, SavedAndLoadedItPredictsTheSame) {
  const auto file = write(linear);
  ScriptedNetwork saved(file), loaded(file);
  saved.load_pretrained({{"fc6.weight", torch::full({2, 3}, 7.0)}});
  save_weights(saved, folder.path() / "weights.safetensors");
  load_weights(loaded, folder.path() / "weights.safetensors");
  const auto x = torch::ones({1, 2, 3});
  EXPECT_TRUE(saved.forward(x).equal(loaded.forward(x)));
}

TEST_F(Scripted, WithoutGradientsThereIsNothingToLearn) {
  const ScriptedNetwork network(write(linear, false));
  EXPECT_FALSE(network.is_trainable());
  EXPECT_TRUE(network.untrained_parameters().empty());
  EXPECT_EQ(network.buffers().size(), 3u) << "they are state all the same";
}

TEST_F(Scripted, TrainingModeReachesTheScript) {
  ScriptedNetwork network(write(
      "def forward(self, x):\n  return torch.matmul(x, self.fc6.weight.t()) * (2.0 if self.training else 1.0)\n"));
  const auto x = torch::ones({1, 1, 3});
  network.train();
  EXPECT_FLOAT_EQ(network.forward(x)[0][0][0].item<float>(), 3);
  network.eval();
  EXPECT_FLOAT_EQ(network.forward(x)[0][0][0].item<float>(), 1.5);
}

TEST_F(Scripted, ShapesThatDoNotFitAreNamedWithTheExpectedOnes) {
  ScriptedNetwork network(write(linear));
  network.check_shapes({2, 4, 3}, {2, 4, 2});
  EXPECT_THAT(
      [&] {
        network.check_shapes({2, 4, 3}, {2, 4, 136});
      },
      ThrowsUsageError(HasSubstr("[2, 4, 3]"), HasSubstr("[2, 4, 2]"), HasSubstr("[2, 4, 136]")));
  EXPECT_THAT(
      [&] {
        network.check_shapes({2, 4, 5}, {2, 4, 136});
      },
      ThrowsUsageError(HasSubstr("forward fails"), HasSubstr("[2, 4, 5]"),
                       HasSubstr("[2, 4, 136]")));
  ScriptedNetwork two(write("def forward(self, x):\n  return x, x\n"));
  EXPECT_THAT(
      [&] {
        two.check_shapes({1, 1, 3}, {1, 1, 2});
      },
      ThrowsUsageError(HasSubstr("Tuple"), HasSubstr("one tensor")));
}

TEST_F(Scripted, WhatIsNoTorchScriptIsRefusedByName) {
  write_file(folder.path() / "text.pt", "no archive");
  EXPECT_THAT([&] { ScriptedNetwork(folder.path() / "text.pt"); },
              ThrowsUsageError(HasSubstr("text.pt"), HasSubstr("torch.jit.script")));
  EXPECT_THAT([&] { ScriptedNetwork(fixture("weights/plain_zip.pth")); },
              ThrowsUsageError(HasSubstr("plain_zip.pth")));
  EXPECT_THAT([&] { ScriptedNetwork(fixture("weights/plain_zip.pth")); },
              ThrowsUsageError(HasSubstr("written by torch.save"), HasSubstr("2.")));
  const auto file = write("def run(self, x):\n  return x\n");
  EXPECT_THAT([&] { ScriptedNetwork{file}; }, ThrowsUsageError(HasSubstr("no method forward")));
  const auto whole = read_file(write(linear));
  write_file(folder.path() / "half.pt", whole.substr(0, whole.size() / 2));
  EXPECT_THAT([&] { ScriptedNetwork(folder.path() / "half.pt"); },
              ThrowsUsageError(HasSubstr("half.pt")));
}

// A method is a function of its inputs: what touches files is refused by name before any of it
// runs, however deep it stands.
TEST_F(Scripted, CodeThatReadsOrWritesFilesIsRefusedBeforeItRuns) {
  const auto target = folder.path() / "written";
  const auto save = "torch.save(x, '" + target.string() + "')";
  const auto refused = [&](const std::string& code, const char* says) {
    const auto file = write(code);
    EXPECT_THAT([&] { ScriptedNetwork{file}; },
                ThrowsUsageError(HasSubstr("method.pt"), HasSubstr(says)))
        << code;
    EXPECT_FALSE(std::filesystem::exists(target)) << code;
  };
  refused("def forward(self, x):\n  if bool(x.sum() > 0):\n    " + save + "\n  return x\n",
          "forward calls aten::save");
  refused("def other(self, x):\n  " + save + "\n  return x\ndef forward(self, x):\n  return x\n",
          "other calls aten::save");
  refused("def forward(self, x):\n  return torch.from_file('/etc/passwd', False, 3)\n",
          "aten::from_file");
  refused(
      "def forward(self, x):\n  return x\ndef __getstate__(self):\n  return torch.zeros([1])\ndef __setstate__(self, x: Tensor):\n  " +
          save + "\n",
      "__setstate__");
}

}  // namespace
}  // namespace reprise::training
