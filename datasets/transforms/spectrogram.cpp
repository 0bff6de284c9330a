#include "datasets/transforms/spectrogram.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"

namespace reprise::datasets {
namespace {

constexpr double momentum = 0.99;

void require_options(const SpectrogramOptions& options) {
  if (options.rate < 1 || options.window < 4 || options.window % 2 != 0 || options.hop < 1 ||
      2 * options.hop > options.window)
    throw UsageError(fmt::format("a window of {} and a hop of {} samples at a rate of {}",
                                 options.window, options.hop, options.rate),
                     "use an even window, a hop of half of it at most, and a rate above 0");
  if (options.bands < 1 || !(options.floor < 0) || options.iterations < 0)
    throw UsageError(fmt::format("{} bands, a floor of {} dB, {} iterations", options.bands,
                                 options.floor, options.iterations),
                     "use 1 band or more, a floor below 0 and 0 iterations or more");
}

/// Returns items as a batch; the last `inner` axes belong to an item. UsageError: another shape, or
/// a value that is not finite.
at::Tensor as_batch(const at::Tensor& items, std::int64_t inner, const char* expected) {
  if ((items.dim() != inner && items.dim() != inner + 1) || items.numel() == 0)
    throw UsageError(fmt::format("a tensor of the shape {} where {} is expected",
                                 c10::str(items.sizes()), expected),
                     "give one item, or a batch of them");
  if (!at::isfinite(items).all().item<bool>())
    throw UsageError(fmt::format("{} has a value that is not finite", expected),
                     "check what it was made from");
  return items.dim() == inner ? items.unsqueeze(0) : items;
}

/// Removes the batch axis if the caller gave a single item.
at::Tensor restore_shape(const at::Tensor& batch, const at::Tensor& given, std::int64_t inner) {
  return given.dim() == inner ? batch.squeeze(0) : batch;
}

at::Tensor hann_window_like(const SpectrogramOptions& options, const at::Tensor& like) {
  return at::hann_window(options.window, like.options().dtype(at::kFloat));
}

/// Returns the short-time spectrum [N, window / 2 + 1, T] of samples [N, n].
at::Tensor compute_spectrum(const at::Tensor& samples, const SpectrogramOptions& options) {
  return at::stft(samples, options.window, options.hop, options.window,
                  hann_window_like(options, samples),
                  /*center=*/true, "reflect",
                  /*normalized=*/false, /*onesided=*/true, /*return_complex=*/true);
}

/// Returns samples [N, n] of a spectrum [N, window / 2 + 1, T].
at::Tensor invert_spectrum(const at::Tensor& spectrum, const SpectrogramOptions& options) {
  // istft() divides the overlapping windows by the sum of their squares, which is the least-squares
  // solution.
  return at::istft(spectrum, options.window, options.hop, options.window,
                   hann_window_like(options, at::real(spectrum)), /*center=*/true);
}

/// Mel scale of Slaney's Auditory Toolbox: 200/3 Hz per mel up to 15 mel (1 kHz), then a factor of
/// 6.4 per 27 mel.
double hertz_of_mel(double mel) {
  return mel < 15 ? mel * 200 / 3 : 1000 * std::pow(6.4, (mel - 15) / 27);
}
double mel_of_hertz(double hertz) {
  return hertz < 1000 ? hertz * 3 / 200 : 15 + 27 * std::log(hertz / 1000) / std::log(6.4);
}

/// Returns random phases, complex [N, window / 2 + 1, T] of length 1. Each item draws from its own
/// stream.
at::Tensor random_phases(const at::Tensor& magnitudes, const Random& random) {
  auto angle = at::empty(magnitudes.sizes(), at::kDouble);
  const auto count = angle[0].numel();
  for (std::int64_t item = 0; item < angle.size(0); ++item) {
    auto stream = random.split("phases", item);
    auto* value = angle.data_ptr<double>() + item * count;
    for (std::int64_t i = 0; i < count; ++i) value[i] = stream.uniform(0, 2 * std::numbers::pi);
  }
  angle = angle.to(magnitudes.options());
  return at::polar(at::ones_like(angle), angle);
}

/// Finds phases for magnitudes [N, window / 2 + 1, T] by the fast Griffin-Lim algorithm, and
/// returns the samples.
at::Tensor griffin_lim(const at::Tensor& magnitudes, const SpectrogramOptions& options,
                       const Random& random) {
  auto phases = random_phases(magnitudes, random);
  at::Tensor before;
  for (std::int64_t i = 0; i < options.iterations; ++i) {
    const auto now = compute_spectrum(invert_spectrum(magnitudes * phases, options), options);
    // The momentum step d_i of the header. Only the phase of d_i is used.
    const auto ahead = before.defined() ? now - momentum / (1 + momentum) * before : now;
    phases = ahead / ahead.abs().clamp_min(1e-16);
    before = now;
  }
  return invert_spectrum(magnitudes * phases, options);
}

}  // namespace

at::Tensor mel_filters(const SpectrogramOptions& options) {
  require_options(options);
  const auto bins = options.window / 2;
  const double highest = mel_of_hertz(options.rate / 2.0);
  const auto edge = [&](std::int64_t i) {
    return hertz_of_mel(highest * static_cast<double>(i) / static_cast<double>(options.bands + 1));
  };
  auto filters = at::zeros({options.bands, bins}, at::kDouble);
  auto weight = filters.accessor<double, 2>();
  for (std::int64_t b = 0; b < options.bands; ++b)
    for (std::int64_t f = 0; f < bins; ++f) {
      const double hertz =
          static_cast<double>(f) * options.rate / static_cast<double>(options.window);
      const double rise = (hertz - edge(b)) / (edge(b + 1) - edge(b));
      const double fall = (edge(b + 2) - hertz) / (edge(b + 2) - edge(b + 1));
      weight[b][f] = std::max(0.0, std::min(rise, fall));
    }
  const auto sums = filters.sum(1, true);
  const auto empty = (sums == 0).sum().item<std::int64_t>();
  if (empty > 0)
    throw UsageError(fmt::format("{} of {} bands have none of the {} bins of a window of {}", empty,
                                 options.bands, bins, options.window),
                     "use fewer bands or a longer window");
  return (filters / sums).to(at::kFloat);
}

at::Tensor compute_short_time_spectrum(const at::Tensor& samples,
                                       const SpectrogramOptions& options) {
  require_options(options);
  const auto batch = as_batch(samples, 1, "[n] or [N, n] samples");
  if (batch.size(1) <= options.window / 2)
    throw UsageError(fmt::format("a sound of {} samples is too short for a window of {}",
                                 batch.size(1), options.window),
                     "give more than half a window");
  return restore_shape(compute_spectrum(batch.to(at::kFloat), options), samples, 1);
}

at::Tensor reconstruct_samples(const at::Tensor& spectrum, const SpectrogramOptions& options) {
  require_options(options);
  const auto batch =
      as_batch(spectrum, 2, "a spectrum [window / 2 + 1, T] or [N, window / 2 + 1, T]");
  if (!batch.is_complex() || batch.size(1) != options.window / 2 + 1 || batch.size(2) < 2)
    throw UsageError(
        fmt::format("a spectrum of the shape {}, {}", c10::str(spectrum.sizes()),
                    at::toString(spectrum.scalar_type())),
        fmt::format("give complex numbers of {} bins in 2 frames or more", options.window / 2 + 1));
  return restore_shape(invert_spectrum(batch, options), spectrum, 2);
}

at::Tensor compute_spectrogram(const at::Tensor& samples, const SpectrogramOptions& options) {
  const auto spectrum = compute_short_time_spectrum(samples, options);
  const auto bins = options.window / 2;
  const auto magnitudes =
      spectrum.slice(-2, 0, bins).abs() * (4.0 / static_cast<double>(options.window));
  const auto bands = mel_filters(options).to(magnitudes.device()).matmul(magnitudes);
  const auto decibels = 20 * bands.clamp_min(1e-30).log10();
  return (decibels * (2 / -options.floor) + 1).clamp(-1, 1);
}

at::Tensor reconstruct_sound(const at::Tensor& picture, const SpectrogramOptions& options,
                             const Random& random) {
  const auto filters = mel_filters(options);
  const auto batch = as_batch(picture, 2, "a picture [bands, T] or [N, bands, T]").to(at::kFloat);
  if (batch.size(1) != options.bands || batch.size(2) < 2)
    throw UsageError(fmt::format("a picture of the shape {}", c10::str(picture.sizes())),
                     fmt::format("give {} bands of 2 frames or more", options.bands));
  const auto decibels = (batch.clamp(-1, 1) - 1) * (-options.floor / 2);
  const auto bands = at::where(batch > -1, at::pow(10, decibels / 20), at::zeros_like(decibels));
  const auto inverted =
      at::linalg_pinv(filters.to(at::kDouble)).to(bands.options()).matmul(bands).clamp_min(0);
  const auto magnitudes =
      at::constant_pad_nd(inverted, {0, 0, 0, 1}) * (static_cast<double>(options.window) / 4);
  return restore_shape(griffin_lim(magnitudes, options, random).clamp(-1, 1), picture, 2);
}

}  // namespace reprise::datasets
