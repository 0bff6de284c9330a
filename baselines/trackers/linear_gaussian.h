// A linear-Gaussian state-space model. The Kalman filter is optimal for it, and the document's
// linear RNN (eq 2, 3) is compared with it.
//
//     h_t = W h_{t-1} + w_t,   w_t ~ N(0, Q)        h: [n], the hidden state
//     x_t = V h_t + v_t,       v_t ~ N(0, R)        x: [m], the measurement
//     h_0 ~ N(m0, P0)                               the prior OF the first frame: no step before it
//
// Models of one angle of a head, per frame, in degrees:
//     constant position    h = (angle)          W = 1                   Q = q
//    constant velocity    h = (angle, rate)    W = [[1, 1], [0, 1]]    Q = q [[1/4, 1/2], [1/2, 1]]
//                                                                       (white acceleration)
// V selects the angle, R = r. The model starts at the first measurement with variance r, and at
// rate 0 with variance 1e4. Source: document dynamic_face, eq 1 to 3.
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
void check_model(const LinearGaussian& model);

enum class Motion { ConstantPosition, ConstantVelocity };
/// Parses "constant_position" or "constant_velocity". UsageError: another name.
Motion parse_motion(const std::string& name);

struct AngleNoise {
  double q = 0.1;  ///< degrees^2 per frame^2 (constant position) or frame^4 (constant velocity)
  double r = 1;    ///< degrees^2
  double rate_variance = 1e4;  ///< variance of the rate at the first frame, (degrees per frame)^2
  /// Validation gate of the Kalman filter (Bar-Shalom and Fortmann 1988): a measurement farther
  /// than so many standard deviations sqrt(V P V^T + R) from the prediction counts as missing; 0:
  /// none.
  double gate = 0;
  static constexpr int max_rejected = 8;  ///< rejections in a row after which the filter restarts
};

/// The model of one angle whose first measurement is `first`. The prior includes that measurement;
/// a filter continues with the next. UsageError: q < 0, r <= 0, rate_variance < 0 or gate < 0.
LinearGaussian angle_model(Motion motion, const AngleNoise& noise, double first = 0);

/// Computes G with G G^T = `covariance` and as many columns as its rank.
Eigen::MatrixXd noise_factor(const Eigen::MatrixXd& covariance);

struct SimulatedTrack {
  Eigen::MatrixXd states, measurements;  ///< [T, n], [T, m]
};
SimulatedTrack simulate(const LinearGaussian& model, Eigen::Index frames, Random& random);

}  // namespace reprise::baselines
