// Sounds in RIFF WAVE files.
//
// Read: PCM of 8 bits (unsigned, 128 is silence) and 16 bits, floating point of 32 bits; one
// channel, or two, whose mean is taken; the plain and the extensible header. Chunks other than "fmt
// " and "data" are skipped, and the size in the RIFF header is not looked at:
// programs that write to a pipe leave it wrong. They leave the size of the samples unknown, too (0,
// or near 2^31 or 2^32): then all up to the end of the file are samples. Written: PCM of 16 bits,
// one channel. A 16-bit value v is the sample v / 32768, so what is read and written again is the
// same, and a sample is off by half a step of 1 / 32768 at most, or a whole one at +1.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::datasets {

struct Sound {
  at::Tensor samples;  ///< [n], float32, within [-1, 1]
  int rate = 0;        ///< samples a second
};

/// UsageError, naming the file: no RIFF WAVE file, another format (named), a chunk that is cut
/// short or missing, a rate outside 1 to 768000, no sample, a floating-point sample that is not
/// finite or beyond 1. A hostile header allocates nothing beyond the file's own size.
Sound read_wav(const std::filesystem::path& path);
Sound parse_wav(std::string_view bytes, const std::string& name);

/// The same sound gives the same bytes. UsageError: samples that are not [n], n >= 1, or outside
/// [-1, 1]; a rate outside 1 to 768000. Error: the file cannot be written.
void write_wav(const std::filesystem::path& path, const Sound& sound);
std::string wav_bytes(const Sound& sound);

}  // namespace reprise::datasets
