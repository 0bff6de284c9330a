#include "models/diffusion/synthesis.h"
#include "models/representations/radiance_field.h"
#include "models/representations/volume_rendering.h"
#include "tests/models/exact.h"
#include "tests/models/representations.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

Tensor camera(double azimuth, double elevation, double radius = 4, double object = 0) {
  return torch::cat({torch::full({1}, object, f64),
                     camera_to_world(azimuth, elevation, radius).view({12})})
      .unsqueeze(0);
}

/// A few small views that see the whole sphere and something beside it.
RadianceFieldOptions small() {
  return {
      .size = 8, .focal = 14, .samples = 5, .width = 6, .layers = 2, .frequencies = 2, .rays = 16};
}

/// Density and colour alike everywhere.
void make_homogeneous(RadianceField& phi, double raw_density, double raw_colour) {
  const torch::NoGradGuard no_grad;
  for (auto& named : phi.named_parameters()) named.value().zero_();
  auto bias = phi.named_parameters()["object0_bias" +
                                     std::to_string(phi.named_parameters().size() / 2 - 1)];
  bias.fill_(raw_colour);
  bias[0] = raw_density;
}

TEST(Cameras, LookAtTheOriginUprightFromWhereTheyAre) {
  // From +x: the world's y is to the right, its z up.
  const auto front = torch::tensor({{0., 0., -1., 2.}, {1., 0., 0., 0.}, {0., -1., 0., 0.}}, f64);
  EXPECT_TRUE(torch::allclose(camera_to_world(0, 0, 2), front, 0, 1e-15));
  // From above: what is at +x, where the camera came from, is at the lower edge.
  const auto above = torch::tensor({{0., 1., 0., 0.}, {1., 0., 0., 0.}, {0., 0., -1., 3.}}, f64);
  EXPECT_TRUE(torch::allclose(camera_to_world(0, 90, 3), above, 0, 1e-15));
  for (const auto& [a, e] : {std::pair{30.0, 20.0}, {200.0, -40.0}}) {
    const auto pose = camera_to_world(a, e, 2.5);
    const auto axes = pose.slice(1, 0, 3);
    EXPECT_TRUE(torch::allclose(axes.t().matmul(axes), torch::eye(3, f64)));
    EXPECT_NEAR(torch::linalg_det(axes).item<double>(), 1,
                1e-12);  // right-handed: nothing is mirrored
    EXPECT_TRUE(torch::allclose(pose.select(1, 3) + 2.5 * pose.select(1, 2), torch::zeros({3}, f64),
                                0, 1e-12));
  }
}

TEST(Cameras, DrawnByViewsAreWhereTheOptionsSay) {
  auto options = small();
  options.objects = 2;
  options.cameras = 200;
  options.elevation_low = -20;
  options.elevation_high = 50;
  const RadianceField phi(options);
  Random random(1);
  const auto psi = phi.views(random);
  ASSERT_EQ(psi.sizes(), at::IntArrayRef({400, 13}));
  EXPECT_TRUE(torch::equal(psi.select(1, 0), torch::arange(2, f64).repeat_interleave(200)));
  const auto position = psi.slice(1, 1).view({-1, 3, 4}).select(2, 3);
  EXPECT_TRUE(torch::allclose(position.norm(2, 1), torch::full({400}, 4.0, f64)));
  const auto elevation = torch::asin(position.select(1, 2) / 4).rad2deg();
  EXPECT_GT(elevation.min().item<double>(), -20);
  EXPECT_LT(elevation.min().item<double>(), -15);
  EXPECT_LT(elevation.max().item<double>(), 50);
  EXPECT_GT(elevation.max().item<double>(), 45);
  EXPECT_LT(position.slice(1, 0, 2).mean(0).abs().max().item<double>(), 0.5);  // all around
}

