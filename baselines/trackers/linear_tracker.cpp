#include "baselines/trackers/linear_tracker.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace reprise::baselines {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Computes the steady-state gain K: iterates the variance before a measurement to its fixed point.
Eigen::Vector2d compute_steady_gain(const LinearGaussian& model) {
  const Eigen::Matrix2d W = model.W;
  const Eigen::Matrix2d Q = model.Q;
  const Eigen::RowVector2d V = model.V;
  Eigen::Matrix2d P = model.P0;
  Eigen::Vector2d K = Eigen::Vector2d::Zero();
  // The number of frames until the gain is steady grows as (r / q)^(1/4).
  for (int frame = 0; frame < 1'000'000; ++frame) {
    P = W * P * W.transpose() + Q;
    const Eigen::Vector2d before = K;
    K = P * V.transpose() / ((V * P * V.transpose()).value() + model.R(0, 0));
    P -= K * V * P;
    if (frame > 10 && (K - before).cwiseAbs().maxCoeff() <= 1e-15) break;
  }
  return K;
}

}  // namespace

LinearTracker filter_form(const AngleNoise& noise) {
  const auto model = angle_model(Motion::ConstantVelocity, noise);
  const auto K = compute_steady_gain(model);
  return {(Eigen::Matrix2d::Identity() - K * model.V) * model.W, K, model.V};
}

LinearTracker prediction_form(const AngleNoise& noise) {
  const auto model = angle_model(Motion::ConstantVelocity, noise);
  const Eigen::Vector2d K = model.W * compute_steady_gain(model);
  return {model.W - K * model.V, K, model.V};
}

LinearTracker to_common_basis(const LinearTracker& tracker) {
  Eigen::Matrix2d basis;
  // New states: the present output, and the next one if 0 is measured.
  basis << tracker.w_ho, tracker.w_ho * tracker.w_hh;
  if (std::abs(basis.determinant()) < 1e-9 * basis.squaredNorm())
    throw UsageError("the second state of this tracker is not observable",
                     "compare trackers of two states");
  const Eigen::Matrix2d back = basis.inverse();
  return {basis * tracker.w_hh * back, basis * tracker.w_ih, tracker.w_ho * back};
}

std::optional<LinearTracker> fit_tracker_to_response(std::span<const double> response) {
  const auto count = static_cast<Index>(response.size());
  if (count < 6 || !std::all_of(response.begin(), response.end(),
                                [](double value) { return std::isfinite(value); }))
    throw UsageError("a response of too few values, or not finite", "give 6 finite values or more");
  // Ho and Kalman 1966: the Hankel matrix of the response is a product of two factors. They are the
  // later outputs of the states, and their gains from earlier inputs.
  const Index rows = count / 2, columns = count - rows;
  MatrixXd hankel(rows, columns), next(rows, columns - 1);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      hankel(i, j) = response[static_cast<std::size_t>(i + j)];
      if (j + 1 < columns) next(i, j) = response[static_cast<std::size_t>(i + j + 1)];
    }
  const Eigen::JacobiSVD<MatrixXd> svd(hankel.leftCols(columns - 1),
                                       Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::Vector2d size = svd.singularValues().head<2>();
  if (!(size(1) > 1e-9 * size(0))) return {};  // a single state
  const Eigen::Vector2d root = size.cwiseSqrt();
  const MatrixXd shows = svd.matrixU().leftCols<2>() * root.asDiagonal(),
                 takes = root.asDiagonal() * svd.matrixV().leftCols<2>().transpose();
  const Eigen::Vector2d inverse = root.cwiseInverse();
  const Eigen::Matrix2d w_hh = inverse.asDiagonal() * svd.matrixU().leftCols<2>().transpose() *
                               next * svd.matrixV().leftCols<2>() * inverse.asDiagonal();
  return to_common_basis({w_hh, takes.col(0), shows.row(0)});
}

}  // namespace reprise::baselines
