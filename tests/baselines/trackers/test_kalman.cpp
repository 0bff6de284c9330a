#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "baselines/trackers/kalman.h"
#include "tests/support.h"

namespace reprise::baselines {
namespace {

using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Eigen::MatrixXd matrix_of(const nlohmann::json& rows) {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(rows.size()),
                      static_cast<Eigen::Index>(rows.at(0).size()));
  for (Eigen::Index i = 0; i < out.rows(); ++i)
    for (Eigen::Index j = 0; j < out.cols(); ++j) out(i, j) = rows.at(i).at(j).get<double>();
  return out;
}

Eigen::VectorXd vector_of(const nlohmann::json& values) {
  const auto list = values.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(list.data(), static_cast<Eigen::Index>(list.size()));
}

const nlohmann::json& golden() { return fixture_json("dynamic_face.json"); }

LinearGaussian model_of(const nlohmann::json& c) {
  return {matrix_of(c.at("W")), matrix_of(c.at("V")),  matrix_of(c.at("Q")),
          matrix_of(c.at("R")), vector_of(c.at("m0")), matrix_of(c.at("P0"))};
}

Eigen::MatrixXd measurements_of(const nlohmann::json& c) {
  auto z = matrix_of(c.at("z"));
  for (const auto t : c.at("missing").get<std::vector<Eigen::Index>>()) z.row(t).setConstant(nan);
  return z;
}

double distance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

bool is_covariance(const Eigen::MatrixXd& P) {
  return distance(P, P.transpose()) < 1e-9 * (1 + P.cwiseAbs().maxCoeff()) &&
         Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(P).eigenvalues().minCoeff() > -1e-9;
}

TEST(KalmanFilter, AgreesWithFilterpyOnEveryGoldenCase) {
  for (const auto& c : golden().at("kalman")) {
    const auto filtered = kalman_filter(model_of(c), measurements_of(c));
    double total = 0;
    for (std::size_t t = 0; t < filtered.mean.size(); ++t) {
      EXPECT_LT(distance(filtered.mean[t], vector_of(c.at("x").at(t))), 1e-9)
          << c.at("name") << " frame " << t;
      EXPECT_LT(distance(filtered.covariance[t], matrix_of(c.at("P").at(t))), 1e-9)
          << c.at("name") << " frame " << t;
      EXPECT_LT(distance(filtered.predicted_mean[t], vector_of(c.at("x_pred").at(t))), 1e-9)
          << c.at("name") << " frame " << t;
      if (std::isfinite(measurements_of(c)(static_cast<Eigen::Index>(t), 0))) {
        EXPECT_LT(distance(filtered.gain[t], matrix_of(c.at("K").at(t))), 1e-9)
            << c.at("name") << " frame " << t;
        EXPECT_NEAR(filtered.log_likelihood[t], c.at("log_lik").at(t).get<double>(), 1e-9);
        total += filtered.log_likelihood[t];
      }
    }
    EXPECT_NEAR(total, c.at("total_log_lik").get<double>(), 1e-8) << c.at("name");
  }
}

TEST(KalmanFilter, IsTheSameWithSizesKnownWhenCompiled) {
  const auto& c = golden().at("kalman").at(3);
  const auto model = model_of(c);
  const auto z = measurements_of(c);
  const auto expected = kalman_filter(model, z);
  KalmanFilter<6, 3> filter(model);
  for (Eigen::Index t = 0; t < z.rows(); ++t) {
    if (t > 0) filter.predict();
    EXPECT_NEAR(filter.update(z.row(t).transpose()), expected.log_likelihood[t], 1e-10);
    EXPECT_LT(distance(filter.mean(), expected.mean[t]), 1e-10);
    EXPECT_LT(distance(filter.covariance(), expected.covariance[t]), 1e-10);
  }
}

TEST(KalmanFilter, TwoSensorsOfWhichOneIsSilentAreTheOtherAlone) {
  LinearGaussian two{Eigen::MatrixXd::Identity(1, 1),
                     Eigen::MatrixXd::Ones(2, 1),
                     Eigen::MatrixXd::Constant(1, 1, 0.3),
                     Eigen::Vector2d(1, 4).asDiagonal(),
                     Eigen::VectorXd::Zero(1),
                     Eigen::MatrixXd::Ones(1, 1)};
  auto one = two;
  one.V = Eigen::MatrixXd::Ones(1, 1), one.R = Eigen::MatrixXd::Constant(1, 1, 4);
  const Eigen::MatrixXd seen = (Eigen::MatrixXd(3, 1) << 0.5, 2.0, -1.0).finished();
  Eigen::MatrixXd with_silent(3, 2);
  with_silent << Eigen::VectorXd::Constant(3, nan), seen;
  const auto a = kalman_filter(two, with_silent), b = kalman_filter(one, seen);
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_LT(distance(a.mean[t], b.mean[t]), 1e-12);
    EXPECT_LT(distance(a.covariance[t], b.covariance[t]), 1e-12);
    EXPECT_NEAR(a.log_likelihood[t], b.log_likelihood[t], 1e-12);
    EXPECT_EQ(a.gain[t](0, 0), 0);
  }
}

