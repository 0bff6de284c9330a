#include "models/diffusion/exact_denoisers.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <limits>
#include <numbers>

#include "core/error.h"

namespace reprise::models {

MixtureDenoiser::MixtureDenoiser(const at::Tensor& weights, const at::Tensor& means,
                                 const at::Tensor& std_devs) {
  const bool fits = weights.dim() == 1 && weights.size(0) > 0 && means.dim() >= 2 &&
                    means.size(0) == weights.size(0) && means.numel() > 0;
  if (!fits || (std_devs.sizes() != means.sizes() && std_devs.sizes() != weights.sizes()))
    throw UsageError(
        fmt::format("a mixture of weights {}, means {} and standard deviations {}",
                    c10::str(weights.sizes()), c10::str(means.sizes()), c10::str(std_devs.sizes())),
        "give weights [K], means [K, ...], and standard deviations [K] or in the shape of the means");
  // A comparison with NaN is false, so that NaN is refused too.
  if (!(weights > 0).all().item<bool>() || !weights.isfinite().all().item<bool>())
    throw UsageError("a mixture has a weight that is not above 0",
                     "leave components without weight out");
  if (!(std_devs >= 0).all().item<bool>() || !std_devs.isfinite().all().item<bool>() ||
      !means.isfinite().all().item<bool>())
    throw UsageError(
        "a mixture has a mean that is not finite, or a standard deviation that is not finite or below 0",
        "give finite means, and standard deviations of 0 or more");
  shape_ = means.sizes().slice(1).vec();
  means_ = register_buffer("means", means.detach().flatten(1).clone());
  std_devs_ = register_buffer(
      "deviations", std_devs.detach().to(means.scalar_type()).reshape({means.size(0), -1}).clone());
  log_weights_ = register_buffer("log_weights",
                                 (weights / weights.sum()).detach().to(means.scalar_type()).log());
}

MixtureDenoiser::Components MixtureDenoiser::components(const at::Tensor& x,
                                                        const at::Tensor& sigma,
                                                        const at::Tensor& labels) const {
  if (x.dim() < 1 || x.sizes().slice(1) != at::IntArrayRef(shape_))
    throw UsageError(fmt::format("items of shape {} for a denoiser of items {}",
                                 c10::str(x.sizes()), c10::str(at::IntArrayRef(shape_))),
                     "give x as [N, ...], with the shape of a mean behind the N");
  const auto K = means_.size(0);
  // The noise adds its variance to that of every component.
  const auto level = broadcast_sigma(sigma, x).to(means_.scalar_type());
  const auto variance =
      std_devs_.square() + (level.dim() == 0 ? level : level.view({-1, 1, 1})).square();
  auto log_pi = log_weights_.unsqueeze(0);
  if (labels.defined()) {
    if (labels.sizes() != at::IntArrayRef({x.size(0)}) || (labels >= K).any().item<bool>())
      throw UsageError(fmt::format("labels {} for {} items of a mixture of {}",
                                   c10::str(labels.sizes()), x.size(0), K),
                       fmt::format("give a label an item, from 0 to {}, or -1 for none", K - 1));
    // Components other than the label get the weight 0; label -1 keeps all.
    const auto label = labels.unsqueeze(1);
    const auto meant = (label < 0).logical_or(label == at::arange(K, labels.options()));
    log_pi = log_pi.masked_fill(meant.logical_not(), -std::numeric_limits<double>::infinity())
                 .log_softmax(1);
  }
  Components c;
  c.variance = variance.dim() == 2 ? variance.unsqueeze(0) : variance;
  c.difference = x.flatten(1).to(means_.scalar_type()).unsqueeze(1) - means_;
  // ln |v I| = d ln v. With one variance for all dimensions the mean over one value gives the same.
  const auto d = static_cast<double>(means_.size(1));
  c.log_weight = log_pi - 0.5 * ((c.difference.square() / c.variance).sum(2) +
                                 d * (2 * std::numbers::pi * c.variance).log().mean(2));
  return c;
}

at::Tensor MixtureDenoiser::forward(const at::Tensor& x, const at::Tensor& sigma,
                                    const at::Tensor& labels) {
  const auto c = components(x, sigma, labels);
  // Posterior mean of each component, averaged by the components' posterior weights.
  const auto of_each = means_ + std_devs_.square() / c.variance * c.difference;
  const auto D = (c.log_weight.softmax(1).unsqueeze(2) * of_each).sum(1);
  return D.view_as(x).to(x.scalar_type());
}

at::Tensor MixtureDenoiser::log_density(const at::Tensor& x, const at::Tensor& sigma,
                                        const at::Tensor& labels) const {
  return components(x, sigma, labels).log_weight.logsumexp(1).to(x.scalar_type());
}

at::Tensor MixtureDenoiser::sample(std::int64_t n, at::Generator generator) const {
  const auto k = at::multinomial(log_weights_.exp(), n, true, generator);
  const auto means = means_.index_select(0, k);
  std::vector<std::int64_t> shape{n};
  shape.insert(shape.end(), shape_.begin(), shape_.end());
  // A component per item, then a point of its Gaussian.
  return (means + std_devs_.index_select(0, k) * draw_unit_noise(means, generator)).view(shape);
}

GaussianDenoiser::GaussianDenoiser(const at::Tensor& mean, const at::Tensor& std_dev)
    : MixtureDenoiser(at::ones({1}, mean.options()), mean.unsqueeze(0), std_dev.unsqueeze(0)) {}

GaussianDenoiser::GaussianDenoiser(const at::Tensor& mean, double std_dev)
    : GaussianDenoiser(mean, at::full({}, std_dev, mean.options())) {}

at::Tensor GaussianDenoiser::scale_around_mean(const at::Tensor& x_0,
                                               const at::Tensor& factor) const {
  const auto x = x_0.flatten(1).to(means_.scalar_type());
  return (means_ + (x - means_) * factor).view_as(x_0).to(x_0.scalar_type());
}

at::Tensor GaussianDenoiser::ode_inverse(const at::Tensor& x_0, double sigma_min,
                                         double sigma) const {
  const auto s2 = std_devs_.square();
  return scale_around_mean(x_0, ((s2 + sigma * sigma) / (s2 + sigma_min * sigma_min)).sqrt());
}

at::Tensor GaussianDenoiser::backprop_optimum(const at::Tensor& x_0, double sigma) const {
  return scale_around_mean(x_0, 1 + sigma * sigma / std_devs_.square());
}

double GaussianDenoiser::mmse(double sigma) const {
  const auto s2 = std_devs_.square();
  return (s2 * (sigma * sigma) / (s2 + sigma * sigma)).mean().item<double>();
}

}  // namespace reprise::models
