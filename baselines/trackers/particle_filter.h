// The bootstrap particle filter (Gordon, Salmond, Smith 1993) on the models of
// baselines/trackers/linear_gaussian.h.
//
//     predict     h^i <- W h^i + w^i,   w^i ~ N(0, Q)
//     update      l^i = ln N(x; V h^i, R)          ln p(x | past) ~ ln sum_i w^i e^(l^i)          w^i <- w^i e^(l^i) / sum
//     resample    before the next step, when the effective sample size 1 / sum_i (w^i)^2 is below a share of N: systematically, with one
//                 uniform number u for all, particle i is copied as often as (k + u) / N, k = 0 .. N-1, falls into its share of the
//                 weights; then w^i = 1 / N
//
// On these models the Kalman filter is exact, and the particle filter agrees with it within an
// error that falls as 1 / sqrt(N); with a prior or noise far wider than R it needs far more
// particles for it. The same seed gives the same estimates. Components of x that are NaN were not
// measured. Where no particle explains x at all (every e^(l^i) is zero) the frame counts as not
// measured, and its likelihood is zero.
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
  double resample_below = 0.5;    ///< share of N; 1: in every frame
  std::uint64_t seed = 0;
};

class ParticleFilter {
 public:
  /// N particles drawn from the prior of the first frame. UsageError: as check(); R that is not
  /// positive definite; N < 1; a share outside [0, 1].
  ParticleFilter(const LinearGaussian& model, const ParticleOptions& options);

  void predict();
  /// Returns ln p(x | all before), estimated.
  double update(const Eigen::VectorXd& x);

  Eigen::VectorXd mean() const;
  Eigen::MatrixXd covariance() const;
  double effective_size() const { return effective_size_; }  ///< of the weights as they are

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

/// As track_angle() of baselines/trackers/kalman.h: the estimate of each frame, from the first
/// number on.
AngleTrack particle_angle(Motion motion, const AngleNoise& noise, const ParticleOptions& options,
                          const std::vector<double>& x);
/// The same estimates while frames arrive.
AngleStep particle_angle_step(Motion motion, const AngleNoise& noise,
                              const ParticleOptions& options);

}  // namespace reprise::baselines