TEST(KalmanFilter, CertainStatesAndExactSensorsStayFinite) {
  // Nothing uncertain and no noise: S is zero. The state goes on as it was, whatever is measured.
  LinearGaussian certain{Eigen::MatrixXd::Identity(2, 2), Eigen::MatrixXd::Identity(2, 2),
                         Eigen::MatrixXd::Zero(2, 2),     Eigen::MatrixXd::Zero(2, 2),
                         Eigen::Vector2d(1, 2),           Eigen::MatrixXd::Zero(2, 2)};
  const auto kept = kalman_filter(certain, Eigen::MatrixXd::Constant(4, 2, 9));
  EXPECT_LT(distance(kept.mean.back(), Eigen::Vector2d(1, 2)), 1e-12);
  // An exact sensor of an uncertain state: the state is what it says.
  certain.Q = certain.P0 = Eigen::MatrixXd::Identity(2, 2);
  const auto followed = kalman_filter(certain, Eigen::MatrixXd::Constant(4, 2, 9));
  EXPECT_LT(distance(followed.mean.back(), Eigen::Vector2d(9, 9)), 1e-12);
  EXPECT_LT(followed.covariance.back().cwiseAbs().maxCoeff(), 1e-12);
}

TEST(KalmanFilter, CovariancesStaySymmetricAndPositiveOverALongBadlyScaledTrack) {
  auto model = angle_model(Motion::ConstantVelocity, {.q = 1e-9, .r = 1e6, .rate_variance = 1e12});
  Random random(3);
  const auto filtered = kalman_filter(model, simulate(model, 3000, random).measurements);
  for (std::size_t t = 0; t < filtered.mean.size(); t += 100)
    EXPECT_TRUE(is_covariance(filtered.covariance[t])) << "frame " << t;
}

// One wrong estimate must not move the track, and a head that has turned must be followed again.
TEST(KalmanGate, AnOutlierCountsAsMissingAndALastingStepIsFollowed) {
  const AngleNoise plain{.q = 0.1, .r = 1, .rate_variance = 1},
      gated{.q = 0.1, .r = 1, .rate_variance = 1, .gate = 3};
  std::vector<double> steady(40, 10), outlier = steady, missing = steady, turned = steady;
  outlier[20] = 70;
  missing[20] = std::nan("");
  std::fill(turned.begin() + 20, turned.end(), 70);
  for (const auto motion : {Motion::ConstantPosition, Motion::ConstantVelocity}) {
    EXPECT_EQ(track_angle(motion, gated, outlier).angle, track_angle(motion, plain, missing).angle);
    EXPECT_EQ(track_angle(motion, gated, steady).angle, track_angle(motion, plain, steady).angle);
    EXPECT_NEAR(track_angle(motion, gated, turned).angle.back(), 70, 1)
        << "it begins anew where most are left out";
    const auto step = track_angle_step(motion, gated);
    const auto whole = track_angle(motion, gated, turned).angle;
    for (std::size_t t = 0; t < whole.size(); ++t) EXPECT_EQ(step(turned[t]), whole[t]) << t;
  }
  EXPECT_THROW(track_angle(Motion::ConstantPosition, {.gate = -1}, steady), UsageError);
}

