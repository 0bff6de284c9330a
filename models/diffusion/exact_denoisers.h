// Denoisers known in closed form: what every algorithm on denoisers is tested on before a network
// is trained.
//
// Data drawn from a mixture of K Gaussians, x_0 ~ sum_k pi_k N(mu_k, s_k^2), has
//     p(x; sigma)     = sum_k pi_k N(x; mu_k, v_k)                     v_k = s_k^2 + sigma^2
//     w_k             = pi_k N(x; mu_k, v_k) / p(x; sigma)             the share of component k in x
//     D(x; sigma)     = sum_k w_k (mu_k + s_k^2 / v_k (x - mu_k))
// for items of any shape, every dimension with a standard deviation of its own where these are
// given. s_k = 0 is a point: with equal weights on points, D is the denoiser of a training set
// learnt by heart. A label k conditions on component k; -1 on nothing.
//
// One Gaussian (K = 1) is linear, so that what the algorithms of document langevin do to it is
// known too, a dimension at a time:
//     ODE inversion        x_sigma - mu = (x_0 - mu) sqrt((s^2 + sigma^2) / (s^2 + sigma_min^2))       keeps the form, at another width
//     backprop inversion   x_sigma - mu = (x_0 - mu) (s^2 + sigma^2) / s^2                             the x_sigma with D(x_sigma) = x_0
//     error of D           E|x_0 - D(x_0 + sigma eps)|^2 / d = mean of s^2 sigma^2 / (s^2 + sigma^2)
// All are computed in the type of the means (double, as a rule) and returned in that of x.
// Sources: Karras et al. 2022, eq 1 to 3 and appendix B.3; the rest follows from them by hand.
#pragma once
#include "models/diffusion/denoiser.h"

namespace reprise::models {

class MixtureDenoiser : public Denoiser {
 public:
  /// weights: [K], above 0, scaled to sum 1. means: [K, ...]. standard deviations: [K], or the
  /// shape of means; 0 and above. UsageError: shapes that do not fit (named), a weight or standard
  /// deviation out of range, a value that is not finite.
  MixtureDenoiser(const at::Tensor& weights, const at::Tensor& means, const at::Tensor& deviations);

  /// sigma may be 0 where no standard deviation is: D(x; 0) = x. UsageError: x is not [N, ...] with
  /// the shape of a mean; a label is not below K.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;
  /// ln p(x; sigma): [N], natural logarithm; given its label, where there is one. Differentiable in
  /// x: its gradient is the score.
  at::Tensor log_density(const at::Tensor& x, const at::Tensor& sigma,
                         const at::Tensor& labels = {}) const;
  /// n clean items of the data: [n, ...].
  at::Tensor sample(std::int64_t n, at::Generator generator) const;

 protected:
  at::Tensor means_, deviations_;  ///< [K, d], [K, d] or [K, 1]

 private:
  struct Components {
    at::Tensor difference, variance,
        log_weight;  ///< x - mu_k: [N, K, d]; v_k: [N or 1, K, d or 1]; ln pi_k N(x; mu_k, v_k): [N, K]
  };
  Components components(const at::Tensor& x, const at::Tensor& sigma,
                        const at::Tensor& labels) const;

  at::Tensor log_weights_;  ///< [K]
  std::vector<std::int64_t> shape_;
};

class GaussianDenoiser : public MixtureDenoiser {
 public:
  /// mean: the shape of an item. standard deviation: one for all dimensions (no dimension), or the
  /// shape of mean.
  GaussianDenoiser(const at::Tensor& mean, const at::Tensor& deviation);
  GaussianDenoiser(const at::Tensor& mean, double deviation);

  /// Where the probability-flow ODE takes x_0, taken to be at sigma_min, at level sigma. sigma_min
  /// = 0 needs standard deviations above 0.
  at::Tensor ode_inverse(const at::Tensor& x_0, double sigma_min, double sigma) const;
  /// The x_sigma with D(x_sigma; sigma) = x_0. Needs standard deviations above 0.
  at::Tensor backprop_optimum(const at::Tensor& x_0, double sigma) const;
  /// The mean squared error of D, a dimension.
  double mmse(double sigma) const;

 private:
  at::Tensor scaled(const at::Tensor& x_0, const at::Tensor& factor) const;
};

}  // namespace reprise::models