TEST(VolumeRendering, WeightsAreThoseOfThePaperAndSumToOneWithTheBackground) {
  at::Generator generator = training::torch_generator(1);
  const auto density = 3 * normal({7, 9}, generator).abs(), colour = normal({3, 7, 9}, generator),
             delta = normal({7}, generator).abs();
  const auto depth = density * delta.unsqueeze(1);
  const auto T = (depth - depth.cumsum(1)).exp();
  const auto paper = (T * (1 - (-depth).exp()) * colour).sum(2) + 0.7 * (-depth.sum(1)).exp();
  EXPECT_TRUE(torch::allclose(composite(density, colour, delta, 0.7), paper));
  // A colour like the background's leaves it everywhere: no light is made or lost.
  EXPECT_TRUE(torch::allclose(composite(density, torch::full({3, 7, 9}, 0.7, f64), delta, 0.7),
                              torch::full({3, 7}, 0.7, f64)));
  EXPECT_TRUE(
      torch::allclose(composite(0 * density, colour, delta, 0.7), torch::full({3, 7}, 0.7, f64)));
  EXPECT_TRUE(torch::allclose(composite(1e6 + density, colour, delta, 0.7), colour.select(2, 0)));
}

TEST(RadianceField, AHomogeneousSphereIsAsDenseAsItsClosedForm) {
  auto options = small();
  options.size = 15;
  options.focal = 18;
  options.radius = 1.2;
  options.background = 0.4;
  for (const std::int64_t samples : {1, 7}) {
    options.samples = samples;
    RadianceField phi(options);
    phi.to(f64);
    make_homogeneous(phi, -2, -1);
    const double density = 10 / 1.2 * std::log1p(std::exp(-2)), colour = std::tanh(-0.5);
    const auto image = phi.render(camera(70, 30, 3)).detach();
    ASSERT_EQ(image.sizes(), at::IntArrayRef({1, 3, 15, 15}));
    int beside = 0;
    for (int v = 0; v < 15; ++v)
      for (int u = 0; u < 15; ++u) {
        // Its distance from the middle, of the ray through (u, v): 3 times the sine of its angle
        // from the axis.
        const double tangent = std::hypot(u - 7, v - 7) / 18,
                     distance = 3 * tangent / std::hypot(1, tangent);
        const double chord = distance < 1.2 ? 2 * std::sqrt(1.44 - distance * distance) : 0,
                     left = std::exp(-density * chord);
        beside += chord == 0;
        for (int channel = 0; channel < 3; ++channel)
          EXPECT_NEAR(image[0][channel][v][u].item<double>(), colour + (0.4 - colour) * left, 1e-6)
              << u << " " << v;
      }
    EXPECT_GT(beside, 10);
  }
}

TEST(RadianceField, NearAndFarBoundWhatIsSeen) {
  auto options = small();
  options.size = 1;
  options.near = 3.5;
  options.far = 4.25;
  RadianceField phi(options);
  make_homogeneous(phi, -2, -1);
  const double left = std::exp(-10 * std::log1p(std::exp(-2)) * 0.75), colour = std::tanh(-0.5);
  EXPECT_NEAR(phi.render(camera(0, 0))[0][0][0][0].item<double>(), colour + (1 - colour) * left,
              1e-5);
}

TEST(RadianceField, ShowsWhatIsWhereTheCameraLooks) {
  // Red, the first colour, grows with z: sin(pi p_z), the third wave; high is up, from wherever it
  // is seen.
  auto options = small();
  options.layers = 1;
  options.frequencies = 1;
  RadianceField phi(options);
  make_homogeneous(phi, 1, 0);
  {
    const torch::NoGradGuard no_grad;
    auto parameters = phi.named_parameters();
    parameters["object0_weight0"][2][0] = 1;
    parameters["object0_weight0"][1][1] = 1;
    parameters["object0_weight1"][0][1] = 3;
    parameters["object0_weight1"][1][2] = 3;  // and green with y
  }
  for (const double azimuth : {0.0, 130.0}) {
    const auto image = phi.render(camera(azimuth, 10)).detach();
    EXPECT_GT(image[0][0][2][4].item<double>(), image[0][0][5][4].item<double>() + 0.1);
  }
  const auto from_x = phi.render(camera(0, 0)).detach(),
             from_behind = phi.render(camera(180, 0)).detach();
  EXPECT_GT(from_x[0][1][4][5].item<double>(), from_x[0][1][4][2].item<double>() + 0.1);
  EXPECT_LT(from_behind[0][1][4][5].item<double>(), from_behind[0][1][4][2].item<double>() - 0.1);
}