TEST(RtsSmoother, AgreesWithFilterpyAndIsNeverLessCertainThanTheFilter) {
  for (const auto& r : golden().at("rts")) {
    const auto& c = golden().at("kalman").at(r.at("kalman_case").get<std::size_t>());
    const auto filtered = kalman_filter(model_of(c), measurements_of(c));
    const auto smoothed = rts_smoother(model_of(c), filtered);
    for (std::size_t t = 0; t < smoothed.mean.size(); ++t) {
      EXPECT_LT(distance(smoothed.mean[t], vector_of(r.at("x_smooth").at(t))), 1e-8)
          << r.at("name") << " frame " << t;
      EXPECT_LT(distance(smoothed.covariance[t], matrix_of(r.at("P_smooth").at(t))), 1e-8)
          << r.at("name") << " frame " << t;
      EXPECT_TRUE(is_covariance(filtered.covariance[t] - smoothed.covariance[t]));
    }
  }
}

TEST(EquationThree, TakenLiterallyIsThePredictionForm) {
  // h_t = (W - K V) h_{t-1} + K x_t with K = W K_filter predicts the state of t + 1.
  const auto& eq3 = golden().at("eq3");
  const auto& c = golden().at("kalman").at(eq3.at("kalman_case").get<std::size_t>());
  const auto model = model_of(c);
  const auto filtered = kalman_filter(model, measurements_of(c));
  const auto t = eq3.at("t").get<std::size_t>();
  const Eigen::MatrixXd K = filtered.gain[t];
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(model.states(), model.states());
  EXPECT_LT(distance((I - K * model.V) * model.W, matrix_of(eq3.at("filter_form_A"))), 1e-9);
  EXPECT_LT(distance(model.W - model.W * K * model.V, matrix_of(eq3.at("prediction_form_A"))),
            1e-9);
  const Eigen::VectorXd x = measurements_of(c).row(static_cast<Eigen::Index>(t)).transpose();
  const Eigen::VectorXd literally =
      (model.W - model.W * K * model.V) * filtered.predicted_mean[t] + model.W * K * x;
  EXPECT_LT(distance(literally, filtered.predicted_mean[t + 1]), 1e-9);
}

TEST(TrackAngle, StartsAtTheFirstNumberWithItsVariance) {
  const AngleNoise noise{.q = 0.5, .r = 4};
  for (const auto motion : {Motion::ConstantPosition, Motion::ConstantVelocity}) {
    const auto track = track_angle(motion, noise, {nan, 10, 12, nan, 15});
    EXPECT_TRUE(std::isnan(track.angle[0]));
    EXPECT_DOUBLE_EQ(track.angle[1], 10);
    EXPECT_DOUBLE_EQ(track.std_dev[1], 2);
    EXPECT_GT(track.std_dev[3], track.std_dev[2]);
  }
  // Constant position by hand: P = 4.5 before the second, K = 4.5 / 8.5.
  EXPECT_NEAR(track_angle(Motion::ConstantPosition, noise, {10, 12}).angle[1], 10 + 2 * 4.5 / 8.5,
              1e-12);
  // A rate nobody knows: the second frame is believed, and the third is predicted with the slope
  // between them.
  EXPECT_NEAR(track_angle(Motion::ConstantVelocity, noise, {10, 12, nan}).angle[2], 14, 0.01);
}

TEST(TrackAngle, OfOneFrameOrNoNumberIsThatAndNoMore) {
  EXPECT_DOUBLE_EQ(track_angle(Motion::ConstantVelocity, {}, {7}).angle.at(0), 7);
  EXPECT_DOUBLE_EQ(smooth_angle(Motion::ConstantVelocity, {}, {7}).angle.at(0), 7);
  EXPECT_TRUE(std::isnan(track_angle(Motion::ConstantVelocity, {}, {nan, nan}).angle.at(1)));
  EXPECT_TRUE(std::isnan(smooth_angle(Motion::ConstantVelocity, {}, {nan, nan}).angle.at(1)));
  EXPECT_TRUE(track_angle(Motion::ConstantVelocity, {}, {}).angle.empty());
}

