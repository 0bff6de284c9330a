#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "models/methods.h"
#include "models/vgg.h"
#include "tests/support.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;

/// Two ways to the same float32 sums round apart by a few units in the last place; outputs are of order 1.
constexpr double rounding = 1e-5;

/// The same on every run: seeded by what it is for.
torch::Tensor uniform(std::vector<std::int64_t> shape, std::uint64_t seed) {
  Random random(seed);
  auto values = torch::empty(shape);
  for (std::int64_t i = 0; i < values.numel(); ++i) values.data_ptr<float>()[i] = static_cast<float>(random.uniform());
  return values;
}

Vgg small_vgg() {
  Random random(1);
  return Vgg(VggOptions().size(16).trunk("4 p 8 p").width(12).outputs(6), random);
}

TrainedLayers layers_of(const Vgg& cnn) { return {cnn->fc6, cnn->fc7, cnn->out}; }

TEST(Vgg, FeaturesThenHeadIsTheWholeNetwork) {
  auto cnn = small_vgg();
  cnn->eval();
  const auto images = uniform({3, 1, 16, 16}, 101);
  SequenceHead head(layers_of(cnn));
  const auto direct = cnn(images);
  const auto through = head.forward(cnn->features(images).unsqueeze(1)).squeeze(1);
  EXPECT_EQ(cnn->feature_count(), 8 * 4 * 4);
  EXPECT_LT((direct - through).abs().max().item<double>(), rounding);
}

TEST(Vgg, HasTheFeatureCountOfVgg16OnItsOptions) {
  const VggOptions vgg16 =
      VggOptions().channels(3).size(224).trunk("64 64 p 128 128 p 256 256 256 p 512 512 512 p 512 512 512 p").batch_norm(false).width(8);
  Random random(2);
  EXPECT_EQ(Vgg(vgg16, random)->feature_count(), 25088);
}

TEST(Vgg, SameSeedSameWeights) {
  const auto a = small_vgg()->parameters(), b = small_vgg()->parameters();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i].equal(b[i]));
}

TEST(Vgg, RefusesMorePoolingsThanTheImageHasPixels) {
  EXPECT_THAT(
      [] {
        Random random(3);
        Vgg(VggOptions().size(2).trunk("4 p 4 p"), random);
      },
      ThrowsUsageError(HasSubstr("4 p 4 p"), HasSubstr("larger image")));
}

TEST(Vgg, NamesTheWordOfATrunkThatIsNoLayer) {
  for (const auto* word : {"q", "-4", "4/3", "0", "/2"})
    EXPECT_THAT(
        [&] {
          Random random(3);
          Vgg(VggOptions().trunk(std::string("4 ") + word), random);
        },
        ThrowsUsageError(HasSubstr("\"" + std::string(word) + "\"")));
}

TEST(Vgg, StrideTwoHalvesAsAPoolingDoes) {
  Random random(3);
  EXPECT_EQ(Vgg(VggOptions().size(64).trunk("16/2 32 p 64 p 96 p 64"), random)->feature_count(), 1024);
}

TEST(SequenceHead, PreVrnnStartsNearTheCnnAndTheCnnAtIt) {
  auto cnn = small_vgg();
  cnn->eval();
  const auto clip = uniform({2, 5, cnn->feature_count()}, 102);
  SequenceHead plain(layers_of(cnn)), vrnn(layers_of(cnn));
  Random random(4);
  vrnn.make_recurrent("fc6", Cell::Vrnn, InputToHidden::PerGate, 0.0, random);
  EXPECT_LT((plain.forward(clip) - vrnn.forward(clip)).abs().max().item<double>(), rounding);
}

TEST(SequenceHead, WithoutMemoryEveryFrameIsItsOwnClip) {
  auto cnn = small_vgg();
  SequenceHead head(layers_of(cnn));
  const auto clip = uniform({2, 5, cnn->feature_count()}, 103);
  const auto apart = head.forward(clip.reshape({10, 1, -1})).reshape({2, 5, -1});
  EXPECT_LT((head.forward(clip) - apart).abs().max().item<double>(), rounding);
}

TEST(SequenceHead, LaterFramesDoNotReachEarlierOutputs) {
  auto cnn = small_vgg();
  for (const auto& method : methods()) {
    Random random(5);
    const auto head = method.make(layers_of(cnn), random);
    auto clip = uniform({2, 5, cnn->feature_count()}, 104);
    const auto before = head->forward(clip).narrow(1, 0, 3).clone();
    clip.narrow(1, 3, 2).fill_(9);
    EXPECT_TRUE(before.equal(head->forward(clip).narrow(1, 0, 3))) << method.name;
  }
}

TEST(SequenceHead, FreshParametersAreOnlyTheHiddenOnesOfAPreRnnAndAllOfAnAppendedLayer) {
  auto cnn = small_vgg();
  Random random(6);
  SequenceHead pre(layers_of(cnn)), traditional(layers_of(cnn));
  pre.make_recurrent("fc7", Cell::Gru, InputToHidden::PerGate, 0.1, random);
  traditional.append_recurrent("rnn1", Cell::Gru, 1.0, random);
  EXPECT_EQ(pre.fresh().size(), 1U);
  EXPECT_EQ(traditional.fresh().size(), 3U);
  EXPECT_EQ(traditional.recurrent_parameters(128, 12), 3 * 2 * 12 * 12);
}

TEST(SequenceHead, CountsRecurrentParametersAtVgg16WithoutBuildingIt) {
  auto cnn = small_vgg();
  Random random(9);
  SequenceHead per_gate(layers_of(cnn)), shared(layers_of(cnn));
  per_gate.make_recurrent("fc6", Cell::Lstm, InputToHidden::PerGate, 0.1, random);
  shared.make_recurrent("fc6", Cell::Lstm, InputToHidden::Shared, 0.1, random);
  EXPECT_EQ(per_gate.recurrent_parameters(25088, 4096), 375'390'208);
  EXPECT_EQ(shared.recurrent_parameters(25088, 4096), 67'108'864);
}

TEST(SequenceHead, NamesTheLayersThereAreWhenAskedForAnother) {
  auto cnn = small_vgg();
  SequenceHead head(layers_of(cnn));
  Random random(7);
  EXPECT_THAT([&] { head.make_recurrent("fc8", Cell::Gru, InputToHidden::PerGate, 0.1, random); },
              ThrowsError(HasSubstr("fc8"), HasSubstr("fc6, fc7")));
}

TEST(SequenceHead, GatesOfAllRecurrentLayersAreNamed) {
  auto cnn = small_vgg();
  SequenceHead head(layers_of(cnn));
  Random random(8);
  head.make_recurrent("fc6", Cell::Lstm, InputToHidden::Shared, 0.1, random);
  head.make_recurrent("fc7", Cell::Lstm, InputToHidden::Shared, 0.1, random);
  const auto gates = head.gates(uniform({2, 3, cnn->feature_count()}, 105));
  EXPECT_EQ(gates.size(), 6U);
  ASSERT_TRUE(gates.contains("fc7.f"));
  EXPECT_EQ(gates.at("fc7.f").sizes(), (std::vector<std::int64_t>{2, 3, 12}));
}

}  // namespace
}  // namespace reprise::models