TEST(RadianceField, HasTheGradientOfItsFiniteDifferencesSlow) {
  const OneThread one_thread;
  for (const double background : {1.0, -0.3}) {
    auto options = small();
    options.objects = 2;
    options.background = background;
    options.samples = 30;  // several parts that are done one after the other
    RadianceField phi(options);
    phi.to(f64);
    at::Generator generator = training::torch_generator(2);
    const auto psi = torch::cat({camera(20, 30), camera(200, -10, 4, 1), camera(100, 10)});
    const auto direction = normal({3, 3, 8, 8}, generator);
    expect_gradient(
        phi, [&] { return (phi.render(psi) * direction).sum(); }, 1e-5);
  }
}

TEST(RadianceField, ManyViewsWhoseLayersAreNotKeptHaveTheGradientOfEachByItself) {
  const OneThread one_thread;
  auto options = small();
  options.samples = 200;
  RadianceField phi(options);
  phi.to(f64);
  std::vector<Tensor> cameras;
  for (int i = 0; i < 24; ++i) cameras.push_back(camera(15 * i, 10));
  const auto gradient_of = [&](const std::vector<Tensor>& all) {
    phi.zero_grad();
    for (const auto& psi : all) phi.render(psi).square().sum().backward();
    std::vector<Tensor> gradients;
    for (const auto& parameter : phi.parameters()) gradients.push_back(parameter.grad().clone());
    return gradients;
  };
  const auto together = gradient_of({torch::cat(cameras)}), apart = gradient_of(cameras);
  for (std::size_t i = 0; i < apart.size(); ++i)
    EXPECT_TRUE(torch::allclose(together[i], apart[i], 1e-9, 1e-9)) << i;
}

TEST(RadianceField, ObjectsAreApartAndViewsComeInAnyOrder) {
  const OneThread one_thread;
  auto options = small();
  options.objects = 2;
  RadianceField phi(options);
  const auto a = camera(20, 30), b = camera(200, -10, 4, 1), c = camera(100, 10);
  const auto together = phi.render(torch::cat({a, b, c})).detach();
  const auto apart = torch::cat({phi.render(a), phi.render(b), phi.render(c)}).detach();
  EXPECT_TRUE(torch::allclose(together, apart, 1e-5, 1e-6));
  phi.fit(b, torch::zeros({1, 3, 8, 8}));
  EXPECT_TRUE(torch::equal(phi.render(a), apart.slice(0, 0, 1)));
  EXPECT_FALSE(torch::allclose(phi.render(b), apart.slice(0, 1, 2), 1e-3, 1e-3));
}

TEST(RadianceField, RaysThatMissTheSphereAreBackgroundAndAViewOfNothingCannotBeFitted) {
  auto options = small();
  options.background = 0.25;
  RadianceField phi(options);
  auto away = camera(0, 0);
  away[0][4] = 40;  // 40 in front of the sphere's place: behind the camera
  away[0].slice(0, 1).view({3, 4}).select(1, 2).neg_();
  EXPECT_TRUE(phi.render(away).eq(0.25).all().item<bool>());
  EXPECT_THAT(
      [&] {
        phi.fit(away, torch::zeros({1, 3, 8, 8}));
      },
      ThrowsError(HasSubstr("no ray of 1 views"), HasSubstr("look at the origin")));
}

