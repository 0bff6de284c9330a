#include "baselines/trackers/kalman.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <memory>
#include <opencv2/core/optim.hpp>
#include <optional>

#include "core/error.h"

namespace reprise::baselines {
namespace {

/// Returns the gain P V^T S^+ in the eigenvectors of S, without those of zero variance. Adds ln p
/// of `innovation` to `log_likelihood`.
Eigen::MatrixXd pseudo_gain(const Eigen::MatrixXd& S, const Eigen::MatrixXd& PVt,
                            const Eigen::VectorXd& innovation, double& log_likelihood) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(S);
  // Eigenvalues below the rounding error of the largest one count as zero.
  const double least = 1e-12 * std::max(parts.eigenvalues().cwiseAbs().maxCoeff(), 1e-290);
  Eigen::MatrixXd gain = Eigen::MatrixXd::Zero(PVt.rows(), PVt.cols());
  for (Eigen::Index i = 0; i < S.rows(); ++i) {
    const double variance = parts.eigenvalues()(i);
    if (variance <= least) continue;
    const Eigen::VectorXd direction = parts.eigenvectors().col(i);
    const double along = direction.dot(innovation);
    gain += PVt * direction * direction.transpose() / variance;
    log_likelihood -= 0.5 * (along * along / variance + std::log(2 * std::numbers::pi * variance));
  }
  return gain;
}

/// The filter of one angle with its validation gate.
template <int N>
class AngleFilter {
 public:
  /// Starts at the first measurement.
  AngleFilter(Motion motion, const AngleNoise& noise, double first)
      : motion_(motion), noise_(noise), filter_(angle_model(motion, noise, first)) {}
  /// Updates with the next frame. Returns ln p(x | all before), 0 if x was rejected.
  double update(double x) {
    filter_.predict();
    const double innovation = x - filter_.mean()(0);
    const double variance = filter_.covariance()(0, 0) + noise_.r;
    // Compared in squares. A missing measurement (NaN) is never outside.
    const bool outside =
        noise_.gate > 0 && innovation * innovation > noise_.gate * noise_.gate * variance;
    if (outside) {
      ++rejected_;
    } else if (std::isfinite(x)) {
      rejected_ = 0;
    }
    // Many rejections in a row mean that the filter lost the angle.
    if (rejected_ == AngleNoise::max_rejected) {
      filter_ = KalmanFilter<N, 1>(angle_model(motion_, noise_, x));
      rejected_ = 0;
      return 0;
    }
    // The filter treats a rejected measurement as missing.
    return filter_.update(Measurement(outside ? std::numeric_limits<double>::quiet_NaN() : x));
  }
  double angle() const { return filter_.mean()(0); }
  double std_dev() const { return std::sqrt(filter_.covariance()(0, 0)); }

 private:
  using Measurement = Eigen::Matrix<double, 1, 1>;
  Motion motion_;
  AngleNoise noise_;
  KalmanFilter<N, 1> filter_;
  int rejected_ = 0;  ///< rejections in a row
};

template <int N, typename See>
double run_angle(Motion motion, const AngleNoise& noise, const std::vector<double>& x,
                 const See& see) {
  const auto first = find_first_number(x);
  if (first == x.size()) return 0;
  AngleFilter<N> filter(motion, noise, x[first]);
  double log_likelihood = 0;
  see(first, filter);
  for (auto t = first + 1; t < x.size(); ++t) {
    log_likelihood += filter.update(x[t]);
    see(t, filter);
  }
  return log_likelihood;
}

/// Calls see(t, filter) for each frame. Returns ln p of all measurements except the first, which
/// starts the track.
template <typename See>
double for_each_frame(Motion motion, const AngleNoise& noise, const std::vector<double>& x,
                      const See& see) {
  return motion == Motion::ConstantPosition ? run_angle<1>(motion, noise, x, see)
                                            : run_angle<2>(motion, noise, x, see);
}

/// The objective of estimate_noise(), over (ln q, ln r).
class NoiseLikelihood : public cv::MinProblemSolver::Function {
 public:
  NoiseLikelihood(Motion motion, const std::vector<std::vector<double>>& tracks,
                  double rate_variance)
      : motion_(motion), tracks_(tracks), rate_variance_(rate_variance) {}
  int getDims() const override { return 2; }
  /// Returns minus the mean log likelihood. The bounds exp(+-25) keep the noise finite.
  double calc(const double* x) const override {
    const AngleNoise noise{std::exp(std::clamp(x[0], -25.0, 25.0)),
                           std::exp(std::clamp(x[1], -25.0, 25.0)), rate_variance_};
    std::size_t count = 0;
    for (const auto& track : tracks_) count += track.size();
    return -log_likelihood(motion_, noise, tracks_) / static_cast<double>(count);
  }

