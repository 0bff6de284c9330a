#include "models/diffusion/churn.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "core/error.h"

namespace reprise::models {

const std::vector<ChurnForm>& churn_forms() {
  static const std::vector<ChurnForm> all{
      {.id = "langevin", .noise = ChurnNoise::Langevin, .formula = "sqrt(2 β Δt) σ", .right = true},
      {.id = "balanced",
       .noise = ChurnNoise::Balanced,
       .formula = "σ sqrt(2h - h²)",
       .right = true},
      {.id = "sigma_in_root",
       .noise = ChurnNoise::SigmaInRoot,
       .formula = "sqrt(2 β σ Δt)",
       .right = false},
      {.id = "beta_out_of_root",
       .noise = ChurnNoise::BetaOutOfRoot,
       .formula = "sqrt(2) β σ sqrt(Δt)",
       .right = false}};
  return all;
}

ChurnNoise parse_churn_noise(const std::string& id) {
  for (const auto& form : churn_forms())
    if (form.id == id) return form.noise;
  throw UsageError(
      "there is no churn noise '" + id + "'",
      "take langevin or balanced (or, to see them fail, sigma_in_root, beta_out_of_root)");
}

ChurnOptions parse_churn_options(const std::string& text) {
  std::istringstream parts(text);
  std::string form;
  // The two right forms depend on h = beta dt only, so beta is 1 and dt is h.
  ChurnOptions options{.beta = 1};
  if (!(parts >> form >> options.dt))
    throw UsageError(fmt::format("\"{}\" is not a churn", text),
                     "write the noise's form and h: \"langevin 0.3\", \"balanced 1\"");
  options.noise = parse_churn_noise(form);
  churn_noise(options, 1);  // refuses an h that this form does not allow
  return options;
}

double churn_noise(const ChurnOptions& options, double sigma) {
  check_sigma(sigma, "a churn");
  const double h = options.h();
  const double beta = options.beta;
  const double dt = options.dt;
  // Two negative factors would have a valid product.
  if (!(beta > 0 && dt > 0 && h < 2))
    throw UsageError(
        fmt::format("a churn of beta = {}, dt = {}: h = beta dt = {}", beta, dt, h),
        "give both above 0, with a product below 2: beyond it repeated churns diverge");
  switch (options.noise) {
    case ChurnNoise::Langevin:
      return std::sqrt(2 * h) * sigma;
    case ChurnNoise::SigmaInRoot:
      return std::sqrt(2 * h * sigma);
    case ChurnNoise::BetaOutOfRoot:
      return std::sqrt(2 * dt) * beta * sigma;
    case ChurnNoise::Balanced:
      break;
  }
  if (h > 1)
    throw UsageError(fmt::format("a balanced churn of h = beta dt = {}", h),
                     "give h from 0 to 1: 1 removes all noise and adds it again");
  return sigma * std::sqrt(2 * h - h * h);
}

double stationary_variance(const ChurnOptions& options, double sigma, double s) {
  const double kappa = churn_noise(options, sigma);
  const double kept =
      1 - options.h() * sigma * sigma / (s * s + sigma * sigma);  // factor of x - mu per churn
  // The fixed point of v <- kept^2 v + kappa^2.
  return kappa * kappa / (1 - kept * kept);
}

at::Tensor churn(Denoiser& D, const at::Tensor& x, double sigma, const ChurnOptions& options,
                 const at::Tensor& epsilon, const at::Tensor& labels) {
  const double kappa = churn_noise(options, sigma);
  if (!epsilon.defined() || epsilon.sizes() != x.sizes())
    throw UsageError(
        fmt::format("noise of shape {} for a churn of {}",
                    epsilon.defined() ? c10::str(epsilon.sizes()) : "none", c10::str(x.sizes())),
        "give draw_unit_noise(x, generator)");
  const at::NoGradGuard no_gradient;
  return x + options.h() * (D(x, sigma, labels) - x) + kappa * epsilon;
}

at::Tensor churn_target(Denoiser& D_aux, const at::Tensor& x_0, const at::Tensor& x_sigma,
                        const at::Tensor& x_churned, double sigma, const at::Tensor& labels) {
  const at::NoGradGuard no_gradient;
  // Only the change by the churn is added. What D' loses of x_0 cancels in the difference.
  return x_0 + D_aux(x_churned, sigma, labels) - D_aux(x_sigma, sigma, labels);
}

Nudge nudge(Denoiser& D, Denoiser& D_aux, const at::Tensor& x_0, double sigma,
            const InversionOptions& inversion, const ChurnOptions& churning,
            const at::Generator& generator, const at::Tensor& labels, const at::Tensor& labels_aux,
            std::int64_t batch) {
  churn_noise(churning, sigma);  // refuses a wrong churn before the inversion's work
  // Noise is drawn for all items at once, so that the batch does not change the result.
  const auto epsilon = draw_unit_noise(x_0, generator);
  const auto epsilon_churn = draw_unit_noise(x_0, generator);
  const auto n = x_0.size(0);
  const auto step = batch > 0 ? batch : n;
  Nudge result;
  result.x_sigma = map_batches(n, step, [&](const auto& part) {
    return invert(D_aux, part(x_0), sigma, inversion, part(epsilon), part(labels_aux));
  });
  result.x_churned = map_batches(n, step, [&](const auto& part) {
    return churn(D, part(result.x_sigma), sigma, churning, part(epsilon_churn), part(labels));
  });
  result.target = map_batches(n, step, [&](const auto& part) {
    return churn_target(D_aux, part(x_0.detach()), part(result.x_sigma), part(result.x_churned),
                        sigma, part(labels_aux));
  });
  return result;
}

}  // namespace reprise::models
