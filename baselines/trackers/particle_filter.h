// The bootstrap particle filter (Gordon, Salmond, Smith 1993) for the models of
// baselines/trackers/linear_gaussian.h.
//
//     predict     h^i <- W h^i + w^i,   w^i ~ N(0, Q)
//     update      l^i = ln N(x; V h^i, R)          ln p(x | past) ~ ln sum_i w^i e^(l^i)
//                 w^i <- w^i e^(l^i) / sum
//     resample    before the next step, if the effective sample size 1 / sum_i (w^i)^2 is below a
//               fraction of N. Systematic: with one uniform number u, particle i is copied as often
//                as (k + u) / N, k = 0 .. N-1, falls into its part of the weights; then w^i = 1 / N
//
// The Kalman filter is exact on these models, and the particle filter agrees with it within an
// error that falls as 1 / sqrt(N). A prior or noise far wider than R needs far more particles. The
// same seed gives the same estimates. NaN components of x were not measured. If no particle
// explains x (every e^(l^i) is zero), the frame counts as not measured and its likelihood is zero.
#pragma once
#include <ATen/core/Generator.h>

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "baselines/trackers/angle_track.h"
#include "baselines/trackers/linear_gaussian.h"

namespace reprise::baselines {

struct ParticleOptions {
  std::int64_t particles = 1000;  ///< N
  double resample_below = 0.5;    ///< fraction of N; 1: resamples in every frame
  std::uint64_t seed = 0;
};

class ParticleFilter {
 public:
  /// Draws N particles from the prior of the first frame. UsageError: as check_model(); R that is
  /// not positive definite; N < 1; a fraction outside [0, 1].
  ParticleFilter(const LinearGaussian& model, const ParticleOptions& options);

  void predict();
  /// Updates with a measurement. Returns an estimate of ln p(x | all before).
  double update(const Eigen::VectorXd& x);

  Eigen::VectorXd mean() const;
  Eigen::MatrixXd covariance() const;
  double effective_size() const { return effective_size_; }  ///< effective sample size now

 private:
  void add_noise(const Eigen::MatrixXd& factor);
  void resample();

  using Rows = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::MatrixXd W_, V_, R_, move_;  ///< move_ move_^T = Q
  Rows h_, moved_;                    ///< [n, N]
  Eigen::ArrayXd weight_;             ///< [N], sum 1
  double resample_below_, effective_size_;
  at::Generator generator_;
};

/// Estimates each frame from the first number on, like track_angle() of
/// baselines/trackers/kalman.h.
AngleTrack particle_angle(Motion motion, const AngleNoise& noise, const ParticleOptions& options,
                          const std::vector<double>& x);
/// Streaming form with identical estimates.
AngleStep particle_angle_step(Motion motion, const AngleNoise& noise,
                              const ParticleOptions& options);

}  // namespace reprise::baselines