 private:
  Motion motion_;
  const std::vector<std::vector<double>>& tracks_;
  double rate_variance_;
};

/// Returns the values of x from `first` on as a matrix [T, 1].
Eigen::MatrixXd make_column(const std::vector<double>& x, std::size_t first) {
  Eigen::MatrixXd column(static_cast<Eigen::Index>(x.size() - first), 1);
  for (auto t = first; t < x.size(); ++t) column(static_cast<Eigen::Index>(t - first), 0) = x[t];
  return column;
}

}  // namespace

template <int N, int M>
double KalmanFilter<N, M>::update_partly(const Measurement& x) {
  // Only the components that were measured.
  std::vector<Eigen::Index> seen;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (std::isfinite(x(i))) seen.push_back(i);
  K_.setZero();
  if (seen.empty()) return 0;
  const Eigen::MatrixXd V = Eigen::MatrixXd(V_)(seen, Eigen::all);
  const Eigen::MatrixXd R = Eigen::MatrixXd(R_)(seen, seen);
  const Eigen::MatrixXd PVt = P_ * V.transpose();
  Eigen::VectorXd innovation = Eigen::VectorXd(x)(seen) - V * h_;
  double log_likelihood = 0;
  const auto gain = pseudo_gain(V * PVt + R, PVt, innovation, log_likelihood);
  Measurement whole = Measurement::Zero(x.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    K_.col(seen[i]) = gain.col(static_cast<Eigen::Index>(i));
    whole(seen[i]) = innovation(static_cast<Eigen::Index>(i));
  }
  // Joseph's form with zero gain for missing components.
  correct(whole, P_ * V_.transpose());
  return log_likelihood;
}

template class KalmanFilter<1, 1>;
template class KalmanFilter<2, 1>;
template class KalmanFilter<6, 3>;
template class KalmanFilter<>;

FilteredTrack kalman_filter(const LinearGaussian& model, const Eigen::MatrixXd& measurements) {
  check_model(model);
  if (measurements.cols() != model.measures())
    throw UsageError(fmt::format("measurements of width {} for a model of {}", measurements.cols(),
                                 model.measures()),
                     "give a row a frame and a column for each row of V");
  KalmanFilter<> filter(model);
  FilteredTrack out;
  for (Eigen::Index t = 0; t < measurements.rows(); ++t) {
    // The prior is already that of the first frame.
    if (t > 0) filter.predict();
    out.predicted_mean.emplace_back(filter.mean());
    out.predicted_covariance.emplace_back(filter.covariance());
    out.log_likelihood.push_back(filter.update(measurements.row(t).transpose()));
    out.mean.emplace_back(filter.mean());
    out.covariance.emplace_back(filter.covariance());
    out.gain.emplace_back(filter.gain());
  }
  return out;
}

