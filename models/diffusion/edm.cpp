#include "models/diffusion/edm.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/error.h"

namespace reprise::models {
namespace {

/// The largest relative increase of a level by churn; Karras et al. 2022, algorithm 2.
constexpr double most_gamma = std::numbers::sqrt2 - 1;

}  // namespace

Preconditioning preconditioning(const at::Tensor& sigma, double sigma_data) {
  const auto total = sigma.square() + sigma_data * sigma_data;
  // c_skip, c_out, c_in and c_noise of Karras et al. 2022, table 1.
  return {sigma_data * sigma_data / total, sigma * sigma_data * total.rsqrt(), total.rsqrt(),
          sigma.log() / 4};
}

at::Tensor loss_weight(const at::Tensor& sigma, double sigma_data) {
  return (sigma.square() + sigma_data * sigma_data) / (sigma * sigma_data).square();
}

PreconditionedDenoiser::PreconditionedDenoiser(std::shared_ptr<RawNetwork> F, double sigma_data,
                                               const at::Tensor& mu)
    : F_(register_module("F", std::move(F))), sigma_data_(sigma_data) {
  check_sigma(sigma_data, "the data (sigma_data)");
  if (mu.defined()) mu_ = register_buffer("mu", mu.detach().clone());
}

at::Tensor PreconditionedDenoiser::forward(const at::Tensor& x, const at::Tensor& sigma,
                                           const at::Tensor& labels) {
  // One level per item becomes [N, 1, 1, 1], the shape that scales an image.
  const auto c = preconditioning(broadcast_sigma(sigma, x), sigma_data_);
  const auto c_noise = c.c_noise.reshape({-1}).expand({x.size(0)});
  if (!mu_.defined()) return c.c_skip * x + c.c_out * F_->forward(c.c_in * x, c_noise, labels);
  // The equations hold for data around 0, so the mean picture is taken out and added again.
  const auto centred = x - mu_;
  return mu_ + c.c_skip * centred + c.c_out * F_->forward(c.c_in * centred, c_noise, labels);
}

at::Tensor training_sigma(std::int64_t n, const TrainingNoise& noise,
                          const at::Generator& generator) {
  if (!std::isfinite(noise.P_mean) || !std::isfinite(noise.P_std) || noise.P_std < 0)
    throw UsageError(fmt::format("ln sigma ~ N({}, {}^2) is not a distribution to draw levels from",
                                 noise.P_mean, noise.P_std),
                     "give a finite P_mean, and a P_std of 0 or more");
  return (at::randn({n}, generator, at::kFloat) * noise.P_std + noise.P_mean).exp();
}

at::Tensor training_loss(Denoiser& D, const at::Tensor& x_0, const at::Tensor& sigma,
                         const at::Tensor& epsilon, double sigma_data, const at::Tensor& labels) {
  const auto error = D(x_0 + broadcast_sigma(sigma, x_0) * epsilon, sigma, labels) - x_0;
  return (loss_weight(sigma, sigma_data) * error.square().flatten(1).mean(1)).mean();
}

std::vector<double> sigma_grid(std::int64_t points, double first, double last, Grid grid,
                               double rho) {
  check_sigma(first, "a grid's first point");
  check_sigma(last, "a grid's last point");
  if (points < 1 || !(std::isfinite(rho) && rho > 0))
    throw UsageError(fmt::format("a grid of {} levels with rho = {}", points, rho),
                     "give at least one point, and a rho above 0");
  std::vector<double> sigma(points, first);
  for (std::int64_t i = 1; i < points; ++i) {
    const double along = static_cast<double>(i) / static_cast<double>(points - 1);
    const double a = std::pow(first, 1 / rho);
    const double b = std::pow(last, 1 / rho);
    sigma[i] = grid == Grid::Rho ? std::pow(a + along * (b - a), rho)
                                 : first * std::pow(last / first, along);
  }
  // The end exactly, without rounding errors of pow().
  if (points > 1) sigma.back() = last;
  return sigma;
}

at::Tensor ode_step(Denoiser& D, const at::Tensor& x, double sigma, double next, Solver solver,
                    const at::Tensor& labels) {
  // dx/dsigma of the probability-flow ODE at the start of the step.
  const auto slope = (x - D(x, sigma, labels)) / sigma;
  auto euler = x + (next - sigma) * slope;
  // At next = 0 the slope has no value, so that the step is Euler's.
  if (solver == Solver::Euler || next == 0) return euler;
  // Heun: the mean of the slopes at both ends of Euler's step.
  return x + (next - sigma) / 2 * (slope + (euler - D(euler, next, labels)) / next);
}

std::vector<double> sampling_schedule(const SamplerOptions& options) {
  auto sigma =
      sigma_grid(options.steps, options.sigma_max, options.sigma_min, options.grid, options.rho);
  // The last step of the sampler ends without noise (eq 5).
  sigma.push_back(0);
  return sigma;
}

SamplerOptions make_stochastic(SamplerOptions options) {
  // S_churn is spread over the steps, so that each step gets the largest gamma.
  options.S_churn = static_cast<double>(options.steps) * most_gamma;
  options.S_min = 0.05;  // Karras et al. 2022, table 5
  return options;
}

at::Tensor edm_sample(Denoiser& D, at::Tensor x, const SamplerOptions& options,
                      const std::optional<at::Generator>& generator, const at::Tensor& labels) {
  if (!(options.S_churn >= 0) || (options.S_churn > 0 && !generator))
    throw UsageError(
        fmt::format("a sampler of S_churn = {}{}", options.S_churn,
                    generator ? "" : " without a generator"),
        "give S_churn = 0, or above 0 with the generator that its noise is drawn from");
  const at::NoGradGuard no_gradient;
  const auto sigmas = sampling_schedule(options);
  // The churn of one step. Its bound keeps the new noise at or below that of x.
  const double gamma = std::min(options.S_churn / static_cast<double>(options.steps), most_gamma);
  for (std::size_t i = 0; i + 1 < sigmas.size(); ++i) {
    double sigma = sigmas[i];
    // Algorithm 2: raise the level by noise, then step down from there.
    if (gamma > 0 && generator && sigma >= options.S_min && sigma <= options.S_max) {
      const double sigma_hat = sigma * (1 + gamma);
      x = x + options.S_noise * std::sqrt(sigma_hat * sigma_hat - sigma * sigma) *
                  draw_unit_noise(x, *generator);
      sigma = sigma_hat;
    }
    x = ode_step(D, x, sigma, sigmas[i + 1], options.solver, labels);
  }
  return x;
}

GuidedDenoiser::GuidedDenoiser(std::shared_ptr<Denoiser> D, std::shared_ptr<Denoiser> D_guide,
                               double w)
    : D_(register_module("D", std::move(D))), guide_(std::move(D_guide)), w_(w) {
  // Registered once if both roles have the same network.
  if (guide_ != D_) register_module("D_guide", guide_);
  if (!std::isfinite(w))
    throw UsageError(fmt::format("a guidance of w = {}", w),
                     "give a finite number; 1 means no guidance");
}

at::Tensor GuidedDenoiser::forward(const at::Tensor& x, const at::Tensor& sigma,
                                   const at::Tensor& labels) {
  // Guidance 1 and 0 need only one of the two evaluations.
  if (w_ == 1) return (*D_)(x, sigma, labels);
  const auto guide = (*guide_)(x, sigma);
  return w_ == 0 ? guide : guide + w_ * ((*D_)(x, sigma, labels) - guide);
}

}  // namespace reprise::models
