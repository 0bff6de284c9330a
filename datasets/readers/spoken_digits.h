// The Free Spoken Digit Dataset (FSDD).
//
// Layout: DIGIT_SPEAKER_INDEX.wav at 8 kHz, in the folder or in its recordings/.
//
// Each recording is centred and cut to one length. First its mean is subtracted. Speech is the
// segment from the first to the last block of 20 ms within 35 dB of the loudest. It moves to the
// middle, and silence is added or cut at both ends. From longer speech, the part with the most
// energy is kept. The peak is then scaled to 0.9, because loudness differs by up to 30 dB between
// recordings.
#pragma once
#include <filesystem>
#include <vector>

#include "datasets/issues.h"
#include "datasets/sounds.h"

namespace reprise::datasets {

/// Reads all recordings, sorted by item. UsageError: the folder does not exist or has no recording;
/// length < 1. UsageError, counted and five named: a .wav has another name or rate, is silent (no
/// sample above 0.0001), or read_wav() refuses it.
SpokenDigits read_spoken_digits(const std::filesystem::path& folder,
                                std::int64_t length = spoken_length);
/// Returns all issues that the reader refuses. Empty: the set is complete.
std::vector<Issue> verify_spoken_digits(const std::filesystem::path& folder);

}  // namespace reprise::datasets