TEST(RadianceField, SynthesisGoesOnFromItsStateToTheSameBits) {
  const OneThread one_thread;
  GaussianDenoiser D(torch::zeros({3, 8, 8}), 0.5);
  auto options = small();
  options.fit.steps = 3;
  RadianceField whole(options), resumed(options);
  synthesise(whole, D, D, {.rounds = 4}, {}, [&](const SynthesisRound& round) {
    if (round.number == 1) restore(resumed, whole.state());
  });
  synthesise(resumed, D, D, {.rounds = 4}, {}, {}, 2);
  const auto a = whole.state(), b = resumed.state();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(torch::equal(a[i].second, b[i].second)) << a[i].first;
}

/// A ball of radius 0.7 with its normal for a colour, on white: [1, 3, size, size], a ray a pixel.
Tensor ball(const Tensor& psi, std::int64_t size, double focal) {
  const auto pose = psi.slice(1, 1).view({3, 4});
  const auto along = (torch::arange(size, f64) - 0.5 * static_cast<double>(size - 1)) / focal;
  const auto v = along.unsqueeze(1).expand({size, size}),
             u = along.unsqueeze(0).expand({size, size});
  auto direction =
      torch::matmul(pose.slice(1, 0, 3), torch::stack({u, v, torch::ones_like(u)}).view({3, -1}));
  direction = direction / direction.norm(2, 0, true);
  const auto position = pose.slice(1, 3);
  const auto middle = -(position * direction).sum(0),
             half = middle.square() - position.square().sum() + 0.49;
  const auto normals = (position + direction * (middle - half.clamp_min(0).sqrt())) / 0.7;
  return torch::where(half > 0, normals, torch::ones({}, f64))
      .view({1, 3, size, size})
      .to(torch::kFloat);
}

TEST(RadianceField, SlowLearnsAColouredBallFromTwelveViewsSoThatItIsRightInAnother) {
  const OneThread one_thread;
  RadianceField phi({.size = 24,
                     .focal = 40,
                     .samples = 24,
                     .frequencies = 4,
                     .rays = 512,
                     .fit = {.steps = 250}});
  std::vector<Tensor> cameras, images;
  for (int i = 0; i < 12; ++i) {
    cameras.push_back(camera(30 * i, i % 3 * 25 - 20));
    images.push_back(ball(cameras.back(), 24, 40));
  }
  const auto psi = torch::cat(cameras), held_out = camera(15, 12);
  const auto truth = ball(held_out, 24, 40);
  const double before = psnr(phi.render(held_out), truth);
  phi.fit(psi, torch::cat(images));
  const double after = psnr(phi.render(held_out), truth),
               from_elsewhere = psnr(phi.render(camera(105, 12)), truth);
  EXPECT_GT(after, 20);
  EXPECT_LT(before, 17);
  EXPECT_LT(from_elsewhere, 18);  // what was learnt differs from side to side
}

TEST(RadianceField, RefusesSizesThatCannotBe) {
  const auto with = [](auto change) {
    auto options = small();
    change(options);
    return [options] { RadianceField{options}; };
  };
  EXPECT_THAT([] { RadianceField({.size = 8}); }, ThrowsUsageError(HasSubstr("focal length 0")));
  EXPECT_THAT(with([](auto& o) { o.samples = 0; }), ThrowsUsageError(HasSubstr("0 samples a ray")));
  EXPECT_THAT(with([](auto& o) { o.far = 0; }), ThrowsUsageError(HasSubstr("far beyond near")));
  EXPECT_THAT(with([](auto& o) { o.radius = -1; }), ThrowsUsageError(HasSubstr("radius -1")));
  EXPECT_THAT(with([](auto& o) { o.elevation_high = 91; }),
              ThrowsUsageError(HasSubstr("from -90 to 90")));
}

}  // namespace
}  // namespace reprise::models