/// Tracks of known noise: what a filter of that noise is best for.
std::vector<std::vector<double>> simulated(Motion motion, const AngleNoise& noise, int count,
                                           int frames, std::uint64_t seed,
                                           std::vector<std::vector<double>>* truth = nullptr) {
  Random random(seed);
  std::vector<std::vector<double>> tracks;
  for (int i = 0; i < count; ++i) {
    auto model = angle_model(motion, noise);
    model.P0 *= 0;
    const auto track = simulate(model, frames, random);
    tracks.emplace_back(track.measurements.data(), track.measurements.data() + frames);
    if (truth != nullptr) truth->emplace_back(track.states.data(), track.states.data() + frames);
  }
  return tracks;
}

TEST(MostLikelyNoise, FindsTheNoiseThatMadeTheTracks) {
  for (const auto motion : {Motion::ConstantPosition, Motion::ConstantVelocity}) {
    const AngleNoise made{.q = 0.05, .r = 3};
    const auto found = estimate_noise(motion, simulated(motion, made, 20, 400, 7));
    EXPECT_NEAR(std::log(found.q / made.q), 0, 0.2);
    EXPECT_NEAR(std::log(found.r / made.r), 0, 0.1);
  }
}

TEST(MostLikelyNoise, IsMoreLikelyThanItsNeighbours) {
  const auto tracks = simulated(Motion::ConstantVelocity, {.q = 0.2, .r = 1}, 4, 200, 9);
  const auto likelihood = [&](const AngleNoise& noise) {
    double sum = 0;
    for (const auto& x : tracks) {
      auto model = angle_model(Motion::ConstantVelocity, noise, x[0]);
      Eigen::MatrixXd z =
          Eigen::Map<const Eigen::MatrixXd>(x.data(), static_cast<Eigen::Index>(x.size()), 1);
      z(0, 0) = nan;
      for (const double l : kalman_filter(model, z).log_likelihood) sum += l;
    }
    EXPECT_NEAR(sum, log_likelihood(Motion::ConstantVelocity, noise, tracks), 1e-6 * std::abs(sum));
    return sum;
  };
  const auto found = estimate_noise(Motion::ConstantVelocity, tracks);
  const double best = likelihood(found);
  for (const double factor : {0.8, 1.25}) {
    EXPECT_GT(best, likelihood({found.q * factor, found.r, found.rate_variance}));
    EXPECT_GT(best, likelihood({found.q, found.r * factor, found.rate_variance}));
  }
}

TEST(AngleModel, RefusesNoiseThatCannotBe) {
  EXPECT_THAT([] { angle_model(Motion::ConstantVelocity, {.q = -1}); },
              ThrowsUsageError(HasSubstr("q = -1")));
  EXPECT_THAT([] { angle_model(Motion::ConstantVelocity, {.r = 0}); },
              ThrowsUsageError(HasSubstr("r = 0")));
  EXPECT_THAT([] { angle_model(Motion::ConstantVelocity, {.r = nan}); },
              ThrowsUsageError(HasSubstr("r = nan")));
  EXPECT_THAT([] { parse_motion("constant_acceleration"); },
              ThrowsUsageError(HasSubstr("constant_velocity")));
  EXPECT_THAT(
      [] {
        estimate_noise(Motion::ConstantPosition, {{1, nan, 2}});
      },
      ThrowsUsageError(HasSubstr("three measurements")));
}

TEST(LinearGaussianModel, NamesWhatDoesNotFit) {
  auto model = angle_model(Motion::ConstantVelocity, {});
  model.V = Eigen::MatrixXd::Ones(1, 3);
  EXPECT_THAT([&] { KalmanFilter<> filter(model); },
              ThrowsUsageError(HasSubstr("V "), HasSubstr("1 x 3"), HasSubstr("1 x 2")));
  model = angle_model(Motion::ConstantVelocity, {});
  model.Q(0, 1) = 7;
  EXPECT_THAT([&] { check_model(model); },
              ThrowsUsageError(HasSubstr("Q "), HasSubstr("not symmetric")));
  model = angle_model(Motion::ConstantVelocity, {});
  model.P0(1, 1) = -2;
  EXPECT_THAT([&] { check_model(model); }, ThrowsUsageError(HasSubstr("P0 "), HasSubstr("-2")));
  model.P0(1, 1) = nan;
  EXPECT_THAT([&] { check_model(model); },
              ThrowsUsageError(HasSubstr("P0 "), HasSubstr("not finite")));
}

}  // namespace
}  // namespace reprise::baselines
