// EDM: how a denoiser is made of a network, trained, and sampled from (Karras, Aittala, Aila,
// Laine: Elucidating the Design Space of Diffusion-Based Generative Models, 2022; symbols as
// there).
//
//     D(x; sigma) = mu + c_skip (x - mu) + c_out F(c_in (x - mu); c_noise)                                eq 7, where mu is 0
//     c_skip  = sigma_data^2 / (sigma^2 + sigma_data^2)         c_out   = sigma sigma_data / sqrt(sigma^2 + sigma_data^2)
//     c_in    = 1 / sqrt(sigma^2 + sigma_data^2)                c_noise = ln(sigma) / 4                   table 1
//     loss    = E lambda(sigma) |D(x_0 + sigma eps; sigma) - x_0|^2 / d,   lambda = 1 / c_out^2,   ln sigma ~ N(P_mean, P_std^2)
// With data of mean mu and standard deviation sigma_data, what F sees and what F should give have
// mean 0 and variance 1 at every sigma; F = 0 has a loss of 1. EDM has mu = 0. Pictures with a
// background are far from it: without mu, F spends its first thousand steps on learning it.
//
//     sigma_i = (sigma_max^(1/rho) + i/(N-1) (sigma_min^(1/rho) - sigma_max^(1/rho)))^rho, i < N;   sigma_N = 0      eq 5
//     dx/dsigma = (x - D(x; sigma)) / sigma                                                               eq 1, sigma(t) = t
// The probability-flow ODE, solved downwards, samples; upwards, it inverts
// (models/diffusion/inversion.h).
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "models/diffusion/denoiser.h"

namespace reprise::models {

struct Preconditioning {
  at::Tensor c_skip, c_out, c_in, c_noise;  ///< the shape of sigma
};
Preconditioning preconditioning(const at::Tensor& sigma, double sigma_data = 0.5);
/// lambda(sigma) = (sigma^2 + sigma_data^2) / (sigma sigma_data)^2.
at::Tensor loss_weight(const at::Tensor& sigma, double sigma_data = 0.5);

/// F: a network without knowledge of levels but c_noise.
class RawNetwork : public torch::nn::Module {
 public:
  /// x: [N, ...], c_noise: [N], labels: [N], -1 for none, or undefined -> [N, ...], the shape of x.
  virtual at::Tensor forward(const at::Tensor& x, const at::Tensor& c_noise,
                             const at::Tensor& labels) = 0;
};

/// The denoiser made of F, whose weights are its own, below "F".
class PreconditionedDenoiser : public Denoiser {
 public:
  /// sigma_data: the standard deviation of the data about mu; mu: of one item, or not defined: 0.
  /// It is stored with the weights, as "mu". UsageError: sigma_data is not above 0.
  explicit PreconditionedDenoiser(std::shared_ptr<RawNetwork> F, double sigma_data = 0.5,
                                  const at::Tensor& mu = {});
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;
  double sigma_data() const { return sigma_data_; }
  const at::Tensor& mu() const { return mu_; }

 private:
  std::shared_ptr<RawNetwork> F_;
  double sigma_data_;
  at::Tensor mu_;
};

struct TrainingNoise {
  double P_mean = -1.2, P_std = 1.2;  ///< of ln sigma
};
/// n levels to train on: [n], float32. UsageError: P_std is below 0, or one of both is not finite.
at::Tensor training_sigma(std::int64_t n, const TrainingNoise& noise,
                          const at::Generator& generator);
/// The mean over the batch of lambda(sigma) |D(x_0 + sigma epsilon; sigma) - x_0|^2 / d. x_0,
/// epsilon: [N, ...]; sigma: [N].
at::Tensor training_loss(Denoiser& D, const at::Tensor& x_0, const at::Tensor& sigma,
                         const at::Tensor& epsilon, double sigma_data = 0.5,
                         const at::Tensor& labels = {});

enum class Grid { Rho, Geometric };
/// `points` levels from `first` to `last`, up or down, both included. Rho: equal steps of
/// sigma^(1/rho); Geometric: of ln sigma. One point is `first`. UsageError: no point; an end or rho
/// that is not above 0.
std::vector<double> sigma_grid(std::int64_t points, double first, double last,
                               Grid grid = Grid::Rho, double rho = 7);

enum class Solver { Euler, Heun };  ///< of order 1 and 2
/// One step of the probability-flow ODE from sigma to next, 0 allowed: there the step is Euler's,
/// and ends in D(x; sigma). Evaluations of D: one, or two with Heun.
at::Tensor ode_step(Denoiser& D, const at::Tensor& x, double sigma, double next, Solver solver,
                    const at::Tensor& labels = {});

struct SamplerOptions {
  std::int64_t steps = 18;  ///< N
  double sigma_min = 0.002, sigma_max = 80;
  Grid grid = Grid::Rho;
  double rho = 7;
  Solver solver = Solver::Heun;
  double S_churn = 0;  ///< 0: deterministic
  double S_min = 0, S_max = std::numeric_limits<double>::infinity(), S_noise = 1;
};
/// With as much new noise as a step can take, gamma = sqrt(2) - 1, above sigma = 0.05 (Karras et
/// al. 2022, algorithm 2 and table 5): what is taken out again takes errors of earlier steps with
/// it. Needs a generator.
SamplerOptions stochastic(SamplerOptions options);
/// sigma_0 .. sigma_N = 0.
std::vector<double> sampling_schedule(const SamplerOptions& options);

/// From noise at sigma_max to a sample of the data (algorithms 1 and 2). x_T: [N, ...], as a rule
/// sigma_max times unit noise. With S_churn, a level in [S_min, S_max] is raised before its step to
/// sigma (1 + gamma), gamma = min(S_churn / N, sqrt(2) - 1), by noise of standard deviation S_noise
/// sqrt(sigma_hat^2 - sigma^2). No gradient. UsageError: as sigma_grid(); S_churn below 0, or above
/// 0 without a generator.
at::Tensor edm_sample(Denoiser& D, at::Tensor x_T, const SamplerOptions& options = {},
                      const std::optional<at::Generator>& generator = {},
                      const at::Tensor& labels = {});

/// Guidance: D + (w - 1) (D - D_guide), the denoiser of a density proportional to p (p /
/// p_guide)^(w - 1) where both were densities of the same level. D sees the labels, D_guide none. w
/// = 1 is D, w = 0 is D_guide. Classifier-free guidance (Ho, Salimans 2022) is D_guide = D;
/// autoguidance (Karras et al. 2024) has a lesser D_guide.
class GuidedDenoiser : public Denoiser {
 public:
  /// UsageError: w is not finite.
  GuidedDenoiser(std::shared_ptr<Denoiser> D, std::shared_ptr<Denoiser> D_guide, double w);
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;

 private:
  std::shared_ptr<Denoiser> D_, guide_;
  double w_;
};

}  // namespace reprise::models
