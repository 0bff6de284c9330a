#include "datasets/landmark_pose.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "datasets/landmarks.h"
#include "datasets/pose_videos.h"
#include "datasets/scene/synthetic_head.h"

namespace reprise::datasets {
namespace {

using Points3 = Eigen::Matrix3Xd;
using Points2 = Eigen::Matrix2Xd;

/// Returns the landmarks that hardly move with the expression: chin 8, nose 27 to 35, eyes 36 to
/// 47, corners of the mouth 48 and 54.
const std::vector<Eigen::Index>& rigid_points() {
  static const auto all = [] {
    std::vector<Eigen::Index> points{8};
    for (Eigen::Index k = 27; k < 49; ++k) points.push_back(k);
    points.push_back(54);
    return points;
  }();
  return all;
}

/// Returns X: the mean landmarks of 24 rendered heads, centred.
const Points3& head_at_rest() {
  static const Points3 shape = [] {
    constexpr int people = 24;
    constexpr int size = 32;
    HeadRenderer renderer(size);
    const auto background = at::zeros({size, size, 3}, at::kByte);
    Points3 sum = Points3::Zero(3, static_cast<Eigen::Index>(rigid_points().size()));
    for (int who = 0; who < people; ++who) {
      // The picture is not used; rendering places the landmarks.
      renderer.render(identity(who), {}, {}, {}, background);
      std::array<float, 3 * face_points> places{};
      renderer.write_landmarks_3d(places.data());
      for (Eigen::Index k = 0; k < sum.cols(); ++k)
        for (Eigen::Index d = 0; d < 3; ++d)
          sum(d, k) += places[static_cast<std::size_t>(
                           3 * rigid_points()[static_cast<std::size_t>(k)] + d)] /
                       people;
    }
    // Centring removes the translation, on both sides of the fit.
    sum.colwise() -= sum.rowwise().mean().eval();
    return sum;
  }();
  return shape;
}

/// Returns the matrix of the cross product with v.
Eigen::Matrix3d skew_matrix(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0, -v(2), v(1), v(2), 0, -v(0), -v(1), v(0), 0;
  return m;
}

struct Fit {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  double scale = 1;
};

/// Returns the best affine map, projected to a scaled rotation. It is exact if the points are a
/// scaled orthographic picture of X.
Fit fit_affine(const Points2& x, const Points3& X) {
  const Eigen::Matrix<double, 2, 3> affine = x * X.transpose() * (X * X.transpose()).inverse();
  const Eigen::JacobiSVD<Eigen::Matrix<double, 2, 3>> svd(
      affine, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Matrix<double, 2, 3> rows = svd.matrixU() * svd.matrixV().leftCols<2>().transpose();
  Fit fit;
  fit.R.topRows<2>() = rows;
  // The third row completes a right-handed rotation.
  fit.R.row(2) = rows.row(0).cross(rows.row(1));
  fit.scale = svd.singularValues().mean();
  return fit;
}

/// Refines a fit by Gauss-Newton steps in a small rotation and the logarithm of the scale. Centring
/// has removed the translation.
void refine_fit(const Points2& x, const Points3& X, Fit& fit) {
  constexpr int steps = 12;
  for (int step = 0; step < steps; ++step) {
    Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
    Eigen::Vector4d right = Eigen::Vector4d::Zero();
    for (Eigen::Index k = 0; k < X.cols(); ++k) {
      const Eigen::Vector3d turned = fit.R * X.col(k);
      Eigen::Matrix<double, 2, 4> slope;
      // Derivatives of the projected point: by a small rotation, then by the logarithm of the
      // scale.
      slope.leftCols<3>() = fit.scale * -skew_matrix(turned).topRows<2>();
      slope.col(3) = fit.scale * turned.head<2>();
      const Eigen::Vector2d off = x.col(k) - fit.scale * turned.head<2>();
      normal += slope.transpose() * slope;
      right += slope.transpose() * off;
    }
    // A little damping keeps the system regular for degenerate landmarks.
    normal.diagonal() *= 1 + 1e-6;
    const Eigen::Vector4d change = normal.ldlt().solve(right);
    const Eigen::Vector3d turn = change.head<3>();
    if (turn.norm() > 0) fit.R = Eigen::AngleAxisd(turn.norm(), turn.normalized()) * fit.R;
    // A step changes the scale by a factor of at most 1.65.
    fit.scale *= std::exp(std::clamp(change(3), -0.5, 0.5));
    // Converged: further steps change nothing that float32 shows.
    if (change.norm() < 1e-9) return;
  }
}

}  // namespace

at::Tensor estimate_pose(const at::Tensor& landmarks) {
  if (landmarks.dim() < 2 || landmarks.size(-1) != 2 || landmarks.size(-2) != face_points)
    throw UsageError(fmt::format("landmarks {} have no pose", c10::str(landmarks.sizes())),
                     "give [..., 68, 2], pixels");
  const auto points = landmarks.to(at::kDouble).reshape({-1, face_points, 2}).contiguous();
  const auto n = points.size(0);
  auto poses = at::empty({n, 3}, at::kFloat);
  const auto* from = points.const_data_ptr<double>();
  auto* to = poses.data_ptr<float>();
  const auto& X = head_at_rest();
  for (std::int64_t i = 0; i < n; ++i) {
    Points2 x(2, X.cols());
    for (Eigen::Index k = 0; k < X.cols(); ++k)
      for (Eigen::Index d = 0; d < 2; ++d)
        x(d, k) = from[(i * face_points + rigid_points()[static_cast<std::size_t>(k)]) * 2 + d];
    x.colwise() -= x.rowwise().mean().eval();
    if (!x.allFinite() || x.squaredNorm() == 0)
      throw UsageError(
          fmt::format("the landmarks of face {} are not finite, or all in one place", i),
          "leave the face out or correct them");
    auto fit = fit_affine(x, X);
    refine_fit(x, X, fit);
    std::array<double, 9> rows{};
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.data()) = fit.R;
    std::ranges::transform(euler_angles(rows), to + 3 * i,
                           [](double angle) { return static_cast<float>(angle); });
  }
  auto shape = landmarks.sizes().vec();
  shape.resize(shape.size() - 2);
  shape.push_back(3);
  return poses.view(shape);
}

}  // namespace reprise::datasets
