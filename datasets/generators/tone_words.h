// Words of three vowels, spoken by a generator: sounds with ten classes that need no data.
//
// Each class is a fixed sequence of three vowels between whose formants a voice glides:
//     0 iau   1 uai   2 aia   3 aua   4 iui   5 uiu   6 eoe   7 oeo   8 aei   9 oae
// x(t) = Σ_h g(h f0(t)) cos(2π h ∫f0),  g(f) = Σ_k a_k / (1 + ((f - F_k(t)) / B_k)²): the harmonics of a pitch, under resonances at F_1,
// F_2, F_3. A voice, of which each seed has others, is a pitch (100 to 220 Hz) and a length of the
// vocal tract, which moves the formants together (0.9 to 1.12 times). Drawn for each word: pitch
// around the voice's (8 % either way) and its fall, how long the word and each vowel last, where it
// starts, and its loudness (peak 0.3 to 0.9); a breath of noise lies 45 dB below the peak.
#pragma once
#include "datasets/sounds.h"

namespace reprise::datasets {

inline constexpr std::int64_t tone_word_voices = 8;

/// n words: each voice in turn speaks a round of the ten classes, in an order drawn for the round;
/// word i draws from its own stream, so it depends on neither n nor the number of threads.
/// UsageError: n < 0; a length below 2000 samples.
SpokenDigits tone_words(std::int64_t n, std::int64_t length, std::uint64_t seed);

}  // namespace reprise::datasets
