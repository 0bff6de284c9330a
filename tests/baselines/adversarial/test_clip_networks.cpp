// VGAN's and TGAN's networks have their papers' shapes, and the constraint of TGAN's discriminator
// holds after it is applied.
#include <torch/torch.h>

#include "baselines/adversarial/clip_networks.h"
#include "models/adversarial/discriminator.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;
using Shape = std::vector<std::int64_t>;

std::int64_t weights_of(const torch::nn::Module& network) {
  std::int64_t sum = 0;
  for (const auto& parameter : network.parameters()) sum += parameter.numel();
  return sum;
}

// F: 100*512 kernels of 2*4*4 and 512*256 + 256*128 + 128*64 + 64*4 = 172,288 of 64; B: 100*512 +
// 512*256 + 256*128 + 128*64 + 64*3 = 223,424 kernels of 16; batch norm twice 2 (512 + 256 + 128 +
// 64) = 1,920.
TEST(ClipNetwork, VganHasTheWeightsOfItsPaperAtItsSizes) {
  EXPECT_EQ(weights_of(*make_clip_network({})),
            51200 * 32 + 172288 * 64 + 1920 + 223424 * 16 + 1920);
  EXPECT_EQ(weights_of(*make_clip_network({.kind = ClipNetworkKind::VganOneStream})),
            51200 * 32 + (172288 - 64) * 64 + 1920);
}

// G_0: 100*512 and kernels of 4: 512*256 + 256*128 + 128*128 + 128*100 = 193,024; batch norm 2 (512
// + 256 + 128 + 128) = 2,048. G_1: two matrices 100 x 4096; batch norm 2 * 512; kernels of 16:
// 512*256 + 256*128 + 128*64 + 64*32 = 174,080; batch norm 2 (256 + 128 + 64 + 32) = 960; 32*3
// kernels of 9.
TEST(ClipNetwork, TganHasTheWeightsOfItsPaperAtItsSizes) {
  EXPECT_EQ(
      weights_of(*make_clip_network({.kind = ClipNetworkKind::Tgan, .frames = 16, .width = 32})),
      51200 + 193024 * 4 + 2048 + 2 * 409600 + 1024 + 174080 * 16 + 960 + 96 * 9);
}

// G_0 of F = 128: 100*128 and kernels of 4: 128*64 + 64*32 + 32*32 + 32*100 = 14,464; batch norm 2
// (128 + 64 + 32 + 32) = 512.
TEST(ClipNetwork, TgansTemporalGeneratorHasAWidthOfItsOwn) {
  const ClipNetworkOptions usual{.kind = ClipNetworkKind::Tgan, .frames = 16, .width = 32};
  auto same = usual, narrow = usual;
  same.temporal_width = 512;
  narrow.temporal_width = 128;
  EXPECT_EQ(weights_of(*make_clip_network(same)), weights_of(*make_clip_network(usual)));
  EXPECT_EQ(weights_of(*make_clip_network(usual)) - weights_of(*make_clip_network(narrow)),
            51200 + 193024 * 4 + 2048 - (12800 + 14464 * 4 + 512));
}

TEST(ClipNetwork, GivesClipsOfItsSizesFromMinusOneToOne) {
  for (const auto kind :
       {ClipNetworkKind::Vgan, ClipNetworkKind::VganOneStream, ClipNetworkKind::Tgan})
    for (const std::int64_t side : {8, 16, 32}) {
      const ClipNetworkOptions options{
          .kind = kind, .side = side, .frames = 16, .width = 2, .d_z = 5};
      const auto made = make_clip_network(options)->forward(draw_z(options, 3, 1));
      EXPECT_EQ(made.clips.sizes(), (Shape{3, 3, 16, side, side}));
      EXPECT_LE(made.clips.abs().max().item<double>(), 1);
      EXPECT_EQ(made.mask.defined(), kind == ClipNetworkKind::Vgan);
      if (made.mask.defined()) EXPECT_EQ(made.mask.sizes(), (Shape{3, 1, 16, side, side}));
    }
}

