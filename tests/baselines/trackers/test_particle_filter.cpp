#include <cmath>
#include <limits>

#include "baselines/trackers/kalman.h"
#include "baselines/trackers/particle_filter.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;

constexpr double unseen = std::numeric_limits<double>::quiet_NaN();

struct Run {
  std::vector<Eigen::VectorXd> mean;
  double log_likelihood = 0;
};

Run run(const LinearGaussian& model, const Eigen::MatrixXd& z, const ParticleOptions& options) {
  ParticleFilter filter(model, options);
  Run out;
  for (Eigen::Index t = 0; t < z.rows(); ++t) {
    if (t > 0) filter.predict();
    out.log_likelihood += filter.update(z.row(t).transpose());
    out.mean.push_back(filter.mean());
  }
  return out;
}

struct GoldenRun {
  LinearGaussian model;
  Eigen::MatrixXd z;
};

GoldenRun golden_run(const nlohmann::json& c) {
  const auto matrix = [](const nlohmann::json& rows) {
    Eigen::MatrixXd out(static_cast<Eigen::Index>(rows.size()),
                        static_cast<Eigen::Index>(rows.at(0).size()));
    for (Eigen::Index i = 0; i < out.rows(); ++i)
      for (Eigen::Index j = 0; j < out.cols(); ++j) out(i, j) = rows.at(i).at(j).get<double>();
    return out;
  };
  const auto m0 = c.at("m0").get<std::vector<double>>();
  GoldenRun out{{matrix(c.at("W")), matrix(c.at("V")), matrix(c.at("Q")), matrix(c.at("R")),
                 Eigen::Map<const Eigen::VectorXd>(m0.data(), static_cast<Eigen::Index>(m0.size())),
                 matrix(c.at("P0"))},
                matrix(c.at("z"))};
  for (const auto t : c.at("missing").get<std::vector<Eigen::Index>>())
    out.z.row(t).setConstant(unseen);
  return out;
}

TEST(ParticleFilter, AgreesWithTheExactFilterWithinTheSpreadOfItsRuns) {
  const auto& golden = fixture_json("dynamic_face.json");
  for (const auto& p : golden.at("particle")) {
    const auto c = golden_run(golden.at("kalman").at(p.at("kalman_case").get<std::size_t>()));
    const auto found =
        run(c.model, c.z,
            {.particles = p.at("N").get<std::int64_t>(), .resample_below = 1, .seed = 11});
    for (std::size_t t = 0; t < found.mean.size(); ++t)
      for (Eigen::Index i = 0; i < found.mean[t].size(); ++i)
        EXPECT_NEAR(found.mean[t](i), p.at("exact_mean").at(t).at(i).get<double>(),
                    5 * p.at("sd_of_one_run_mean").at(t).at(i).get<double>())
            << p.at("name") << " frame " << t;
    EXPECT_NEAR(found.log_likelihood, p.at("exact_total_log_lik").get<double>(),
                5 * p.at("sd_of_one_run_log_lik").get<double>());
  }
}

TEST(ParticleFilter, ItsErrorFallsAsOneOverTheRootOfTheNumber) {
  const auto model = angle_model(Motion::ConstantPosition, {.q = 1, .r = 1});
  Random random(2);
  const auto z = simulate(model, 50, random).measurements;
  const auto exact = kalman_filter(model, z);
  const auto distance = [&](std::int64_t particles) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto found = run(model, z, {.particles = particles, .seed = seed});
      for (std::size_t t = 0; t < found.mean.size(); ++t)
        sum += std::pow(found.mean[t](0) - exact.mean[t](0), 2);
    }
    return std::sqrt(sum);
  };
  EXPECT_NEAR(distance(100) / distance(6400), 8, 2);
}

TEST(ParticleFilter, TheSameSeedGivesTheSameEstimates) {
  const auto model = angle_model(Motion::ConstantVelocity, {.q = 1, .r = 1, .rate_variance = 4});
  const Eigen::MatrixXd z = Eigen::VectorXd::LinSpaced(20, 0, 10);
  EXPECT_EQ(run(model, z, {.seed = 4}).mean, run(model, z, {.seed = 4}).mean);
  EXPECT_NE(run(model, z, {.seed = 4}).mean, run(model, z, {.seed = 5}).mean);
}

