// A linear-Gaussian state-space model: what the Kalman filter is optimal for, and what the
// document's linear RNN (eq 2, 3) is compared with.
//
//     h_t = W h_{t-1} + w_t,   w_t ~ N(0, Q)        h: [n], the state, hidden
//     x_t = V h_t + v_t,       v_t ~ N(0, R)        x: [m], the measurement
//     h_0 ~ N(m0, P0)                               the prior OF the first frame: no step leads to it
//
// For one angle of a head, a frame apart, in degrees:
//     constant position    h = (angle)          W = 1                   Q = q
//     constant velocity    h = (angle, rate)    W = [[1, 1], [0, 1]]    Q = q [[1/4, 1/2], [1/2, 1]]     (white acceleration)
// with V picking the angle, R = r; it starts at the first measurement with variance r, and at rate
// 0 with variance 1e4. Source: document dynamic_face, eq 1 to 3.
#pragma once
#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/random.h"

namespace reprise::baselines {

struct LinearGaussian {
  Eigen::MatrixXd W, V, Q, R;
  Eigen::VectorXd m0;
  Eigen::MatrixXd P0;
  Eigen::Index states() const { return W.rows(); }
  Eigen::Index measures() const { return V.rows(); }
};

/// UsageError: shapes that do not fit (both named); a value that is not finite; Q, R or P0 that is
/// not symmetric or has a negative variance.
void check(const LinearGaussian& model);

enum class Motion { ConstantPosition, ConstantVelocity };
/// "constant_position", "constant_velocity". UsageError: another name.
Motion motion_named(const std::string& name);

struct AngleNoise {
  double q = 0.1,
         r = 1;  ///< degrees^2 a frame^2 (constant position) or frame^4 (velocity); degrees^2
  double rate_variance = 1e4;  ///< of the rate at the first frame, (degrees a frame)^2
  /// Of the Kalman filter: a measurement farther than so many of its standard deviations from what
  /// was predicted, sqrt(V P V^T + R), counts as missing (a validation gate: Bar-Shalom and
  /// Fortmann 1988). After most_left_out in a row the filter begins anew. 0: none is left out.
  double gate = 0;
  static constexpr int most_left_out = 8;
};

/// The model of one angle whose first measurement is `first`. Its prior already holds that
/// measurement: a filter goes on with the next. UsageError: q < 0, r <= 0, rate_variance < 0 or
/// gate < 0.
LinearGaussian angle_model(Motion motion, const AngleNoise& noise, double first = 0);

/// [G] with G G^T = `covariance`, as many columns as it has rank. Zero variances give none.
Eigen::MatrixXd noise_factor(const Eigen::MatrixXd& covariance);

struct SimulatedTrack {
  Eigen::MatrixXd states, measurements;  ///< [T, n], [T, m]
};
SimulatedTrack simulate(const LinearGaussian& model, Eigen::Index frames, Random& random);

}  // namespace reprise::baselines
