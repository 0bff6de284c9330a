// MoCoGAN and its ablations keep the promises of training/generator.h, and content, motion and
// action are held apart.
#include "models/adversarial/methods.h"
#include "tests/generator_contract.h"
#include "tests/models/networks.h"

namespace reprise::models {
namespace {

using testing_contracts::GeneratorCase;
using testing_contracts::GeneratorContract;
using testing_contracts::halves;

MocoganOptions tiny(std::int64_t iterations) {
  MocoganOptions options{.width_G = 16, .width_D = 16, .d_C = 6, .d_M = 4, .d_E = 4, .d_A = 2};
  options.batches = {.T = 4, .batch = 12, .frames_per_clip = 2};
  options.training.iterations = iterations;
  options.training.G.learning_rate = 8e-3;
  options.training.D.learning_rate = 4e-3;
  options.training.noise.sigma = 0.2;
  options.training.ema_decay = 0.95;
  return options;
}

std::vector<GeneratorCase> cases() {
  std::vector<GeneratorCase> all;
  const auto quick = adversarial_generators(tiny(4)), learning = adversarial_generators(tiny(250));
  for (std::size_t i = 0; i < quick.size(); ++i) {
    const auto& id = quick[i].info.id;
    all.push_back({.method = quick[i], .examples = {halves(8, 8, 4)}, .fraction = 0.75});
    if (id == "mocogan" || id == "mocogan_action") all.back().learning = learning[i].make;
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, GeneratorContract, testing::ValuesIn(cases()),
                         testing_contracts::name_of_generator);

class MocoganTest : public testing::Test {
 protected:
  static Mocogan fitted(MocoganOptions options, const training::Examples& examples) {
    Mocogan method(std::move(options));
    training::Progress silent(nullptr);
    method.fit(examples, 3, silent);
    return method;
  }
};

TEST_F(MocoganTest, TheSameContentAndAnotherMotionAreAskedForBySeeds) {
  auto method = fitted(tiny(4), halves(8, 8, 4));
  const auto clips = [&](std::uint64_t content, std::uint64_t motion) {
    return method.sample_clips({.count = 3, .content_seed = content, .motion_seed = motion});
  };
  EXPECT_TRUE(clips(1, 2).equal(clips(1, 2)));
  EXPECT_FALSE(clips(1, 2).equal(clips(1, 3)));
  EXPECT_FALSE(clips(1, 2).equal(clips(2, 2)));
  EXPECT_TRUE(method.sample({.count = 3, .seed = 7}).equal(clips(7, 7)));
}

TEST_F(MocoganTest, ManyClipsAreMadeInParts) {
  auto method = fitted(tiny(4), halves(8, 8, 4));
  EXPECT_EQ(method.sample_clips({.count = 130, .frames = 6}).sizes(),
            (std::vector<std::int64_t>{130, 6, 1, 8, 8}));
}

// Clips longer than T: D_V sees T consecutive frames of them, and what is drawn has the length of
// the examples.
TEST_F(MocoganTest, LearnsFromClipsThatAreLongerThanT) {
  const auto clips = fitted(tiny(4), halves(8, 8, 9)).sample({.count = 2});
  EXPECT_EQ(clips.size(1), 9);
}

// Lengths that are all the examples' own are as none, to the bit; with others D_V and D_I see
// frames that count and nothing of the rest.
TEST_F(MocoganTest, LearnsFromClipsOfDifferentLengthSlow) {
  auto examples = halves(8, 8, 9);
  const auto plain = fitted(tiny(6), examples).sample({.count = 2});
  const auto n = examples.x.size(0);
  examples.lengths = at::full({n}, 9, at::kLong);
  EXPECT_TRUE(fitted(tiny(6), examples).sample({.count = 2}).equal(plain));
  examples.lengths = 4 + torch::arange(n).remainder(3) * 2;
  const auto differ = fitted(tiny(6), examples).sample({.count = 2});
  EXPECT_EQ(differ.sizes(), plain.sizes());
  EXPECT_FALSE(differ.equal(plain));
  for (std::int64_t i = 0; i < n; ++i)
    examples.x[i].slice(0, examples.lengths[i].item<std::int64_t>()).fill_(0.77);
  EXPECT_TRUE(fitted(tiny(6), examples).sample({.count = 2}).equal(differ));
  examples.lengths[5] = 3;
  EXPECT_THAT([&] { fitted(tiny(1), examples); },
              ThrowsUsageError(testing::HasSubstr("example 5 has a length of 3 frames")));
  examples.lengths[5] = 10;
  EXPECT_THAT([&] { fitted(tiny(1), examples); },
              ThrowsUsageError(testing::HasSubstr("9 are there")));
  examples.lengths = at::full({n + 1}, 9, at::kLong);
  EXPECT_THAT([&] { fitted(tiny(1), examples); },
              ThrowsUsageError(testing::HasSubstr("25 lengths for 24 examples")));
}

// With labels D's loss has Q's error on real clips alone, so that lambda, which weighs the one on
// generated clips, moves none of its weights in a first iteration; unless Q is to see generated
// clips too.
TEST_F(MocoganTest, QLearnsFromLabelledClipsAloneUnlessItIsToSeeGeneratedOnesToo) {
  const auto weights_of_D = [](double lambda, bool sees_generated) {
    auto options = tiny(1);
    options.actions = Actions::Labels;
    options.lambda = lambda;
    options.Q_sees_generated = sees_generated;
    const auto method = fitted(options, halves(8, 8, 4));
    std::vector<at::Tensor> flat;
    for (const auto& weight : method.discriminators()->parameters())
      flat.push_back(weight.detach().flatten());
    return at::cat(flat);
  };
  EXPECT_TRUE(weights_of_D(1, false).equal(weights_of_D(50, false)));
  EXPECT_FALSE(weights_of_D(1, true).equal(weights_of_D(50, true)));
}

TEST_F(MocoganTest, NamesExamplesThatItCannotLearn) {
  EXPECT_THAT([] { fitted(tiny(1), halves(8, 8)); },
              ThrowsUsageError(testing::HasSubstr("pictures")));
  EXPECT_THAT([] { fitted(tiny(1), halves(8, 6, 4)); },
              ThrowsUsageError(testing::HasSubstr("8 x 6")));
  EXPECT_THAT([] { fitted(tiny(1), halves(12, 12, 4)); },
              ThrowsUsageError(testing::HasSubstr("12 pixels")));
  EXPECT_THAT([] { fitted(tiny(1), halves(8, 8, 3)); },
              ThrowsUsageError(testing::HasSubstr("examples have 3")));
  auto unlabelled = halves(8, 8, 4);
  unlabelled.labels = at::Tensor();
  auto options = tiny(1);
  options.actions = Actions::Labels;
  EXPECT_THAT([&] { fitted(options, unlabelled); },
              ThrowsUsageError(testing::HasSubstr("the examples have none")));
}

TEST(VideoBatches, WindowsAreConsecutiveAndFramesAreOfTheirClip) {
  const auto clips = torch::arange(5 * 7).view({5, 7, 1, 1, 1}).to(at::kFloat);
  std::set<double> begins;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const auto window = draw_consecutive_frames(clips, 3, random);
    EXPECT_EQ(window.sizes(), (std::vector<std::int64_t>{5, 1, 3, 1, 1}));
    begins.insert(window[0][0][0].item<double>());
    EXPECT_TRUE(window.equal((window[0][0][0] + torch::arange(3).view({1, 1, 3, 1, 1}) +
                              7 * torch::arange(5).view({5, 1, 1, 1, 1}))
                                 .to(at::kFloat)));
    const auto frames = draw_single_frames(clips, 2, random).flatten();
    EXPECT_TRUE((frames / 7).floor().equal(torch::arange(5).repeat_interleave(2).to(at::kFloat)));
  }
  EXPECT_EQ(begins, (std::set<double>{0, 1, 2, 3, 4}));  // K - T + 1 windows, each of them met
}

TEST(VideoBatches, OfClipsWithLengthsOnlyFramesThatCountAreSeen) {
  const auto clips = torch::arange(5 * 7).view({5, 7, 1, 1, 1}).to(at::kFloat);
  const auto lengths = at::tensor({3, 4, 7, 3, 5}, at::kLong);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const auto window = draw_consecutive_frames(clips, 3, random, lengths).flatten(1);
    EXPECT_TRUE((window.slice(1, 1) - window.slice(1, 0, 2)).eq(1).all().item<bool>());
    EXPECT_TRUE(window.select(1, 2).lt(7 * torch::arange(5) + lengths).all().item<bool>());
    const auto frames = draw_single_frames(clips, 2, random, lengths).view({5, 2});
    EXPECT_TRUE((frames / 7).floor().eq(torch::arange(5).unsqueeze(1)).all().item<bool>());
    EXPECT_TRUE(frames.lt((7 * torch::arange(5) + lengths).unsqueeze(1)).all().item<bool>());
  }
}

}  // namespace
}  // namespace reprise::models
