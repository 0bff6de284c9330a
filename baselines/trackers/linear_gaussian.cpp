#include "baselines/trackers/linear_gaussian.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "core/error.h"

namespace reprise::baselines {
namespace {

/// Refuses a matrix of another shape or with values that are not finite.
void check_shape(const char* name, const Eigen::MatrixXd& matrix, Eigen::Index rows,
                 Eigen::Index columns) {
  if (matrix.rows() != rows || matrix.cols() != columns)
    throw UsageError(
        fmt::format("{} of the linear-Gaussian model is {} x {}; expected {} x {}", name,
                    matrix.rows(), matrix.cols(), rows, columns),
        "W is n x n for n states, V is m x n for m measurements, Q and P0 are n x n, R is m x m");
  if (!matrix.allFinite())
    throw UsageError(
        fmt::format("{} of the linear-Gaussian model holds a value that is not finite", name),
        "give finite numbers");
}

/// Refuses a matrix that is not symmetric or not positive semidefinite.
void check_covariance(const char* name, const Eigen::MatrixXd& matrix, Eigen::Index size) {
  check_shape(name, matrix, size, size);
  const double scale = matrix.cwiseAbs().maxCoeff();
  // Tolerances are relative to the largest entry, because a covariance can have any unit.
  if (!matrix.isApprox(matrix.transpose(), 1e-9) && scale > 0)
    throw UsageError(fmt::format("{} of the linear-Gaussian model is not symmetric", name),
                     "give a symmetric matrix: a covariance equals its transpose");
  const double least_eigenvalue =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly)
          .eigenvalues()
          .minCoeff();
  if (least_eigenvalue < -1e-9 * scale)
    throw UsageError(
        fmt::format("{} of the linear-Gaussian model has the negative eigenvalue {:.4g}", name,
                    least_eigenvalue),
        "give a positive semidefinite covariance: no eigenvalue below 0");
}

/// Draws a sample of N(0, G G^T), where G = `factor`.
Eigen::VectorXd draw_gaussian(const Eigen::MatrixXd& factor, Random& random) {
  Eigen::VectorXd noise(factor.cols());
  for (auto& value : noise) value = random.normal();
  return factor * noise;
}

}  // namespace

void check_model(const LinearGaussian& model) {
  const auto n = model.states();
  const auto m = model.measures();
  if (n < 1 || m < 1)
    throw UsageError("a linear-Gaussian model without states or measurements",
                     "W and V need one row at least");
  check_shape("W", model.W, n, n);
  check_shape("V", model.V, m, n);
  check_shape("m0", model.m0, n, 1);
  check_covariance("Q", model.Q, n);
  check_covariance("R", model.R, m);
  check_covariance("P0", model.P0, n);
}

Motion parse_motion(const std::string& name) {
  if (name == "constant_position") return Motion::ConstantPosition;
  if (name == "constant_velocity") return Motion::ConstantVelocity;
  throw UsageError("there is no motion model '" + name + "'",
                   "use constant_position or constant_velocity");
}

LinearGaussian angle_model(Motion motion, const AngleNoise& noise, double first) {
  if (!(noise.q >= 0) || !(noise.r > 0) || !(noise.rate_variance >= 0) || !(noise.gate >= 0))
    throw UsageError(
        fmt::format("noise of a tracked angle: q = {}, r = {}, rate variance = {}, gate = {}",
                    noise.q, noise.r, noise.rate_variance, noise.gate),
        "q, the rate's variance and the gate are 0 or more, r is more than 0");
  const bool has_rate = motion == Motion::ConstantVelocity;
  const Eigen::Index n = has_rate ? 2 : 1;
  LinearGaussian model;
  model.W = Eigen::MatrixXd::Identity(n, n);
  model.V = Eigen::MatrixXd::Zero(1, n);
  model.V(0, 0) = 1;
  model.Q = Eigen::MatrixXd::Constant(1, 1, noise.q);
  model.R = Eigen::MatrixXd::Constant(1, 1, noise.r);
  // Prior of the angle: mean `first` (the first measurement), variance r.
  model.m0 = Eigen::VectorXd::Zero(n);
  model.m0(0) = first;
  model.P0 = Eigen::MatrixXd::Zero(n, n);
  model.P0(0, 0) = noise.r;
  if (has_rate) {
    model.W(0, 1) = 1;
    // The acceleration is constant within a frame, and independent between frames.
    model.Q = noise.q * Eigen::Matrix2d{{0.25, 0.5}, {0.5, 1}};
    model.P0(1, 1) = noise.rate_variance;
  }
  return model;
}

Eigen::MatrixXd noise_factor(const Eigen::MatrixXd& covariance) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  // Smaller eigenvalues are rounding errors of the largest one, and count as zero.
  const double limit = 1e-12 * std::max(eigen.eigenvalues().cwiseAbs().maxCoeff(), 0.0);
  Eigen::MatrixXd factor(covariance.rows(), 0);
  for (Eigen::Index i = 0; i < covariance.rows(); ++i) {
    if (eigen.eigenvalues()(i) <= limit) continue;
    factor.conservativeResize(Eigen::NoChange, factor.cols() + 1);
    factor.rightCols(1) = eigen.eigenvectors().col(i) * std::sqrt(eigen.eigenvalues()(i));
  }
  return factor;
}

SimulatedTrack simulate(const LinearGaussian& model, Eigen::Index frames, Random& random) {
  check_model(model);
  const auto prior_factor = noise_factor(model.P0);
  const auto motion_factor = noise_factor(model.Q);
  const auto measurement_factor = noise_factor(model.R);
  SimulatedTrack track{Eigen::MatrixXd(frames, model.states()),
                       Eigen::MatrixXd(frames, model.measures())};
  // N(m0, P0) is the distribution of the first frame, so that frame needs no motion step.
  Eigen::VectorXd h = model.m0 + draw_gaussian(prior_factor, random);
  for (Eigen::Index t = 0; t < frames; ++t) {
    if (t > 0) h = model.W * h + draw_gaussian(motion_factor, random);
    track.states.row(t) = h;
    track.measurements.row(t) = model.V * h + draw_gaussian(measurement_factor, random);
  }
  return track;
}

}  // namespace reprise::baselines
