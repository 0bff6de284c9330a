// EDM: preconditioning, training and sampling of denoisers (Karras, Aittala, Aila, Laine:
// Elucidating the Design Space of Diffusion-Based Generative Models, 2022; symbols as there).
//
//     D(x; sigma) = mu + c_skip (x - mu) + c_out F(c_in (x - mu); c_noise)       eq 7, where mu = 0
//     c_skip  = sigma_data^2 / (sigma^2 + sigma_data^2)                                     table 1
//     c_out   = sigma sigma_data / sqrt(sigma^2 + sigma_data^2)
//     c_in    = 1 / sqrt(sigma^2 + sigma_data^2)                c_noise = ln(sigma) / 4
//     loss    = E lambda(sigma) |D(x_0 + sigma eps; sigma) - x_0|^2 / d
//               lambda = 1 / c_out^2,   ln sigma ~ N(P_mean, P_std^2)
// For data of mean mu and standard deviation sigma_data, F's input and target have mean 0 and
// variance 1 at every sigma. F = 0 has a loss of 1. EDM has mu = 0. Pictures with a background have
// another mean: without mu, F needs its first thousand steps to learn it.
//
//     sigma_i = (sigma_max^(1/rho) + i/(N-1) (sigma_min^(1/rho) - sigma_max^(1/rho)))^rho, i < N
//     sigma_N = 0                                                                              eq 5
//     dx/dsigma = (x - D(x; sigma)) / sigma                                      eq 1, sigma(t) = t
// Solving this probability-flow ODE downwards samples; solving it upwards inverts
// (models/diffusion/inversion.h).
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "models/diffusion/denoiser.h"

namespace reprise::models {

struct Preconditioning {
  // All have the shape of sigma.
  at::Tensor c_skip;
  at::Tensor c_out;
  at::Tensor c_in;
  at::Tensor c_noise;
};
Preconditioning preconditioning(const at::Tensor& sigma, double sigma_data = 0.5);
/// lambda(sigma) = (sigma^2 + sigma_data^2) / (sigma sigma_data)^2.
at::Tensor loss_weight(const at::Tensor& sigma, double sigma_data = 0.5);

/// F: a network that knows the noise level by c_noise only.
class RawNetwork : public torch::nn::Module {
 public:
  /// Maps x [N, ...] to the same shape. c_noise: [N]; labels: [N], -1 for none, or undefined.
  virtual at::Tensor forward(const at::Tensor& x, const at::Tensor& c_noise,
                             const at::Tensor& labels) = 0;
};

/// The denoiser made of F. It owns F's weights, named "F".
class PreconditionedDenoiser : public Denoiser {
 public:
  /// sigma_data: standard deviation of the data about mu. mu: one item, undefined: 0; it is stored
  /// with the weights as "mu". UsageError: sigma_data is not above 0.
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
  double P_mean = -1.2;  ///< mean of ln sigma
  double P_std = 1.2;    ///< standard deviation of ln sigma
};
/// Draws n training levels: [n], float32. UsageError: P_std below 0; a value that is not finite.
at::Tensor training_sigma(std::int64_t n, const TrainingNoise& noise,
                          const at::Generator& generator);
/// Mean over the batch of lambda(sigma) |D(x_0 + sigma epsilon; sigma) - x_0|^2 / d.
/// x_0, epsilon: [N, ...]; sigma: [N].
at::Tensor training_loss(Denoiser& D, const at::Tensor& x_0, const at::Tensor& sigma,
                         const at::Tensor& epsilon, double sigma_data = 0.5,
                         const at::Tensor& labels = {});

enum class Grid { Rho, Geometric };
/// Levels from `first` to `last`, up or down, both included; one point is `first`. Rho: equal steps
/// of sigma^(1/rho); Geometric: of ln sigma. UsageError: no point; an end or rho that is not above
/// 0.
std::vector<double> sigma_grid(std::int64_t points, double first, double last,
                               Grid grid = Grid::Rho, double rho = 7);

enum class Solver { Euler, Heun };  ///< order 1 and 2
/// One step of the probability-flow ODE from sigma to next. At next = 0 the step is Euler's and
/// returns D(x; sigma). It evaluates D once, with Heun twice.
at::Tensor ode_step(Denoiser& D, const at::Tensor& x, double sigma, double next, Solver solver,
                    const at::Tensor& labels = {});

struct SamplerOptions {
  std::int64_t steps = 18;  ///< N
  double sigma_min = 0.002;
  double sigma_max = 80;
  Grid grid = Grid::Rho;
  double rho = 7;
  Solver solver = Solver::Heun;
  double S_churn = 0;  ///< 0: deterministic
  double S_min = 0;
  double S_max = std::numeric_limits<double>::infinity();
  double S_noise = 1;
};
/// Adds as much new noise as a step allows, gamma = sqrt(2) - 1, above sigma = 0.05 (Karras et al.
/// 2022, algorithm 2 and table 5). Removing this noise also removes errors of earlier steps.
/// Sampling needs a generator then.
SamplerOptions make_stochastic(SamplerOptions options);
/// The levels sigma_0 .. sigma_N = 0.
std::vector<double> sampling_schedule(const SamplerOptions& options);

/// Samples from noise at sigma_max to data (algorithms 1 and 2). x_T: [N, ...], usually sigma_max
/// times unit noise. With S_churn, each level in [S_min, S_max] is raised to sigma (1 + gamma)
/// before its step, gamma = min(S_churn / N, sqrt(2) - 1).
/// The added noise has standard deviation S_noise sqrt(sigma_hat^2 - sigma^2). Without gradient.
/// UsageError: as sigma_grid(); S_churn below 0, or above 0 without a generator.
at::Tensor edm_sample(Denoiser& D, at::Tensor x_T, const SamplerOptions& options = {},
                      const std::optional<at::Generator>& generator = {},
                      const at::Tensor& labels = {});

/// Guidance: D + (w - 1) (D - D_guide). If D and D_guide were exact densities of one level, this
/// would be the denoiser of a density proportional to p (p / p_guide)^(w - 1).
/// D sees the labels, D_guide does not. w = 1 is D, w = 0 is D_guide. Classifier-free guidance (Ho,
/// Salimans 2022) has D_guide = D; autoguidance (Karras et al. 2024) has a weaker D_guide.
class GuidedDenoiser : public Denoiser {
 public:
  /// UsageError: w is not finite.
  GuidedDenoiser(std::shared_ptr<Denoiser> D, std::shared_ptr<Denoiser> D_guide, double w);
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;

 private:
  std::shared_ptr<Denoiser> D_;
  std::shared_ptr<Denoiser> guide_;
  double w_;
};

}  // namespace reprise::models