SmoothedTrack rts_smoother(const LinearGaussian& model, const FilteredTrack& filtered) {
  SmoothedTrack out{filtered.mean, filtered.covariance};
  // From the last but one frame back: the last estimate has seen every measurement.
  for (auto t = static_cast<std::int64_t>(out.mean.size()) - 2; t >= 0; --t) {
    const auto& P_next = filtered.predicted_covariance[t + 1];
    const Eigen::MatrixXd J = P_next.completeOrthogonalDecomposition()
                                  .solve(model.W * filtered.covariance[t])
                                  .transpose();  // P_next may be singular
    out.mean[t] += J * (out.mean[t + 1] - filtered.predicted_mean[t + 1]);
    out.covariance[t] += J * (out.covariance[t + 1] - P_next) * J.transpose();
  }
  return out;
}

AngleTrack track_angle(Motion motion, const AngleNoise& noise, const std::vector<double>& x) {
  auto track = make_unknown_track(x.size());
  for_each_frame(motion, noise, x, [&](std::size_t t, const auto& filter) {
    track.angle[t] = filter.angle();
    track.std_dev[t] = filter.std_dev();
  });
  return track;
}

namespace {

template <int N>
AngleStep make_step(Motion motion, const AngleNoise& noise) {
  const auto filter = std::make_shared<std::optional<AngleFilter<N>>>();
  return [=](double x) {
    // The first measurement starts the filter; the angle is unknown before.
    if (*filter) {
      (*filter)->update(x);
    } else if (std::isfinite(x)) {
      filter->emplace(motion, noise, x);
    } else {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return (*filter)->angle();
  };
}

}  // namespace

AngleStep track_angle_step(Motion motion, const AngleNoise& noise) {
  angle_model(motion, noise);  // refuses wrong noise at once
  return motion == Motion::ConstantPosition ? make_step<1>(motion, noise)
                                            : make_step<2>(motion, noise);
}

AngleTrack smooth_angle(Motion motion, const AngleNoise& noise, const std::vector<double>& x) {
  auto track = track_angle(motion, noise, x);
  const auto first = find_first_number(x);
  if (first == x.size()) return track;
  const auto model = angle_model(motion, noise, x[first]);
  auto measured = make_column(x, first);
  measured(0, 0) = std::numeric_limits<double>::quiet_NaN();  // the prior includes it
  const auto smoothed = rts_smoother(model, kalman_filter(model, measured));
  for (std::size_t t = 0; t < smoothed.mean.size(); ++t) {
    track.angle[first + t] = smoothed.mean[t](0);
    track.std_dev[first + t] = std::sqrt(smoothed.covariance[t](0, 0));
  }
  return track;
}

double log_likelihood(Motion motion, const AngleNoise& noise,
                      const std::vector<std::vector<double>>& tracks) {
  double sum = 0;
  for (const auto& track : tracks)
    sum += for_each_frame(motion, noise, track, [](auto, const auto&) {});
  return sum;
}

AngleNoise estimate_noise(Motion motion, const std::vector<std::vector<double>>& tracks,
                          const AngleNoise& start) {
  std::vector<std::vector<double>> usable;
  for (const auto& track : tracks)
    if (std::count_if(track.begin(), track.end(), [](double v) { return std::isfinite(v); }) >= 3)
      usable.push_back(track);
  if (usable.empty())
    throw UsageError("no track has three measurements to find the noise of", "give longer tracks");
  angle_model(motion, start);  // refuses a wrong start
  const auto solver = cv::DownhillSolver::create(
      cv::makePtr<NoiseLikelihood>(motion, usable, start.rate_variance),
      cv::Mat(cv::Matx12d(2.0, 2.0)), {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 400, 1e-7});
  // The search is over (ln q, ln r), where a step of 2 is a factor of 7. It stops after 400
  // iterations, or when changes fall below 1e-7.
  cv::Mat best(cv::Matx12d(std::log(std::max(start.q, 1e-6)), std::log(start.r)));
  solver->minimize(best);
  return {std::exp(std::clamp(best.at<double>(0), -25.0, 25.0)),
          std::exp(std::clamp(best.at<double>(1), -25.0, 25.0)), start.rate_variance};
}

}  // namespace reprise::baselines
