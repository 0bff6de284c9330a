// Steps (predict and update) per second of the Kalman filter with 2 and 6 states, for one track and
// for many at once, and of the particle filter. Peer in this program: OpenCV's KalmanFilter. Peers
// in Python (benchmarks/peers/trackers.py): filterpy, and a particle filter in NumPy.
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <opencv2/video/tracking.hpp>

#include "baselines/trackers/kalman.h"
#include "baselines/trackers/particle_filter.h"
#include "core/parallel.h"

namespace {

using namespace reprise;
using baselines::LinearGaussian;
using baselines::Motion;

/// Makes a constant-velocity model of one angle, or of three independent ones.
LinearGaussian make_model(Eigen::Index angles) {
  const auto one =
      baselines::angle_model(Motion::ConstantVelocity, {.q = 0.1, .r = 1, .rate_variance = 1});
  const auto n = one.states() * angles;
  LinearGaussian all{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(angles, n),
                     Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(angles, angles),
                     Eigen::VectorXd::Zero(n),    Eigen::MatrixXd::Zero(n, n)};
  for (Eigen::Index a = 0; a < angles; ++a) {
    all.W.block<2, 2>(2 * a, 2 * a) = one.W;
    all.V.block<1, 2>(a, 2 * a) = one.V;
    all.Q.block<2, 2>(2 * a, 2 * a) = one.Q;
    all.P0.block<2, 2>(2 * a, 2 * a) = one.P0;
    all.R(a, a) = one.R(0, 0);
  }
  return all;
}

/// Draws the measurements x_t of an artificial track in advance, outside the timed loop.
Eigen::MatrixXd track(Eigen::Index angles) {
  Random random(1);
  return baselines::simulate(make_model(angles), 1000, random).measurements;
}

template <int N, int M>
void kalman(benchmark::State& state) {
  const Eigen::MatrixXd x = track(M).transpose();
  baselines::KalmanFilter<N, M> filter(make_model(M));
  for (auto _ : state)
    for (Eigen::Index t = 0; t < x.cols(); ++t) {
      filter.predict();
      benchmark::DoNotOptimize(filter.update(x.col(t)));
    }
  state.SetItemsProcessed(state.iterations() * x.cols());
}

/// Filters a thousand tracks at once, on all cores.
void many_tracks(benchmark::State& state) {
  const Eigen::MatrixXd x = track(1);
  const std::vector<std::vector<double>> tracks(1000, {x.data(), x.data() + x.size()});
  for (auto _ : state)
    parallel_items(static_cast<std::int64_t>(tracks.size()), at::get_num_threads(),
                   [&](std::int64_t, std::int64_t i) {
                     benchmark::DoNotOptimize(baselines::track_angle(
                         Motion::ConstantVelocity, {}, tracks[static_cast<std::size_t>(i)]));
                   });
  state.SetItemsProcessed(state.iterations() * x.size() * static_cast<std::int64_t>(tracks.size()));
}

void opencv_kalman(benchmark::State& state, int n, int m) {
  const auto model = make_model(m);
  cv::KalmanFilter filter(n, m, 0, CV_64F);
  const auto fill = [](cv::Mat& to, const Eigen::MatrixXd& from) {
    for (int i = 0; i < to.rows; ++i)
      for (int j = 0; j < to.cols; ++j) to.at<double>(i, j) = from(i, j);
  };
  fill(filter.transitionMatrix, model.W);
  fill(filter.measurementMatrix, model.V);
  fill(filter.processNoiseCov, model.Q);
  fill(filter.measurementNoiseCov, model.R);
  fill(filter.errorCovPost, model.P0);
  const auto x = track(m);
  cv::Mat measured(m, 1, CV_64F);
  for (auto _ : state)
    for (Eigen::Index t = 0; t < x.rows(); ++t) {
      for (int i = 0; i < m; ++i) measured.at<double>(i) = x(t, i);
      filter.predict();
      benchmark::DoNotOptimize(filter.correct(measured));
    }
  state.SetItemsProcessed(state.iterations() * x.rows());
}

void particles(benchmark::State& state) {
  const auto x = track(1);
  baselines::ParticleFilter filter(make_model(1),
                                   {.particles = state.range(0), .resample_below = 1});
  constexpr Eigen::Index frames = 20;
  for (auto _ : state)
    for (Eigen::Index t = 0; t < frames; ++t) {
      filter.predict();
      filter.update(x.row(t));
      benchmark::DoNotOptimize(filter.mean());
    }
  state.SetItemsProcessed(state.iterations() * frames);
}

BENCHMARK(kalman<2, 1>)->Name("kalman/2");
BENCHMARK(kalman<6, 3>)->Name("kalman/6");
BENCHMARK_CAPTURE(opencv_kalman, 2, 2, 1)->Name("kalman/2/opencv");
BENCHMARK_CAPTURE(opencv_kalman, 6, 6, 3)->Name("kalman/6/opencv");
BENCHMARK(many_tracks)->Name("kalman/1000 tracks")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(particles)->Name("particles")->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
