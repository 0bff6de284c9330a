#include "core/sha256.h"
#include "models/backbones/backbone.h"
#include "tests/models/networks.h"
#include "tests/models/shared_weights.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::models {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using torch::Tensor;

/// Each case names a known network; what it expects was computed by torchvision (C3D: plain
/// PyTorch).
json golden(const std::string& name) {
  static const json all = fixture_json("backbones.json");
  for (const auto& c : all.at("cases"))
    if (c.at("name") == name) return c;
  throw Error("no golden case " + name, "make it with tests/fixtures/backbones.py");
}

/// Fills the network by the rule; returns SHA-256 over the hashes of its tensors, as the fixture
/// has it.
std::string fill_by_rule(const weights::StateDict& state) {
  const torch::NoGradGuard no_gradient;
  std::string hashes;
  for (const auto& [name, tensor] : state) {
    const auto values = by_rule(name, tensor.sizes().vec());
    hashes += sha256({static_cast<const char*>(values.data_ptr()), values.nbytes()});
    Tensor(tensor).copy_(values);
  }
  return sha256(hashes);
}

/// As many values as `expected` has, evenly spaced.
Tensor some(const Tensor& tensor, std::int64_t count) {
  const auto flat = tensor.flatten();
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(flat[i * flat.numel() / count].item<float>());
  return torch::tensor(values);
}

void expect_golden_outputs(const std::string& name) {
  const auto c = golden(name);
  auto network = known_backbone(name).make(known_backbone(name).outputs);
  network->eval();
  ASSERT_EQ(fill_by_rule(training::module_state(*network)),
            c.at("weights_sha256").get<std::string>())
      << "the two sides do not draw the same weights";
  const torch::InferenceMode inference;
  const auto x = by_rule("input", c.at("input").get<std::vector<std::int64_t>>());
  for (const auto& [layer, expected] : c.at("layers").items()) {
    const auto got = layer == "output" ? network(x) : network->features(x, layer);
    EXPECT_EQ(got.sizes(), expected.at("shape").get<std::vector<std::int64_t>>()) << layer;
    const auto values = torch::tensor(expected.at("values").get<std::vector<float>>());
    EXPECT_LT(largest(some(got, values.numel()) - values),
              1e-4 * expected.at("largest").get<double>())
        << name << " " << layer;
  }
}

TEST(BackboneSlow, Vgg16GivesTorchvisionsOutputsSlow) { expect_golden_outputs("vgg16"); }
TEST(BackboneSlow, Vgg16WithBatchNormGivesTorchvisionsOutputsSlow) {
  expect_golden_outputs("vgg16_bn");
}
TEST(BackboneSlow, ResNet50GivesTorchvisionsOutputsSlow) { expect_golden_outputs("resnet50"); }
TEST(BackboneSlow, C3dGivesPlainPyTorchsOutputsSlow) { expect_golden_outputs("c3d"); }

// So that its files load, in its order: no weight is looked at.
TEST(KnownBackbones, HaveTheNamesAndShapesOfTheStateDictionariesInPython) {
  for (const auto& known : known_backbones()) {
    const auto tensors = golden(known.name).at("tensors");
    const auto network = known.make(known.outputs);
    const auto state = training::module_state(*network);
    ASSERT_EQ(state.size(), tensors.size()) << known.name;
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (const auto& [name, tensor] : state) shapes[name] = tensor.sizes().vec();
    for (const auto& tensor : tensors) {
      const auto name = tensor.at(0).get<std::string>();
      ASSERT_TRUE(shapes.contains(name)) << known.name << " " << name;
      EXPECT_EQ(shapes[name], tensor.at(1).get<std::vector<std::int64_t>>())
          << known.name << " " << name;
    }
  }
}

TEST(KnownBackbones, AnUnknownOneListsThem) {
  EXPECT_THAT([] { known_backbone("vgg19"); },
              ThrowsUsageError(HasSubstr("vgg19"), HasSubstr("vgg16, vgg16_bn, resnet50, c3d")));
}

TEST(LoadBackboneSlow, TakesTheOutputsOfTheFileAndForgivesMissingBatchCountersSlow) {
  auto network = resnet50(3);
  fill_by_rule(training::module_state(*network));
  network->eval();
  const TemporaryFolder folder;
  weights::StateDict old;  // as files were before PyTorch 0.4.1
  for (const auto& named : training::module_state(*network))
    if (!named.first.ends_with("num_batches_tracked")) old.push_back(named);
  weights::write_safetensors(folder.path() / "old.safetensors", old);
  auto loaded = load_backbone(known_backbone("resnet50"), folder.path() / "old.safetensors");
  const torch::InferenceMode inference;
  const auto x = by_rule("input", {1, 3, 64, 64});
  EXPECT_TRUE(loaded(x).equal(network(x)));
  EXPECT_FALSE(loaded->is_training());

  EXPECT_THAT([&] { load_backbone(known_backbone("c3d"), folder.path() / "old.safetensors"); },
              ThrowsUsageError(HasSubstr("old.safetensors"), HasSubstr("missing: conv1.bias")));
}

