// Words of three vowels by a simple speech synthesiser: sounds with ten classes that need no data.
//
// Each class is a fixed sequence of three vowels, with gliding formants:
//
//     0 iau   1 uai   2 aia   3 aua   4 iui   5 uiu   6 eoe   7 oeo   8 aei   9 oae
//
//     x(t) = Σ_h g(h f0(t)) cos(2π h ∫f0),  g(f) = Σ_k a_k / (1 + ((f - F_k(t)) / B_k)²)
//
// These are the harmonics of a pitch f0 under resonances at F_1, F_2, F_3. Each seed has its own
// voices. A voice has:
//
// - a pitch of 100 to 220 Hz
// - a length of the vocal tract, which scales all formants by 0.9 to 1.12
//
// Drawn per word:
//
// - pitch, within 8 % of the voice's, and its fall
// - start and duration of the word, and durations of the vowels
// - loudness, with a peak of 0.3 to 0.9
//
// Breath noise lies 45 dB below the peak.
#pragma once
#include "datasets/sounds.h"

namespace reprise::datasets {

inline constexpr std::int64_t tone_word_voices = 8;

/// Synthesises n words. Each voice in turn speaks a round of the ten classes, in an order drawn per
/// round. Word i draws from its own stream, so it depends on neither n nor the number of threads.
/// UsageError: n < 0; a length below 2000 samples.
SpokenDigits generate_tone_words(std::int64_t n, std::int64_t length, std::uint64_t seed);

}  // namespace reprise::datasets
