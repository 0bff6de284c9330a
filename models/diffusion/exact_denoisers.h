// Denoisers in closed form, which test every algorithm on denoisers without a trained network.
//
// Data from a mixture of K Gaussians, x_0 ~ sum_k pi_k N(mu_k, s_k^2), has
//     p(x; sigma)     = sum_k pi_k N(x; mu_k, v_k)           v_k = s_k^2 + sigma^2
//     w_k             = pi_k N(x; mu_k, v_k) / p(x; sigma)   probability of component k given x
//     D(x; sigma)     = sum_k w_k (mu_k + s_k^2 / v_k (x - mu_k))
// for items of any shape, with one standard deviation per component or per dimension. s_k = 0 is a
// point. With equal weights on points, D is the denoiser of a memorised training set. A label k
// conditions on component k; -1 is no condition.
//
// One Gaussian (K = 1) has a linear D. The algorithms of document langevin then have closed forms
// for each dimension:
//     ODE inversion        x_sigma - mu = (x_0 - mu) sqrt((s^2 + sigma^2) / (s^2 + sigma_min^2))
//     backprop inversion   x_sigma - mu = (x_0 - mu) (s^2 + sigma^2) / s^2, where D(x_sigma) = x_0
//     error of D          E|x_0 - D(x_0 + sigma eps)|^2 / d = mean of s^2 sigma^2 / (s^2 + sigma^2)
// Computation is in the type of the means (usually double), results are in that of x. Sources:
// Karras et al. 2022, eq 1 to 3 and appendix B.3; the rest follows by hand.
#pragma once
#include "models/diffusion/denoiser.h"

namespace reprise::models {

class MixtureDenoiser : public Denoiser {
 public:
  /// weights: [K], above 0, scaled to sum 1. means: [K, ...]. std_devs: [K] or the shape of means,
  /// 0 and above. UsageError: shapes that do not fit (named); a weight or standard deviation out of
  /// range; a value that is not finite.
  MixtureDenoiser(const at::Tensor& weights, const at::Tensor& means, const at::Tensor& std_devs);

  /// sigma = 0 is allowed where no standard deviation is 0: D(x; 0) = x. UsageError: x is not [N,
  /// ...] with the shape of a mean; a label is not below K.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;
  /// ln p(x; sigma), natural logarithm: [N]; given the label if there is one. Its gradient in x is
  /// the score.
  at::Tensor log_density(const at::Tensor& x, const at::Tensor& sigma,
                         const at::Tensor& labels = {}) const;
  /// Draws n clean items: [n, ...].
  at::Tensor sample(std::int64_t n, at::Generator generator) const;

 protected:
  at::Tensor means_;     ///< [K, d]
  at::Tensor std_devs_;  ///< [K, d] or [K, 1]

 private:
  struct Components {
    at::Tensor difference;  ///< x - mu_k: [N, K, d]
    at::Tensor variance;    ///< v_k: [N or 1, K, d or 1]
    at::Tensor log_weight;  ///< ln pi_k N(x; mu_k, v_k): [N, K]
  };
  Components components(const at::Tensor& x, const at::Tensor& sigma,
                        const at::Tensor& labels) const;

  at::Tensor log_weights_;  ///< [K]
  std::vector<std::int64_t> shape_;
};

class GaussianDenoiser : public MixtureDenoiser {
 public:
  /// mean: the shape of an item. std_dev: one for all dimensions (no dimension), or the shape of
  /// mean.
  GaussianDenoiser(const at::Tensor& mean, const at::Tensor& std_dev);
  GaussianDenoiser(const at::Tensor& mean, double std_dev);

  /// Maps x_0, taken to be at sigma_min, along the probability-flow ODE to level sigma. sigma_min =
  /// 0 needs standard deviations above 0.
  at::Tensor ode_inverse(const at::Tensor& x_0, double sigma_min, double sigma) const;
  /// The x_sigma with D(x_sigma; sigma) = x_0. Needs standard deviations above 0.
  at::Tensor backprop_optimum(const at::Tensor& x_0, double sigma) const;
  /// Mean squared error of D per dimension.
  double mmse(double sigma) const;

 private:
  at::Tensor scale_around_mean(const at::Tensor& x_0, const at::Tensor& factor) const;
};

}  // namespace reprise::models
