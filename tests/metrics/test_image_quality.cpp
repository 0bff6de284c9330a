#include <torch/torch.h>

#include <limits>

#include "core/random.h"
#include "metrics/image_quality.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

/// [2, 3, 24, 20], within [0, 1].
torch::Tensor pictures() {
  return 0.5 +
         0.4 * torch::sin(
                   0.05 *
                   torch::arange(2 * 3 * 24 * 20, torch::kDouble).square().reshape({2, 3, 24, 20}) /
                   20);
}

torch::Tensor noise(double deviation) {
  Random random(1);
  auto values = torch::empty({2, 3, 24, 20}, torch::kDouble);
  for (std::int64_t i = 0; i < values.numel(); ++i)
    values.data_ptr<double>()[i] = deviation * random.normal();
  return values;
}

torch::Tensor tensor_of(const nlohmann::json& values, const nlohmann::json& shape) {
  return torch::tensor(values.get<std::vector<double>>(), torch::kDouble)
      .reshape(shape.get<std::vector<std::int64_t>>());
}

TEST(ImageQuality, AgreesWithNumPyOnEveryGoldenCase) {
  const auto& golden = fixture_json("image_quality.json");
  ASSERT_EQ(golden["cases"].size(), 3U);
  for (const auto& c : golden["cases"]) {
    const auto a = tensor_of(c["a"], c["shape"]), b = tensor_of(c["b"], c["shape"]);
    const auto n = nlohmann::json::array({c["shape"][0]});
    EXPECT_TRUE(torch::allclose(psnr(a, b, c["range"]), tensor_of(c["psnr"], n), 0, 1e-9));
    EXPECT_TRUE(torch::allclose(ssim(a, b, c["range"]), tensor_of(c["ssim"], n), 0, 1e-9));
  }
}

TEST(ImageQuality, OfBytesIsThatOfTheNumbersTheyHold) {
  const auto& c = fixture_json("image_quality.json")["cases"][2];
  const auto a = tensor_of(c["a"], c["shape"]), b = tensor_of(c["b"], c["shape"]);
  EXPECT_TRUE(torch::equal(psnr(a.to(torch::kByte), b.to(torch::kByte), 255), psnr(a, b, 255)));
  EXPECT_TRUE(torch::equal(ssim(a.to(torch::kByte), b.to(torch::kByte), 255), ssim(a, b, 255)));
}

TEST(ImageQuality, OfEqualPicturesIsInfiniteDecibelsAndOne) {
  EXPECT_TRUE(torch::isinf(psnr(pictures(), pictures(), 1)).all().item<bool>());
  EXPECT_TRUE(
      torch::allclose(ssim(pictures(), pictures(), 1), torch::ones({2}, torch::kDouble), 0, 1e-12));
}

TEST(ImageQuality, PsnrIsTwentyDecibelsForAnErrorOfATenthOfTheRange) {
  EXPECT_NEAR(psnr(torch::zeros({1, 7}), torch::full({1, 7}, 25.5), 255).item<double>(), 20, 1e-5);
  EXPECT_NEAR(psnr(torch::zeros({1, 2, 2}), torch::full({1, 2, 2}, 0.5), 1).item<double>(), 6.0206,
              1e-4);
}

// A window without variance leaves the first factor alone: (2 p q + c1) / (p² + q² + c1).
TEST(ImageQuality, SsimOfFlatPicturesComparesTheirBrightness) {
  const auto dark = torch::full({1, 1, 12, 12}, 0.2, torch::kDouble),
             bright = torch::full({1, 1, 12, 12}, 0.6, torch::kDouble);
  EXPECT_NEAR(ssim(dark, bright, 1).item<double>(), (2 * 0.12 + 1e-4) / (0.04 + 0.36 + 1e-4), 1e-9);
}

TEST(ImageQuality, IsTheSameBothWaysAndFallsWithNoise) {
  double before_psnr = std::numeric_limits<double>::infinity(), before_ssim = 1;
  for (const double deviation : {0.01, 0.05, 0.2, 1.0}) {
    const auto a = pictures(), b = a + noise(deviation);
    EXPECT_TRUE(torch::equal(psnr(a, b, 1), psnr(b, a, 1)));
    EXPECT_TRUE(torch::allclose(ssim(a, b, 1), ssim(b, a, 1), 0, 1e-12));
    const auto now_psnr = psnr(a, b, 1).max().item<double>(),
               now_ssim = ssim(a, b, 1).max().item<double>();
    EXPECT_LT(now_psnr, before_psnr) << deviation;
    EXPECT_LT(now_ssim, before_ssim) << deviation;
    before_psnr = now_psnr, before_ssim = now_ssim;
  }
}

TEST(ImageQuality, AnItemDoesNotDependOnTheOthers) {
  const auto a = pictures(), b = a + noise(0.1);
  EXPECT_TRUE(
      torch::allclose(ssim(a, b, 1)[1], ssim(a.slice(0, 1), b.slice(0, 1), 1)[0], 0, 1e-12));
  EXPECT_TRUE(
      torch::allclose(psnr(a, b, 1)[1], psnr(a.slice(0, 1), b.slice(0, 1), 1)[0], 0, 1e-12));
}

TEST(ImageQuality, RefusesWhatCannotBeCompared) {
  const auto good = torch::zeros({1, 1, 12, 12});
  for (const auto quality : {psnr, ssim}) {
    EXPECT_THAT(
        [&] {
          quality(good, torch::zeros({1, 1, 12, 13}), 1);
        },
        ThrowsUsageError(HasSubstr("[1, 1, 12, 12]"), HasSubstr("13]")));
    EXPECT_THAT(
        [&] {
          quality(torch::zeros({0, 1, 12, 12}), torch::zeros({0, 1, 12, 12}), 1);
        },
        ThrowsUsageError(HasSubstr("one item")));
    EXPECT_THAT([&] { quality(good, good, 0); }, ThrowsUsageError(HasSubstr("range")));
    EXPECT_THAT([&] { quality(good, good / 0, 1); }, ThrowsUsageError(HasSubstr("1 of 1 pairs")));
  }
  EXPECT_THAT(
      [] {
        ssim(torch::zeros({1, 1, 10, 12}), torch::zeros({1, 1, 10, 12}), 1);
      },
      ThrowsUsageError(HasSubstr("11 or more")));
  EXPECT_THAT(
      [] {
        ssim(torch::zeros({12, 12}), torch::zeros({12, 12}), 1);
      },
      ThrowsUsageError(HasSubstr("[N, C, H, W]")));
}

}  // namespace
}  // namespace reprise::metrics
