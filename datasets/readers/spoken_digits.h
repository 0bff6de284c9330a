// The Free Spoken Digit Dataset.
//
// FSDD's layout: DIGIT_SPEAKER_INDEX.wav, in the folder or in its recordings/; 8 kHz. The mean of a
// recording is taken off, and it is brought to the length asked for: the stretch of speech, from
// the first to the last block of 20 ms within 35 dB of the loudest, comes to the middle, and
// silence is added or cut off at the ends; of a stretch that is too long, the part with the most
// energy is kept. Then it is scaled to the peak 0.9, for some recordings are 30 dB louder than
// others.
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/problems.h"
#include "datasets/sounds.h"

namespace reprise::datasets {

/// Sorted by item. UsageError: no such folder, no recording in it, length < 1; counted and five
/// named: a .wav file with another name, another rate than 8 kHz, silence alone (no sample above
/// 0.0001), or that read_wav() refuses.
SpokenDigits read_spoken_digits(const std::filesystem::path& folder,
                                std::int64_t length = spoken_length);
/// What the reader refuses, all of it. Empty: the set is whole.
std::vector<Problem> verify_spoken_digits(const std::filesystem::path& folder);

}  // namespace reprise::datasets
