// Words of three vowels by a simple speech synthesiser: sounds with ten classes that need no data.
//
// Each class is a fixed sequence of three vowels, with gliding formants:
//
//     0 iau   1 uai   2 aia   3 aua   4 iui   5 uiu   6 eoe   7 oeo   8 aei   9 oae
//
//     x(t) = Σ_h g(h f0(t)) cos(2π h ∫f0),  g(f) = Σ_k a_k / (1 + ((f - F_k(t)) / B_k)²)
//
// These are the harmonics of a pitch f0 under resonances at F_1, F_2, F_3. A voice is a pitch (100
// to 220 Hz) and a length of the vocal tract, which scales all formants (0.9 to 1.12). Each seed
// has its own voices. Drawn per word: pitch around the voice's (within 8 %) and its fall, durations
// of the word and each vowel, start, and loudness (peak 0.3 to 0.9). Breath noise lies 45 dB below
// the peak.
#pragma once
#include "datasets/sounds.h"

namespace reprise::datasets {

inline constexpr std::int64_t tone_word_voices = 8;

/// Synthesises n words. Each voice in turn speaks a round of the ten classes, in an order drawn per
/// round. Word i draws from its own stream, so it depends on neither n nor the number of threads.
/// UsageError: n < 0; a length below 2000 samples.
SpokenDigits generate_tone_words(std::int64_t n, std::int64_t length, std::uint64_t seed);

}  // namespace reprise::datasets
