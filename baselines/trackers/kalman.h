// The Kalman filter and the Rauch-Tung-Striebel smoother for any linear-Gaussian model (symbols:
// baselines/trackers/linear_gaussian.h).
//
//     predict     h <- W h                        P <- W P W^T + Q
//     update      S = V P V^T + R                 K = P V^T S^-1
//                 h <- h + K (x - V h)
//                 P <- (I - K V) P (I - K V)^T + K R K^T         (Joseph: stays symmetric and >= 0)
//                 ln p(x | past) = ln N(x; V h, S)
//     smooth      J = P_t W^T (P_{t+1}^-)^+
//                 h_t <- h_t + J (h_{t+1} - h^-_{t+1})
//                 P_t <- P_t + J (P_{t+1} - P^-_{t+1}) J^T
//
// A NaN component of x was not measured. It is removed from V, R and x. Without any measured
// component an update does nothing and its likelihood is 1. A direction in which S is zero (no
// uncertainty, no noise) is known already. It gets no gain and no likelihood.
//
// Eq 3 of document dynamic_face, h_t = (W - K_t V) h_{t-1} + K_t x_t with y_t = V h_t, is the
// filter in prediction form: h_t is the state predicted for t + 1 and its K_t is W times the gain
// above. In filter form, h_t = (I - K V) W h_{t-1} + K x_t. Both are linear recurrent networks (eq
// 2) with weights that change over time.
#pragma once
#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <vector>

#include "baselines/trackers/angle_track.h"
#include "baselines/trackers/linear_gaussian.h"

namespace reprise::baselines {

/// A filter that runs one step at a time. Sizes known at compile time (KalmanFilter<2, 1>) make a
/// step ten times faster and free of allocation.
template <int N = Eigen::Dynamic, int M = Eigen::Dynamic>
class KalmanFilter {
 public:
  using State = Eigen::Matrix<double, N, 1>;
  using StateMatrix = Eigen::Matrix<double, N, N>;
  using Measurement = Eigen::Matrix<double, M, 1>;
  using Gain = Eigen::Matrix<double, N, M>;

  /// Starts at the first frame, before its measurement. UsageError: as check_model().
  explicit KalmanFilter(const LinearGaussian& model) {
    check_model(model);
    W_ = model.W;
    V_ = model.V;
    Q_ = model.Q;
    R_ = model.R;
    h_ = model.m0;
    P_ = model.P0;
    K_ = Gain::Zero(model.states(), model.measures());
  }

  void predict() {
    h_ = W_ * h_;
    const StateMatrix WP = W_.lazyProduct(P_);
    P_ = Q_ + WP.lazyProduct(W_.transpose());
  }

  /// Updates with a measurement. Returns ln p(x | all before).
  double update(const Measurement& x) {
    if (!x.allFinite()) return update_partly(x);
    const Gain PVt = P_.lazyProduct(V_.transpose());
    MeasurementMatrix whiten;  // the inverse of L, S = L L^T
    if (!invert_root(V_ * PVt + R_, whiten)) return update_partly(x);
    const Measurement innovation = x - V_ * h_, white = whiten * innovation;
    const Gain gain_of_white = PVt * whiten.transpose();
    K_ = gain_of_white * whiten;
    correct(innovation, PVt);
    return whiten.diagonal().array().log().sum() -
           0.5 * (white.squaredNorm() +
                  static_cast<double>(x.size()) * std::log(2 * std::numbers::pi));
  }

  const State& mean() const { return h_; }
  const StateMatrix& covariance() const { return P_; }
  /// K of the last update; columns of missing components are zero.
  const Gain& gain() const { return K_; }

 private:
  using MeasurementMatrix = Eigen::Matrix<double, M, M>;

  /// Inverts the Cholesky factor of S; false if S is not positive definite. Eigen's factorisation
  /// is slow for 3 x 3.
  static bool invert_root(const MeasurementMatrix& S, MeasurementMatrix& inverse) {
    inverse = MeasurementMatrix::Zero(S.rows(), S.cols());
    for (Eigen::Index j = 0; j < S.rows(); ++j) {
      // Row j of L by what is known of its inverse: L_jk = (S_j L^-T)_k for k < j.
      const Eigen::Matrix<double, 1, M> row = S.row(j) * inverse.transpose();
      const double pivot = S(j, j) - row.squaredNorm();
      if (!(pivot > 1e-13 * S(j, j))) return false;
      inverse.row(j) = -row * inverse;
      inverse(j, j) = 1;
      inverse.row(j) /= std::sqrt(pivot);
    }
    return true;
  }
  /// Joseph's form, with (I - K V) P taken as P - K (P V^T)^T: half the work.
  void correct(const Measurement& innovation, const Gain& PVt) {
    h_ += K_ * innovation;
    const StateMatrix left = P_ - K_.lazyProduct(PVt.transpose());
    const Gain change = K_.lazyProduct(R_) - left.lazyProduct(V_.transpose());
    P_ = left + change.lazyProduct(K_.transpose());
  }
  /// Updates with missing components or a singular S.
  double update_partly(const Measurement& x);

  StateMatrix W_, Q_, P_;
  Eigen::Matrix<double, M, N> V_;
  MeasurementMatrix R_;
  State h_;
  Gain K_;
};

/// Result of the filter for every frame of a track.
struct FilteredTrack {
  std::vector<Eigen::VectorXd> mean, predicted_mean;  ///< h after and before the frame's update
  std::vector<Eigen::MatrixXd> covariance, predicted_covariance;  ///< P likewise
  std::vector<Eigen::MatrixXd> gain;                              ///< K_t
  std::vector<double> log_likelihood;                             ///< ln p(x_t | x_0 .. x_{t-1})
};

/// Filters measurements [T, m], NaN where missing. UsageError: as check_model(); another width.
FilteredTrack kalman_filter(const LinearGaussian& model, const Eigen::MatrixXd& measurements);

struct SmoothedTrack {
  std::vector<Eigen::VectorXd> mean;
  std::vector<Eigen::MatrixXd> covariance;
};
/// Smooths a filtered track. Not causal: every frame sees the whole track, which bounds the
/// accuracy of causal estimates.
SmoothedTrack rts_smoother(const LinearGaussian& model, const FilteredTrack& filtered);

/// Estimates the angle at each frame with angle_model() from the first number on; NaN before it. x:
/// one value per frame, NaN where missing.
AngleTrack track_angle(Motion motion, const AngleNoise& noise, const std::vector<double>& x);
AngleTrack smooth_angle(Motion motion, const AngleNoise& noise, const std::vector<double>& x);
/// Streaming form of track_angle() with identical estimates. UsageError: q < 0 or r <= 0.
AngleStep track_angle_step(Motion motion, const AngleNoise& noise);

/// ln p of the measurements of all tracks, except the first of each, which starts it.
double log_likelihood(Motion motion, const AngleNoise& noise,
                      const std::vector<std::vector<double>>& tracks);

/// Estimates the q and r that maximise the likelihood of the measurements, without true angles, by
/// the simplex method over (ln q, ln r). UsageError: no track has three numbers.
AngleNoise estimate_noise(Motion motion, const std::vector<std::vector<double>>& tracks,
                          const AngleNoise& start = {});

}  // namespace reprise::baselines
