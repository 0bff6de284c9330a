// Sounds as pictures and back: log-magnitude spectrograms in mel bands, and their inverse by the
// fast Griffin-Lim algorithm.
//
//     X[f, t] = Σ_i w_i x[t hop + i - window / 2] exp(-2πi f i / window)    w: periodic Hann; x mirrored at its ends; f = 0 .. window / 2
//     m[b, t] = Σ_f F[b, f] |X[f, t]| / (window / 4)                        F: a triangle per band, whose weights add up to 1
//     picture = clamp(20 log10 m / |floor| * 2 + 1, -1, 1)                  1: 0 dB, -1: the floor or less
//
// A sine of amplitude 1 has 0 dB in its own bin. The bands' edges lie evenly on the mel scale that
// is linear up to 1 kHz and logarithmic above (Slaney), from 0 to half the rate: 64 bands at 8 kHz
// are 36 Hz apart below 1 kHz, so that none falls between two bins and the harmonics of a voice are
// told apart. The bin of half the rate is left out: window / 2 bins are used. n samples give 1 + n
// / hop frames (rounded down): 8064 samples a picture of 64 x 64 by default.
//
// Back: magnitudes are F's pseudo-inverse applied to m, those below 0 set to 0; what is at the
// floor was silence. Phases start at random and are found by
//     c_i = STFT(ISTFT(|X| phase(d_i-1)))      d_i = c_i - 0.99 / 1.99 c_i-1      i = 1 .. iterations
// which is the fast Griffin-Lim of Perraudin, Balazs and Søndergaard (2013) with the momentum 0.99.
// Of spoken digits at 8 kHz, |X| comes back with a relative error of 0.12, nearly all of which is
// what bands in the place of bins cost.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/random.h"

namespace reprise::datasets {

struct SpectrogramOptions {
  int rate = 8000;            ///< samples a second
  std::int64_t window = 256;  ///< samples; even
  std::int64_t hop = 128;     ///< samples; at most half a window
  std::int64_t bands = 64;
  double floor = -70;  ///< dB, below 0
  std::int64_t iterations = 32;
};

/// UsageError of all functions: options that are not as above; more bands than the bins can tell
/// apart (the number of empty ones is named); tensors of another shape, or with a value that is not
/// finite.

/// [bands, window / 2], float32: F.
at::Tensor mel_filters(const SpectrogramOptions& options);

/// samples: [n] or [N, n], n > window / 2. Returns X: [..., window / 2 + 1, T], complex.
at::Tensor short_time_spectrum(const at::Tensor& samples, const SpectrogramOptions& options);
/// Its inverse by least squares: [..., (T - 1) hop] float32 samples. Exact for a spectrum of
/// samples.
at::Tensor samples_of(const at::Tensor& spectrum, const SpectrogramOptions& options);

/// samples: [n] or [N, n], n > window / 2. Returns [bands, T] or [N, bands, T], float32, within
/// [-1, 1]; low bands first.
at::Tensor spectrogram(const at::Tensor& samples, const SpectrogramOptions& options = {});

/// picture: [bands, T] or [N, bands, T], T >= 2; values outside [-1, 1] count as the nearest one
/// inside. Returns [(T - 1) hop] or [N, (T - 1) hop], float32, cut off at -1 and 1. Item i of a
/// batch draws from a stream of its own.
at::Tensor sound_of(const at::Tensor& picture, const SpectrogramOptions& options,
                    const Random& random);

}  // namespace reprise::datasets
