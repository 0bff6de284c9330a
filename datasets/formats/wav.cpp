#include "datasets/formats/wav.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/files.h"

namespace reprise::datasets {
namespace {

// Format tags of the chunk "fmt " (Microsoft, mmreg.h: WAVE_FORMAT_PCM, _IEEE_FLOAT, _EXTENSIBLE).
constexpr std::uint32_t pcm = 1;
constexpr std::uint32_t ieee_float = 3;
constexpr std::uint32_t extensible = 0xFFFE;
/// Samples per second; higher claims count as damage.
constexpr std::uint32_t highest_rate = 768000;
constexpr const char* convert =
    "convert it, for example: sox IN -b 16 -e signed-integer -c 1 OUT.wav";
constexpr const char* fetch_again = "fetch the file again: it is cut short or overwritten";

/// Little-endian; the bytes are there.
std::uint32_t number_at(std::string_view bytes, std::size_t place, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[place + i]);
  return value;
}

void append_number(std::string& bytes, std::uint32_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

struct Format {
  std::uint32_t kind;
  std::uint32_t channels;
  std::uint32_t rate;
  std::uint32_t bits;
  std::size_t sample_bytes() const { return bits / 8; }
};

Format parse_format(std::string_view chunk, const std::string& name) {
  if (chunk.size() < 16)
    throw UsageError(
        fmt::format("{}: its format takes {} bytes; 16 are needed", name, chunk.size()),
        fetch_again);
  // Offsets in the chunk: 0 tag, 2 channels, 4 rate, 14 bits per sample. Bytes 8 to 13 follow from
  // those.
  Format format{.kind = number_at(chunk, 0, 2),
                .channels = number_at(chunk, 2, 2),
                .rate = number_at(chunk, 4, 4),
                .bits = number_at(chunk, 14, 2)};
  if (format.kind == extensible && chunk.size() >= 26)
    format.kind = number_at(chunk, 24, 2);  // the first word of its GUID
  const bool known = format.kind == pcm ? format.bits == 8 || format.bits == 16
                                        : format.kind == ieee_float && format.bits == 32;
  if (!known)
    throw UsageError(
        fmt::format(
            "{}: the sound is of format {} with {} bits; read are PCM (1) of 8 and 16 bits and "
            "floating point (3) of "
            "32",
            name, format.kind, format.bits),
        convert);
  // More channels have no agreed order here.
  if (format.channels != 1 && format.channels != 2)
    throw UsageError(
        fmt::format("{}: the sound has {} channels; read are 1 and 2", name, format.channels),
        convert);
  if (format.rate < 1 || format.rate > highest_rate)
    throw UsageError(
        fmt::format("{}: {} samples per second; expected 1 to {}", name, format.rate, highest_rate),
        fetch_again);
  return format;
}

/// Whether bytes consist of complete chunks. Then samples of size 0 before them are really empty.
bool are_chunks(std::string_view bytes) {
  while (bytes.size() >= 8) {
    // Chunks are padded to an even number of bytes.
    const std::size_t size = number_at(bytes, 4, 4);
    if (bytes.size() - 8 < size) return false;
    bytes.remove_prefix(std::min(bytes.size(), 8 + size + size % 2));
  }
  return bytes.empty();
}

/// Whether the samples after this chunk's header extend to the end of the file, whatever its size
/// says. Programs that write to a pipe do not know the size. They write 0, or a value near 2^31 or
/// 2^32 (ffmpeg 0xFFFFFFFF, sox 0x7FFFF000, arecord 0x80000000), some less the header.
bool extends_to_end(std::string_view bytes) {
  constexpr std::size_t header = 4096;
  const std::size_t size = number_at(bytes, 4, 4);
  if (size == 0) return !are_chunks(bytes.substr(8));
  const bool is_placeholder =
      (size >= 0x7FFFF000 - header && size <= 0x80000000) || size >= 0xFFFFFFFF - header;
  return is_placeholder && size > bytes.size() - 8;
}

/// [n], within [-1, 1]; the size of data is a multiple of a sample's.
at::Tensor parse_values(std::string_view data, const Format& format, const std::string& name) {
  const auto n = static_cast<std::int64_t>(data.size() / format.sample_bytes());
  auto values = at::empty({n}, at::kFloat);
  auto* value = values.data_ptr<float>();
  for (std::int64_t i = 0; i < n; ++i) {
    const auto bits =
        number_at(data, static_cast<std::size_t>(i) * format.sample_bytes(), format.sample_bytes());
    // 8-bit samples are unsigned with their zero at 128; 16-bit samples are signed.
    if (format.bits == 8)
      value[i] = (static_cast<float>(bits) - 128) / 128;
    else if (format.bits == 16)
      value[i] = static_cast<float>(static_cast<std::int16_t>(bits)) / 32768;
    else
      std::memcpy(value + i, &bits, sizeof(float));
    if (!(std::abs(value[i]) <= 1))
      throw UsageError(fmt::format("{}: sample {} of channel {} is {}; expected -1 to 1", name,
                                   i / format.channels, i % format.channels, value[i]),
                       "lower the level of the sound, or fetch the file again");
  }
  return values;
}

}  // namespace

Sound parse_wav(std::string_view bytes, const std::string& name) {
  if (bytes.size() < 12 || !bytes.starts_with("RIFF") || bytes.substr(8, 4) != "WAVE")
    throw UsageError(name + ": not a RIFF WAVE file", convert);
  std::optional<Format> format;
  // "RIFF", its size and "WAVE". The size is not used: streams state a wrong one.
  bytes.remove_prefix(12);
  while (!bytes.empty()) {
    std::size_t size = bytes.size() < 8 ? 0 : number_at(bytes, 4, 4);
    const std::size_t frame = format ? format->sample_bytes() * format->channels : 1;
    // A stream may break off within a sample, which is left out.
    if (bytes.size() >= 8 && bytes.starts_with("data") && extends_to_end(bytes))
      size = (bytes.size() - 8) / frame * frame;
    if (bytes.size() < 8 || bytes.size() - 8 < size)
      throw UsageError(fmt::format("{}: the file ends {} bytes into a chunk of {}", name,
                                   bytes.size(), 8 + size),
                       fetch_again);
    const auto kind = bytes.substr(0, 4);
    const auto chunk = bytes.substr(8, size);
    // Chunks with other names hold texts and marks, and are skipped.
    if (kind == "fmt ") format = parse_format(chunk, name);
    if (kind == "data") {
      if (!format) throw UsageError(name + ": the samples come before their format", fetch_again);
      if (size == 0 || size % frame != 0)
        throw UsageError(fmt::format("{}: {} bytes of samples of {} each", name, size, frame),
                         fetch_again);
      const auto values = parse_values(chunk, *format, name);
      return {.samples = format->channels == 2 ? values.reshape({-1, 2}).mean(1) : values,
              .rate = static_cast<int>(format->rate)};
    }
    bytes.remove_prefix(
        std::min(bytes.size(), 8 + size + size % 2));  // chunks begin at even places
  }
  throw UsageError(fmt::format("{}: the file has no {}", name, format ? "samples" : "format"),
                   fetch_again);
}

Sound read_wav(const std::filesystem::path& path) {
  return parse_wav(read_file(path), path.string());
}

std::string encode_wav(const Sound& sound) {
  if (sound.samples.dim() != 1 || sound.samples.numel() == 0)
    throw UsageError(fmt::format("a sound of the shape {}", c10::str(sound.samples.sizes())),
                     "give [n] samples, one at least");
  // Sizes are 32-bit, and a sample takes 2 bytes after a head of 36.
  if (sound.samples.numel() > std::numeric_limits<std::uint32_t>::max() / 2 - 36)
    throw UsageError(
        fmt::format("{} samples are more than a WAVE file holds", sound.samples.numel()),
        "write it in parts");
  if (sound.rate < 1 || sound.rate > static_cast<int>(highest_rate))
    throw UsageError(
        fmt::format("{} samples per second; expected 1 to {}", sound.rate, highest_rate),
        "give the rate of the sound");
  const auto samples = sound.samples.to(at::kCPU, at::kDouble);
  if (!(samples.abs() <= 1).all().item<bool>())
    throw UsageError("a sound with samples outside -1 to 1",
                     "divide it by its largest absolute sample");
  // 1 would be 32768, which 16 bits do not hold.
  const auto values = (samples * 32768).round().clamp_max(32767).to(at::kShort).contiguous();
  const auto size = static_cast<std::uint32_t>(2 * values.numel());
  const auto rate = static_cast<std::uint32_t>(sound.rate);
  std::string bytes = "RIFF";
  // Bytes after this number: the head up to the samples, and the samples.
  append_number(bytes, 36 + size, 4);
  bytes += "WAVEfmt ";
  append_number(bytes, 16, 4);
  append_number(bytes, pcm, 2);
  append_number(bytes, 1, 2);  // channel
  append_number(bytes, rate, 4);
  append_number(bytes, 2 * rate, 4);  // bytes a second
  append_number(bytes, 2, 2);         // bytes of one sample of all channels
  append_number(bytes, 16, 2);        // bits
  bytes += "data";
  append_number(bytes, size, 4);
  for (std::int64_t i = 0; i < values.numel(); ++i)
    append_number(bytes, static_cast<std::uint16_t>(values.data_ptr<std::int16_t>()[i]), 2);
  return bytes;
}

void write_wav(const std::filesystem::path& path, const Sound& sound) {
  write_file(path, encode_wav(sound));
}

}  // namespace reprise::datasets
