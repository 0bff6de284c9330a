// Sounds in RIFF WAVE files.
//
// Formats that are read:
//
// - PCM of 8 bits, unsigned: 128 is silence
// - PCM of 16 bits, signed
// - floating point of 32 bits
//
// One or two channels are read; two are averaged. The header may be plain or extensible. Other
// chunks than "fmt " and "data" are skipped. The size in the RIFF header is ignored, because
// programs that write to a pipe leave it wrong. They also do not know the size of the samples, and
// write 0 or a very large number. Then all bytes up to the end of the file are samples.
//
// Files are written as 16-bit PCM with one channel. A 16-bit value v is the sample v / 32768, so
// 16-bit files are restored exactly. Other samples change by at most half a step of 1 / 32768, and
// by a whole step at +1.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::datasets {

struct Sound {
  at::Tensor samples;  ///< [n], float32, within [-1, 1]
  int rate = 0;        ///< samples per second
};

/// Reads a sound. UsageError, with the file: no RIFF WAVE file; another format (named); a chunk is
/// cut or missing. UsageError: a rate outside 1 to 768000; no sample; a sample is not finite or
/// beyond 1. A hostile header allocates nothing beyond the file's size.
Sound read_wav(const std::filesystem::path& path);
Sound parse_wav(std::string_view bytes, const std::string& name);

/// Writes a sound; the same sound gives the same bytes. UsageError: samples are empty, not [n], or
/// outside [-1, 1]. UsageError: a rate outside 1 to 768000. Error: the file cannot be written.
void write_wav(const std::filesystem::path& path, const Sound& sound);
std::string encode_wav(const Sound& sound);

}  // namespace reprise::datasets