TEST(Backbone, FeaturesUpToALayerThenTheRestIsTheWholeNetwork) {
  auto network = tiny_network(12);
  const auto x = normal_values({3, 2, 16, 16}, 1);
  const auto whole = network(x);
  for (const auto& stage : network->stages()) {
    const auto name = stage.options().name;
    const auto part = network->features(x, name);
    EXPECT_TRUE(
        network->run(part, network->index_of(name) + 1, network->stages().size()).equal(whole))
        << name;
  }
  EXPECT_GE(network->features(x, "fc6").min().item<float>(), 0)
      << "features of fc6 are behind its ReLU";
}

TEST(Backbone, ALayerIsKnownByItsNameAndByTorchvisionsPath) {
  const auto vgg = vgg16();
  EXPECT_EQ(vgg->index_of("conv5_3"), vgg->index_of("features.28"));
  EXPECT_EQ(vgg->index_of("fc6"), vgg->index_of("classifier.0"));
  const auto resnet = resnet50();
  EXPECT_EQ(resnet->index_of("layer4.2"), resnet->index_of("layer4.2.conv3"));
  EXPECT_THAT(
      [&] { vgg->index_of("conv6_1"); },
      ThrowsUsageError(HasSubstr("conv6_1"), HasSubstr("conv1_1, conv1_2, pool1, conv2_1")));
}

TEST(Backbone, NamesTheStageAndBothShapesWhenTheInputDoesNotFit) {
  auto network = tiny_network(12);
  EXPECT_THAT(
      [&] {
        network(torch::zeros({1, 3, 16, 16}));
      },
      ThrowsError(HasSubstr("conv1"), HasSubstr("[1, 3, 16, 16]"),
                  HasSubstr("[N, 2, height, width]")));
  EXPECT_THAT(
      [&] {
        network(torch::zeros({1, 2, 24, 24}));
      },
      ThrowsError(HasSubstr("fc6"), HasSubstr("[N, 128]")));
  EXPECT_THAT(
      [&] {
        network(torch::zeros({1, 2, 1, 1}));
      },
      ThrowsError(HasSubstr("pool1"), HasSubstr("[1, 4, 1, 1]")));
}

// The network of table 1's study is one of these: the same names, the same numbers from the same
// seed, the same outputs.
TEST(SmallNetwork, HasTheFeatureCountOfVgg16OnItsTrunkSlow) {
  Random random(2);
  const auto network =
      make_small_network({.channels = 3,
                          .size = 224,
                          .trunk = "64 64 p 128 128 p 256 256 256 p 512 512 512 p 512 512 512 p",
                          .batch_norm = false,
                          .width = 8},
                         random);
  EXPECT_EQ(network->stages()[network->index_of("fc6")].options().inputs, 25088);
}

TEST(SmallNetwork, SameSeedSameWeights) {
  const auto weights = [] {
    Random random(7);
    return training::module_state(
        *make_small_network({.size = 16, .trunk = "4/2 6 p 8", .width = 10, .outputs = 5}, random));
  };
  const auto a = weights(), b = weights();
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(a[i].second.equal(b[i].second)) << a[i].first;
}

TEST(SmallNetwork, WithGlobalPoolingTakesAnySize) {
  auto network = tiny_network(0);
  EXPECT_EQ(network(torch::zeros({2, 2, 16, 16})).sizes(), (std::vector<std::int64_t>{2, 5}));
  EXPECT_EQ(network(torch::zeros({2, 2, 21, 30})).sizes(), (std::vector<std::int64_t>{2, 5}));
  EXPECT_EQ(network->features(torch::zeros({2, 2, 16, 16}), "avgpool").sizes(),
            (std::vector<std::int64_t>{2, 8, 1, 1}));
}

TEST(SmallNetwork, OfClipsConvolvesAndPoolsOverTime) {
  auto network = tiny_network(12, 4);
  EXPECT_EQ(network->features(torch::zeros({1, 2, 4, 16, 16}), "conv3").sizes(),
            (std::vector<std::int64_t>{1, 8, 2, 4, 4}));
  EXPECT_EQ(network(torch::zeros({1, 2, 4, 16, 16})).sizes(), (std::vector<std::int64_t>{1, 5}));
}

TEST(SmallNetwork, NamesTheWordOfATrunkThatIsNoLayerAndATrunkThatLeavesNothing) {
  const auto making = [](const std::string& trunk, std::int64_t frames = 0) {
    return [=] {
      Random random(1);
      make_small_network({.size = 8, .frames = frames, .trunk = trunk}, random);
    };
  };
  for (const std::string word : {"q", "-4", "4/3", "0", "/2"})
    EXPECT_THAT(making("4 " + word), ThrowsUsageError(HasSubstr("\"" + word + "\"")));
  EXPECT_THAT(making("4 p p p p"),
              ThrowsUsageError(HasSubstr("4 p p p p"), HasSubstr("fewer poolings")));
  EXPECT_THAT(making("4 p p", 2),
              ThrowsUsageError(HasSubstr("2 frames"), HasSubstr("longer clips")));
  EXPECT_THAT(making("p"), ThrowsUsageError(HasSubstr("has no convolution")));
}

}  // namespace
}  // namespace reprise::models
