// Sounds as pictures and back: log-magnitude mel spectrograms, and their inverse by the fast
// Griffin-Lim algorithm.
//
//     X[f, t] = Σ_i w_i x[t hop + i - window / 2] exp(-2πi f i / window)
//     m[b, t] = Σ_f F[b, f] |X[f, t]| / (window / 4)
//     picture = clamp(20 log10 m / |floor| * 2 + 1, -1, 1)
//
// w: periodic Hann window; x is mirrored at its ends; f = 0 .. window / 2. F: one triangle per
// band, whose weights sum to 1. Picture: 1 is 0 dB, -1 is the floor or less.
//
// A sine of amplitude 1 has 0 dB in its own bin. The bands' edges lie evenly on the mel scale of
// Slaney, from 0 to half the rate. That scale is linear up to 1 kHz and logarithmic above. With the
// defaults, bands below 1 kHz are 36 Hz apart. No band falls between two bins, and the harmonics of
// a voice are resolved. The bin of half the rate is left out, so window / 2 bins are used. The
// number of frames is 1 + n / hop for n samples, rounded down. By default, 8064 samples give a
// square picture.
//
// Inverse: magnitudes are F's pseudo-inverse applied to m, clamped at 0. Values at the floor count
// as silence. Phases start at random and are refined by
//
//     c_i = STFT(ISTFT(|X| phase(d_i-1)))    d_i = c_i - 0.99 / 1.99 c_i-1    i = 1 .. iterations
//
// the fast Griffin-Lim algorithm of Perraudin, Balazs and Søndergaard (2013) with momentum 0.99.
// For spoken digits at 8 kHz, the relative error of |X| is 0.12. Nearly all of it comes from the
// mel bands.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/random.h"

namespace reprise::datasets {

struct SpectrogramOptions {
  int rate = 8000;            ///< samples per second
  std::int64_t window = 256;  ///< samples; even
  std::int64_t hop = 128;     ///< samples; at most half a window
  std::int64_t bands = 64;
  double floor = -70;  ///< dB, below 0
  std::int64_t iterations = 32;
};

/// UsageError of all functions: options that are not as above. UsageError: more bands than the bins
/// can separate (the number of empty ones is named). UsageError: tensors of another shape, or with
/// a value that is not finite.

/// Returns F: [bands, window / 2], float32.
at::Tensor mel_filters(const SpectrogramOptions& options);

/// Computes X, complex [..., window / 2 + 1, T], of samples [n] or [N, n] with n > window / 2.
at::Tensor compute_short_time_spectrum(const at::Tensor& samples,
                                       const SpectrogramOptions& options);
/// Inverts a short-time spectrum by least squares, to float32 samples [..., (T - 1) hop]. It is
/// exact for the spectrum of a signal.
at::Tensor reconstruct_samples(const at::Tensor& spectrum, const SpectrogramOptions& options);

/// Computes pictures, float32 [bands, T] or [N, bands, T], within [-1, 1], low bands first.
/// samples: [n] or [N, n] with n > window / 2.
at::Tensor compute_spectrogram(const at::Tensor& samples, const SpectrogramOptions& options = {});

/// Reconstructs (T - 1) hop samples, float32 [n] or [N, n], clamped to [-1, 1]. picture: [bands, T]
/// or [N, bands, T], clamped in the same way; T is at least 2. Item i of a batch draws from its own
/// stream.
at::Tensor reconstruct_sound(const at::Tensor& picture, const SpectrogramOptions& options,
                             const Random& random);

}  // namespace reprise::datasets
