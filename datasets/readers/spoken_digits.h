// Spoken digits, read (Free Spoken Digit Dataset) or generated (words of three vowels): short sounds of one length with ten classes.
//
// FSDD's layout: DIGIT_SPEAKER_INDEX.wav, in the folder or in its recordings/; 8 kHz. The mean of a recording is taken off, and it is
// brought to the length asked for: the stretch of speech, from the first to the last block of 20 ms within 35 dB of the loudest, comes to
// the middle, and silence is added or cut off at the ends; of a stretch that is too long, the part with the most energy is kept. Then it is
// scaled to the peak 0.9, for some recordings are 30 dB louder than others.
//
// tone_words() needs no data. Each class is a fixed sequence of three vowels between whose formants a voice glides:
//     0 iau   1 uai   2 aia   3 aua   4 iui   5 uiu   6 eoe   7 oeo   8 aei   9 oae
// x(t) = Σ_h g(h f0(t)) cos(2π h ∫f0),  g(f) = Σ_k a_k / (1 + ((f - F_k(t)) / B_k)²): the harmonics of a pitch, under resonances at F_1,
// F_2, F_3. A voice, of which each seed has others, is a pitch (100 to 220 Hz) and a length of the vocal tract, which moves the formants
// together (0.9 to 1.12 times). Drawn for each word: pitch around the voice's (8 % either way) and its fall, how long the word and each
// vowel last, where it starts, and its loudness (peak 0.3 to 0.9); a breath of noise lies 45 dB below the peak.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/landmarks.h"

namespace reprise::datasets {

inline constexpr int spoken_rate = 8000;             ///< samples a second
inline constexpr std::int64_t spoken_length = 8064;  ///< samples: a spectrogram of 64 frames (spectrogram.h)
inline constexpr std::int64_t tone_word_voices = 8;

struct SpokenDigits {
  at::Tensor samples;                ///< [N, L], float32, within [-1, 1]
  at::Tensor labels;                 ///< [N], int64, 0 to 9
  std::vector<std::string> speaker;  ///< the unit of a split
  std::vector<std::string> item;     ///< "7_theo_12", "voice003/000017"; unique in the set
  int rate = spoken_rate;
  std::int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
};

/// Sorted by item. UsageError: no such folder, no recording in it, length < 1; counted and five named: a .wav file with another name,
/// another rate than 8 kHz, silence alone (no sample above 0.0001), or that read_wav() refuses.
SpokenDigits read_spoken_digits(const std::filesystem::path& folder, std::int64_t length = spoken_length);
/// What the reader refuses, all of it. Empty: the set is whole.
std::vector<Problem> verify_spoken_digits(const std::filesystem::path& folder);

/// n words: each voice in turn speaks a round of the ten classes, in an order drawn for the round; word i draws from its own stream, so it
/// depends on neither n nor the number of threads. UsageError: n < 0; a length below 2000 samples.
SpokenDigits tone_words(std::int64_t n, std::int64_t length, std::uint64_t seed);

}  // namespace reprise::datasets