// With a grid VGAN's streams and TGAN's picture generator are decoders whose places share their
// weights: 16 times fewer in a first step.
TEST(ClipNetwork, TakesDepthAndGridAsMocoganDoes) {
  for (const auto kind : {ClipNetworkKind::Vgan, ClipNetworkKind::Tgan}) {
    const ClipNetworkOptions own{.kind = kind, .side = 16, .frames = 16, .width = 4, .d_z = 5};
    auto shared = own;
    shared.grid = true;
    shared.depth = 4;
    const auto network = make_clip_network(shared);
    EXPECT_EQ(network->forward(draw_z(shared, 3, 1)).clips.sizes(), (Shape{3, 3, 16, 16, 16}));
    EXPECT_LT(weights_of(*network), weights_of(*make_clip_network(own)));
    shared.depth = 1;
    EXPECT_THAT([&] { make_clip_network(shared); }, ThrowsUsageError(HasSubstr("a depth of 1")));
  }
}

// Where the mask is shut all frames are the background's one picture.
TEST(ClipNetwork, VgansBackgroundIsStill) {
  const ClipNetworkOptions options{.side = 8, .frames = 4, .width = 2, .d_z = 5};
  const auto network = make_clip_network(options);
  const torch::NoGradGuard no_grad;
  network->eval();
  for (auto& item : network->named_parameters())
    if (!item.key().starts_with("foreground")) torch::nn::init::normal_(item.value());
  const auto z = draw_z(options, 2, 1);
  // With the foreground's weights at 0, f = 0 and m = 1/2: x = b / 2.
  for (auto& item : network->named_parameters())
    if (item.key().starts_with("foreground")) item.value().zero_();
  const auto made = network->forward(z);
  EXPECT_TRUE(made.mask.eq(0.5).all().item<bool>());
  EXPECT_GT(made.clips.abs().max().item<double>(), 0);
  EXPECT_EQ((made.clips - made.clips.slice(2, 0, 1)).abs().max().item<double>(), 0);
}

TEST(ClipNetwork, NamesWhatItCannotBe) {
  EXPECT_THAT([] { make_clip_network({.side = 40}); }, ThrowsUsageError(HasSubstr("40 pixels")));
  EXPECT_THAT([] { make_clip_network({.side = 64, .frames = 20}); },
              ThrowsUsageError(HasSubstr("20 frames"), HasSubstr("multiple of 16")));
  EXPECT_THAT([] { make_clip_network({.kind = ClipNetworkKind::Tgan, .frames = 12}); },
              ThrowsUsageError(HasSubstr("12 frames")));
  EXPECT_THAT([] { make_clip_network({.width = 0}); }, ThrowsUsageError(HasSubstr("width 0")));
  EXPECT_THAT(
      [] {
        make_clip_network({.kind = ClipNetworkKind::Tgan, .frames = 16, .temporal_width = 30});
      },
      ThrowsUsageError(HasSubstr("temporal width 30"), HasSubstr("multiple of 4")));
}

TEST(ClipSingularValues, ThoseAboveOneBecomeOneAndTheOthersStay) {
  models::Discriminator D(models::DiscriminatorOptions{
      .side = 16, .channels = 2, .frames = 4, .width = 3, .time = models::ClipTime::Halved});
  const torch::NoGradGuard no_grad;
  torch::manual_seed(3);
  std::vector<at::Tensor> before;
  for (auto& parameter : D->parameters())
    if (parameter.dim() > 1) before.push_back(torch::nn::init::normal_(parameter, 0, 0.08).clone());
  for (const auto& module : D->modules())
    if (auto* norm = module->as<torch::nn::BatchNorm3d>()) {
      norm->weight.copy_(torch::linspace(-1, 9, norm->weight.numel()));
      norm->running_var.fill_(4);
    }
  clip_singular_values(*D);
  const auto values = [](const at::Tensor& w) {
    return std::get<1>(at::linalg_svd(w.flatten(1), false));
  };
  std::size_t i = 0;
  bool above = false, below = false;
  for (const auto& parameter : D->parameters()) {
    if (parameter.dim() == 1) continue;
    const auto was = values(before[i++]);
    above = above || was.max().item<double>() > 1;
    below = below || was.min().item<double>() < 1;
    EXPECT_LT((values(parameter) - was.clamp_max(1)).abs().max().item<double>(), 1e-5);
  }
  EXPECT_TRUE(above && below);
  for (const auto& module : D->modules())
    if (const auto* norm = module->as<torch::nn::BatchNorm3d>()) {
      EXPECT_NEAR(norm->weight.min().item<double>(), 0.02, 1e-5);  // the standard deviation is 2
      EXPECT_NEAR(norm->weight.max().item<double>(), 2, 1e-5);
    }
}

}  // namespace
}  // namespace reprise::baselines
