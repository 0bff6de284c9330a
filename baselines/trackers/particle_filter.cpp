#include "baselines/trackers/particle_filter.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include "core/error.h"
#include "training/torch_generator.h"

namespace reprise::baselines {

ParticleFilter::ParticleFilter(const LinearGaussian& model, const ParticleOptions& options)
    : W_(model.W),
      V_(model.V),
      R_(model.R),
      resample_below_(options.resample_below),
      effective_size_(static_cast<double>(options.particles)),
      generator_(training::torch_generator(options.seed)) {
  check_model(model);
  if (Eigen::LLT<Eigen::MatrixXd>(R_).info() != Eigen::Success)
    throw UsageError(
        "R of a particle filter is singular: no particle ever explains a measurement exactly",
        "give every measurement a variance above 0");
  if (options.particles < 1)
    throw UsageError(fmt::format("a filter of {} particles", options.particles),
                     "give at least one");
  if (!(resample_below_ >= 0 && resample_below_ <= 1))
    throw UsageError(
        fmt::format("particles are resampled below {} of their number", resample_below_),
        "give a fraction from 0 to 1");
  move_ = noise_factor(model.Q);
  h_.resize(model.states(), options.particles);
  moved_.resizeLike(h_);
  // Particles start from the prior: its mean, and noise of its covariance.
  for (Eigen::Index i = 0; i < h_.rows(); ++i) h_.row(i).setConstant(model.m0(i));
  weight_.setConstant(options.particles, 1.0 / static_cast<double>(options.particles));
  add_noise(noise_factor(model.P0));
}

/// Adds N(0, factor factor^T), drawn in single precision: torch vectorises it, and it is precise
/// enough.
void ParticleFilter::add_noise(const Eigen::MatrixXd& factor) {
  const auto drawn = at::randn({factor.cols(), h_.cols()}, generator_, at::kFloat);
  using Drawn = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Drawn> noise(drawn.const_data_ptr<float>(), factor.cols(), h_.cols());
  for (Eigen::Index i = 0; i < factor.rows(); ++i)
    for (Eigen::Index k = 0; k < factor.cols(); ++k)
      if (factor(i, k) != 0) h_.row(i) += factor(i, k) * noise.row(k).cast<double>();
}

void ParticleFilter::predict() {
  // Resampling before the move keeps the weights of the last update for mean() and covariance().
  if (effective_size_ < resample_below_ * static_cast<double>(h_.cols())) resample();
  for (Eigen::Index i = 0; i < h_.rows(); ++i) {
    moved_.row(i) = W_(i, i) * h_.row(i);
    for (Eigen::Index j = 0; j < h_.rows(); ++j)
      // Zeros of W are skipped.
      if (j != i && W_(i, j) != 0) moved_.row(i) += W_(i, j) * h_.row(j);
  }
  h_.swap(moved_);
  add_noise(move_);
}

double ParticleFilter::update(const Eigen::VectorXd& x) {
  // Missing components tell nothing, so they are left out.
  std::vector<Eigen::Index> seen;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (std::isfinite(x(i))) seen.push_back(i);
  if (seen.empty()) return 0;
  // With R = L L^T, l^i is a constant minus half of |L^-1 (x - V h^i)|^2.
  const Eigen::LLT<Eigen::MatrixXd> factor(R_(seen, seen));
  const Eigen::MatrixXd V = factor.matrixL().solve(Eigen::MatrixXd(V_(seen, Eigen::all)));
  const Eigen::VectorXd y = factor.matrixL().solve(Eigen::VectorXd(x(seen)));
  Eigen::ArrayXd distance = Eigen::ArrayXd::Zero(h_.cols());
  Eigen::ArrayXd residual(h_.cols());
  for (Eigen::Index i = 0; i < V.rows(); ++i) {
    residual.setConstant(y(i));
    for (Eigen::Index j = 0; j < V.cols(); ++j)
      if (V(i, j) != 0) residual -= V(i, j) * h_.row(j).transpose();
    distance += residual.square();
  }
  // Subtracting the smallest distance keeps the largest weight at 1.
  const double nearest = distance.minCoeff();
  if (!std::isfinite(nearest)) return -std::numeric_limits<double>::infinity();
  weight_ *= (-0.5 * (distance - nearest)).exp();
  const double sum = weight_.sum();
  weight_ /= sum;
  // Effective number of particles: their number if all weights are equal, 1 if one has all.
  effective_size_ = 1 / weight_.square().sum();
  // The terms of ln N that do not depend on the particle: ln |L| and the factors 2 pi.
  const double constant = factor.matrixLLT().diagonal().array().log().sum() +
                          0.5 * static_cast<double>(seen.size()) * std::log(2 * std::numbers::pi);
  return std::log(sum) - 0.5 * nearest - constant;
}

void ParticleFilter::resample() {
  const auto count = h_.cols();
  // Systematic resampling: one random offset for copies at equal distances.
  const double u = at::rand({}, generator_, at::kDouble).item<double>();
  // Particle i gets the copies from `first` on. If several begin at one copy, the last one gets it.
  // No branch depends on the weights.
  std::vector<std::int32_t> parents(static_cast<std::size_t>(count) + 1, 0);
  double reached = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto first = static_cast<Eigen::Index>(std::ceil(std::max(reached - u, 0.0)));
    parents[std::min(first, count)] = static_cast<std::int32_t>(i);
    reached += weight_(i) * static_cast<double>(count);
  }
  for (Eigen::Index k = 1; k < count; ++k) parents[k] = std::max(parents[k], parents[k - 1]);
  for (Eigen::Index i = 0; i < h_.rows(); ++i) {
    const double* from = h_.data() + i * count;
    double* to = moved_.data() + i * count;
    for (Eigen::Index k = 0; k < count; ++k) to[k] = from[parents[k]];
  }
  h_.swap(moved_);
  weight_.setConstant(1.0 / static_cast<double>(count));
  effective_size_ = static_cast<double>(count);
}

Eigen::VectorXd ParticleFilter::mean() const { return h_.matrix() * weight_.matrix(); }

Eigen::MatrixXd ParticleFilter::covariance() const {
  const Rows centred = h_.colwise() - mean().array();
  return (centred.rowwise() * weight_.transpose()).matrix() * centred.matrix().transpose();
}

AngleTrack particle_angle(Motion motion, const AngleNoise& noise, const ParticleOptions& options,
                          const std::vector<double>& x) {
  auto track = make_unknown_track(x.size());
  const auto first = find_first_number(x);
  if (first == x.size()) return track;
  ParticleFilter filter(angle_model(motion, noise, x[first]), options);
  for (auto t = first; t < x.size(); ++t) {
    if (t > first) {
      filter.predict();
      filter.update(Eigen::VectorXd::Constant(1, x[t]));
    }
    track.angle[t] = filter.mean()(0);
    track.std_dev[t] = std::sqrt(std::max(filter.covariance()(0, 0), 0.0));
  }
  return track;
}

AngleStep particle_angle_step(Motion motion, const AngleNoise& noise,
                              const ParticleOptions& options) {
  ParticleFilter(angle_model(motion, noise), options);  // refuses wrong noise or options
  const auto filter = std::make_shared<std::optional<ParticleFilter>>();
  return [=](double x) {
    if (*filter) {
      (*filter)->predict();
      (*filter)->update(Eigen::VectorXd::Constant(1, x));
    } else if (std::isfinite(x)) {
      filter->emplace(angle_model(motion, noise, x), options);
    } else {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return (*filter)->mean()(0);
  };
}

}  // namespace reprise::baselines
