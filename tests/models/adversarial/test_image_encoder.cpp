// An encoder finds codes whose first frame is like an image, and leaves the generator as it was.
#include <torch/torch.h>

#include "models/adversarial/convolution.h"
#include "models/adversarial/image_encoder.h"
#include "tests/models/networks.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "training/progress.h"
#include "weights/safetensors.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;

/// A generator of pictures with contrast, whose epsilon says little.
MocoganNetwork contrasting(std::int64_t d_A = 0) {
  MocoganNetwork G(MocoganNetworkOptions{
      .side = 8, .channels = 1, .width = 8, .d_C = 3, .d_M = 2, .d_E = 2, .d_A = d_A});
  Random random(4);
  draw_adversarial_weights(*G, random);
  const torch::NoGradGuard no_grad;
  for (auto& [name, parameter] : G->named_parameters().pairs())
    parameter.mul_(name == "recurrent.weight_ih"                      ? 0.1
                   : name.ends_with("weight") && parameter.dim() == 4 ? 4
                                                                      : 1);
  G->eval();
  return G;
}

at::Tensor first_frames_of(const MocoganNetwork& G, std::uint64_t seed, std::int64_t n) {
  return decode_clips(
             G, draw_codes(G->options(), n, 1, Random(seed).split("c"), Random(seed).split("m")))
      .select(1, 0)
      .contiguous();
}

struct Fitted {
  MocoganNetwork G;
  ImageEncoder E;
  training::FitReport report;
};
Fitted fitted(const EncoderFitOptions& options, std::int64_t d_A = 0) {
  auto G = contrasting(d_A);
  ImageEncoder E(G->options(), ImageEncoderOptions{.width = 8});
  training::Progress silent(nullptr);
  const auto report = fit_encoder(E, G, first_frames_of(G, 5, 64), options, 6, silent);
  return {G, E, report};
}

TEST(ImageEncoder, ItsFirstFrameIsLikeTheImageAndMoreThanThatOfOtherCodesSlow) {
  at::set_num_threads(1);
  auto [G, E, report] = fitted({.steps = 300, .batch = 16, .learning_rate = 5e-3});
  const auto x = first_frames_of(G, 9, 32);
  const auto drawn = draw_codes(G->options(), 32, 5, Random(1).split("c"), Random(1).split("m"));
  const torch::NoGradGuard no_grad;
  const auto error = [&](const ClipCodes& codes) {
    return (decode_clips(G, codes).select(1, 0) - x).abs().mean().item<double>();
  };
  EXPECT_LT(error(start_codes_from(E->forward(x), drawn)), 0.4 * error(drawn));
  EXPECT_LT(report.validation_error.back(), 0.6 * report.validation_error.front());
}

TEST(ImageEncoder, LeavesTheGeneratorAsItWas) {
  auto [G, E, report] = fitted({.steps = 10, .batch = 4}, /*d_A=*/2);
  const auto before = training::module_state(*contrasting(2)), after = training::module_state(*G);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(before[i].second.equal(after[i].second)) << before[i].first;
  for (const auto& parameter : G->parameters()) EXPECT_TRUE(parameter.requires_grad());
}

TEST(ImageEncoder, TheSameSeedGivesTheSameEncoder) {
  const auto one = fitted({.steps = 10, .batch = 4}), again = fitted({.steps = 10, .batch = 4});
  const auto a = training::module_state(*one.E), b = training::module_state(*again.E);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(a[i].second.equal(b[i].second)) << a[i].first;
}

// Contents and h^(0) are the encoder's, the rest is as drawn: another epsilon continues the same
// image otherwise.
TEST(ImageEncoder, ContinuedCodesBeginWithTheImage) {
  const auto options = contrasting()->options();
  const EncodedImages images{.z_C = torch::ones({2, 3}), .h_0 = torch::zeros({2, 2})};
  const auto drawn = draw_codes(options, 2, 4, Random(1), Random(2)),
             codes = start_codes_from(images, drawn);
  EXPECT_TRUE(codes.z_C.equal(images.z_C));
  EXPECT_TRUE(codes.h_0.equal(images.h_0));
  EXPECT_TRUE(codes.epsilon.equal(drawn.epsilon));
}

TEST(ImageEncoder, NamesImagesThatItCannotLearnFrom) {
  auto G = contrasting();
  ImageEncoder E(G->options(), ImageEncoderOptions{.width = 2});
  training::Progress silent(nullptr);
  EXPECT_THAT(
      [&] {
        fit_encoder(E, G, torch::zeros({9, 3, 8, 8}), {}, 1, silent);
      },
      ThrowsUsageError(HasSubstr("[1, 8, 8]"), HasSubstr("[9, 3, 8, 8]")));
  EXPECT_THAT(
      [&] {
        fit_encoder(E, G, torch::zeros({7, 1, 8, 8}), {}, 1, silent);
      },
      ThrowsUsageError(HasSubstr("7 images")));
}

}  // namespace
}  // namespace reprise::models
