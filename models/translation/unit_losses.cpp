#include "models/translation/unit_losses.h"

#include <torch/torch.h>

namespace reprise::models {

namespace {

/// Lengths of the gradients of the channels' mean, [N, H - 1, W - 1].
at::Tensor gradient_lengths(const at::Tensor& x) {
  // A root has no derivative at 0, where a picture is flat. Values are from -1 to 1.
  constexpr double tiny = 1e-6;
  const auto gray = x.mean(1);
  const auto corner = gray.slice(1, 0, -1).slice(2, 0, -1);
  const auto across = gray.slice(1, 0, -1).slice(2, 1) - corner;
  const auto down = gray.slice(1, 1).slice(2, 0, -1) - corner;
  return (across.square() + down.square() + tiny).sqrt();
}

}  // namespace

// Means is the release's reading, Sums the bound per image.
at::Tensor kl_to_prior(const at::Tensor& mu, UnitReading reading) {
  if (reading == UnitReading::Means) return mu.square().mean();
  return mu.square().sum() / (2 * static_cast<double>(mu.size(0)));
}

at::Tensor distance_to(const at::Tensor& x, const at::Tensor& reconstruction, UnitReading reading) {
  if (reading == UnitReading::Means) return at::l1_loss(reconstruction, x);
  return at::l1_loss(reconstruction, x, at::Reduction::Sum) / static_cast<double>(x.size(0));
}

at::Tensor registration_loss(const at::Tensor& x, const at::Tensor& translation) {
  const auto centred = [](const at::Tensor& pictures) {
    const auto lengths = gradient_lengths(pictures).flatten(1);
    return lengths - lengths.mean(1, /*keepdim=*/true);
  };
  const auto a = centred(x);
  const auto b = centred(translation);
  // A picture without edges has norm 0 and correlation 0.
  const auto norms = (a.square().sum(1) * b.square().sum(1)).clamp_min(1e-12).sqrt();
  return 1 - ((a * b).sum(1) / norms).mean();
}

UnitTerms unit_terms(const at::Tensor& x_1, const at::Tensor& x_2, const UnitStreams& streams,
                     const UnitCycles* cycles, const UnitWeights& w) {
  const auto kl_1 = kl_to_prior(streams.mu_1, w.reading),
             kl_2 = kl_to_prior(streams.mu_2, w.reading);
  const auto distance = [&](const at::Tensor& x, const at::Tensor& reconstruction) {
    return distance_to(x, reconstruction, w.reading);
  };
  UnitTerms terms{.vae_1 = w.lambda1 * kl_1,
                  .vae_2 = w.lambda1 * kl_2 + w.lambda2 * distance(x_2, streams.x22),
                  .cc_1 = {},
                  .cc_2 = {}};
  // A one-way system has no G_1 and thus no x11.
  if (streams.x11.defined()) terms.vae_1 = terms.vae_1 + w.lambda2 * distance(x_1, streams.x11);
  if (!cycles) return terms;
  const auto cycle = [&](const at::Tensor& kl, const at::Tensor& mu, const at::Tensor& x,
                         const at::Tensor& back) {
    return w.lambda3 * (kl + kl_to_prior(mu, w.reading)) + w.lambda4 * distance(x, back);
  };
  terms.cc_1 = cycle(kl_1, cycles->mu_12, x_1, cycles->x121);
  terms.cc_2 = cycle(kl_2, cycles->mu_21, x_2, cycles->x212);
  return terms;
}

}  // namespace reprise::models