TEST(ParticleFilter, FramesWithoutMeasurementAreGoneThrough) {
  const auto model = angle_model(Motion::ConstantVelocity, {.q = 0.01, .r = 1, .rate_variance = 1});
  Eigen::MatrixXd z = Eigen::VectorXd::LinSpaced(30, 0, 29);
  z.middleRows(20, 4).setConstant(unseen);
  const auto found = run(model, z, {.particles = 4000});
  EXPECT_NEAR(found.mean[23](0), 23, 1.5);
}

TEST(ParticleFilter, AMeasurementThatNoParticleExplainsChangesNothing) {
  const auto model = angle_model(Motion::ConstantPosition, {.q = 1, .r = 1});
  ParticleFilter filter(model, {});
  const auto before = filter.mean();
  EXPECT_EQ(filter.update(Eigen::VectorXd::Constant(1, 1e200)),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(filter.mean(), before);
  EXPECT_EQ(filter.effective_size(), 1000);
  // Far away, but not beyond numbers: the nearest particles carry on.
  EXPECT_TRUE(std::isfinite(filter.update(Eigen::VectorXd::Constant(1, 1e6))));
  EXPECT_TRUE(filter.mean().allFinite());
}

TEST(ParticleFilter, EffectiveSizeIsTheNumberForEqualWeightsAndOneForOneParticle) {
  auto model = angle_model(Motion::ConstantPosition, {.q = 0, .r = 1});
  model.P0 *= 0;  // all particles at one place
  ParticleFilter same(model, {.particles = 64});
  same.update(Eigen::VectorXd::Constant(1, 2));
  EXPECT_NEAR(same.effective_size(), 64, 1e-9);
  model.P0(0, 0) = 1e12;
  ParticleFilter apart(model, {.particles = 64});
  apart.update(Eigen::VectorXd::Constant(1, 0));
  EXPECT_NEAR(apart.effective_size(), 1, 0.01);
}

TEST(ParticleFilter, RefusesWhatCannotWork) {
  auto model = angle_model(Motion::ConstantPosition, {});
  EXPECT_THAT([&] { ParticleFilter(model, {.particles = 0}); },
              ThrowsUsageError(HasSubstr("0 particles")));
  EXPECT_THAT([&] { ParticleFilter(model, {.resample_below = 2}); },
              ThrowsUsageError(HasSubstr("below 2")));
  model.R(0, 0) = 0;
  EXPECT_THAT([&] { ParticleFilter(model, {}); },
              ThrowsUsageError(HasSubstr("R of a particle filter is singular")));
}

TEST(AngleStep, GivesWhatTheWholeTrackGives) {
  const std::vector<double> x{unseen, 3, 4, 4.5, unseen, unseen, 7, 6, -2, unseen};
  const AngleNoise noise{.q = 0.3, .r = 2};
  const ParticleOptions options{.particles = 50, .seed = 3};
  for (const auto motion : {Motion::ConstantPosition, Motion::ConstantVelocity}) {
    const auto kalman = track_angle_step(motion, noise),
               particle = particle_angle_step(motion, noise, options);
    const auto whole = track_angle(motion, noise, x),
               particles = particle_angle(motion, noise, options, x);
    for (std::size_t t = 0; t < x.size(); ++t) {
      const double by_kalman = kalman(x[t]), by_particle = particle(x[t]);
      if (t == 0) {
        EXPECT_TRUE(std::isnan(by_kalman) && std::isnan(by_particle));
        continue;
      }
      EXPECT_EQ(by_kalman, whole.angle[t]) << t;
      EXPECT_EQ(by_particle, particles.angle[t]) << t;
    }
  }
  EXPECT_THAT([] { track_angle_step(Motion::ConstantPosition, {.q = 1, .r = 0}); },
              ThrowsUsageError());
  EXPECT_THAT([&] { particle_angle_step(Motion::ConstantPosition, noise, {.particles = 0}); },
              ThrowsUsageError());
}

}  // namespace
}  // namespace reprise::baselines
